"""Rows that have several vectors: the best of each, as exact as a scan of all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index.cosines import BestOf, top
from graphrag.index.vectors import Vectors

DIMENSION = 24


def held(rows):
    made = Vectors(DIMENSION, worth_codes=0)
    made.extend(rows)
    return made


def unlike(random, count):
    return random.standard_normal((count, DIMENSION)).astype(np.float32)


def alike(random, count):
    """Near ties: all but the same vector."""
    return (1 + 1e-4 * random.standard_normal((count, DIMENSION))).astype(np.float32)


def repeated(random, count):
    return np.repeat(unlike(random, 1 + count // 7), 7, axis=0)[:count]


@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from([unlike, alike, repeated]),
    rows=st.integers(1, 150),
    parts=st.integers(1, 400),
    k=st.integers(1, 20),
    shown=st.sampled_from([0.0, 0.05, 0.7, 1.0]),
    floor=st.sampled_from([None, 0.0, 0.3]),
)
def test_the_best_are_those_of_the_exact_scan(seed, kind, rows, parts, k, shown, floor):
    random = np.random.default_rng(seed)
    whole, pieces = held(kind(random, rows)), held(kind(random, parts))
    owner = random.integers(0, rows, parts).astype(np.int32)
    less = random.random(rows).astype(np.float32) / 10
    [query] = kind(random, 1)
    exact = whole.scores(query).copy()
    np.maximum.at(exact, owner, pieces.scores(query))
    exact -= less
    best = BestOf(whole.compare(query), pieces.compare(query), owner, lambda _: less)
    asked = random.integers(0, rows, 30)
    assert best.at(asked) == pytest.approx(exact[asked], abs=1e-6)
    mask = random.random(rows) < shown
    found, scores = best.top(k, mask, floor)
    expected_rows, expected = top(exact, k, mask, floor)
    assert scores == pytest.approx(expected, abs=1e-6)
    assert mask[found].all()
    if (np.diff(expected) < -1e-6).all() and len(expected) < k:
        assert found.tolist() == expected_rows.tolist()
