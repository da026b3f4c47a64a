"""Rows that came after the directions of the coarse codes were made: none of the best is missed."""

import numpy as np
import pytest

from graphrag.index import coarse
from graphrag.index.coarse import Ceiling, Coarse
from graphrag.index.columns import RowMatrix
from graphrag.index.cosines import Cosines
from graphrag.index.int8 import Slack
from graphrag.index.vectors import Vectors
from tests.index.test_coarse import (
    DIMENSION,
    ROWS,
    assert_exact,
    held_of,
    isotropic,
    near_ties,
    saved,
    shared,
    texts,
    units,
)


def made_and_later(random, count, share):
    """A half of the vectors, with coarse codes, and others that share what is unknown to them."""
    held = held_of(texts(random, 2 * ROWS, noise=0.15))
    known = held._coarse._directions.T
    [unknown] = isotropic(random, 1)
    outside = units([unknown - known.T @ (known @ unknown)])
    return held, shared(random, count, share, known, outside)


def assert_found(held, rows):
    """Ask for what is like each of the rows, which are the last ones; not for itself."""
    mask, enough = np.ones(len(held), dtype=bool), []
    for place in range(40):
        mask[place - len(rows)] = False
        enough.append(assert_exact(held, rows[place], 10, mask))
        mask[place - len(rows)] = True
    assert 10 * len(rows) > len(held) or np.mean(enough) > 0.5  # or all bytes would find them


@pytest.mark.parametrize("count", [40, 400, 4_000])
@pytest.mark.parametrize("share", [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_rows_that_share_what_the_sample_knows_nothing_of_are_found(share, count):
    held, rows = made_and_later(np.random.default_rng(0), count, share)
    held.extend(rows)
    assert_found(held, rows)


def test_rows_that_take_the_place_of_others_are_found_as_well():
    held, rows = made_and_later(np.random.default_rng(1), 100, 0.7)
    for place, row in enumerate(rows, start=len(held) - len(rows)):
        held.replace(place, row)
    assert_found(held, rows)


def test_after_loading_what_is_there_and_what_comes_is_found(tmp_path):
    random = np.random.default_rng(2)
    held = held_of(near_ties(random, ROWS))
    loaded = Vectors(DIMENSION, worth_codes=0, worth_coarse=1)
    loaded.load(saved(held, tmp_path / "ties"), "some", ROWS)
    assert np.mean([assert_exact(loaded, row, 10) for row in held.values[:40]]) > 0.5
    held, rows = made_and_later(random, 400, 0.85)
    loaded = Vectors(DIMENSION, worth_codes=0, worth_coarse=1)
    loaded.load(saved(held, tmp_path / "texts"), "some", len(held))
    loaded.extend(rows)
    assert_found(loaded, rows)


def test_directions_are_made_anew_when_half_of_the_rows_are_others(tmp_path):
    random = np.random.default_rng(3)
    held = held_of(texts(random, ROWS))
    first = held._coarse._directions
    later = texts(random, ROWS)
    held.extend(later[:-1])
    loaded = Vectors(DIMENSION, worth_codes=0, worth_coarse=1)
    loaded.load(saved(held, tmp_path / "file"), "some", len(held))
    for vectors in (held, loaded):
        vectors.compare(later[0])
        assert np.array_equal(vectors._coarse._directions, first)
        vectors.extend(later[-1:])
        assert np.mean([assert_exact(vectors, row, 3) for row in later[:40]]) > 0.9
        assert np.square(later @ vectors._coarse._directions).sum(axis=1).mean() > 0.7
        assert np.square(later @ first).sum(axis=1).mean() < 0.6


def test_a_higher_cosine_never_asks_for_less():
    random = np.random.default_rng(4)
    outside = np.zeros((ROWS, DIMENSION), np.float32)
    outside[:, 0], outside[:, 1:32] = 1e-3, random.standard_normal((ROWS, 31))
    outside[::40] = np.eye(1, DIMENSION, 80)
    made = Coarse.of(units(outside))
    ceiling = made.against(np.eye(1, DIMENSION, 90, dtype=np.float32)[0])
    assert made._usual >= 1  # as long as the whole vectors
    least = [ceiling.least(cosine) for cosine in np.linspace(-1, 1, 201)]
    assert (np.diff(least) >= -1e-12).all()


def test_rows_that_only_seem_to_be_the_best_hide_no_other():
    """Four that are thought better than they are would rule out one that is thought worse."""
    exact = np.zeros(640, dtype=np.float32)
    exact[:4], exact[5] = 0.50, 0.51
    rough, ceilings = exact.copy(), exact.copy()
    rough[:4], rough[5], ceilings[:4] = 0.52, 0.49, 0.9
    slack = Slack(0.02, np.zeros(640, np.float32), np.float32(1), np.float32(0.02))
    cosines = Cosines(
        len(exact),
        lambda some: exact[some],
        lambda some: rough[some],
        slack,
        Ceiling(lambda some: ceilings[some], 0.0, 0.0),
    )
    assert cosines.top(1, None, 0.0)[0].tolist() == [5]
    assert cosines._all is None


def test_room_for_all_codes_is_made_once(monkeypatch):
    monkeypatch.setattr(coarse, "BLOCK", ROWS // 10)
    sizes, move = [], RowMatrix._move
    monkeypatch.setattr(RowMatrix, "_move", lambda *asked: sizes.append(asked[1]) or move(*asked))
    Coarse.of(texts(np.random.default_rng(5), ROWS))
    assert sizes == [2 * ROWS + 16]
