"""The best paths against all paths there are."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphrag.analysis.paths import shortest
from graphrag.search.near import Edges

NODES = 7
FACTS = st.lists(
    st.tuples(
        st.integers(0, NODES - 1),
        st.integers(0, NODES - 1),
        st.sampled_from([1.0, 1.1, 1.25, 1.5, 2.0]),
        st.booleans(),
    ),
    max_size=30,
)


def edges_of(facts):
    ends = np.array([fact[:2] for fact in facts], dtype=np.int32).reshape(-1, 2)
    usable = np.array([alive and a != b for a, b, _, alive in facts], dtype=np.bool_)
    return Edges(ends[:, 0], ends[:, 1], usable, NODES)


def every_way(facts, start, end, longest):
    """Return the cost, the length and the entities of every path, with the cheapest facts."""
    cheapest = {}
    for a, b, cost, alive in facts:
        if alive and a != b:
            for pair in ((a, b), (b, a)):
                cheapest[pair] = min(cost, cheapest.get(pair, cost))

    def walk(path, cost):
        if path[-1] == end:
            yield round(cost, 6), len(path) - 1, path
        elif len(path) <= longest:
            for there in range(NODES):
                if there not in path and (path[-1], there) in cheapest:
                    yield from walk((*path, there), cost + cheapest[path[-1], there])

    return sorted(walk((start,), 0.0))


@given(FACTS, st.integers(1, 6), st.integers(1, 12))
def test_the_best_paths_are_the_best_of_all_paths(facts, longest, k):
    edges, costs = edges_of(facts), np.array([fact[2] for fact in facts])
    for start, end in ((0, 1), (2, 3)):
        ways = shortest(edges, start, end, max_depth=longest, k=k, costs=costs)
        expected = every_way(facts, start, end, longest)
        found = [(round(way.cost, 6), len(way.facts), way.entities) for way in ways]
        assert [way[:2] for way in found] == [way[:2] for way in expected[:k]]
        assert len(set(found)) == len(found) and set(found) <= set(expected)
        for way in ways:
            for here, fact, there in zip(way.entities, way.facts, way.entities[1:], strict=False):
                assert {here, there} == set(facts[fact][:2])
            assert round(sum(facts[fact][2] for fact in way.facts), 6) == round(way.cost, 6)
        [one] = shortest(edges, start, end, max_depth=longest) or [None]
        lengths = [way[1] for way in expected]
        assert (one is None) == (not lengths) and (one is None or len(one.facts) == min(lengths))


def test_ways_that_are_too_long_cost_nothing():
    """Ten strangers who all know each other: millions of ways, of which 90 are of 3 facts or 2."""
    facts = [pair for pair in combinations(range(12), 2) if pair != (0, 1)]
    ends = np.array(facts, dtype=np.int32)
    edges = Edges(ends[:, 0], ends[:, 1], np.ones(len(facts), dtype=np.bool_), 12)
    ways = shortest(edges, 0, 1, max_depth=3, k=150, costs=np.ones(len(facts)))
    assert [len(way.facts) for way in ways] == [2] * 10 + [3] * 90
