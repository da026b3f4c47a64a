import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.text import tokens
from graphrag.text.tokens import END, Numbers, numbers_of_all, tokenize


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Alice joined Acme Corp in March 2021.", ["alic", "join", "acm", "corp", "march", "2021"]),
        ("works_at", ["work"]),
        ("Alice's cat, the cats' dish", ["alic", "cat", "cat", "dish"]),
        ("O'Brien’s O’Brien", ["o'brien", "o'brien"]),
        ("She doesn't, I'm sure; we'll see", ["i", "sure", "we", "see"]),
        ("where does Alice work?", ["alic", "work"]),
        ("Will sold the US house in May", ["will", "sold", "us", "hous", "may"]),
        ("GPT-4 v1.10", ["gpt", "4", "v1", "10"]),
        ("", []),
        ("the of -- !?", []),
    ],
)
def test_english_becomes_stems_without_stop_words(text, terms):
    assert tokenize(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Café cafés", ["café", "café"]),
        ("Cafe\u0301", ["café"]),
        ("Straße STRASSE", ["strass", "strass"]),
        ("Москва живёт", ["москва", "живёт"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Ωμέγας", ["ωμέγασ"]),
        ("ＡＢＣ", ["abc"]),
        ("السَّلام", ["السَّلام"]),
    ],
)
def test_words_of_other_languages_stay_whole(text, terms):
    assert tokenize(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("東京都", ["東京", "京都"]),
        ("京", ["京"]),
        ("私はAcmeで働く", ["私は", "acm", "で働", "働く"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("2021年", ["2021", "年"]),
        ("สวัสดี", ["สว", "วั", "ัส", "สด", "ดี"]),
    ],
)
def test_scripts_without_spaces_become_bigrams(text, terms):
    assert tokenize(text) == terms


@given(st.text())
def test_any_text_gives_non_empty_terms_without_spaces(text):
    for term in tokenize(text):
        assert term
        assert term.split() == [term]
        assert term not in tokens.STOP_WORDS or len(term) < 4


@given(st.text(st.characters(max_codepoint=127)))
def test_the_path_for_ascii_agrees_with_the_general_one(text):
    # The ideograph takes the text off the fast path and adds one term.
    assert tokenize(text + " 京") == [*tokenize(text), "京"]


WRITTEN = st.text(st.sampled_from("ab's \u2019\u00e9Z9,.\n\0\u4e2d")) | st.text()


@given(st.lists(WRITTEN, max_size=6))
def test_many_texts_read_at_once_give_the_terms_of_each(texts):
    numbers = Numbers({"": 0, END: 1})
    found = [number for number in numbers_of_all(texts, numbers) if number]
    terms = {number: term for term, number in numbers.of_term.items()}
    assert [terms[number] for number in found] == [
        term for text in texts for term in (*tokenize(text), END)
    ]


@given(st.text())
def test_case_does_not_matter(text):
    assert tokenize(text.casefold()) == tokenize(text.casefold().casefold())


def test_a_full_cache_starts_anew_and_changes_no_term(monkeypatch):
    monkeypatch.setattr(tokens._Stems, "LIMIT", 10)
    words = [f"running{number}s connections" for number in range(100)]
    assert [tokenize(text) for text in words] == [tokenize(text) for text in words]
    assert len(tokens._stems) <= 10


def test_threads_get_the_same_terms_as_one(monkeypatch):
    monkeypatch.setattr(tokens, "_stems", tokens._Stems())
    texts = [f"connecting{number} national{number}ization" for number in range(2000)]
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append([tokenize(text) for text in texts]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[tokenize(text) for text in texts]] * 4
