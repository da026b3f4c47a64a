from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from graphrag.text.split import split_passages

prose = st.lists(
    st.text(alphabet="ab c.!?\n“”é张", min_size=1, max_size=40), min_size=1, max_size=80
).map("".join)


def test_short_text_is_one_passage():
    assert split_passages("One. Two.") == [(0, 9)]


def test_cuts_fall_between_sentences():
    text = "First sentence here. " * 100
    passages = split_passages(text)
    assert len(passages) > 1
    assert all(text[start:end].endswith(".") for start, end in passages)
    assert all(end - start <= 800 for start, end in passages)


@given(prose, st.integers(5, 60))
def test_passages_cover_every_word_in_order(text, longest):
    passages = split_passages(text, longest=longest, over=longest)
    joined = "".join(text[start:end] for start, end in passages)
    assert joined.split() == text.split() or "".join(joined.split()) == "".join(text.split())
    assert all(a[1] <= b[0] for a, b in pairwise(passages))


def test_a_word_without_end_is_cut_anyway():
    assert [end - start for start, end in split_passages("x" * 2500)] == [800, 800, 800, 100]
