import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index.edges import LevelWalk, edge_distance

NODES = 12
EDGES = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.booleans()), max_size=25
)


def columns(edges):
    subjects, objects, alive = np.array(edges, dtype=np.int32).reshape(-1, 3).T
    return subjects, objects, alive.astype(np.bool_)


def walked(edges, seeds, depth):
    """Search breadth first, in plain Python."""
    distance = dict.fromkeys(seeds, 0)
    queue = list(distance)
    for node in queue:
        for a, b, alive in edges:
            for here, there in ((a, b), (b, a)):
                near = alive and here == node and distance[node] < depth
                if near and there not in distance:
                    distance[there] = distance[node] + 1
                    queue.append(there)
    return [distance.get(node, -1) for node in range(NODES)]


@given(EDGES, st.lists(st.integers(0, NODES - 1), max_size=3), st.integers(0, 6))
def test_distances_equal_a_plain_breadth_first_search(edges, seeds, depth):
    subjects, objects, alive = columns(edges)
    distance = LevelWalk(subjects, objects, NODES, seeds, alive=alive).within(depth)
    expected = walked(edges, seeds, depth)
    assert distance.dtype == np.int8
    assert distance.tolist() == expected
    nearer = [
        min((expected[end] for end in (a, b) if expected[end] >= 0), default=-1)
        for a, b, _ in edges
    ]
    assert edge_distance(distance, subjects, objects).tolist() == nearer


PAIRS = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=6)


@given(EDGES, st.lists(st.integers(0, NODES - 1), min_size=1, max_size=3), PAIRS)
def test_a_walk_to_pairs_goes_as_far_as_it_must(edges, seeds, pairs):
    subjects, objects, alive = columns(edges)
    first, other = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    walk = LevelWalk(subjects, objects, NODES, seeds, alive=alive)
    far = LevelWalk(subjects, objects, NODES, seeds, alive=alive).within(NODES)
    assert walk.of(first, other).tolist() == edge_distance(far, first, other).tolist()


def test_a_chain_is_walked_both_ways():
    subjects, objects = np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32)
    assert LevelWalk(subjects, objects, 5, [2]).within(9).tolist() == [2, 1, 0, 1, -1]


def test_without_edges_only_the_seeds_are_reached():
    none = np.array([], dtype=np.int32)
    assert LevelWalk(none, none, 3, [1]).within(2).tolist() == [-1, 0, -1]
    assert LevelWalk(none, none, 0, []).within(2).tolist() == []
