"""Which communities must be looked at again after a few facts changed, and what becomes of them."""

from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from graphrag.community.detect import Labels, grouped
from graphrag.community.levels import LEVELS, Cluster, divided
from graphrag.community.local import NOWHERE, improve
from graphrag.community.stored import Detection, Tree
from graphrag.community.ties import Ties
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.models import Community
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

_TOLD_BY = frozenset({"entity_type", "merged_into", "name", "removed_at"})
"""Columns of an entity that say where it belongs, or what its community is told by."""


async def changed_since(
    last: Detection, index: GroupIndex, store: Store, now: datetime
) -> tuple[int, list[int]]:
    """Return how many facts changed since, and the rows of the entities that this is about."""
    facts: set[int] = set()
    nodes: set[int] = set()
    entities, of = index.entities.row_of, index.heirs.of
    for event in await store.events(index.group_id, after=last.seen):
        for change in event.changes:
            table, _, id_ = change.record.partition(":")
            if table == "relates_to" and id_ in index.facts.row_of:
                facts.add(index.facts.row_of[id_])
            elif table == "entity" and id_ in entities:
                if _TOLD_BY & (change.after or {}).keys():
                    nodes |= {entities[id_], entities[of(id_)]}
    if last.at is not None:
        since, at = (to_micros(moment, FOREVER) for moment in (last.at, now))
        for moments in (index.facts["valid"], index.facts["invalid"]):
            facts.update(np.flatnonzero((since < moments) & (moments <= at)).tolist())
    for ends in index.ends():
        nodes.update(ends[sorted(facts)].tolist())
    return len(facts), sorted(nodes)


def redrawn(
    tree: Tree, ties: Ties, index: GroupIndex, changed: Sequence[int]
) -> tuple[list[Community], list[Cluster]]:
    """Move what is around the changed entities to where it fits best.

    Returns:
        The communities that stay as they are, and the clusters that the others become.
    """
    tops = [one for one in tree.communities if one.level == 0]
    old = _labels(tops, index)
    labels = improve(ties.subjects, ties.objects, old, changed, weights=ties.weights)
    clusters = grouped(labels, ties.subjects, ties.objects, weights=ties.weights)
    same = _same(clusters, old, changed, [len(one.members) for one in tops])
    staying = {
        tops[old[members[0]]].id for members, stays in zip(clusters, same, strict=True) if stays
    }
    kept: list[Community] = []
    for one in tree.communities:  # parents come before their parts
        if one.id in staying or one.parent in staying:
            staying.add(one.id)
            kept.append(one)
    initial = [
        _labels([one for one in tree.communities if one.level == level], index, without=staying)
        for level in range(LEVELS)
    ]
    dirty = [members for members, stays in zip(clusters, same, strict=True) if not stays]
    found = divided(dirty, ties.subjects, ties.objects, weights=ties.weights, initial=initial)
    return kept, found


def _labels(
    communities: Iterable[Community], index: GroupIndex, *, without: Iterable[str] = ()
) -> Labels:
    """Return the number of the community of every entity."""
    labels = np.full(len(index.entities), NOWHERE, dtype=np.int64)
    row_of, heirs = index.entities.row_of, index.heirs
    for number, community in enumerate(communities):
        if community.id in without:
            continue
        members = heirs.each(community.members) if heirs else community.members
        labels[[row_of[id_] for id_ in members if id_ in row_of]] = number
    return labels


def _same(
    clusters: Sequence[Sequence[int]],
    old: Labels,
    changed: Sequence[int],
    members: Sequence[int],
) -> npt.NDArray[np.bool_]:
    """Tell of each cluster whether it is an old community in which nothing changed.

    How many members each of those has is as stored: of two of them one may speak for both by now.
    """
    if not clusters or not members:
        return np.zeros(len(clusters), dtype=np.bool_)
    sizes = np.array([len(members) for members in clusters])
    flat = np.concatenate([np.asarray(members) for members in clusters])
    starts = np.cumsum(sizes) - sizes
    before = old[flat[starts]]
    touched = np.zeros(len(old), dtype=np.bool_)
    touched[list(changed)] = True
    alike = (old[flat] == np.repeat(before, sizes)) & ~touched[flat]
    whole = np.asarray(members)
    unmoved = np.logical_and.reduceat(alike, starts) & (before >= 0)
    return np.asarray(unmoved & (whole[np.maximum(before, 0)] == sizes), dtype=np.bool_)
