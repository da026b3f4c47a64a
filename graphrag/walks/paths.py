"""How two entities are linked: the shortest ways between them.

The best ``k`` loopless paths are those of Yen (Management Science, 1971), as ``igraph`` finds them,
in the part of the graph that a path of the allowed length can touch at all: entities of which the
distances from both sides add up to no more than that.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphrag.walks.edges import Edges, Rows


@dataclass(frozen=True, slots=True)
class Way:
    """One path as rows: each fact joins the entity before it to the one after it."""

    entities: tuple[int, ...]
    facts: tuple[int, ...]
    cost: float


def shortest(
    edges: Edges,
    start: int,
    end: int,
    *,
    max_depth: int,
    k: int = 1,
    costs: npt.NDArray[np.float64] | None = None,
) -> list[Way]:
    """Return up to ``k`` ways of at most ``max_depth`` facts, cheapest first; none if too far.

    Args:
        edges: What may be walked along.
        start: Row of one entity.
        end: Row of the other.
        max_depth: Most facts of a way.
        k: How many.
        costs: What each fact costs, above 0; default: 1, so that the shortest are the cheapest.
    """
    if start == end:
        return [Way((start,), (), 0.0)]
    near = edges.distances(start, max_depth)
    if not 0 < near[end] <= max_depth:
        return []
    far = edges.distances(end, max_depth)
    between = (near >= 0) & (far >= 0) & (near.astype(np.int16) + far <= max_depth)
    facts = edges.within(between)
    if k == 1 and costs is None:
        return [_descend(edges, far, facts, start)]
    return _yen(edges, facts, start, end, max_depth, k, costs)


def _descend(edges: Edges, far: npt.NDArray[np.int8], facts: Rows, start: int) -> Way:
    """Walk down the distances from the other side; of equals the fact told first is taken."""
    entities, taken = [start], []
    subject, object_ = edges.subject[facts], edges.object[facts]
    while far[entities[-1]] > 0:
        here = entities[-1]
        there = np.where(subject == here, object_, subject)
        leads = ((subject == here) | (object_ == here)) & (far[there] == far[here] - 1)
        at = int(np.argmax(leads))
        taken.append(int(facts[at]))
        entities.append(int(there[at]))
    return Way(tuple(entities), tuple(taken), float(len(taken)))


def _yen(
    edges: Edges,
    facts: Rows,
    start: int,
    end: int,
    max_depth: int,
    k: int,
    costs: npt.NDArray[np.float64] | None,
) -> list[Way]:
    import igraph  # takes 50 ms: when first needed

    price = np.ones(len(facts)) if costs is None else costs[facts]
    nodes, ends = np.unique(
        np.stack((edges.subject[facts], edges.object[facts])), return_inverse=True
    )
    pairs = np.sort(ends.reshape(2, -1), axis=0)
    # Of facts between the same two, the cheapest stands for all: a path names entities once.
    order = np.lexsort((facts, price, pairs[1], pairs[0]))
    _, first = np.unique(pairs[:, order], axis=1, return_index=True)
    kept = order[np.sort(first)]
    graph = igraph.Graph(n=len(nodes), edges=pairs[:, kept].T.tolist())
    place = {int(row): number for number, row in enumerate(nodes)}
    ways: list[Way] = []
    asked = k
    while True:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # fewer paths than asked for
            found = graph.get_k_shortest_paths(
                place[start], place[end], k=asked, weights=price[kept].tolist(), output="epath"
            )
        ways = [
            _way(edges, [int(facts[kept[edge]]) for edge in path], price[kept], path, start)
            for path in found
            if 0 < len(path) <= max_depth
        ]
        # A cheap path may be too long: ask for more, until there are enough or no more.
        if len(ways) >= k or len(found) < asked or asked > 50 * k:
            return ways[:k]
        asked *= 4


def _way(
    edges: Edges,
    facts: Sequence[int],
    price: npt.NDArray[np.float64],
    path: Sequence[int],
    start: int,
) -> Way:
    entities = [start]
    for fact in facts:
        [there] = edges.other_end(np.array([fact]), entities[-1])
        entities.append(int(there))
    return Way(tuple(entities), tuple(facts), float(price[list(path)].sum()))
