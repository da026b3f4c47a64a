"""The rough pass: its bound holds, and what it leads to is the exact answer."""

import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index import vectors
from graphrag.index.array_file import ArrayReader, ArrayWriter
from graphrag.index.cosines import top
from graphrag.index.vectors import Codes, Vectors

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
    assert np.abs(rough - exact).max() <= slack
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
    rough = cosines.rough_at(np.array([2, 0]))
    assert 0 < cosines.slack < 0.03
    assert rough == pytest.approx([1.0, 0.6], abs=0.03)
    assert cosines.at([2, 0]) == pytest.approx([1.0, 0.6])


def test_without_the_library_every_cosine_is_exact(monkeypatch):
    monkeypatch.setattr(vectors, "available", lambda: False)
    held = Vectors(3, worth_codes=0)
    held.extend([[1, 0, 0], [3, 4, 0]])
    cosines = held.compare([0, 1, 0])
    assert cosines.slack == 0
    assert cosines.top(1)[0].tolist() == [1]
    monkeypatch.undo()
    assert vectors.available()


def test_without_the_library_codes_that_were_saved_are_left_where_they_are(monkeypatch, tmp_path):
    random = np.random.default_rng(1)
    held = Vectors(24, worth_codes=0)
    held.extend(np.eye(24)[random.integers(0, 8, 300)] + 0.1 * random.standard_normal((300, 24)))
    out = ArrayWriter()
    held.exchange(out, "some", 300)
    out.write(tmp_path / "file", {}, lambda: True)
    arrays = ArrayReader(tmp_path / "file")
    assert arrays.has("some.codes", False)
    monkeypatch.setitem(sys.modules, "simsimd", None)
    monkeypatch.setattr(vectors, "available", lambda: False)
    loaded = Vectors(24, worth_codes=0)
    loaded.exchange(arrays, "some", 300)
    loaded.extend(held.values[:2])
    loaded.replace(7, held.values[8])
    cosines = loaded.compare(held.values[9])
    assert cosines.top(3)[0].tolist() == top(loaded.scores(held.values[9]), 3)[0].tolist()
    assert loaded._codes is None and loaded._units.nbytes == 302 * 24 * 4


def test_codes_are_seen_by_other_threads_when_they_are_filled(monkeypatch):
    held, seen, extend = Vectors(3, worth_codes=0), [], Codes.extend
    held.extend([[1, 0, 0], [3, 4, 0]])
    monkeypatch.setattr(Codes, "extend", lambda *given: seen.append(held._codes) or extend(*given))
    held.prepare()
    assert seen == [None]
    assert len(held._codes) == 2


def test_all_rows_are_asked_for_without_a_copy_of_all():
    held = Vectors(96, worth_codes=0)
    held.extend(np.random.default_rng(2).standard_normal((50_000, 96)))
    query = held.values[3]
    cosines = held.compare(query)
    tracemalloc.start()
    found = cosines.at(np.arange(50_000))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == pytest.approx(held.scores(query), abs=1e-6)
    assert most < held.values.nbytes / 4
