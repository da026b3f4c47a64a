"""The walk between episodes and names, against PageRank on whole matrices."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index.entries import Links
from graphrag.search.episode_context import walk

EPISODES, NAMES, STEPS, FOLLOWS, NAMED = 6, 5, 5, 0.85, 0.7
PAIRS = st.sets(st.tuples(st.integers(0, EPISODES - 1), st.integers(0, NAMES - 1)), min_size=1)


def reference(pairs, seeds, strength, named):
    links = np.zeros((EPISODES, NAMES))
    for left, right in pairs:
        links[left, right] = 1
    rare = np.log1p(EPISODES / np.maximum(links.sum(0), 1)) / np.log1p(EPISODES)
    weighed = links * rare
    out = weighed / np.maximum(weighed.sum(1, keepdims=True), 1e-12)
    back = links / np.maximum(links.sum(0, keepdims=True), 1e-12)
    start, begin = np.zeros(EPISODES), np.zeros(NAMES)
    start[seeds] = strength / strength.sum()
    if len(named):
        begin[named] = rare[named] ** 2
        begin *= NAMED / begin.sum()
        start *= 1 - NAMED
    visits, passed = start, begin
    for _ in range(STEPS):
        visits, passed = (
            FOLLOWS * back @ passed + (1 - FOLLOWS) * start,
            FOLLOWS * out.T @ visits + (1 - FOLLOWS) * begin,
        )
    return visits / visits.max()


@given(PAIRS, st.sets(st.integers(0, NAMES - 1)), st.randoms(use_true_random=False))
def test_the_walk_is_pagerank_where_its_neighbourhood_is_everything(pairs, named, random):
    links = Links()
    links.enter(sorted(pairs))
    seeds = np.arange(EPISODES)
    strength = np.array([random.random() + 0.1 for _ in seeds])
    names = np.array(sorted(named), dtype=np.intp)
    rows, visits = walk(links, EPISODES, seeds, strength, names)
    assert rows.tolist() == list(range(EPISODES))
    np.testing.assert_allclose(
        visits, reference(pairs, seeds, strength, names), rtol=1e-6, atol=1e-9
    )


def test_without_links_there_is_nowhere_to_walk():
    _, visits = walk(Links(), 3, np.array([1]), np.array([1.0]), np.empty(0, dtype=np.intp))
    assert visits.tolist() == [0.0]


def test_a_link_to_the_own_title_weighs_more():
    links = Links()
    links.enter([(0, 0), (0, 1), (1, 0), (2, 1)])  # 0 bears title 0 and names title 1
    own = np.array([0, -1, 1], dtype=np.int32)
    seeds, strength = np.array([0]), np.array([1.0])
    rows, visits = walk(links, 3, seeds, strength, np.empty(0, dtype=np.intp), own)
    by_row = dict(zip(rows.tolist(), visits.tolist(), strict=True))
    assert by_row[1] != by_row[2]
