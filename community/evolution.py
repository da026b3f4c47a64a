"""Communities across all time slices at once (Mucha et al., Science 2010), by ``leidenalg``.

An entity is one node per slice in which it has facts; its consecutive nodes are coupled, also
across a gap. Equal labels in two slices are the same community. The objective is the sum of the
slices' modularity, not divided by edge weight, plus the coupling inside communities: with
``ModularityVertexPartition``, which divides, a coupling of 1 outweighs all facts.

Differs from ``leidenalg.find_partition_temporal``: layers come from columns, and large graphs start
from small parts found by igraph, which halves the time at equal quality. ``leidenalg`` holds the
GIL, so larger graphs run in a child process. Time and memory grow with nodes times slices.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphrag.community.detect import Labels, Nodes, Weights, seeded, strengths, weighted_graph
from graphrag.community.ties import SlicedTies
from graphrag.errors import MissingExtraError, QueryError
from graphrag.index.child import in_child

_LARGE = 50_000
"""Nodes times slices from which on one starts from small parts."""
_LONG = 2_000
"""Nodes times slices that take 50 ms."""
_MOST = 5_000_000
"""Nodes times slices at most: a minute, and 2 GB."""
_FINE = 20.0
"""Resolution of modularity at which those are found: few of them lie across communities."""
_PASSES = 20
"""Passes over a graph that is not large: it ends earlier, when nothing gets better."""


@dataclass(frozen=True, slots=True)
class States:
    """Entities in slices, slice by slice: each in one community."""

    slices: Nodes
    entities: Nodes
    """Rows."""
    labels: Labels
    strengths: Weights
    """Weight of all ties of the entity in the slice."""


async def evolved(
    ties: SlicedTies, order: Nodes, *, resolution: float | None, coupling: float
) -> States:
    """Return what ``evolve`` does; the event loop goes on.

    Raises:
        QueryError: for more slices of more entities than can be looked at together.
        MissingExtraError: if ``leidenalg`` is not installed.
    """
    _solver()
    slices = await asyncio.to_thread(np.unique, ties.slices)
    keys = np.concatenate((ties.subjects, ties.objects)) * len(slices)
    keys += np.tile(np.searchsorted(slices, ties.slices), 2)
    nodes = len(await asyncio.to_thread(np.unique, keys))
    if nodes * len(slices) > _MOST:
        raise QueryError(
            f"{len(slices)} slices of {nodes // len(slices):,} entities on average are too many to "
            f"be looked at together: give a longer every=, or a later start= (slices² x entities "
            f"is {nodes * len(slices):,}, at most {_MOST:,})"
        )
    if nodes * len(slices) < _LONG:
        return evolve(ties, order, resolution=resolution, coupling=coupling)
    return await in_child(evolve, ties, order, resolution=resolution, coupling=coupling)


def evolve(
    ties: SlicedTies,
    order: Nodes,
    *,
    resolution: float | None = None,
    coupling: float = 1.0,
) -> States:
    """Return the community of each entity in each slice in which it has ties.

    Args:
        ties: Of all slices.
        order: Rows of all their entities as nodes are looked at: not in the order in which they
            were stored, so that the same facts give the same communities.
        resolution: Weight that each two members must have between them on average (the constant
            Potts model); default: modularity.
        coupling: Weight of the tie between an entity and itself in the next slice it is in.

    Raises:
        MissingExtraError: if ``leidenalg`` is not installed.
    """
    optimiser, partition, coupled = _solver()
    size = max(1, len(order))
    rank = np.zeros(int(order.max(initial=-1)) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    ends = np.concatenate((rank[ties.subjects], rank[ties.objects]))
    keys, nodes = np.unique(np.tile(ties.slices, 2) * size + ends, return_inverse=True)
    part, place = np.divmod(keys, size)
    one, other = nodes.reshape(2, -1)
    graph = _Graph.of(part, place, one, other, ties.weights, coupling)
    labels: Labels = np.zeros(len(keys), dtype=np.int64)
    if len(keys):
        optimiser.set_rng_seed(0)
        start = None
        if len(keys) * len(np.unique(part)) >= _LARGE:
            fine = _fine(graph)
            small = _layers(graph.joined(fine), resolution, None, partition, coupled)
            optimiser.optimise_partition_multiplex(small, n_iterations=2)
            start = np.array(small[0].membership)[fine]
        layers = _layers(graph, resolution, start, partition, coupled)
        for _ in range(_PASSES if start is None else 1):
            if optimiser.optimise_partition_multiplex(layers, n_iterations=1) <= 0:
                break
        labels = np.array(layers[0].membership, dtype=np.int64)
    weights = strengths(one, other, ties.weights, len(keys))
    # Rounded, so that equal ones are equal whatever order facts were added up in.
    return States(part, order[place], labels, weights.round(9))


def _solver() -> tuple[Any, Any, Any]:
    try:
        import leidenalg
    except ImportError as error:
        raise MissingExtraError("communities.over_time()", "temporal") from error
    kinds = leidenalg.RBConfigurationVertexPartition, leidenalg.CPMVertexPartition
    return leidenalg.Optimiser(), *kinds


@dataclass(frozen=True, slots=True)
class _Graph:
    """Nodes in slices, edges within them, and couplings between them."""

    sizes: tuple[Nodes, ...]
    """Entities that each node stands for, by slice."""
    edges: tuple[tuple[Nodes, Nodes, Weights], ...]
    """Of each slice, and last the couplings."""

    @classmethod
    def of(
        cls, part: Nodes, place: Nodes, one: Nodes, other: Nodes, weights: Weights, coupling: float
    ) -> "_Graph":
        order = np.lexsort((part, place))
        again = np.flatnonzero(np.diff(place[order]) == 0)
        couplings = np.full(len(again), float(coupling))
        which = part[one]
        edges = [
            (one[here], other[here], weights[here])
            for number in np.unique(part)
            for here in (np.flatnonzero(which == number),)
        ]
        sizes = tuple((part == number).astype(np.int64) for number in np.unique(part))
        return cls(sizes, (*edges, (order[again], order[again + 1], couplings)))

    def joined(self, labels: Labels) -> "_Graph":
        """Return the graph of which each node stands for the nodes of one label."""
        count = int(labels.max()) + 1
        sizes = (np.bincount(labels, weights=size, minlength=count) for size in self.sizes)
        edges = ((labels[one], labels[other], weights) for one, other, weights in self.edges)
        return _Graph(tuple(size.astype(np.int64) for size in sizes), tuple(edges))

    def drawn(self) -> Iterator[Any]:
        """Yield each layer as a graph of igraph, parallel edges added up."""
        nothing = np.zeros(len(self.sizes[0]), dtype=np.int64)
        for edges, size in zip(self.edges, (*self.sizes, nothing), strict=True):
            one, other, weights = edges
            graph = weighted_graph(len(size), np.stack((one, other)), weights)
            graph.vs["node_size"] = size.tolist()
            yield graph


def _layers(
    graph: _Graph, resolution: float | None, start: Labels | None, partition: Any, coupled: Any
) -> list[Any]:
    """Return a partition of each layer, all of the same nodes."""
    *layers, between = graph.drawn()
    given: dict[str, Any] = {"weights": "weight"}
    if start is not None:
        given["initial_membership"] = np.unique(start, return_inverse=True)[1].tolist()
    free = coupled(between, resolution_parameter=0, node_sizes="node_size", **given)
    if resolution is None:
        return [*(partition(layer, **given) for layer in layers), free]
    given |= {"resolution_parameter": resolution, "node_sizes": "node_size"}
    return [*(coupled(layer, **given) for layer in layers), free]


def _fine(graph: _Graph) -> Labels:
    """Return small parts of a graph, found without regard to slices."""
    one, other, weights = (np.concatenate(column) for column in zip(*graph.edges, strict=True))
    whole = weighted_graph(len(graph.sizes[0]), np.stack((one, other)), weights)
    with seeded():
        found = whole.community_leiden("modularity", "weight", resolution=_FINE, n_iterations=3)
    return np.array(found.membership, dtype=np.int64)
