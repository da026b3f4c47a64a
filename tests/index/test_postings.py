import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from graphrag.index.bm25 import PIECE, BM25Index
from graphrag.text.tokens import tokenize

WORDS = st.sampled_from("acme alice bob globex joined left paris met the of 東京都 tea".split())
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)
QUERIES = st.lists(WORDS, max_size=5).map(" ".join)


def reference(texts, query):
    """Score with rank_bm25, its idf replaced by Lucene's."""
    corpus = [tokenize(text) for text in texts]
    if not any(corpus):
        return [0.0] * len(texts)
    okapi = BM25Okapi(corpus)
    for term in okapi.idf:
        df = sum(term in document for document in corpus)
        okapi.idf[term] = math.log(1 + (len(corpus) - df + 0.5) / (df + 0.5))
    return okapi.get_scores(tokenize(query)).tolist()


@given(st.lists(TEXTS, max_size=15), QUERIES)
def test_scores_equal_rank_bm25_with_the_idf_of_lucene(texts, query):
    assert BM25Index(texts).scores(query).tolist() == pytest.approx(
        reference(texts, query), rel=1e-5
    )


@example(["acme", "acme alice"], [("leave", {0}), ("replace", 0, "acme"), ("leave", {1})], "acme")
@given(
    st.lists(TEXTS, max_size=6),
    st.lists(
        st.one_of(
            st.tuples(st.just("append"), TEXTS),
            st.tuples(st.just("extend"), st.lists(TEXTS, max_size=4)),
            st.tuples(st.just("replace"), st.integers(0, 30), TEXTS),
            st.tuples(st.just("remove"), st.integers(0, 30)),
            st.tuples(st.just("leave"), st.sets(st.integers(0, 30))),
        ),
        max_size=20,
    ),
    QUERIES,
)
def test_any_history_of_changes_scores_like_a_fresh_build_of_what_is_left(first, steps, query):
    postings, live = BM25Index(first), dict(enumerate(first))
    for step in steps:
        postings.scores(query)  # what is kept for the next query is of the texts so far
        rows = len(postings)
        match step:
            case ("append", text):
                postings.extend([text])
                live[rows] = text
            case ("extend", texts):
                postings.extend(texts)
                live |= dict(enumerate(texts, start=rows))
            case ("replace", number, text) if rows:
                postings.replace(number % rows, text)
                live[number % rows] = text
            case ("remove", number) if rows:
                postings.leave(np.array([number % rows]))
                live.pop(number % rows, None)
            case ("leave", numbers) if rows:
                left = {number % rows for number in numbers}
                postings.leave(np.array(sorted(left), dtype=np.intp))
                for row in left & live.keys():
                    del live[row]
    expected = np.zeros(len(postings))
    kept = sorted(live)
    expected[kept] = reference([live[row] for row in kept], query)
    scores = postings.scores(query)
    assert scores.dtype == np.float32
    assert scores.tolist() == pytest.approx(expected.tolist(), rel=1e-5)
    fresh = BM25Index([live[row] for row in kept])
    assert scores[kept].tolist() == fresh.scores(query).tolist()
    terms = postings.numbers
    assert postings.statistics(terms) == fresh.statistics(terms)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("extend"), st.lists(TEXTS, max_size=4)),
        st.tuples(st.just("replace"), st.integers(0, 30), TEXTS),
        st.tuples(st.just("remove"), st.integers(0, 30)),
        st.tuples(st.just("leave"), st.sets(st.integers(0, 30))),
        st.tuples(st.just("share")),
        st.tuples(st.just("other"), st.integers(0, 5)),
        st.tuples(st.just("query")),
    ),
    max_size=25,
)


@given(st.lists(TEXTS, max_size=6), STEPS, QUERIES)
def test_texts_that_are_shared_are_changed_apart(first, steps, query):
    postings, live = BM25Index(first), dict(enumerate(first))
    all_of_them = [(postings, live)]
    for step in steps:
        rows = len(postings)
        match step:
            case ("extend", texts):
                postings.extend(texts)
                live |= dict(enumerate(texts, start=rows))
            case ("replace", number, text) if rows:
                postings.replace(number % rows, text)
                live[number % rows] = text
            case ("remove", number) if rows:
                postings.leave(np.array([number % rows]))
                live.pop(number % rows, None)
            case ("leave", numbers) if rows:
                left = {number % rows for number in numbers}
                postings.leave(np.array(sorted(left), dtype=np.intp))
                for row in left & live.keys():
                    del live[row]
            case ("share",):
                all_of_them.append((postings.share(), dict(live)))
            case ("other", number):
                postings, live = all_of_them[number % len(all_of_them)]
            case ("query",):
                postings.scores(query)
    for one, texts in all_of_them:
        kept = sorted(texts)
        fresh = BM25Index([texts[row] for row in kept])
        scores = one.scores(query)
        assert scores[kept].tolist() == fresh.scores(query).tolist()
        assert np.count_nonzero(scores) == np.count_nonzero(scores[kept])
        assert one.statistics(one.numbers) == fresh.statistics(one.numbers)


def test_a_word_in_every_text_still_scores_above_zero():
    assert (BM25Index(["tea time", "tea party"]).scores("tea") > 0).all()


def test_a_repeated_query_word_counts_twice():
    postings = BM25Index(["tea time", "party"])
    assert postings.scores("tea tea")[0] == pytest.approx(2 * postings.scores("tea")[0])


def test_terms_may_be_passed_instead_of_a_string():
    postings = BM25Index(["Alice runs", "Bob"])
    assert postings.scores(["alic", "run"]).tolist() == postings.scores("Alice running").tolist()


def test_no_texts_and_no_matches_score_nothing():
    assert BM25Index().scores("tea").tolist() == []
    assert BM25Index(["", "tea"]).scores("coffee").tolist() == [0.0, 0.0]
    assert BM25Index(["", ""]).scores("tea").tolist() == [0.0, 0.0]


def test_removing_twice_counts_once():
    postings = BM25Index(["tea", "tea time", "party"])
    postings.leave(np.array([1]))
    once = postings.scores("tea").tolist()
    postings.leave(np.array([1]))
    assert postings.scores("tea").tolist() == once


def test_scores_taken_earlier_do_not_block_or_follow_growth():
    postings = BM25Index(["tea"])
    before = postings.scores("tea")
    for _ in range(100):
        postings.extend(["tea"])
    assert before.shape == (1,)
    assert postings.scores("tea").shape == (101,)


def test_a_text_as_long_as_the_one_before_it_is_scored_by_its_own_words():
    postings = BM25Index(["tea tea milk", "tea cup pot"])
    assert postings.scores("tea")[0] > postings.scores("tea")[1]
    postings.replace(0, "tea cup cup")
    assert postings.scores("tea")[0] == postings.scores("tea")[1]
    assert (
        postings.scores("tea").tolist()
        == BM25Index(["tea cup cup", "tea cup pot"]).scores("tea").tolist()
    )


def test_what_waits_for_a_query_is_measured_in_no_time_however_long_it_waits():
    postings = BM25Index()
    for number in range(2_000):
        postings.extend([f"Alice knows Bob{number}"])
    assert len(postings._waiting) <= 257
    assert postings.scores("Bob7")[7] > 0
    assert np.count_nonzero(postings.scores("alice")) == 2_000


def test_a_replaced_row_of_one_chunk_leaves_scores_by_row():
    postings = BM25Index(["acme alice", "acme", "bob", "acme bob"])
    postings.replace(1, "beta")
    postings.extend(["acme beta"])
    assert postings._single  # one pass over the rows of each term, none over all chunks
    assert postings.scores("acme beta").tolist() == pytest.approx(
        reference(["acme alice", "beta", "bob", "acme bob", "acme beta"], "acme beta"), rel=1e-5
    )
    postings.replace(0, f"acme{PIECE}alice")
    assert not postings._single


async def test_words_are_read_anew_only_when_names_change(graph):
    async def postings():
        return (await graph.handle.session.catalog.group("default")).entities.postings

    await graph.add_episode("Globex renamed_to Initech from 2021.", reference_time="2022-05-01")
    for year in range(2010, 2016):
        await graph.add_episode(f"Ann works_at Globex from {year}.", reference_time="2022-06-01")
    assert (await postings()).chunks == len(await postings())
    await graph.identity.rename("Ann", "Zoe")
    assert (await postings()).chunks == len(await postings()) + 1
    assert (await postings())._single
    assert (await graph.search("Zoe")).entities[0].item.name == "Zoe"
