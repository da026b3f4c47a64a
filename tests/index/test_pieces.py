"""Words of long texts: by their best piece, and as a whole."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index.bm25 import PIECE, BM25Index
from graphrag.index.chunks import ChunkIndex
from graphrag.text.tokens import tokenize

WORDS = st.sampled_from(["river", "stone", "bridge", "tower", "lamp", "cello"])
TEXTS = st.lists(st.lists(st.lists(WORDS, max_size=6), min_size=1, max_size=3), max_size=8)


def joined(text: list[list[str]], border: str) -> str:
    return border.join(" ".join(piece) for piece in text)


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=3))
def test_a_row_scores_as_its_best_piece_does(texts, query):
    pieces = ChunkIndex()
    pieces.extend([joined(text, PIECE) for text in texts])
    alone = BM25Index([" ".join(piece) for text in texts for piece in text]).scores(query)
    starts = np.cumsum([0, *map(len, texts)])
    expected = [alone[start : starts[at + 1]].max() for at, start in enumerate(starts[:-1])]
    np.testing.assert_allclose(pieces.scores(query), expected, rtol=1e-5)


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=3))
def test_a_row_of_one_piece_scores_as_a_whole_like_its_piece(texts, query):
    pieces = ChunkIndex()
    pieces.extend([joined(text, PIECE) for text in texts])
    alone = np.array([len(text) == 1 for text in texts], dtype=bool)
    np.testing.assert_allclose(
        pieces.entire(query)[alone], pieces.scores(query)[alone], rtol=1e-4, atol=1e-5
    )


def test_a_whole_text_gains_by_words_that_are_spread_over_its_pieces():
    pieces = ChunkIndex()
    pieces.extend([f"river stone{PIECE}bridge tower", f"river bridge{PIECE}lamp tower", "cello"])
    assert pieces.scores("river bridge")[1] > pieces.scores("river bridge")[0]
    whole = pieces.entire("river bridge")
    assert whole[0] == whole[1] > pieces.scores("river bridge")[0]


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=3), st.data())
def test_a_group_of_rows_scores_as_their_joined_text_does(texts, query, data):
    group = np.array([data.draw(st.integers(0, 2)) for _ in texts], dtype=np.intp)
    pieces = ChunkIndex()
    pieces.extend([joined(text, PIECE) for text in texts])
    together = [
        " ".join(joined(text, " ") for text, own in zip(texts, group, strict=True) if own == number)
        for number in range(3)
    ]
    expected = BM25Index(together).scores(query)
    np.testing.assert_allclose(pieces.grouped(query, group, 3), expected, rtol=1e-4, atol=1e-5)


def test_a_removed_row_is_found_no_more_and_a_replaced_one_by_its_new_words():
    pieces = ChunkIndex()
    pieces.extend([f"river{PIECE}stone", "stone", "lamp"])
    pieces.leave(np.array([0]))
    pieces.replace(1, f"tower{PIECE}cello")
    assert pieces.scores("river stone").tolist() == [0, 0, 0]
    assert pieces.scores("cello")[1] > 0
    assert pieces.rows_with("cello").tolist() == [1]
    pieces.leave(np.array([1, 2]))
    assert not pieces.scores("cello lamp").any()


@given(TEXTS, st.sets(WORDS, min_size=1), st.data())
def test_what_each_word_gives_to_each_piece_adds_up_to_the_scores(texts, query, data):
    pieces = ChunkIndex()
    pieces.extend([joined(text, PIECE) for text in texts])
    rows = np.array(sorted(data.draw(st.sets(st.sampled_from(range(len(texts)))))) if texts else [])
    if not len(rows):
        return
    terms = [term for word in sorted(query) for term in tokenize(word)]
    gains, begins = pieces.by_term(terms, rows)
    assert gains.shape == (sum(len(texts[row]) for row in rows), len(terms))
    best = np.maximum.reduceat(gains.sum(axis=1), begins)
    np.testing.assert_allclose(best, pieces.scores(terms)[rows], rtol=1e-5)


@given(TEXTS, st.data())
def test_some_rows_have_the_words_of_their_pieces(texts, data):
    pieces = ChunkIndex()
    pieces.extend([joined(text, PIECE) for text in texts])
    gone = data.draw(st.sets(st.integers(0, len(texts) - 1))) if texts else set()
    for row in gone:
        pieces.leave(np.array([row]))
    words = [0 if row in gone else sum(map(len, text)) for row, text in enumerate(texts)]
    rows = data.draw(st.permutations(range(len(texts))))[: len(texts) // 2]
    assert pieces.words_of(np.array(rows, dtype=np.intp)).tolist() == [words[r] for r in rows]
