"""Stored communities of a group, now and at another system time, and the changes that replace them.

A membership is a row whose rank is minus the member's tie weight, so one change writes one row.
Frequent updates keep memberships in memory (``known_tree``): reading 30,000 takes 1 s.
"""

from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from graphrag.index.edges import MergedIds
from graphrag.index.group import GroupIndex
from graphrag.index.retention import Slot
from graphrag.model.values import Community
from graphrag.protocols import Matrix
from graphrag.search.rewind import Rewind
from graphrag.store.changes import ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.links import (
    Detection,
    ends_of,
    member_id,
    member_row,
    read_detection,
    read_ranked,
)
from graphrag.store.record import Record
from graphrag.store.rows import from_row, to_row, unplain
from graphrag.store.store import Store

Ranks = Mapping[str, int]  # by entity id: minus the thousandths of its ties: the best tied first


@dataclass(frozen=True, slots=True)
class CommunityTree:
    """All communities of a group."""

    communities: tuple[Community, ...] = ()  # the coarsest level first, on each the largest first
    ranks: Mapping[str, Ranks] = field(default_factory=dict)
    """Ranks of the members of each community, by its id."""
    detection: Detection = field(default_factory=Detection)

    def through(self, heirs: MergedIds) -> "CommunityTree":
        """Return the communities with merged members replaced by what they were merged into."""
        if not heirs:
            return self
        ranks = {
            id_: inside if heirs.isdisjoint(inside) else merged(inside, heirs)
            for id_, inside in self.ranks.items()
        }
        communities = (
            community
            if ranks[community.id] is self.ranks[community.id]
            else replace(community, members=by_rank(ranks[community.id]))
            for community in self.communities
        )
        return CommunityTree(tuple(in_order(communities)), ranks, self.detection)


TREES: Final = Slot[CommunityTree]()  # as communities were last made or read here


def in_order(communities: Iterable[Community]) -> list[Community]:
    """Return communities with the coarsest level first, on each the largest first."""
    return sorted(communities, key=_place)


def _place(community: Community) -> tuple[int, int, str]:
    return community.level, -len(community.members), community.id


def by_rank(ranks: Ranks) -> tuple[str, ...]:
    """Return members, those with the strongest ties first."""
    return tuple(sorted(ranks, key=lambda id_: (ranks[id_], id_)))


def merged(ranks: Ranks, heirs: MergedIds) -> dict[str, int]:
    """Return ranks after merges: of two members that became one, the stronger rank counts."""
    left: dict[str, int] = {}
    for id_, rank in ranks.items():
        heir = heirs.of(id_)
        left[heir] = min(rank, left.get(heir, rank))
    return left


async def known_tree(index: GroupIndex, store: Store) -> CommunityTree:
    """Return the communities of a group, from memory if they have not changed since."""
    # First how far they are: what is read after it may be newer, and is then read again.
    detection = await read_detection(index.group_id, store)
    tree = TREES.get(index)
    if tree is None or tree.detection != detection or not detection.seen:
        tree = await read_tree(index.group_id, store, detection)
        TREES.set(index, tree)
    return tree


async def read_tree(group: str, store: Store, detection: Detection) -> CommunityTree:
    """Read the communities of a group."""
    rows, ranks = await read_ranked(group, store)
    communities = (with_members(row, ranks[row["id"].id]) for row in rows)
    return CommunityTree(tuple(in_order(communities)), ranks, detection)


def with_members(row: Row, ranks: Ranks) -> Community:
    """Return the community of a row."""
    return from_row(Community, {**row, "members": list(by_rank(ranks))})


async def communities_then(
    group: str, store: Store, past: Rewind, heirs: MergedIds
) -> CommunityTree:
    """Return the communities as they were stored then, with merged members replaced."""
    stored, ranks = await read_ranked(group, store)
    rows = {row["id"].id: row for row in stored}
    for id_ in past.later("community"):
        rows.pop(id_, None)
    for id_, image in past.images("community"):
        if id_ in rows or "created_at" in image:  # else it was erased, with what it spoke of
            old = {column: unplain(column, item) for column, item in image.items()}
            rows[id_] = {**rows.get(id_, {}), **old}
    for id_ in past.later("has_member"):
        community, member = ends_of(id_)
        ranks.get(community, {}).pop(member, None)
    for id_, image in past.images("has_member"):
        community, member = ends_of(id_)
        if "rank" in image:
            ranks.setdefault(community, {})[member] = image["rank"]
    ranks = {id_: merged(ranks.get(id_, {}), heirs) for id_ in rows}
    communities = (
        with_members({**row, "id": Record("community", id_)}, ranks[id_])
        for id_, row in rows.items()
    )
    return CommunityTree(tuple(in_order(communities)), ranks)


@dataclass(slots=True)
class Storing:
    """Replacement of some communities of a tree by others."""

    group: str
    tree: CommunityTree
    kept: Sequence[Community]
    loose: Sequence[Community]  # communities of the tree that are replaced
    fresh: Sequence[Community]
    ranks: Mapping[str, Ranks]  # ranks of the members of the fresh communities

    def after(self, detection: Detection) -> CommunityTree:
        """Return the tree after the replacement."""
        ranks = dict(self.tree.ranks)
        for community in self.loose:
            del ranks[community.id]
        ranks.update(self.ranks)
        communities = list(self.kept)  # in order: to sort four thousand again takes a while
        for community in in_order(self.fresh):
            insort(communities, community, key=_place)
        return CommunityTree(tuple(communities), ranks, detection)

    def reworded(self) -> list[Community]:
        """Return the fresh communities with a new name or summary."""
        known = {community.id: (community.name, community.summary) for community in self.loose}
        return [
            community
            for community in self.fresh
            if known.get(community.id) != (community.name, community.summary)
        ]

    def changes(self, kind: str, vectors: Mapping[str, Matrix]) -> ChangeSet:
        """Return the transaction; ``vectors`` are those of the reworded communities."""
        changes = ChangeSet(self.group, kind=kind)
        known = {community.id: community for community in self.loose}
        staying = {community.id for community in self.fresh}
        for community in self.fresh:
            if community.id not in known:
                changes.insert(community, vectors[community.id])
            elif community != known[community.id]:
                changes.change(known[community.id], community, vectors.get(community.id))
            self._members(community.id, self.ranks[community.id], changes)
        for community in self.loose:
            if community.id not in staying:
                self._members(community.id, {}, changes)
                changes.deletes.append(("community", to_row(community)))
        return changes

    def _members(self, community: str, ranks: Ranks, changes: ChangeSet) -> None:
        before = self.tree.ranks.get(community, {})
        if before is ranks:
            return
        for member, rank in before.items():
            if member not in ranks:
                row = member_row(self.group, community, member, rank)
                changes.deletes.append(("has_member", row))
            elif rank != ranks[member]:
                id_ = member_id(community, member)
                after = {"rank": ranks[member]}
                changes.updates.append(Update("has_member", id_, {"rank": rank}, after))
        for member in by_rank(ranks):
            if member not in before:
                row = member_row(self.group, community, member, ranks[member])
                changes.insert_row("has_member", row)
