"""Hop distances from seeds, computed from the edge columns.

A level scans all edges, O(edges), with nothing to build or update, and a view in time is a mask.
From a small frontier the edges at given nodes are used instead, where they are known. 30,000 nodes,
100,000 edges, p50: depth 3 from 10 seeds (17,000 nodes) 1.8 ms; depth 2 from 3 seeds (200 nodes)
0.65 ms, with given edges 0.1 ms.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.errors import InputError

Nodes = NDArray[np.intp]
Ends = NDArray[np.int32]
EdgesAt = Callable[[Nodes], NDArray[np.intp] | None]
"""The edges at some nodes, in any order, some twice; None if they are many."""
_MOST = 127


class Walk:
    """A walk that goes on level by level, as far as somebody wants to know."""

    def __init__(
        self,
        subjects: NDArray[np.int32],
        objects: NDArray[np.int32],
        n: int,
        seeds: ArrayLike,
        *,
        alive: NDArray[np.bool_] | None = None,
        edges_at: EdgesAt | None = None,
    ) -> None:
        self._ends = subjects, objects
        self._alive = alive
        self._edges_at = edges_at
        self._distance = np.full(n, -1, dtype=np.int8)
        self._distance[np.asarray(seeds, dtype=np.intp)] = 0
        self._frontier: Nodes = np.flatnonzero(self._distance == 0)
        self._level = 0
        self._ahead: tuple[Ends, Ends, NDArray[np.bool_] | None] = subjects, objects, alive
        """The ends of the edges that may still lead on, and which of them may be walked along."""

    def within(self, depth: int) -> NDArray[np.int8]:
        """Return the hops of each node from its nearest seed, -1 if they are more than that."""
        if not 0 <= depth <= _MOST:
            raise InputError(f"depth: expected 0 to {_MOST}, got {depth}")
        while self._level < depth and self._step():
            pass
        if self._level <= depth:
            return self._distance.copy()
        return np.where(self._distance <= depth, self._distance, np.int8(-1))

    def of(
        self, first: NDArray[np.intp], other: NDArray[np.intp], *, enough: int | None = None
    ) -> NDArray[np.int8]:
        """Return the hops of the nearer of each two nodes, -1 for what no path leads to.

        With ``enough`` the hops of so many that none is nearer, and of all that are as near; -1 for
        the others, too.
        """
        wanted = len(first) if enough is None else min(enough, len(first))
        far = edge_distance(self._distance, first, other)
        while self._level < _MOST and np.count_nonzero(far >= 0) < wanted and self._step():
            far = edge_distance(self._distance, first, other)
        return far

    def _step(self) -> bool:
        """Go one level farther; False if that leads nowhere."""
        if not len(self._frontier):
            return False
        self._level += 1
        there = self._from_few()
        if there is None:
            there = self._from_all()
        self._distance[there[self._distance[there] < 0]] = self._level
        self._frontier = np.flatnonzero(self._distance == self._level)
        return True

    def _from_few(self) -> Nodes | None:
        """Return the nodes at the edges that touch the frontier, if those are known and few."""
        edges = None if self._edges_at is None else self._edges_at(self._frontier)
        if edges is None:
            return None
        if self._alive is not None:
            edges = edges[self._alive[edges]]
        return np.concatenate([ends[edges] for ends in self._ends])

    def _from_all(self) -> Nodes:
        """Return the nodes not reached before that any edge joins to the frontier.

        Whatever lies before the frontier was walked from, so an edge of which one end is reached
        leads on from the frontier, and never again: once most edges are behind, they are left out.
        """
        subjects, objects, alive = self._ahead
        new = self._distance < 0
        subject, object_ = new.take(subjects), new.take(objects)
        leading, ahead = subject != object_, subject & object_
        if alive is not None:
            leading &= alive
            ahead &= alive
        if 2 * np.count_nonzero(ahead) < len(ahead):
            rows = np.flatnonzero(ahead)
            self._ahead = subjects[rows], objects[rows], None
        # The new end of each, one node more for those that lead nowhere; by arithmetic, because
        # choosing by a mask without a pattern takes twice as long.
        ends = objects + (subjects - objects) * subject
        reached = np.zeros(len(new) + 1, dtype=np.bool_)
        reached[(ends - len(new)) * leading + len(new)] = True
        return np.flatnonzero(reached[:-1])


def hops(
    subjects: NDArray[np.int32],
    objects: NDArray[np.int32],
    n: int,
    seeds: ArrayLike,
    *,
    depth: int,
    alive: NDArray[np.bool_] | None = None,
    edges_at: EdgesAt | None = None,
) -> NDArray[np.int8]:
    """Return the number of edges between each of ``n`` nodes and its nearest seed.

    Edges count in both directions; only those where ``alive`` is True do. A node farther than
    ``depth`` is at -1.
    """
    return Walk(subjects, objects, n, seeds, alive=alive, edges_at=edges_at).within(depth)


def edge_distance(
    distance: NDArray[np.int8], subjects: NDArray[np.integer], objects: NDArray[np.integer]
) -> NDArray[np.int8]:
    """Return the distance of each edge: that of its nearer end, -1 if neither was reached."""
    # As unsigned bytes -1 is 255, the farthest of all.
    unsigned = distance.view(np.uint8)
    return np.minimum(unsigned.take(subjects), unsigned.take(objects)).view(np.int8)


def edges_reached(
    distance: NDArray[np.int8],
    subjects: NDArray[np.int32],
    objects: NDArray[np.int32],
    alive: NDArray[np.bool_],
    edges_at: EdgesAt | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    """Return the edges that are alive and of which an end was reached, and the distance of each."""
    edges = None if edges_at is None else edges_at(np.flatnonzero(distance >= 0))
    if edges is None:
        far = edge_distance(distance, subjects, objects)
        rows = np.flatnonzero((far >= 0) & alive)
        return rows, far[rows]
    rows = np.unique(edges[alive[edges]])
    return rows, edge_distance(distance, subjects[rows], objects[rows])
