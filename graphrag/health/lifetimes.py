"""The lifetimes of facts as they are stored, against what follows from the statements stored."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

from graphrag.errors import InputError
from graphrag.health.findings import Finding
from graphrag.health.snapshot import Snapshot
from graphrag.index.merged import Heirs
from graphrag.ingest.lifetimes.derive import derive
from graphrag.model.assertion import Ending
from graphrag.model.values import Entity, Fact
from graphrag.ontology.relations import Relations
from graphrag.store.rows import from_row

_SETTLED = (
    *("valid_at", "invalid_at", "observed", "closed_as", "closed_by_arbiter"),
    *("invalidated_by", "pending"),
)
_HOW = "retract and tell it again, or restore a backup"


def lifetime_findings(snapshot: Snapshot, relations: Relations, now: datetime) -> Iterator[Finding]:
    """Yield the facts that hold at another time than their statements say."""
    entities = {id_: from_row(Entity, row) for id_, row in snapshot.rows["entity"].items()}
    heirs = Heirs({id_: one.merged_into for id_, one in entities.items() if one.merged_into})
    facts = heirs.follow(
        {id_: from_row(Fact, row) for id_, row in snapshot.rows["relates_to"].items()},
        lambda id_: entities[id_].name if id_ in entities else id_,
    )
    endings: dict[str, list[Ending]] = defaultdict(list)
    for id_, entity in entities.items():
        endings[heirs.of(id_)].extend(entity.endings)
    episodes = snapshot.rows["episode"]

    def gone(episode: str) -> bool:
        return episode in episodes and episodes[episode].get("removed_at") is not None

    try:
        settled = derive(facts, endings, relations, gone, now=now).facts
    except InputError as error:
        yield Finding(snapshot.group, "relates_to", f"cannot be settled: {error}", _HOW)
        return
    for id_, fact in settled.items():
        record = f"relates_to:{id_}"
        if id_ not in facts:
            yield Finding(snapshot.group, record, "follows from what was said, and is gone", _HOW)
            continue
        known = facts[id_]
        wrong = [name for name in _SETTLED if getattr(known, name) != getattr(fact, name)]
        if (known.retracted_at is None) != (fact.retracted_at is None):
            wrong.append("retracted_at")
        if wrong:
            what = f"holds otherwise than its statements say: {', '.join(wrong)}"
            yield Finding(snapshot.group, record, what, _HOW)
