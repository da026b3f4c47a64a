"""Leiden communities of the entity graph (Traag, Waltman and van Eck, 2019), as a hierarchy.

igraph's implementation: 100,000 facts between 30,000 entities take 0.3 s, ``leidenalg`` 4 to 13 s
for no better a partition. Parallel facts add up to one weighted edge; entities without live facts
are in no community. After a few facts changed, ``improve`` looks at what is around them only.

The coarsest level has the best modularity. Because of its resolution limit (Fortunato and
Barthelemy, PNAS 2007) each community of more than 16 is partitioned again as a graph of its own,
down to four levels, until Leiden finds no two parts.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag.index.child import in_child

Nodes = npt.NDArray[np.integer]
Labels = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]

NOWHERE = -1  # label of a node that is in no community
LEAST = 2  # members of a community: who is alone makes none
DRIFT = 0.05  # share of the edges that may change before everything is to be detected anew
_drawing = Lock()
_ITERATIONS = 10  # passes over the graph: a bound on time; two to four make it stable
_AGAIN = 2  # passes from communities that were good before a few facts changed
_SHORT = 5_000  # edges whose communities are found in 50 ms


def detect(
    subjects: Nodes,
    objects: Nodes,
    *,
    weights: Weights | None = None,
    initial: Labels | None = None,
) -> list[list[int]]:
    """Return communities of at least two nodes, largest first; members best connected first.

    The same edges give the same communities, and edges between the same two add up. Cost is near
    linear in the edges. ``initial`` has a community of every node to start from, -1 for none.
    """
    if not len(subjects):
        return []
    nodes, ends = np.unique(np.concatenate((subjects, objects)), return_inverse=True)
    heavy = np.ones(len(subjects)) if weights is None else weights
    graph = weighted_graph(len(nodes), ends.reshape(2, -1), heavy)
    start = None
    if initial is not None:  # numbers from 0 without gaps, one of its own for each that had none
        known = initial[nodes]
        full = np.where(known < 0, known.max() + 1 + np.cumsum(known < 0), known)
        start = np.unique(full, return_inverse=True)[1].tolist()
    with seeded():
        partition = graph.community_leiden(
            "modularity",
            weights="weight",
            initial_membership=start,
            n_iterations=_ITERATIONS if initial is None else _AGAIN,
        )
    labels = np.full(int(nodes[-1]) + 1, -1, dtype=np.int64)
    labels[nodes] = partition.membership
    return by_label(labels, strengths(subjects, objects, heavy, len(labels)))


def weighted_graph(count: int, ends: Nodes, weights: Weights) -> Any:
    """Return a graph of igraph with parallel edges added up; its ends are two rows."""
    import igraph

    low, high = np.sort(ends, axis=0)
    keys = low * np.int64(count) + high
    # Added up by weight: the sum is the same to the last bit whatever order facts came in.
    order = np.lexsort((weights, keys))
    pairs, place = np.unique(keys[order], return_inverse=True)
    graph = igraph.Graph(n=count, edges=np.column_stack(np.divmod(pairs, count)).tolist())
    graph.es["weight"] = np.bincount(place, weights[order], minlength=len(pairs)).tolist()
    return graph


def by_label(labels: Labels, strength: Weights) -> list[list[int]]:
    """Return the communities of at least two nodes, each node with a label and a strength."""
    held = np.flatnonzero(labels >= 0)
    order = held[np.lexsort((held, -strength[held], labels[held]))]
    borders = np.flatnonzero(np.diff(labels[order])) + 1
    communities = [part.tolist() for part in np.split(order, borders) if len(part) > 1]
    return sorted(communities, key=lambda members: (-len(members), members))


LARGE = 16  # members above which a community is looked at for parts: what one takes in at a glance
LEVELS = 4


@dataclass(frozen=True, slots=True)
class Cluster:
    """A community of one level."""

    level: int  # 0 is the coarsest
    parent: int | None  # place of the community one level above that it is a part of
    members: Sequence[int]  # best connected first


def detect_levels(subjects: Nodes, objects: Nodes, weights: Weights) -> list[Cluster]:
    """Return the communities of all levels, the coarsest first, on each the largest first."""
    return divided(detect(subjects, objects, weights=weights), subjects, objects, weights)


async def detected(subjects: Nodes, objects: Nodes, weights: Weights) -> list[Cluster]:
    """Return what ``detect_levels`` returns, computed in a child process if it takes long."""
    if len(subjects) < _SHORT:
        return detect_levels(subjects, objects, weights)
    return await in_child(detect_levels, subjects, objects, weights)


def divided(
    tops: Iterable[Sequence[int]],
    subjects: Nodes,
    objects: Nodes,
    weights: Weights,
    initial: Sequence[Labels] = (),
) -> list[Cluster]:
    """Return communities of the coarsest level with all their parts below.

    ``initial`` has the old communities of every node by level, -1 for none: where they are still
    good, they stay.
    """
    clusters, first = [Cluster(0, None, members) for members in tops], 0
    for level in range(1, LEVELS):
        large = [
            place for place in range(first, len(clusters)) if len(clusters[place].members) > LARGE
        ]
        first = len(clusters)
        start = initial[level] if level < len(initial) else None
        within = inside([clusters[place].members for place in large], subjects, objects)
        for place, edges in zip(large, within, strict=True):
            parts = detect(subjects[edges], objects[edges], weights=weights[edges], initial=start)
            if len(parts) > 1:
                clusters += (Cluster(level, place, members) for members in parts)
    return clusters


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


def improve(
    subjects: Nodes,
    objects: Nodes,
    labels: Labels,
    changed: Iterable[int],
    weights: Weights,
    strength: Weights,
) -> Labels:
    """Return the labels after the nodes around a change have moved to where they fit best.

    ``changed`` are the ends of edges that came or went; ``strength`` is the weight of all edges of
    every node.
    """
    labels, nodes = labels.copy(), len(labels)
    around = np.zeros(nodes, dtype=np.bool_)
    around[list(changed)] = True
    labels[around & (strength == 0)] = NOWHERE
    alone, first = np.flatnonzero((labels == NOWHERE) & (strength > 0)), labels.max(initial=-1) + 1
    labels[alone] = first + np.arange(len(alone))
    # What changed and what is tied to it may move; the rest of each community is one node.
    own, beside = around.copy(), around[subjects] | around[objects]
    own[subjects[beside]] = own[objects[beside]] = True
    place = np.where(own, np.arange(nodes), nodes + labels)
    near = np.flatnonzero((own[subjects] | own[objects]) & (subjects != objects))
    ends = place[np.concatenate((subjects[near], objects[near]))]
    keys, joined = np.unique(ends, return_inverse=True)
    if not len(keys):
        return labels
    held = np.flatnonzero(labels != NOWHERE)
    known = held[np.isin(place[held], keys)]
    which = np.searchsorted(keys, place[known])
    old = np.empty(len(keys), dtype=np.int64)
    old[which] = labels[known]
    weight = np.bincount(which, weights=strength[known], minlength=len(keys))
    graph = weighted_graph(len(keys), joined.reshape(2, -1), weights[near])
    with seeded():
        partition = graph.community_leiden(
            "CPM",
            weights="weight",
            node_weights=weight.tolist(),
            resolution=1 / (2 * float(weights.sum())),
            initial_membership=np.unique(old, return_inverse=True)[1].tolist(),
            n_iterations=_AGAIN,
        )
    # A community keeps the label that most of it had, unless more of another one had it.
    shares: Counter[tuple[int, int]] = Counter()
    for cluster, label, share in zip(
        partition.membership, old.tolist(), weight.tolist(), strict=True
    ):
        shares[cluster, label] += share
    label_of: dict[int, int] = {}
    for (cluster, label), _ in shares.most_common():
        if cluster not in label_of and label not in label_of.values():
            label_of[cluster] = label
    fresh = first + len(alone)
    made = np.array([label_of.get(cluster, fresh + cluster) for cluster in partition.membership])
    labels[known] = made[which]
    sizes = np.bincount(labels + 1)
    labels[(labels >= first) & (sizes[labels + 1] < LEAST)] = NOWHERE
    return labels


@contextmanager
def seeded() -> Iterator[None]:
    """Seed the random numbers of igraph, for one caller at a time: their source is global."""
    import igraph

    with _drawing:
        igraph.set_random_number_generator(random.Random(0))
        try:
            yield
        finally:
            igraph.set_random_number_generator(random)


def strengths(subjects: Nodes, objects: Nodes, weights: Weights, nodes: int) -> Weights:
    """Return the weight of all edges of every node."""
    ends, both = np.concatenate((subjects, objects)), np.concatenate((weights, weights))
    return np.asarray(np.bincount(ends, weights=both, minlength=nodes), dtype=np.float64)
