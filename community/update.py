"""Which communities must be looked at again after a few facts changed, and what becomes of them.

The rows of members are computed once per community: looking up 30,000 by id takes 30 ms.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Final

import numpy as np
import numpy.typing as npt

from graphrag.community.detect import (
    LEVELS,
    NOWHERE,
    Cluster,
    Labels,
    Nodes,
    Weights,
    by_label,
    divided,
    improve,
)
from graphrag.community.stored import Tree
from graphrag.community.text_ties import long_texts
from graphrag.community.ties import Ties
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.read_lazy import read_mentions
from graphrag.index.retention import Slot
from graphrag.model.values import Community
from graphrag.store.links import Detection
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

_DESCRIBED_BY = frozenset({"aliases", "entity_type", "merged_into", "name", "removed_at"})
"""Columns of an entity that say where it belongs, or what its community is described by."""


async def changed_since(
    last: Detection, index: GroupIndex, store: Store, now: datetime
) -> tuple[int, list[int]]:
    """Return how many facts changed since, and the rows of the entities that this is about."""
    facts: set[int] = set()
    nodes: set[int] = set()
    entities, of = index.entities.row_of, index.heirs.of
    spoken: defaultdict[str, set[str]] = defaultdict(set)
    for event in await store.events(index.group_id, after=last.seen):
        for change in event.changes:
            table, _, id_ = change.record.partition(":")
            if table == "relates_to" and id_ in index.facts.row_of:
                facts.add(index.facts.row_of[id_])
            elif table == "entity" and id_ in entities:
                if _DESCRIBED_BY & (change.after or {}).keys():
                    nodes |= {entities[id_], entities[of(id_)]}
            elif table == "episode":
                spoken[id_]
            elif table == "mentions":
                link = change.after or change.before or {}
                if {"in", "out"} <= link.keys():
                    episode, entity = (str(link[end]).partition(":")[2] for end in ("in", "out"))
                    spoken[episode].add(entity)
    nodes |= await _named(spoken, index, store)
    if last.at is not None:
        since, at = (to_micros(moment, FOREVER) for moment in (last.at, now))
        for moments in (index.facts["valid"], index.facts["invalid"]):
            facts.update(np.flatnonzero((since < moments) & (moments <= at)).tolist())
    for ends in index.ends():
        nodes.update(ends[sorted(facts)].tolist())
    return len(facts), sorted(nodes)


async def _named(
    spoken: Mapping[str, Collection[str]], index: GroupIndex, store: Store
) -> set[int]:
    """Return the rows of all that the long ones among some episodes name, or named."""
    row_of, entities = index.episodes.row_of, index.entities.row_of
    long = set(long_texts(index).tolist()) if spoken and len(index.passages) else set()
    texts = {row_of[id_]: ids for id_, ids in spoken.items() if row_of.get(id_) in long}
    if not texts:
        return set()
    await read_mentions(store, index)
    assert index.episodes.mentions is not None
    found = set(index.episodes.mentions.of_left(list(texts))[1].tolist())
    found |= {entities[id_] for ids in texts.values() for id_ in ids if id_ in entities}
    ids_of, of = index.entities.ids, index.heirs.of
    return found | {entities[of(ids_of[row])] for row in found}


class Seats:
    """Rows by community, as long as nobody is found to be somebody else."""

    def __init__(self, index: GroupIndex) -> None:
        self._row_of, self._heirs = index.entities.row_of, index.heirs
        self._version = index.heirs.version
        self._known: dict[str, tuple[Sequence[str], Nodes]] = {}

    def of(self, community: Community) -> Nodes:
        """Return the rows of its members, one for those that are one by now."""
        if self._version != self._heirs.version:
            self._known.clear()
            self._version = self._heirs.version
        members, rows = self._known.get(community.id, (None, _NO_ROWS))
        if members is not community.members:
            row_of = self._row_of
            ids = self._heirs.each(community.members)
            rows = np.array([row_of[id_] for id_ in ids if id_ in row_of], dtype=np.int64)
            self._known[community.id] = community.members, rows
        return rows

    def forget(self, ids: Iterable[str]) -> None:
        """Let go of what is no community any more."""
        for id_ in ids:
            self._known.pop(id_, None)

    def labels(self, communities: Sequence[Community], nodes: int) -> Labels:
        """Return for each row the number of the community that it is in."""
        labels = np.full(nodes, NOWHERE, dtype=np.int64)
        if communities:
            rows = [self.of(community) for community in communities]
            numbers = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
            labels[np.concatenate(rows)] = numbers
        return labels


_NO_ROWS: Nodes = np.empty(0, dtype=np.int64)
_SEATS: Final = Slot[Seats]()


def seats_of(index: GroupIndex) -> Seats:
    """Return the rows that are known of a group's index."""
    if (seats := _SEATS.get(index)) is None:
        _SEATS.set(index, seats := Seats(index))
    return seats


@dataclass(frozen=True, slots=True)
class Redrawn:
    """What becomes of the communities around a change."""

    kept: Sequence[Community]
    """Those that stay as they are, with all their parts."""
    loose: Sequence[Community]
    """All others there were."""
    clusters: Sequence[Cluster]
    """What they become."""
    strengths: Weights
    """The weight of all ties of every entity."""


def redrawn(tree: Tree, ties: Ties, index: GroupIndex, changed: Sequence[int]) -> Redrawn:
    """Move what is around the changed entities to where it fits best."""
    nodes, seats = len(index.entities), seats_of(index)
    tops = list(takewhile(lambda community: community.level == 0, tree.communities))
    old = seats.labels(tops, nodes)
    strengths = ties.strengths(nodes)
    labels = improve(
        ties.subjects, ties.objects, old, changed, weights=ties.weights, strength=strengths
    )
    left, made = _stirred(old, labels, changed, [len(community.members) for community in tops])
    inner = np.where(made[labels], labels, NOWHERE)
    clusters = by_label(inner, strengths)
    leaving = {community.id for community, leaves in zip(tops, left, strict=True) if leaves}
    kept: list[Community] = []
    loose: list[Community] = []
    for community in tree.communities:  # parents come before their parts
        if community.id in leaving or community.parent in leaving:
            leaving.add(community.id)
            loose.append(community)
        else:
            kept.append(community)
    near = ties.some(np.flatnonzero((inner[ties.subjects] >= 0) & (inner[ties.objects] >= 0)))
    levels = ([part for part in loose if part.level == level] for level in range(LEVELS))
    initial = [seats.labels(parts, nodes) for parts in levels]
    found = divided(clusters, near.subjects, near.objects, weights=near.weights, initial=initial)
    return Redrawn(kept, loose, found, strengths)


def _stirred(
    old: Labels, labels: Labels, changed: Sequence[int], members: Sequence[int]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Tell of each old community whether anything changed in it, and of each new label.

    How many members each has is as stored: of two of them one may speak for both by now.
    """
    moved = np.flatnonzero(old != labels)
    about = np.concatenate((moved, np.asarray(changed, dtype=np.int64)))
    stirred = np.zeros(int(max(old.max(initial=0), labels.max(initial=0))) + 2, dtype=np.bool_)
    stirred[old[about]] = stirred[labels[about]] = True  # the last one stands for nowhere
    here = np.bincount(old + 1, minlength=len(members) + 1)[1:]
    stirred[: len(members)] |= here != np.asarray(members, dtype=np.int64)
    stirred[NOWHERE] = False
    return stirred[: len(members)], stirred
