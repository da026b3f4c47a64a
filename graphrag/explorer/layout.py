"""Where entities lie: each community in a disc of its own, near those that facts tie it to.

Layouts that push all nodes apart take seconds for 10,000 nodes and give a ball of wool. Here a
community is laid out by itself, and communities as wholes: 10,000 nodes and 30,000 facts take about
half a second, and what a reader sees first is what belongs together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from graphrag.community.detect import detect, inside, seeded

Labels = npt.NDArray[np.int64]
Places = npt.NDArray[np.float64]  # a row of x and y for each node

_ROUNDS = 3  # rounds in which entities whose facts have ended join a community
_ROOM = 1.0  # the radius of a disc for one node; it grows with the root of their number
_GAP = 1.5  # between discs, in that unit
_CENTRAL = 150  # discs that lie where facts pull them; the others, the small ones, lie around those
_ITERATIONS = 60
_PUSHES = 200  # rounds in which discs are pushed off each other
_FEW = 400  # nodes up to which all are laid out together, from where the discs put them
_PULL, _LOOSENING = 0.06, 500  # pull of the centre relative to a fact, and number of rounds
_EVEN: Final = 0.6  # share of even spreading over a disc: 0 keeps the places that forces give
_WIDE = np.array((1.4, 0.7))  # screens are wider than high, and so is the whole
_TURN = np.pi * (3 - np.sqrt(5))  # the angle of a sunflower: seeds one after another, evenly spread


@dataclass(frozen=True, slots=True)
class LayoutEdges:
    """Edges of the layout, as pairs of node numbers."""

    one: Labels
    other: Labels

    def within(self, chosen: npt.NDArray[np.bool_]) -> "LayoutEdges":
        """Return the ties of which both ends are among these."""
        both = chosen[self.one] & chosen[self.other]
        return LayoutEdges(self.one[both], self.other[both])


def arranged(labels: Labels, ties: LayoutEdges, named: int) -> Labels:
    """Return the community of each node, given the stored one of each, -1 for none.

    Stored communities (``named`` of them) are made of the facts that hold: who only has others
    belongs where most of those lead to. What is left makes communities of its own.
    """
    labels = labels.copy()
    for _ in range(_ROUNDS if named else 0):
        _spread(labels, ties, named)
    rest = ties.within(labels < 0)
    detected = detect(rest.one, rest.other)
    for label, members in enumerate(detected, start=named):
        labels[members] = label
    single = np.flatnonzero(labels < 0)
    labels[single] = named + len(detected) + np.arange(len(single))
    return labels


def _spread(labels: Labels, ties: LayoutEdges, count: int) -> None:
    """Let nodes without a community join the one that most of their ties lead to."""
    ends = np.concatenate((ties.one, ties.other))
    others = np.concatenate((ties.other, ties.one))
    usable = (labels[ends] < 0) & (labels[others] >= 0)
    kinds, counts = np.unique(
        ends[usable] * np.int64(max(1, count)) + labels[others[usable]], return_counts=True
    )
    order = np.argsort(counts, kind="stable")  # what comes last is kept: the commonest
    labels[kinds[order] // max(1, count)] = kinds[order] % max(1, count)


def lay_out(labels: Labels, ties: LayoutEdges) -> Places:
    """Return where nodes lie, deterministically; ``labels`` are communities from 0 without gaps."""
    count = int(labels.max(initial=-1)) + 1
    if not count:
        return np.zeros((0, 2))
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels, minlength=count)
    members = np.split(order, np.cumsum(sizes)[:-1])
    radii = _ROOM * np.sqrt(sizes)
    places = np.zeros((len(labels), 2))
    centres = _centres(radii, LayoutEdges(labels[ties.one], labels[ties.other]))
    number = np.zeros(len(labels), dtype=np.int64)
    own = inside([part.tolist() for part in members], ties.one, ties.other)
    for label, (part, edges) in enumerate(zip(members, own, strict=True)):
        number[part] = np.arange(len(part))
        inner = LayoutEdges(number[ties.one[edges]], number[ties.other[edges]])
        places[part] = centres[label] + _disc(len(part), inner) * radii[label]
    return _loosened(places, labels, ties) if len(labels) <= _FEW else places


def _loosened(places: Places, labels: Labels, ties: LayoutEdges) -> Places:
    """Return the places after forces; one more node weakly pulls all, to hold parts together."""
    import igraph

    count = len(labels)
    graph = igraph.Graph(n=count + 1)
    pairs = np.unique(np.sort(np.column_stack((ties.one, ties.other)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    hub = np.column_stack((np.arange(count), np.full(count, count)))
    graph.add_edges([*pairs.tolist(), *hub.tolist()])
    own = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    weights = [*np.where(own, 1.0, 0.4).tolist(), *([_PULL] * count)]
    turns = np.arange(count + 1) * _TURN
    off_line = 0.1 * np.column_stack((np.cos(turns), np.sin(turns)))
    seed = np.vstack((places, places.mean(axis=0))) + off_line
    with seeded():
        coords = graph.layout_fruchterman_reingold(
            weights=weights, seed=seed.tolist(), niter=_LOOSENING, grid="nogrid"
        ).coords
    loosened: Places = np.asarray(coords)[:count] * np.sqrt(_WIDE)
    return loosened


def place_new(places: Places, known: npt.NDArray[np.bool_], ties: LayoutEdges) -> Places:
    """Return where all nodes lie: those that have a place stay, others lie by what they tie to."""
    found, settled = places.copy(), known.copy()
    extent = float(np.abs(places[known]).max(initial=1.0))
    for _ in range(3):
        for node, tied in ((ties.one, ties.other), (ties.other, ties.one)):
            near = settled[tied] & ~settled[node]
            sums = np.zeros_like(found)
            np.add.at(sums, node[near], found[tied[near]])
            counts = np.bincount(node[near], minlength=len(found))
            here = counts > 0
            turn = np.flatnonzero(here) * _TURN
            nudge = 2 * _ROOM * np.column_stack((np.cos(turn), np.sin(turn)))
            found[here] = sums[here] / counts[here, None] + nudge
            settled |= here
    rest = np.flatnonzero(~settled)
    turn = np.arange(len(rest)) * _TURN
    found[rest] = (extent + 3) * np.column_stack((np.cos(turn), np.sin(turn)))
    return found


def _disc(count: int, ties: LayoutEdges) -> Places:
    import igraph

    if count == 1:
        return np.zeros((1, 2))
    graph = igraph.Graph(n=count, edges=np.column_stack((ties.one, ties.other)).tolist())
    graph.simplify()
    seed = _sunflower(count, graph.degree())
    with seeded():
        coords = graph.layout_fruchterman_reingold(seed=seed.tolist(), niter=_ITERATIONS).coords
    places = np.asarray(coords) - np.median(coords, axis=0)
    away = np.hypot(places[:, 0], places[:, 1])
    turn = np.arctan2(places[:, 1], places[:, 0])
    ranks = np.empty(count)
    ranks[np.argsort(away, kind="stable")] = np.arange(count)
    even = np.sqrt((ranks + 0.5) / count)
    # One that forces threw far off does not squeeze the others.
    far = np.quantile(away, 0.95) or 1.0
    radius = _EVEN * even + (1 - _EVEN) * np.minimum(away / far, 1)
    return np.column_stack((radius * np.cos(turn), radius * np.sin(turn)))


def _sunflower(count: int, degrees: Sequence[int]) -> Places:
    order = np.argsort(-np.asarray(degrees), kind="stable")
    seeds = np.arange(count)
    away, places = np.sqrt(seeds), np.empty((count, 2))
    turns = np.column_stack((np.cos(seeds * _TURN), np.sin(seeds * _TURN)))
    places[order] = away[:, None] * turns
    return places


def _centres(radii: Places, ties: LayoutEdges) -> Places:
    """Return where discs lie: none over another, those that share facts near each other."""
    import igraph

    big = np.argsort(-radii, kind="stable")[:_CENTRAL]
    chosen = np.zeros(len(radii), dtype=np.bool_)
    chosen[big] = True
    number = np.zeros(len(radii), dtype=np.int64)
    number[big] = np.arange(len(big))
    near = ties.within(chosen)
    ends = np.sort(np.stack((number[near.one], number[near.other])), axis=0)
    pairs, counts = np.unique(ends[:, ends[0] != ends[1]], axis=1, return_counts=True)
    graph = igraph.Graph(n=len(big), edges=pairs.T.tolist())
    seed = _sunflower(len(big), [0] * len(big)) * float(radii.mean())
    with seeded():
        coords = graph.layout_fruchterman_reingold(
            weights=np.log1p(counts).tolist(), seed=seed.tolist(), niter=2 * _ITERATIONS
        ).coords
    centres = np.zeros((len(radii), 2))
    spots = np.asarray(coords).reshape(-1, 2)
    spots = spots - spots.mean(axis=0)
    reach = float(np.sqrt((radii[big] ** 2).sum()))
    spots *= reach / max(1e-9, float(np.hypot(spots[:, 0], spots[:, 1]).max(initial=0.0)))
    centres[big] = _pushed(spots * _WIDE, radii[big] + _GAP / 2)
    _ring(centres, radii, np.flatnonzero(~chosen), big)
    return centres


def _pushed(spots: Places, radii: Places) -> Places:
    spots = spots.copy()
    room = radii[:, None] + radii[None, :]
    np.fill_diagonal(room, 0)
    weight = 1 / radii**2
    for _ in range(_PUSHES):
        apart = spots[:, None] - spots[None, :]
        distance = np.hypot(apart[..., 0], apart[..., 1])
        over = np.maximum(room - distance, 0)
        if over.max(initial=0.0) < 1e-3:
            break
        share = weight[:, None] / (weight[:, None] + weight[None, :])
        push = (over * share / np.maximum(distance, 1e-6))[..., None] * apart
        spots += push.sum(axis=1) * 0.6
        spots *= 0.995  # together again, where there is room
    return spots


def _ring(centres: Places, radii: Places, rest: Labels, big: Labels) -> None:
    away = float((np.hypot(*centres[big].T) + radii[big]).max(initial=0.0)) + 2 * _GAP
    turn, widest = 0.0, 0.0
    for disc in rest[np.argsort(-radii[rest], kind="stable")]:
        radius = float(radii[disc]) + _GAP / 2
        centres[disc] = (away + radius) * np.array((np.cos(turn), np.sin(turn)))
        widest = max(widest, radius)
        turn += 2 * radius / (away + radius)
        if turn >= 2 * np.pi:
            turn, away, widest = 0.0, away + 2 * widest, 0.0
