"""Small updates of a partition: bounded, and as good as detecting anew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.community.detect import DRIFT, NOWHERE, detect, improve, strengths
from tests.community.modularity import modularity

EDGES = st.lists(
    st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda edge: edge[0] != edge[1]),
    min_size=1,
    max_size=40,
)


def columns(edges):
    ends = np.array(edges, dtype=np.int32).reshape(-1, 2).T
    return ends[0], ends[1]


def improved(subjects, objects, labels, changed):
    weights = np.ones(len(subjects))
    strength = strengths(subjects, objects, weights, len(labels))
    return improve(subjects, objects, labels, changed, weights, strength)


def labels_of(clusters, nodes):
    labels = np.full(nodes, NOWHERE, dtype=np.int64)
    for number, members in enumerate(clusters):
        labels[members] = number
    return labels


@given(EDGES, st.lists(st.integers(0, 11), min_size=1, max_size=4))
def test_moving_never_makes_a_partition_worse(edges, changed):
    subjects, objects = columns(edges)
    before = labels_of(detect(subjects, objects), 12)
    after = improved(subjects, objects, before, changed)
    assert modularity(subjects, objects, after) >= modularity(subjects, objects, before) - 1e-9


@pytest.mark.parametrize(
    ("edges", "clusters"),
    [
        ([(0, 1)] * 2, [{0, 1}]),
        ([(0, leaf) for leaf in range(1, 6)] * 2, [set(range(6))]),
        ([(a, b) for a in range(5) for b in range(a)], [set(range(5))]),
        ([], []),
    ],
)
def test_pairs_stars_cliques_and_nothing_come_to_an_end(edges, clusters):
    subjects, objects = columns(edges)
    labels = improved(subjects, objects, np.full(7, NOWHERE, dtype=np.int64), range(7))
    found = [set(np.flatnonzero(labels == one).tolist()) for one in np.unique(labels) if one >= 0]
    assert found == clusters


def test_a_node_that_lost_its_edges_is_nowhere():
    labels = np.array([0, 0, 0], dtype=np.int64)
    assert improved(*columns([(0, 1)]), labels, [2]).tolist() == [0, 0, NOWHERE]


def test_a_thousand_insertions_stay_within_two_percent_of_detecting_anew():
    random = np.random.default_rng(7)
    group = random.integers(0, 8, 200)
    edges, labels, detected = [], np.full(200, NOWHERE, dtype=np.int64), 0
    while len(edges) < 1500:
        a, b = random.integers(0, 200, 2)
        if a == b or (group[a] != group[b] and random.random() > 0.06):
            continue
        edges.append((a, b))
        if len(edges) <= 500:  # the graph that the thousand come to
            continue
        if len(edges) > (1 + DRIFT) * detected:
            labels, detected = labels_of(detect(*columns(edges)), 200), len(edges)
        else:
            labels = improved(*columns(edges), labels, (a, b))
        if len(edges) % 100 == 99:
            best = modularity(*columns(edges), labels_of(detect(*columns(edges)), 200))
            assert modularity(*columns(edges), labels) >= 0.98 * best
