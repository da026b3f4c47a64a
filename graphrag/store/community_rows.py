"""The rows of a group's communities, their memberships, and how far they are.

A membership is a row of its own, with an id that names both ends. How far the communities of a
group are is noted in the entry of the group, by the transactions that store some.
"""

from dataclasses import dataclass
from datetime import datetime

from graphrag.store.changes import ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import edge
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True)
class Detection:
    """How far communities are in step with the facts."""

    built: int = 0
    """Number of the event that stored communities detected from all facts; 0 for none yet."""
    seen: int = 0
    """Number of the newest event that they know of."""
    drift: int = 0
    """Facts that changed between the two."""
    at: datetime | None = None
    """The moment of world time that they were last made for."""


async def read_detection(group: str, store: Store) -> Detection:
    """Return how far the communities of a group are."""
    [rows] = await store.query(
        "SELECT communities_built AS built, communities_seen AS seen, "
        "communities_drift AS drift, communities_at AS at FROM $info;",
        info=[Record("group_info", group)],
    )
    known = {key: value for row in rows for key, value in row.items() if value is not None}
    return Detection(**known)


def noted(changes: ChangeSet, before: Detection, after: Detection) -> ChangeSet:
    """Let a transaction note how far communities are, if it changes any."""
    if changes and before != after:
        changes.updates.append(
            Update("group_info", changes.group_id, _columns(before), _columns(after))
        )
    return changes


def _columns(detection: Detection) -> Row:
    return {
        "communities_built": detection.built,
        "communities_seen": detection.seen,
        "communities_drift": detection.drift,
        "communities_at": detection.at,
    }


async def read_ranked(group: str, store: Store) -> tuple[list[Row], dict[str, dict[str, int]]]:
    """Return the communities of a group, and the ranks of the members of each, by their ids."""
    rows, links = await store.query(
        "SELECT * OMIT embedding FROM community WHERE group_id = $group;"
        "SELECT VALUE [record::id(in), record::id(out), rank] FROM has_member "
        "WHERE group_id = $group;",
        group=group,
    )
    ranks: dict[str, dict[str, int]] = {row["id"].id: {} for row in rows}
    for community, member, rank in links:
        if community in ranks:
            ranks[community][member] = rank
    return rows, ranks


def member_row(group: str, community: str, member: str, rank: int) -> Row:
    """Return the row of a membership."""
    return edge(
        "has_member",
        member_id(community, member),
        ("community", community),
        ("entity", member),
        group_id=group,
        rank=rank,
    )


def member_id(community: str, member: str) -> str:
    """Return the id of a membership."""
    return f"{community}>{member}"


def ends_of(id_: str) -> tuple[str, str]:
    """Return the community and the member that the id of a membership names."""
    community, _, member = id_.partition(">")
    return community, member
