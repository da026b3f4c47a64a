"""Slices of time, and communities across all of them (Mucha et al., Science 2010).

In a slice, a fact is weighted by the overlap coefficient (Szymkiewicz and Simpson): the common time
as a share of the shorter of the two, so an instant inside a slice counts fully. Unknown starts and
missing ends are unbounded.

An entity is one node per slice in which it has facts; its consecutive nodes are coupled, also
across a gap. Equal labels in two slices are the same community. The objective is the sum of the
slices' modularity, not divided by edge weight, plus the coupling inside communities: with
``ModularityVertexPartition``, which divides, a coupling of 1 outweighs all facts.

Differs from ``leidenalg.find_partition_temporal``: layers come from columns, and large graphs start
from small parts found by igraph, which halves the time at equal quality. ``leidenalg`` holds the
GIL, so larger graphs run in a child process. Time and memory grow with nodes times slices.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np
from dateutil.relativedelta import relativedelta

from graphrag.community.detect import Labels, Nodes, Weights, seeded, strengths, weighted_graph
from graphrag.community.draft import Ties
from graphrag.errors import MissingExtraError, QueryError
from graphrag.index.child import in_child
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros

_LARGE = 50_000  # nodes times slices from which on one starts from small parts
_LONG = 2_000  # nodes times slices that take 50 ms
_MOST = 5_000_000  # nodes times slices at most: a minute, and 2 GB
_FINE = 20.0  # resolution of modularity that finds small parts: few lie across communities
_PASSES = 20  # passes over a graph that is not large: it ends earlier, when nothing gets better

Every = Literal["month", "quarter", "year", "decade"]
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_SHORTEST = timedelta(hours=1)
_MOST_SLICES = 240  # twenty years of months; the time to find communities grows with their number


def slices(every: Every | timedelta, start: datetime, end: datetime) -> tuple[Interval, ...]:
    """Return the slices from one moment to another: whole ones of the calendar, cut at both ends.

    Those of a length begin at the start.
    """
    if isinstance(every, timedelta) and every < _SHORTEST:
        raise QueryError(f"every {every}: give at least an hour")
    if start >= end:
        raise QueryError(f"end {end:%Y-%m-%d} is not after start {start:%Y-%m-%d}")
    span = every if isinstance(every, timedelta) else relativedelta(months=_MONTHS[every])
    turn = start if isinstance(every, timedelta) else begin(every, start)
    parts: list[Interval] = []
    while turn < end:
        try:
            turn = turn + span
        except (OverflowError, ValueError):  # beyond the year 9999
            turn = end
        parts.append(Interval(start, min(turn, end)))
        start = turn
        if len(parts) > _MOST_SLICES:
            raise QueryError(
                f"more than {_MOST_SLICES} slices: give a later start=, or a longer every="
            )
    return tuple(parts)


def begin(every: Every | timedelta, moment: datetime) -> datetime:
    """Return the beginning of the step of the calendar, or of the day, that a moment lies in."""
    if isinstance(every, timedelta):
        return moment.replace(hour=0, minute=0, second=0, microsecond=0)
    months = _MONTHS.get(every, 1)
    month = max((moment.year * 12 + moment.month - 1) // months * months, 12)
    return datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SlicedTies:
    """Ties of all slices, as columns, slice by slice."""

    places: Nodes  # places of the ties in the unsliced ones
    slices: Nodes
    subjects: Nodes  # rows of entities
    objects: Nodes
    weights: Weights


def sliced(ties: Ties, valid: Nodes, invalid: Nodes, parts: Sequence[Interval]) -> SlicedTies:
    """Return the ties that hold in each slice, weighted by what they have in common with it.

    ``valid`` and ``invalid`` are the start and the end of every fact of the group.
    """
    since, until = valid[ties.rows], invalid[ties.rows]
    lives = until.astype(float) - since.astype(float)
    held, shares = [], []
    for part in parts:
        first, last = to_micros(part.start, BEGINNING), to_micros(part.end, FOREVER)
        places = np.flatnonzero((since < last) & (until > first) & (since < until))
        common = np.minimum(until[places], last) - np.maximum(since[places], first)
        held.append(places)
        shares.append(common / np.minimum(lives[places], float(last - first)))
    places = np.concatenate(held)
    return SlicedTies(
        places,
        np.repeat(np.arange(len(parts)), [len(rows) for rows in held]),
        ties.subjects[places],
        ties.objects[places],
        ties.weights[places] * np.concatenate(shares),
    )


@dataclass(frozen=True, slots=True)
class States:
    """The community of each entity in each slice."""

    slices: Nodes
    entities: Nodes  # rows
    labels: Labels
    strengths: Weights  # weight of all ties of the entity in the slice


async def evolved(
    ties: SlicedTies, order: Nodes, *, resolution: float | None, coupling: float
) -> States:
    """Return what ``evolve`` returns, computed in a child process if it takes long."""
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
    ties: SlicedTies, order: Nodes, *, resolution: float | None = None, coupling: float = 1.0
) -> States:
    """Return the community of each entity in each slice in which it has ties.

    ``order`` has the rows of all their entities as nodes are looked at: not in the order in which
    they were stored, so that the same facts give the same communities. With a ``resolution`` it is
    the constant Potts model, else modularity.
    """
    optimiser, partition, coupled = _solver()
    size = max(1, len(order))
    rank = np.zeros(int(order.max(initial=-1)) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    ends = np.concatenate((rank[ties.subjects], rank[ties.objects]))
    keys, nodes = np.unique(np.tile(ties.slices, 2) * size + ends, return_inverse=True)
    part, place = np.divmod(keys, size)
    subjects, objects = nodes.reshape(2, -1)
    graph = _Graph.of(part, place, subjects, objects, ties.weights, coupling)
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
    weights = strengths(subjects, objects, ties.weights, len(keys))
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
    sizes: tuple[Nodes, ...]  # entities that each node stands for, by slice
    edges: tuple[tuple[Nodes, Nodes, Weights], ...]  # of each slice, and last the couplings

    @classmethod
    def of(
        cls, part: Nodes, place: Nodes, left: Nodes, right: Nodes, weights: Weights, coupling: float
    ) -> "_Graph":
        order = np.lexsort((part, place))
        again = np.flatnonzero(np.diff(place[order]) == 0)
        couplings = np.full(len(again), float(coupling))
        which = part[left]
        edges = [
            (left[here], right[here], weights[here])
            for number in np.unique(part)
            for here in (np.flatnonzero(which == number),)
        ]
        sizes = tuple((part == number).astype(np.int64) for number in np.unique(part))
        return cls(sizes, (*edges, (order[again], order[again + 1], couplings)))

    def joined(self, labels: Labels) -> "_Graph":
        """Return the graph of which each node stands for the nodes of one label."""
        count = int(labels.max()) + 1
        sizes = (np.bincount(labels, weights=size, minlength=count) for size in self.sizes)
        edges = ((labels[left], labels[right], weights) for left, right, weights in self.edges)
        return _Graph(tuple(size.astype(np.int64) for size in sizes), tuple(edges))

    def drawn(self) -> Iterator[Any]:
        """Yield each layer as a graph of igraph, parallel edges added up."""
        nothing = np.zeros(len(self.sizes[0]), dtype=np.int64)
        for edges, size in zip(self.edges, (*self.sizes, nothing), strict=True):
            left, right, weights = edges
            graph = weighted_graph(len(size), np.stack((left, right)), weights)
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
    left, right, weights = (np.concatenate(column) for column in zip(*graph.edges, strict=True))
    whole = weighted_graph(len(graph.sizes[0]), np.stack((left, right)), weights)
    with seeded():
        partition = whole.community_leiden("modularity", "weight", resolution=_FINE, n_iterations=3)
    return np.array(partition.membership, dtype=np.int64)
