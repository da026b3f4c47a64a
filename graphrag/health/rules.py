"""The rules between records: one chain of episodes, one entity for a name."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import combinations, pairwise

from graphrag.health.findings import Finding
from graphrag.health.lifetimes import lifetime_findings
from graphrag.health.snapshot import Snapshot
from graphrag.names.identifiers import identifiers, unique
from graphrag.ontology.relations import Relations
from graphrag.resolve.known import Declared
from graphrag.store.engine import Row

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
