"""The rules that records keep, each alone and between them: ends, times, one chain, one name."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from graphrag.health.findings import Finding
from graphrag.health.holdings import Snapshot
from graphrag.names.identifiers import identifiers, unique
from graphrag.ontology.relations import Relations
from graphrag.resolve.known import Declared
from graphrag.store.engine import Row
from graphrag.store.record import Record

_EMBEDDED = ("episode", "passage", "entity", "relates_to", "community")
_EDGES = {
    "relates_to": ("entity", "entity"),
    "mentions": ("episode", "entity"),
    "occurred_after": ("episode", "episode"),
    "has_member": ("community", "entity"),
}
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
                yield Finding(snapshot.group, f"{table}:{id_}", fault, _REEMBED, repairable=True)
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
        yield Finding(snapshot.group, record, what, how, repairable=dangling)


def _facts(snapshot: Snapshot) -> Iterator[Finding]:
    episodes, facts = snapshot.rows["episode"], snapshot.rows["relates_to"]
    for id_, row in facts.items():
        record = f"relates_to:{id_}"
        start, end = row.get("valid_at"), row.get("invalid_at")
        if start is not None and end is not None and start > end and not row.get("retracted_at"):
            what = f"ends at {end.isoformat()}, before it starts at {start.isoformat()}"
            yield Finding(snapshot.group, record, what, "correct its times")
        if (closer := row.get("invalidated_by")) is not None and closer not in facts:
            what = f"was closed by fact {closer}, which is not there"
            yield Finding(snapshot.group, record, what, "correct its end, or retract it")
        for source in row.get("sources", ()):
            episode = episodes.get(source["episode"])
            if episode is None:
                what = f"rests on episode {source['episode']}, which is not there"
                yield Finding(snapshot.group, record, what, _WITHDRAW)
            elif episode.get("removed_at") is not None and row.get("retracted_at") is None:
                what = f"stands, and rests on episode {source['episode']}, which was removed"
                yield Finding(snapshot.group, record, what, _WITHDRAW)
            elif not _inside(source, episode):
                what = f"rests on characters {source['start']} to {source['end']} of an episode"
                yield Finding(
                    snapshot.group, record, f"{what} that has fewer", "correct its source"
                )


def _apart(snapshot: Snapshot) -> Iterator[Finding]:
    entities = snapshot.rows["entity"]
    for id_, row in entities.items():
        for other in row.get("distinct_from") or ():
            if other not in entities:
                what = f"is not to be taken for entity {other}, which is not there"
                yield Finding(snapshot.group, f"entity:{id_}", what, _RESTORE)


def _spans(snapshot: Snapshot) -> Iterator[Finding]:
    episodes = snapshot.rows["episode"]
    for id_, row in snapshot.rows["passage"].items():
        episode = episodes.get(row["episode"])
        record = f"passage:{id_}"
        if episode is None:
            what = f"is a piece of episode {row['episode']}, which is not there"
            yield Finding(
                snapshot.group, record, what, "health.repair() removes the passage", repairable=True
            )
        elif not _inside(row, episode) or row["start"] == row["end"]:
            what = f"is no piece of its episode: characters {row['start']} to {row['end']}"
            yield Finding(snapshot.group, record, what, "remove the episode and add it again")
    for id_, row in snapshot.rows["mentions"].items():
        episode = episodes.get(row["in"].id)
        if episode is not None and not _inside(row, episode):
            what = f"marks characters {row['start']} to {row['end']}, which its episode lacks"
            yield Finding(
                snapshot.group,
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
        yield Finding(snapshot.group, f"occurred_after:{link}", what, _RELINK, repairable=True)
    for link in links - expected:
        what = "links episodes that do not follow each other in time"
        yield Finding(snapshot.group, f"occurred_after:{link}", what, _RELINK, repairable=True)
    yield from _twins(snapshot, declared)
    yield from _rivals(snapshot, relations, now)


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
            if {one, twin} & parted or _told_apart(entities[one], entities[twin], declared):
                continue
            what = f"is another {kind} with the key {key!r}, like entity:{one}"
            yield Finding(snapshot.group, f"entity:{twin}", what, "merge the two")


def _parted(snapshot: Snapshot) -> set[str]:
    """Return the entities that a person has split from others, whatever they are called."""
    return {
        change.record.partition(":")[2]
        for event in snapshot.events
        if event.kind in _PARTING
        for change in event.changes
        if change.record.startswith("entity:")
    }


def _told_apart(one: Row, other: Row, declared: Declared) -> bool:
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


def _rivals(snapshot: Snapshot, relations: Relations, now: datetime) -> Iterator[Finding]:
    places: dict[tuple[str, str, str], list[tuple[str, Row]]] = defaultdict(list)
    entities = snapshot.rows["entity"]
    for row in snapshot.rows["relates_to"].values():
        relation = relations[row["name"]]
        if not _current(row, now):
            continue
        subject, object_ = (_heir(entities, row[end].id) for end in ("in", "out"))
        if relation.single_valued:
            places[row["name"], "of", subject].append((object_, row))
            if relation.symmetric:
                places[row["name"], "of", object_].append((subject, row))
        if relation.single_holder:
            places[row["name"], "by", object_].append((subject, row))
    for (name, _, entity), held in places.items():
        yield from _excluding(snapshot.group, name, entity, held)


def _excluding(
    group: str, relation: str, entity: str, held: Sequence[tuple[str, Row]]
) -> Iterator[Finding]:
    for (value, row), (other_value, other) in combinations(held, 2):
        # One text that says both means both, whatever else is told of one of them later.
        if value == other_value or _told_together(row, other) or _set_apart(row, other):
            continue
        what = f"is one of two current values of {relation} at entity:{entity}, like {other['id']}"
        yield Finding(group, str(row["id"]), what, "invalidate or retract one of them")


def _heir(entities: Mapping[str, Row], id_: str) -> str:
    """Return the entity that this one was merged into, at the end of all merges."""
    seen = {id_}
    while (heir := entities.get(id_, {}).get("merged_into")) is not None and heir not in seen:
        seen.add(heir)
        id_ = heir
    return id_


def _current(row: Row, now: datetime) -> bool:
    start, end = row.get("valid_at"), row.get("invalid_at")
    return (
        row.get("retracted_at") is None
        and not row.get("pending")
        and (start is None or start <= now)
        and (end is None or now < end)
    )


def _set_apart(row: Row, other: Row) -> bool:
    """Tell whether one is from a table that nobody was to judge, or excludes nothing."""
    return any(fact.get(mark) for fact in (row, other) for mark in ("as_given", "untyped"))


def _told_together(row: Row, other: Row) -> bool:
    sources = {source["episode"] for source in row.get("sources", ())}
    others = {source["episode"] for source in other.get("sources", ())}
    return bool(sources & others)
