"""The rules that records keep, each alone and between them: ends, times, one chain, one name."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag.errors import InputError
from graphrag.health.snapshot import Finding, Snapshot
from graphrag.index.merged import Heirs
from graphrag.ingest.lifetimes.derive import derive
from graphrag.model.assertion import Ending
from graphrag.model.values import Entity, Fact
from graphrag.names.identifiers import identifiers, unique
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.resolve.known import Declared
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import from_row

if TYPE_CHECKING:
    from graphrag.ingest.standing.ground import Beside

_EMBEDDED = ("episode", "passage", "entity", "relates_to", "community")
_EDGES = {
    "relates_to": ("entity", "entity"),
    "mentions": ("episode", "entity"),
    "occurred_after": ("episode", "episode"),
    "has_member": ("community", "entity"),
}
_SETTLED = (
    *("valid_at", "invalid_at", "observed", "closed_as", "closed_by_arbiter"),
    *("invalidated_by", "pending"),
)
_ANEW = "retract and tell it again, or restore a backup"
_NEAR_ONE = 1e-3
_REEMBED = "health.repair() computes it again"
_RESTORE = "restore a backup: only erase.entity() erases an entity, and it takes that back"
_WITHDRAW = "retract the fact, or remove it with the record that it needs"


def record_findings(snapshot: Snapshot, dimension: int) -> Iterator[Finding]:
    """Look at every record by itself and at what it points to."""
    for table, ends in _EDGES.items():
        for id_, row in snapshot.rows[table].items():
            yield from _ends(snapshot, table, id_, row, ends)
    for table in _EMBEDDED:
        for id_, row in snapshot.rows[table].items():
            if fault := embedding_fault(row.get("embedding"), dimension):
                yield snapshot.finding(f"{table}:{id_}", fault, _REEMBED, repairable=True)
    yield from _facts(snapshot)
    yield from _apart(snapshot)
    yield from _spans(snapshot)


def embedding_fault(stored: Any, dimension: int) -> str | None:
    """Return what is wrong with a stored embedding, or None."""
    if stored is None:
        return "has no embedding"
    if isinstance(stored, bytes) and len(stored) % 4:
        return f"has an embedding of {len(stored)} bytes"
    is_bytes = isinstance(stored, bytes)
    vector = np.frombuffer(stored, "<f4") if is_bytes else np.asarray(stored, "<f4")
    if vector.shape != (dimension,):
        return f"has an embedding of {vector.size} numbers instead of {dimension}"
    norm = float(np.linalg.norm(vector))
    if not abs(norm - 1) <= _NEAR_ONE:  # NaN too
        return f"has an embedding of length {norm:g} instead of 1"
    return None


def _ends(
    snapshot: Snapshot, table: str, id_: str, row: Row, tables: tuple[str, str]
) -> Iterator[Finding]:
    record = f"{table}:{id_}"
    dangling = table != "relates_to"
    how = "health.repair() removes it" if dangling else _WITHDRAW
    for end, kind in zip((row.get("in"), row.get("out")), tables, strict=True):
        if isinstance(end, Record) and end.table == kind and end.id in snapshot.rows[kind]:
            continue
        other = snapshot.elsewhere.get(str(end))
        what = f"leads to {end}, which is {f'in group {other!r}' if other else 'not there'}"
        yield snapshot.finding(record, what, how, repairable=dangling)


def _facts(snapshot: Snapshot) -> Iterator[Finding]:
    episodes, facts = snapshot.rows["episode"], snapshot.rows["relates_to"]
    for id_, row in facts.items():
        record = f"relates_to:{id_}"
        start, end = row.get("valid_at"), row.get("invalid_at")
        if start is not None and end is not None and start > end and not row.get("retracted_at"):
            what = f"ends at {end.isoformat()}, before it starts at {start.isoformat()}"
            yield snapshot.finding(record, what, "correct its times")
        if (closer := row.get("invalidated_by")) is not None and closer not in facts:
            what = f"was closed by fact {closer}, which is not there"
            yield snapshot.finding(record, what, "correct its end, or retract it")
        for source in row.get("sources", ()):
            episode = episodes.get(source["episode"])
            if episode is None:
                what = f"rests on episode {source['episode']}, which is not there"
                yield snapshot.finding(record, what, _WITHDRAW)
            elif episode.get("removed_at") is not None and row.get("retracted_at") is None:
                what = f"stands, and rests on episode {source['episode']}, which was removed"
                yield snapshot.finding(record, what, _WITHDRAW)
            elif not _inside(source, episode):
                what = f"rests on characters {source['start']} to {source['end']} of an episode"
                yield snapshot.finding(record, f"{what} that has fewer", "correct its source")


def _apart(snapshot: Snapshot) -> Iterator[Finding]:
    entities = snapshot.rows["entity"]
    for id_, row in entities.items():
        for other in row.get("distinct_from") or ():
            if other not in entities:
                what = f"is not to be taken for entity {other}, which is not there"
                yield snapshot.finding(f"entity:{id_}", what, _RESTORE)


def _spans(snapshot: Snapshot) -> Iterator[Finding]:
    episodes = snapshot.rows["episode"]
    for id_, row in snapshot.rows["passage"].items():
        episode = episodes.get(row["episode"])
        record = f"passage:{id_}"
        if episode is None:
            what = f"is a piece of episode {row['episode']}, which is not there"
            yield snapshot.finding(
                record, what, "health.repair() removes the passage", repairable=True
            )
        elif not _inside(row, episode) or row["start"] == row["end"]:
            what = f"is no piece of its episode: characters {row['start']} to {row['end']}"
            yield snapshot.finding(record, what, "remove the episode and add it again")
    for id_, row in snapshot.rows["mentions"].items():
        episode = episodes.get(row["in"].id)
        if episode is not None and not _inside(row, episode):
            what = f"marks characters {row['start']} to {row['end']}, which its episode lacks"
            yield snapshot.finding(
                f"mentions:{id_}",
                what,
                "health.repair() removes it",
                repairable=True,
            )


def _inside(span: Row, episode: Row) -> bool:
    return bool(0 <= span["start"] <= span["end"] <= len(episode["content"]))


_PARTING = frozenset({"split", "unmerge"})
"""Kinds of events after which two entities of one name are meant to be two."""
_RELINK = "health.repair() links the episodes anew"


def meaning_findings(
    snapshot: Snapshot, relations: Relations, declared: Declared, now: datetime
) -> Iterator[Finding]:
    """Look at what several records say together.

    ``declared`` are the attributes of each type that belong to one entity only.
    """
    expected = chain(snapshot.rows["episode"], snapshot.rows["occurred_after"])
    links = snapshot.rows["occurred_after"].keys()
    for link in expected - links:
        what = "is missing from the chain of episodes"
        yield snapshot.finding(f"occurred_after:{link}", what, _RELINK, repairable=True)
    for link in links - expected:
        what = "links episodes that do not follow each other in time"
        yield snapshot.finding(f"occurred_after:{link}", what, _RELINK, repairable=True)
    yield from _twins(snapshot, declared)
    yield from lifetime_findings(snapshot, relations, now)


def chain(episodes: Mapping[str, Row], links: Mapping[str, Row]) -> set[str]:
    """Return the ids of the links that make one chain in time order.

    Removed and waiting episodes may be in the chain or out of it.
    """
    linked = {end.id for row in links.values() for end in (row["in"], row["out"])}
    members = sorted(
        (row["valid_at"], id_)
        for id_, row in episodes.items()
        if id_ in linked or (row.get("removed_at") is None and row["status"] == "done")
    )
    return {f"{later}>{earlier}" for (_, earlier), (_, later) in pairwise(members)}


def _twins(snapshot: Snapshot, declared: Declared) -> Iterator[Finding]:
    by_key: dict[tuple[str, str], list[str]] = defaultdict(list)
    entities = snapshot.rows["entity"]
    for id_, row in entities.items():
        if row.get("merged_into") is None and row.get("removed_at") is None:
            by_key[row["key"], row["entity_type"]].append(id_)
    parted = _parted(snapshot)
    for (key, kind), ids in by_key.items():
        for one, twin in combinations(sorted(ids), 2):
            if {one, twin} & parted or _distinct(entities[one], entities[twin], declared):
                continue
            what = f"is another {kind} with the key {key!r}, like entity:{one}"
            yield snapshot.finding(f"entity:{twin}", what, "merge the two")


def _parted(snapshot: Snapshot) -> set[str]:
    """Return the entities that a person has split from others, whatever they are called."""
    return {
        change.record.partition(":")[2]
        for event in snapshot.events
        if event.kind in _PARTING
        for change in event.changes
        if change.record.startswith("entity:")
    }


def _distinct(one: Row, other: Row, declared: Declared) -> bool:
    """Tell whether somebody said that they are two, or each has an identifier of its own."""
    if any(
        row["id"].id in (twin.get("distinct_from") or ())
        for row, twin in ((one, other), (other, one))
    ):
        return True
    own, theirs = (
        set(unique(identifiers(row.get("attributes") or {}), row["entity_type"], declared))
        for row in (one, other)
    )
    return bool({name for name, _ in own} & {name for name, _ in theirs}) and not own & theirs


def _standing(
    relations: Relations, entities: Mapping[str, Entity], heirs: Heirs
) -> "Beside | None":
    """Return the standing rules, if there are any."""
    if not relations.standing:
        return None
    from graphrag.ingest.standing.ground import Beside
    from graphrag.ingest.standing.program import program_of

    bearers: dict[str, set[str]] = defaultdict(set)
    for id_, entity in entities.items():
        for name in (entity.name, *entity.aliases):
            bearers[name_key(name)].add(heirs.of(id_))
    return Beside(program_of(relations), lambda key: bearers.get(key, ()))


def lifetime_findings(snapshot: Snapshot, relations: Relations, now: datetime) -> Iterator[Finding]:
    """Yield the facts that hold at another time than their statements say."""
    entities = {id_: from_row(Entity, row) for id_, row in snapshot.rows["entity"].items()}
    heirs = Heirs(
        {id_: entity.merged_into for id_, entity in entities.items() if entity.merged_into}
    )
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
        beside = _standing(relations, entities, heirs)
        settled = derive(facts, endings, relations, gone, now=now, beside=beside).facts
    except InputError as error:
        yield snapshot.finding("relates_to", f"cannot be settled: {error}", _ANEW)
        return
    for id_, fact in settled.items():
        record = f"relates_to:{id_}"
        if id_ not in facts:
            yield snapshot.finding(record, "follows from what was said, and is gone", _ANEW)
            continue
        known = facts[id_]
        wrong = [name for name in _SETTLED if getattr(known, name) != getattr(fact, name)]
        if (known.retracted_at is None) != (fact.retracted_at is None):
            wrong.append("retracted_at")
        if wrong:
            what = f"holds otherwise than its statements say: {', '.join(wrong)}"
            yield snapshot.finding(record, what, _ANEW)
