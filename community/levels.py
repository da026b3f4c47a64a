"""A hierarchy of communities: the best partition of all, and large parts of it taken apart again.

The coarsest level is the partition of best modularity. A modularity that counts the whole graph
cannot see parts smaller than about the square root of its edges (Fortunato and Barthelemy, PNAS
2007), so every community of more than 16 is looked at as a graph of its own, and what Leiden
finds in it are the communities one level below. A community in which it finds no two parts, such as
a clique or a star, is not divided. Levels end after the fourth: finer ones tell nobody anything.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.community.detect import detect
from graphrag.community.refine import Labels, Nodes, Weights

LARGE = 16
"""Members above which a community is looked at for parts: what a reader takes in at a glance."""
LEVELS = 4


@dataclass(frozen=True, slots=True)
class Cluster:
    """One community among those found."""

    level: int
    """0 is the coarsest."""
    parent: int | None
    """Place of the community one level above that it is a part of."""
    members: Sequence[int]
    """Best connected first."""


def detect_levels(
    subjects: Nodes,
    objects: Nodes,
    *,
    weights: Weights | None = None,
    seed: int = 0,
) -> list[Cluster]:
    """Return the communities of all levels, the coarsest first, on each the largest first."""
    tops = detect(subjects, objects, weights=weights, seed=seed)
    return divided(tops, subjects, objects, weights=weights, seed=seed)


def divided(
    tops: Iterable[Sequence[int]],
    subjects: Nodes,
    objects: Nodes,
    *,
    weights: Weights | None = None,
    initial: Sequence[Labels] = (),
    known: Callable[[int, Sequence[int]], Sequence[Sequence[int]] | None] | None = None,
    seed: int = 0,
) -> list[Cluster]:
    """Return communities of the coarsest level with all their parts below.

    Args:
        tops: The communities.
        subjects: One end of every edge of the graph.
        objects: The other end.
        weights: Of the edges; default: 1 each.
        initial: Old communities of every node by level, -1 for none: where they are still good,
            they stay.
        known: The parts of a community, by its level and members, None if they are to be found.
        seed: As of ``detect``.
    """
    found = [Cluster(0, None, members) for members in tops]
    heavy = np.ones(len(subjects)) if weights is None else weights
    first = 0
    for level in range(1, LEVELS):
        large = [place for place in range(first, len(found)) if len(found[place].members) > LARGE]
        first = len(found)
        unknown = []
        for place in large:
            parts = None if known is None else known(level - 1, found[place].members)
            if parts is None:
                unknown.append(place)
            else:
                found += (Cluster(level, place, members) for members in parts)
        start = initial[level] if level < len(initial) else None
        for place, edges in zip(
            unknown,
            inside([found[place].members for place in unknown], subjects, objects),
            strict=True,
        ):
            parts = detect(
                subjects[edges],
                objects[edges],
                weights=heavy[edges],
                initial=start,
                seed=seed,
            )
            if len(parts) > 1:
                found += (Cluster(level, place, members) for members in parts)
    return found


def inside(clusters: Sequence[Sequence[int]], subjects: Nodes, objects: Nodes) -> list[Nodes]:
    """Return the edges inside each of some disjoint clusters."""
    if not clusters or not len(subjects):
        return [np.zeros(0, dtype=np.int64) for _ in clusters]
    labels = np.full(int(max(subjects.max(), objects.max())) + 1, -1, dtype=np.int64)
    for number, members in enumerate(clusters):
        labels[members] = number
    inner = np.flatnonzero((labels[subjects] == labels[objects]) & (labels[subjects] >= 0))
    numbers = labels[subjects[inner]]
    order = np.argsort(numbers, kind="stable")
    borders = np.searchsorted(numbers[order], np.arange(1, len(clusters)))
    return list(np.split(inner[order], borders))
