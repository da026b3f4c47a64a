"""The rough pass: its bound holds, and what it leads to is the exact answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index import int8 as codes
from graphrag.index import vectors
from graphrag.index.int8 import Codes
from graphrag.index.topk import top
from graphrag.index.vectors import Vectors

SEEDS = st.integers(0, 2**32 - 1)


def units(random, count, dimension):
    """Vectors of very different shapes: dense, sparse, near to each other."""
    rows = random.standard_normal((count, dimension)) ** random.choice([1, 3, 9])
    rows = rows + random.choice([0, 3]) * rows[:1]
    rows[np.abs(rows).max(axis=1) < 1e-6] = 1.0
    rows = rows.astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1)[:, None]


@given(SEEDS, st.integers(1, 80), st.sampled_from([3, 17, 384]))
def test_no_rough_cosine_is_wrong_by_more_than_it_says(seed, count, dimension):
    random = np.random.default_rng(seed)
    rows = units(random, count, dimension)
    made = Codes(dimension)
    made.extend(rows[: count // 2])
    made.extend(rows[count // 2 :])
    [query] = units(random, 1, dimension)
    product, slack = made.against(query)
    rough = product(slice(None))
    exact = rows.astype(float) @ query.astype(float)
    assert (np.abs(rough - exact) <= slack.at(slice(None))).all()
    assert slack.at(slice(None)).max() <= slack.most
    assert len(made) == count


@given(SEEDS, st.integers(1, 120), st.integers(1, 20), st.sampled_from([None, 0.0, 0.5]))
def test_the_best_are_those_of_the_exact_product(seed, count, k, floor):
    random = np.random.default_rng(seed)
    held = Vectors(16, worth_codes=0)
    held.extend(units(random, count, 16))
    if count > 3:
        held.compare(np.ones(16))
        held.extend(held.values[:3].copy())
        held.replace(1, np.arange(1, 17))
    [query] = units(random, 1, 16)
    mask = random.random(len(held)) < 0.7
    rows, scores = held.compare(query).top(k, mask, floor)
    expected_rows, expected = top(held.scores(query), k, mask, floor)
    assert scores == pytest.approx(expected, abs=1e-6)
    exact = dict(zip(expected_rows.tolist(), expected.tolist(), strict=True))
    assert all(
        row in exact or score == pytest.approx(expected[-1], abs=1e-6)
        for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
    )


def test_chosen_rows_are_exact():
    held = Vectors(3, worth_codes=0)
    held.extend([[1, 0, 0], [0, 1, 0], [3, 4, 0]])
    cosines = held.compare([3, 4, 0])
    rough, wrong = cosines.estimates(np.array([2, 0]))
    assert wrong is not None and wrong.max() < 0.03
    assert rough == pytest.approx([1.0, 0.6], abs=0.03)
    assert cosines.at([2, 0]) == pytest.approx([1.0, 0.6])


def test_without_the_library_every_cosine_is_exact(monkeypatch):
    monkeypatch.setattr(vectors, "available", lambda: False)
    held = Vectors(3, worth_codes=0)
    held.extend([[1, 0, 0], [3, 4, 0]])
    cosines = held.compare([0, 1, 0])
    assert cosines.estimates(np.array([1]))[1] is None
    assert cosines.top(1)[0].tolist() == [1]
    assert codes.available()
