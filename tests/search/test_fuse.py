from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.errors import InputError
from graphrag.results import Why
from graphrag.search.fuse import Ranking, convex_combination, reciprocal_rank_fusion

WEIGHTS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0])


FLOATS = st.floats(-1, 1)


@st.composite
def rankings(draw, scores=FLOATS):
    items = draw(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8))
    drawn = draw(st.lists(scores, min_size=len(items), max_size=len(items)))
    method = draw(st.sampled_from(["vector", "fulltext", "graph"]))
    return Ranking(method, items, sorted(drawn, reverse=True), draw(WEIGHTS))


LISTS = st.lists(rankings(), max_size=4)


def scores(fused):
    return {hit.id: hit.score for hit in fused}


@given(LISTS, st.sampled_from([1, 60]))
def test_rrf_equals_a_sum_over_every_item_and_list(lists, k):
    expected = {
        item: sum(
            Fraction(ranking.weight) / (k + place)
            for ranking in lists
            for place, other in enumerate(ranking.items, start=1)
            if other == item
        )
        for item in "abcdefgh"
    }
    fused = reciprocal_rank_fusion(lists, k=k)
    assert scores(fused) == pytest.approx(
        {item: float(total) for item, total in expected.items() if total}, rel=1e-12
    )
    assert fused == sorted(fused, key=lambda hit: (-hit.score, hit.id))


@given(LISTS, st.data())
def test_the_order_of_the_rankings_does_not_matter(lists, data):
    shuffled = data.draw(st.permutations(lists))
    assert reciprocal_rank_fusion(shuffled) == reciprocal_rank_fusion(lists)
    assert convex_combination(shuffled) == convex_combination(lists)


@given(LISTS, rankings())
def test_a_ranking_of_weight_zero_is_ignored(lists, extra):
    mute = Ranking(extra.method, extra.items, extra.scores, 0)
    assert reciprocal_rank_fusion([*lists, mute]) == reciprocal_rank_fusion(lists)
    assert convex_combination([*lists, mute]) == convex_combination(lists)


@given(LISTS, rankings())
def test_a_newcomer_at_the_end_of_a_list_lowers_nobody_in_rrf(lists, last):
    longer = Ranking(last.method, [*last.items, "new"], [*last.scores, -2.0], last.weight)
    before = scores(reciprocal_rank_fusion([*lists, last]))
    after = scores(reciprocal_rank_fusion([*lists, longer]))
    after.pop("new", None)
    assert after == before


@given(LISTS)
def test_every_hit_tells_each_ranking_that_holds_it(lists):
    for hit in reciprocal_rank_fusion(lists):
        told = sorted((why.method, why.rank, why.score) for why in hit.why)
        assert told == sorted(
            (ranking.method, place, score)
            for ranking in lists
            if ranking.weight
            for place, (item, score) in enumerate(
                zip(ranking.items, ranking.scores, strict=True), start=1
            )
            if item == hit.id
        )
        assert [why.rank for why in hit.why] == sorted(why.rank for why in hit.why)


@given(LISTS)
def test_convex_scores_lie_between_zero_and_one(lists):
    fused = convex_combination(lists)
    assert all(-1e-12 <= hit.score <= 1 + 1e-12 for hit in fused)
    assert {hit.id for hit in fused} == {hit.id for hit in reciprocal_rank_fusion(lists)}


@given(rankings(scores=st.integers(-9, 9)), st.sampled_from([0.5, 2.0, 8.0]))
def test_convex_combination_does_not_depend_on_the_scale_of_a_list(ranking, factor):
    scaled = Ranking(
        ranking.method,
        ranking.items,
        [score * factor + 16 for score in ranking.scores],
        ranking.weight,
    )
    assert scores(convex_combination([scaled])) == pytest.approx(
        scores(convex_combination([ranking]))
    )


def test_two_lists_by_hand():
    fused = reciprocal_rank_fusion(
        [Ranking("vector", ["a", "b"], [0.9, 0.8]), Ranking("fulltext", ["b"], [7.5], 2.0)]
    )
    assert [hit.id for hit in fused] == ["b", "a"]
    assert fused[0].score == pytest.approx(1 / 62 + 2 / 61)
    assert fused[0].why == (Why("fulltext", 1, 7.5), Why("vector", 2, 0.8))


def test_convex_combination_keeps_by_how_much_the_first_won():
    fused = convex_combination(
        [
            Ranking("vector", ["a", "b", "c"], [0.9, 0.2, 0.1]),
            Ranking("fulltext", ["b", "a", "c"], [5.0, 4.0, 0.0]),
        ]
    )
    assert scores(fused) == pytest.approx({"a": 0.9, "b": 0.5625, "c": 0.0})


def test_ties_go_to_the_lower_id():
    fused = reciprocal_rank_fusion([Ranking("v", [2, 9], [1, 1]), Ranking("f", [1, 9], [1, 1])])
    assert [hit.id for hit in fused] == [9, 1, 2]


def test_nothing_fuses_to_nothing():
    assert reciprocal_rank_fusion([]) == convex_combination([]) == []


@pytest.mark.parametrize(
    ("items", "values", "weight", "message"),
    [
        (["a"], [], 1.0, "ranking vector: 1 items but 0 scores"),
        (["a", "a"], [1.0, 1.0], 1.0, "an item occurs twice"),
        (["a"], [1.0], -1.0, "weight -1.0 is not 0 or more"),
        (["a"], [1.0], float("nan"), "weight nan is not 0 or more"),
    ],
)
def test_a_ranking_that_cannot_be_fused_is_refused(items, values, weight, message):
    with pytest.raises(InputError, match=message):
        Ranking("vector", items, values, weight)


def test_a_parametrised_ranking_can_be_built():
    assert Ranking[str]("vector", ["a"], [1.0]).items == ["a"]
