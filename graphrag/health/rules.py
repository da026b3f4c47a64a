"""The rules that records keep, each alone and between them: ends, times, one chain, one name."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag.errors import InputError
from graphrag.health.snapshot import Finding, Snapshot
from graphrag.index.edges import MergedIds
from graphrag.index.texts import EMBEDDED
from graphrag.ingest.lifetimes.derive import derive
from graphrag.model.assertion import Ending
from graphrag.model.values import Entity, Fact
from graphrag.names.identifiers import identifiers, unique
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.resolve import Declared
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import from_row

if TYPE_CHECKING:
    from graphrag.ingest.standing.ground import Beside

_EDGES = {
    "relates_to": ("entity", "entity"),
    "mentions": ("episode", "entity"),
    "occurred_after": ("episode", "episode"),
    "has_member": ("community", "entity"),
}
_SETTLED = tuple(
    "valid_at invalid_at observed closed_as closed_by_arbiter invalidated_by pending".split()
)
_ANEW = "retract it and add it again, or restore a backup"
_NEAR_ONE = 1e-3
_REEMBED = "health.repair() computes it again"
_RESTORE = "restore a backup: only erase.entity() erases an entity, and it takes that back"
_REDATE = "correct its end, or retract it"
_REMOVED = "health.repair() removes it"
_UNPIECE = "health.repair() removes the passage"
_WITHDRAW = "retract the fact, or remove it with the record that it needs"

_LINKS = (
    ("relates_to", "invalidated_by", "relates_to", "was closed by fact", _REDATE, False),
    ("relates_to", "sources", "episode", "rests on episode", _WITHDRAW, False),
    ("entity", "distinct_from", "entity", "is not to be taken for entity", _RESTORE, False),
    ("passage", "episode", "episode", "is a piece of episode", _UNPIECE, True),
)
"""Columns that lead to records: table, column, the other table, what it says, and how to repair."""


def record_findings(snapshot: Snapshot, dimension: int) -> Iterator[Finding]:
    """Look at every record by itself and at what it points to."""
    for table, ends in _EDGES.items():
        for id_, row in snapshot.rows[table].items():
            yield from _ends(snapshot, table, id_, row, ends)
    for table in EMBEDDED:
        for id_, row in snapshot.rows[table].items():
            if fault := embedding_fault(row.get("embedding"), dimension):
                yield snapshot.finding(f"{table}:{id_}", fault, _REEMBED, repairable=True)
    for table, column, goal, what, how, repairable in _LINKS:
        for id_, row in snapshot.rows[table].items():
            for missing in _ids(row.get(column)):
                if missing not in snapshot.rows[goal]:
                    lost = f"{what} {missing}, which is not there"
                    yield snapshot.finding(f"{table}:{id_}", lost, how, repairable=repairable)
    yield from _facts(snapshot)
    yield from _spans(snapshot)


def _ids(item: Any) -> list[str]:
    several = item if isinstance(item, list | tuple) else [item]
    return [each["episode"] if isinstance(each, dict) else each for each in several if each]


def embedding_fault(stored: Any, dimension: int) -> str | None:
    """Return what is wrong with a stored embedding, or None."""
    if stored is None:
        return "has no embedding"
    is_bytes = isinstance(stored, bytes)
    if is_bytes and len(stored) % 4:
        return f"has an embedding of {len(stored)} bytes"
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
    how = _REMOVED if dangling else _WITHDRAW
    for end, kind in zip((row.get("in"), row.get("out")), tables, strict=True):
        if isinstance(end, Record) and end.table == kind and end.id in snapshot.rows[kind]:
            continue
        group = snapshot.elsewhere.get(str(end))
        what = f"leads to {end}, which is {f'in group {group!r}' if group else 'not there'}"
        yield snapshot.finding(record, what, how, repairable=dangling)


def _facts(snapshot: Snapshot) -> Iterator[Finding]:
    episodes = snapshot.rows["episode"]
    for id_, row in snapshot.rows["relates_to"].items():
        record = f"relates_to:{id_}"
        start, end = row.get("valid_at"), row.get("invalid_at")
        if start is not None and end is not None and start > end and not row.get("retracted_at"):
            what = f"ends at {end.isoformat()}, before it starts at {start.isoformat()}"
            yield snapshot.finding(record, what, "correct its times")
        for source in row.get("sources", ()):
            if (episode := episodes.get(source["episode"])) is None:
                continue
            if episode.get("removed_at") is not None and row.get("retracted_at") is None:
                what = f"is valid, but rests on episode {source['episode']}, which was removed"
                yield snapshot.finding(record, what, _WITHDRAW)
            elif not _inside(source, episode):
                what = f"rests on characters {source['start']} to {source['end']} of an episode"
                yield snapshot.finding(record, f"{what} that has fewer", "correct its source")


def _spans(snapshot: Snapshot) -> Iterator[Finding]:
    episodes = snapshot.rows["episode"]
    for id_, row in snapshot.rows["passage"].items():
        episode = episodes.get(row["episode"])
        if episode is not None and (not _inside(row, episode) or row["start"] == row["end"]):
            what = f"is no piece of its episode: characters {row['start']} to {row['end']}"
            how = "remove the episode and add it again"
            yield snapshot.finding(f"passage:{id_}", what, how)
    for id_, row in snapshot.rows["mentions"].items():
        episode = episodes.get(row["in"].id)
        if episode is not None and not _inside(row, episode):
            what = f"marks characters {row['start']} to {row['end']}, which its episode lacks"
            yield snapshot.finding(f"mentions:{id_}", what, _REMOVED, repairable=True)


def _inside(span: Row, episode: Row) -> bool:
    return bool(0 <= span["start"] <= span["end"] <= len(episode["content"]))


_PARTING = frozenset({"split", "unmerge"})
"""Kinds of events after which two entities of one name are meant to be two."""
_RELINK = "health.repair() links the episodes anew"
_MISSING = "is missing from the chain of episodes"
_UNCHAINED = "links episodes that do not follow each other in time"


def meaning_findings(
    snapshot: Snapshot, relations: Relations, declared: Declared, now: datetime
) -> Iterator[Finding]:
    """Look at what several records say together; ``declared`` attributes belong to one entity."""
    expected = chain(snapshot.rows["episode"], snapshot.rows["occurred_after"])
    for link in expected ^ snapshot.rows["occurred_after"].keys():
        what = _MISSING if link in expected else _UNCHAINED
        yield snapshot.finding(f"occurred_after:{link}", what, _RELINK, repairable=True)
    yield from _twins(snapshot, declared)
    yield from lifetime_findings(snapshot, relations, now)


def chain(episodes: Mapping[str, Row], links: Mapping[str, Row]) -> set[str]:
    """Return the ids of links that chain the episodes; removed and waiting ones may be left out."""
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
        for first, twin in combinations(sorted(ids), 2):
            if {first, twin} & parted or _distinct(entities[first], entities[twin], declared):
                continue
            what = f"is another {kind} with the key {key!r}, like entity:{first}"
            yield snapshot.finding(f"entity:{twin}", what, "merge the two")


def _parted(snapshot: Snapshot) -> set[str]:
    """Return the entities that a person has split from others, whatever they are called."""
    parting = (event for event in snapshot.events if event.kind in _PARTING)
    records = (change.record.partition(":") for event in parting for change in event.changes)
    return {id_ for table, _, id_ in records if table == "entity"}


def _distinct(first: Row, second: Row, declared: Declared) -> bool:
    """Tell whether somebody said that they are two, or each has an identifier of its own."""
    for row, twin in ((first, second), (second, first)):
        if row["id"].id in (twin.get("distinct_from") or ()):
            return True
    own, theirs = (
        set(unique(identifiers(row.get("attributes") or {}), row["entity_type"], declared))
        for row in (first, second)
    )
    return bool({name for name, _ in own} & {name for name, _ in theirs}) and not own & theirs


def _standing(
    relations: Relations, entities: Mapping[str, Entity], heirs: MergedIds
) -> "Beside | None":
    if not relations.standing:
        return None
    from graphrag.ingest.standing import program_of
    from graphrag.ingest.standing.ground import Beside

    bearers: dict[str, set[str]] = defaultdict(set)
    for id_, entity in entities.items():
        for name in (entity.name, *entity.aliases):
            bearers[name_key(name)].add(heirs.of(id_))
    return Beside(program_of(relations), lambda key: bearers.get(key, ()))


def lifetime_findings(snapshot: Snapshot, relations: Relations, now: datetime) -> Iterator[Finding]:
    """Yield the facts that hold at another time than their statements say."""
    entities = {id_: from_row(Entity, row) for id_, row in snapshot.rows["entity"].items()}
    merged = {id_: entity.merged_into for id_, entity in entities.items() if entity.merged_into}
    heirs = MergedIds(merged)
    facts = heirs.follow(
        {id_: from_row(Fact, row) for id_, row in snapshot.rows["relates_to"].items()},
        lambda id_: entities[id_].name if id_ in entities else id_,
    )
    endings: dict[str, list[Ending]] = defaultdict(list)
    for id_, entity in entities.items():
        endings[heirs.of(id_)].extend(entity.endings)
    removed = {id_ for id_, row in snapshot.rows["episode"].items() if row.get("removed_at")}
    try:
        beside = _standing(relations, entities, heirs)
        gone = removed.__contains__
        settled = derive(facts, endings, relations, gone, now=now, beside=beside).facts
    except InputError as error:
        yield snapshot.finding("relates_to", f"cannot be settled: {error}", _ANEW)
        return
    for id_, fact in settled.items():
        record = f"relates_to:{id_}"
        if (known := facts.get(id_)) is None:
            yield snapshot.finding(record, "follows from what was said, and is gone", _ANEW)
            continue
        wrong = [name for name in _SETTLED if getattr(known, name) != getattr(fact, name)]
        if (known.retracted_at is None) != (fact.retracted_at is None):
            wrong.append("retracted_at")
        if wrong:
            what = f"holds otherwise than its statements say: {', '.join(wrong)}"
            yield snapshot.finding(record, what, _ANEW)
