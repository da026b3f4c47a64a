from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.search.fuse import Method, candidates, fuse
from graphrag.search.results import Why

WEIGHTS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0])
ROWS = 8
SCORES = st.integers(-2, 9).map(float)


@st.composite
def method(draw):
    scores = draw(st.lists(SCORES, min_size=ROWS, max_size=ROWS))
    name = draw(st.sampled_from(["vector", "fulltext", "graph"]))
    return Method(name, np.array(scores), draw(WEIGHTS))


METHODS = st.lists(method(), max_size=4, unique_by=lambda one: one.name)
SOME_ROWS = st.sets(st.integers(0, ROWS - 1)).map(lambda rows: np.array(sorted(rows), dtype=int))


def rank_of(row, scores, rows):
    return 1 + sum(scores[other] > scores[row] for other in rows)  # equals have the same


@given(METHODS, SOME_ROWS, st.sampled_from([1, 60]))
def test_rrf_equals_a_sum_over_every_row_and_method(methods, rows, k):
    heard = [one for one in methods if one.weight]
    expected = {
        row: sum(
            Fraction(one.weight) / (k + rank_of(row, one.scores, rows))
            for one in heard
            if one.scores[row] > 0
        )
        for row in rows.tolist()
    }
    fused = fuse(methods, rows, fusion="rrf", k=k)
    if heard:
        assert {hit.id: hit.score for hit in fused} == pytest.approx(
            {row: float(total) for row, total in expected.items()}, rel=1e-12
        )
    assert fused == sorted(fused, key=lambda hit: (-hit.score, hit.id))


@given(METHODS, SOME_ROWS)
def test_score_fusion_equals_the_weighted_mean_of_shares(methods, rows):
    heard = [one for one in methods if one.weight]
    whole = sum(Fraction(one.weight) for one in heard)
    expected = {}
    for row in rows.tolist():
        expected[row] = Fraction(0)
        for one in heard:
            best = max(Fraction(one.scores[other]) for other in rows.tolist())
            if best > 0 and one.scores[row] > 0:
                share = Fraction(one.scores[row]) / best
                expected[row] += Fraction(one.weight) / whole * share
    fused = fuse(methods, rows)
    if heard:
        assert {hit.id: hit.score for hit in fused} == pytest.approx(
            {row: float(total) for row, total in expected.items()}, rel=1e-12
        )
    assert all(0 <= hit.score <= 1 + 1e-12 for hit in fused)


@given(METHODS, SOME_ROWS, method(), st.sampled_from(["scores", "rrf"]))
def test_a_method_of_weight_zero_is_ignored(methods, rows, extra, fusion):
    mute = Method(extra.name, extra.scores, 0)

    def ranked(used):
        hits = fuse(used, rows, fusion=fusion)
        return [(hit.id, hit.score, hit.why, hit.relevance) for hit in hits]

    assert ranked([*methods, mute]) == ranked(methods)


@given(method(), SOME_ROWS, st.sampled_from([0.5, 2.0, 8.0]))
def test_score_fusion_does_not_depend_on_the_scale_of_a_method(one, rows, factor):
    scaled = Method(one.name, one.scores * factor, one.weight)
    assert [hit.score for hit in fuse([scaled], rows)] == pytest.approx(
        [hit.score for hit in fuse([one], rows)]
    )


@given(METHODS, SOME_ROWS)
def test_every_hit_tells_each_method_that_found_it(methods, rows):
    for hit in fuse(methods, rows):
        told = sorted((why.method, why.rank, why.score) for why in hit.why)
        assert told == sorted(
            (one.name, rank_of(hit.id, one.scores, rows), one.scores[hit.id])
            for one in methods
            if one.weight and one.scores[hit.id] > 0
        )
        assert [why.rank for why in hit.why] == sorted(why.rank for why in hit.why)


@given(METHODS, st.lists(st.booleans(), min_size=ROWS, max_size=ROWS), st.integers(1, ROWS))
def test_candidates_are_the_best_visible_rows_of_each_method(methods, seen, pool):
    expected = set()
    for one in methods:
        found = [row for row in range(ROWS) if seen[row] and one.scores[row] > 0]
        if one.weight:
            expected |= set(sorted(found, key=lambda row: (-one.scores[row], row))[:pool])
    methods = [Method(one.name, one.scores.astype(np.float32), one.weight) for one in methods]
    assert candidates(methods, np.array(seen), pool).tolist() == sorted(expected)


def test_two_methods_by_hand():
    methods = [
        Method("vector", np.array([0.9, 0.8])),
        Method("fulltext", np.array([0.0, 7.5]), 2.0),
    ]
    fused = fuse(methods, np.array([0, 1]), fusion="rrf")
    assert [hit.id for hit in fused] == [1, 0]
    assert fused[0].score == pytest.approx(1 / 62 + 2 / 61)
    assert fused[0].why == (Why("fulltext", 1, 7.5), Why("vector", 2, 0.8))


def test_score_fusion_keeps_by_how_much_the_first_won():
    methods = [
        Method("vector", np.array([0.9, 0.1, 0.0])),
        Method("fulltext", np.array([4.0, 5.0, 0.0])),
    ]
    fused = {hit.id: hit.score for hit in fuse(methods, np.arange(3))}
    assert fused == pytest.approx({0: 0.9, 1: (1 / 9 + 1) / 2, 2: 0.0})
    assert fuse(methods, np.arange(3), fusion="rrf")[0].score == pytest.approx(1 / 61 + 1 / 62)


def test_not_a_number_is_not_found():
    [hit] = fuse([Method("vector", np.array([np.nan]))], np.array([0]))
    assert (hit.score, hit.why) == (0.0, ())
