"""Levels of communities: parts of what is large, on every graph, in the end."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.community.detect import LARGE, LEVELS, detect_levels

RING = [(n, (n + 1) % 60) for n in range(60)]
CLIQUE = [(a, b) for a in range(24) for b in range(a)]
STAR = [(0, leaf) for leaf in range(1, 60)]


def levels(edges, weights=None):
    ends = np.array(edges, dtype=np.int32).reshape(-1, 2)
    return detect_levels(*ends.T, np.ones(len(ends)) if weights is None else weights)


def cliques_in_a_row(count, size):
    for one in range(count):
        first = one * size
        yield from ((first + a, first + b) for a in range(size) for b in range(a))
        if one:
            yield (first - 1, first)


@pytest.mark.parametrize(
    ("edges", "sizes"),
    [([], []), ([(0, 1)] * 2, [2]), (STAR, [60]), (CLIQUE, [24])],
    ids=["no facts", "two parallel facts", "star", "clique"],
)
def test_what_has_no_parts_is_not_divided(edges, sizes):
    assert [(one.level, len(one.members)) for one in levels(edges)] == [(0, n) for n in sizes]


def test_large_communities_are_divided_into_those_they_are_made_of():
    # Modularity merges neighbouring cliques of a long row: its resolution limit.
    found = levels([*cliques_in_a_row(200, 4)])
    tops = [one for one in found if one.level == 0]
    assert max(len(one.members) for one in tops) > LARGE
    whole = {one.parent for one in found}
    leaves = [one.members for place, one in enumerate(found) if place not in whole]
    assert sum(map(len, leaves)) == 800 and max(map(len, leaves)) <= LARGE
    for members in leaves:  # each is made of whole cliques
        assert set(members) == {4 * (member // 4) + n for member in members for n in range(4)}


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 39), st.integers(0, 39)).filter(lambda edge: edge[0] != edge[1]),
        max_size=120,
    )
)
def test_levels_nest_on_every_graph(edges):
    found = levels(edges)
    assert found == levels(edges)
    for one in found:
        assert len(one.members) > 1 and one.level < LEVELS
        assert (one.parent is None) == (one.level == 0)
        if one.parent is not None:
            whole = found[one.parent]
            assert whole.level == one.level - 1 and len(whole.members) > LARGE
            assert set(one.members) < set(whole.members)
    for level in range(LEVELS):
        members = [member for one in found if one.level == level for member in one.members]
        assert len(members) == len(set(members))


def test_a_weight_counts_as_so_many_edges():
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]
    heavy = np.array([1, 1, 1, 9, 1, 1, 1], dtype=float)
    assert [set(one.members) for one in levels(edges)] == [{0, 1, 2}, {3, 4, 5}]
    tied = [set(one.members) for one in levels(edges, weights=heavy)]
    assert any({2, 3} <= members for members in tied)
