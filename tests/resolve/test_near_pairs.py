import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.resolve import duplicates
from graphrag.resolve.duplicates import close_pairs


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def clustered(chance, rows):
    """Return vectors of which one in four is near another."""
    vectors = chance.standard_normal((rows, 24))
    copies = chance.integers(0, rows, rows // 4)
    vectors[: rows // 4] = vectors[copies] + 0.2 * chance.standard_normal((rows // 4, 24))
    return unit(vectors)


def all_pairs(vectors, least):
    cosines = np.triu(vectors @ vectors.T, 1)
    return {(int(a), int(b)) for a, b in np.argwhere(cosines >= least)}


def test_few_rows_are_compared_exactly():
    vectors = clustered(np.random.default_rng(0), 400)
    found = close_pairs(vectors, 0.9)
    assert set(found) == all_pairs(vectors, 0.9)
    assert all(cosine == pytest.approx(vectors[a] @ vectors[b]) for (a, b), cosine in found.items())


def test_many_rows_lose_few_pairs():
    vectors = clustered(np.random.default_rng(1), 5_000)
    wanted = all_pairs(vectors, 0.9)
    found = set(close_pairs(vectors, 0.9))
    assert found <= wanted
    assert len(found) >= 0.98 * len(wanted) > 1_000


@pytest.mark.parametrize("rows", [0, 1, 9, 5_000])
def test_rows_that_are_all_alike_end_and_stay_few(rows):
    vectors = unit(np.ones((rows, 4)))
    assert len(close_pairs(vectors, 0.9)) <= 8 * 3 * rows


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_nothing_is_found_that_is_not_close(seed, rows):
    vectors = unit(np.random.default_rng(seed).standard_normal((rows, 3)))
    assert set(close_pairs(vectors, 0.8)) <= all_pairs(vectors, 0.8 - 1e-6)
    assert duplicates._MOST > 0
