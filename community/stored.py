"""Stored communities of a group, and the changes that replace them.

A membership is a row whose rank is minus the member's tie weight, so one change writes one row.
Frequent updates keep memberships in memory (``known_tree``): reading 30,000 takes 1 s.
"""

from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from graphrag.index.group import GroupIndex
from graphrag.index.merged import Heirs
from graphrag.index.retention import Slot
from graphrag.model.values import Community
from graphrag.protocols import Matrix
from graphrag.store.changes import ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.links import (
    Detection,
    member_id,
    member_row,
    read_detection,
    read_ranked,
)
from graphrag.store.rows import from_row, to_row
from graphrag.store.store import Store

Ranks = Mapping[str, int]
"""By entity id: minus the weight of its ties, in thousandths, so that the first is tied best."""


@dataclass(frozen=True, slots=True)
class Tree:
    """All communities of a group."""

    communities: tuple[Community, ...] = ()
    """The coarsest level first, on each the largest first."""
    ranks: Mapping[str, Ranks] = field(default_factory=dict)
    """Of the members of each community."""
    detection: Detection = field(default_factory=Detection)

    def through(self, heirs: Heirs) -> "Tree":
        """Return the communities with those as members that merged ones speak through."""
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
        return Tree(tuple(in_order(communities)), ranks, self.detection)


_TREES: Final = Slot[Tree]()
"""What each group had when its communities were last made or read here."""


def in_order(communities: Iterable[Community]) -> list[Community]:
    """Return communities with the coarsest level first, on each the largest first."""
    return sorted(communities, key=_place)


def _place(one: Community) -> tuple[int, int, str]:
    return one.level, -len(one.members), one.id


def by_rank(ranks: Ranks) -> tuple[str, ...]:
    """Return members, the best tied first."""
    return tuple(sorted(ranks, key=lambda id_: (ranks[id_], id_)))


def merged(ranks: Ranks, heirs: Heirs) -> dict[str, int]:
    """Return ranks by whom members speak through: of two, the better tied one counts."""
    found: dict[str, int] = {}
    for id_, rank in ranks.items():
        heir = heirs.of(id_)
        found[heir] = min(rank, found.get(heir, rank))
    return found


async def known_tree(index: GroupIndex, store: Store) -> Tree:
    """Return the communities of a group, from memory if nobody made others since."""
    # First how far they are: what is read after it may be newer, and is then read again.
    detection = await read_detection(index.group_id, store)
    tree = _TREES.get(index)
    if tree is None or tree.detection != detection or not detection.seen:
        tree = await read_tree(index.group_id, store, detection)
        _TREES.set(index, tree)
    return tree


def keep_tree(index: GroupIndex, tree: Tree) -> None:
    """Remember the communities that were just stored, or found to be right still."""
    _TREES.set(index, tree)


async def read_tree(group: str, store: Store, detection: Detection) -> Tree:
    """Read the communities of a group."""
    rows, ranks = await read_ranked(group, store)
    communities = (with_members(row, ranks[row["id"].id]) for row in rows)
    return Tree(tuple(in_order(communities)), ranks, detection)


def with_members(row: Row, ranks: Ranks) -> Community:
    """Return the community of a row."""
    return from_row(Community, {**row, "members": list(by_rank(ranks))})


@dataclass(slots=True)
class Storing:
    """What replaces some communities of a tree by others."""

    group: str
    tree: Tree
    kept: Sequence[Community]
    loose: Sequence[Community]
    """All others of the tree."""
    fresh: Sequence[Community]
    ranks: Mapping[str, Ranks]
    """Of the fresh ones."""

    def after(self, detection: Detection) -> Tree:
        """Return the tree as it is to be, made as ``detection`` says."""
        ranks = dict(self.tree.ranks)
        for community in self.loose:
            del ranks[community.id]
        ranks.update(self.ranks)
        communities = list(self.kept)  # in order: to sort four thousand again takes a while
        for community in in_order(self.fresh):
            insort(communities, community, key=_place)
        return Tree(tuple(communities), ranks, detection)

    def reworded(self) -> list[Community]:
        """Return the fresh communities that are found by other words than before."""
        said = {community.id: (community.name, community.summary) for community in self.loose}
        return [
            community
            for community in self.fresh
            if said.get(community.id) != (community.name, community.summary)
        ]

    def changes(self, kind: str, vectors: Mapping[str, Matrix]) -> ChangeSet:
        """Return what stores it; ``vectors`` are those of the reworded."""
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
                changes.deletes.append(
                    ("has_member", member_row(self.group, community, member, rank))
                )
            elif rank != ranks[member]:
                id_ = member_id(community, member)
                after = {"rank": ranks[member]}
                changes.updates.append(Update("has_member", id_, {"rank": rank}, after))
        for member in by_rank(ranks):
            if member not in before:
                row = member_row(self.group, community, member, ranks[member])
                changes.insert_row("has_member", row)
