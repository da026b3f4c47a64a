import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphrag.index.cosines import top

# Few distinct values, so that ties at the cut are the rule; NaN among them.
SCORES = hnp.arrays(
    np.float32,
    st.integers(0, 400),
    elements=st.sampled_from([-1.0, -0.0, 0.0, 0.25, 0.5, 0.75, 1.0, np.nan, -np.inf]),
    fill=st.nothing(),
)


@given(SCORES, st.integers(-1, 420), st.none() | st.sampled_from([-1.0, 0.0, 0.5]), st.data())
def test_the_best_come_first_and_ties_by_row(scores, k, floor, data):
    mask = data.draw(st.none() | hnp.arrays(np.bool_, scores.shape))
    expected = sorted(
        (-score, row)
        for row, score in enumerate(scores.tolist())
        if score == score and (floor is None or score > floor) and (mask is None or mask[row])
    )[: max(k, 0)]
    rows, best = top(scores, k, mask, floor)
    assert rows.tolist() == [row for _, row in expected]
    assert best.tolist() == [-score for score, _ in expected]


@pytest.mark.parametrize("k", [1, 20, 100])
def test_many_scores_agree_with_a_full_sort(k):
    scores = np.random.default_rng(7).normal(size=20_001).astype(np.float32)
    scores[::3] = 1.5
    mask = np.arange(len(scores)) % 5 > 0
    order = np.lexsort((np.arange(len(scores)), -np.where(mask, scores, -np.inf)))
    assert top(scores, k, mask)[0].tolist() == order[:k].tolist()


def test_the_arguments_stay_as_they_were():
    scores, mask = np.array([1, 3, 2], dtype=np.float32), np.array([True, False, True])
    top(scores, 1, mask, 0.0)
    assert scores.tolist() == [1, 3, 2]
    assert mask.tolist() == [True, False, True]
