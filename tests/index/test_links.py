"""Links between episodes: pairs from both sides, phrases in texts, titles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index.chunks import ChunkIndex, Titles
from graphrag.index.entries import Links
from graphrag.index.texts import episode_words

PAIRS = st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12)))


@given(st.lists(PAIRS, max_size=4), st.sets(st.integers(0, 14)))
def test_pairs_are_read_from_both_sides_whenever_they_came(batches, asked):
    links, known = Links(), set()
    for batch in batches:
        new = sorted(batch - known)
        known |= batch
        links.enter(new)
        links.counts_right([0])
    rows = sorted(asked)
    lefts, rights = links.of_left(rows)
    assert set(zip(lefts.tolist(), rights.tolist(), strict=True)) == {
        pair for pair in known if pair[0] in asked
    }
    lefts, rights = links.of_right(rows)
    assert set(zip(lefts.tolist(), rights.tolist(), strict=True)) == {
        pair for pair in known if pair[1] in asked
    }
    counts = [sum(right == row for _, right in known) for row in rows]
    assert links.counts_right(rows).tolist() == counts
    assert len(links) == len(known)


@given(PAIRS, PAIRS, PAIRS, st.sets(st.integers(0, 12)), st.sets(st.integers(0, 12)))
def test_links_of_the_past_are_those_between_rows_that_lived_then(now, gone, back, left, right):
    links = Links(7)
    links.enter(now)
    alive = [np.isin(np.arange(13), [*rows]) for rows in (left, right)]
    then = links.among(*alive, gone)
    then.enter(back)
    lived = {pair for pair in now - gone if pair[0] in left and pair[1] in right}
    assert then.pairs() == lived | back
    assert links.pairs() == now


WORDS = st.lists(st.sampled_from(["Lund", "Gent", "Oslo", "Bern"]), min_size=1, max_size=6)


@given(st.lists(WORDS, max_size=5), st.lists(WORDS, max_size=4), st.integers(1, 3))
def test_titles_are_found_in_the_texts_that_have_them_and_nowhere_else(texts, names, steps):
    titles, pieces = Titles(), ChunkIndex()
    pages = [("", text) for text in texts] + [(" ".join(name), []) for name in names]
    for part in np.array_split(np.arange(len(pages)), steps):
        titles.enter(len(titles.own), [pages[page][0] for page in part])
        pieces.extend([" ".join(pages[page][1]) for page in part])
        titles.catch_up(pieces)
    own = {tuple(name): int(titles.own[len(texts) + at]) for at, name in enumerate(names)}
    held = {
        (row, own[name])
        for row, text in enumerate(texts)
        for name in own
        for at in range(len(text))
        if tuple(text[at : at + len(name)]) == name
    }
    pairs = {pair for pair in titles.links.pairs() if pair[0] < len(texts)}
    assert pairs <= held
    if steps == 1:  # from left to right, the longest of each place
        assert {row for row, _ in held} == {row for row, _ in pairs}


def test_a_longer_title_hides_the_shorter_one_inside_it():
    titles, pieces = Titles(), ChunkIndex()
    titles.enter(0, ["Ida", "Ida Stern", "", ""])
    pieces.extend(["", "", "Ida Stern met Ida", "Ida Stern"])
    titles.catch_up(pieces)
    assert titles.links.pairs() == {(0, 0), (1, 1), (2, 0), (2, 1), (3, 1)}


def linked(*pages: tuple[str, str], steps: int = 1) -> dict[int, set[int]]:
    """Return which pages share a title with each page, told in some steps."""
    titles, pieces = Titles(), ChunkIndex()
    for part in np.array_split(np.arange(len(pages)), steps):
        titles.enter(int(part[0]), [pages[page][0] for page in part])
        pieces.extend([episode_words(*pages[page]) for page in part])
        titles.catch_up(pieces)
    found = {}
    for page in range(len(pages)):
        _, names = titles.links.of_left([page])
        others, _ = titles.links.of_right(names)
        found[page] = set(others.tolist()) - {page}
    return found


PAGES = (
    ("Blue Harbour (film)", "A film by Ida Stern, shot in the old town of Lund."),
    ("Ida Stern", "She was born in Gent."),
    ("Lund", "A town."),
    ("Old Town", "A song."),
    ("", "Ida Stern came to Blue Harbour."),
)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_pages_that_name_each_other_are_linked_in_whatever_order_they_come(steps):
    found = linked(*PAGES, steps=steps)
    assert found[0] == {1, 2, 3, 4}
    assert found[1] == {0, 4}
    assert found[2] == {0}


def test_titles_of_a_question_are_found_the_longest_first():
    titles, pieces = Titles(), ChunkIndex()
    titles.enter(0, ["Ida", "Ida Stern", "Of the"])
    pieces.extend(["", "", ""])
    titles.catch_up(pieces)
    assert titles.named(pieces.numbered("Was Ida Stern born in Ida?")) == [1, 0]
    assert titles.own[2] == -1


def test_mentions_are_entered_once_however_often_they_are_told():
    mentions = Links(0)
    mentions.enter([(1, 5), (1, 5), (0, 3)])
    mentions.enter(iter([(1, 5), (1, 6)]))
    mentions.enter([])
    assert len(mentions) == 3
    assert sorted(mentions.of_left([1])[1].tolist()) == [5, 6]
