from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.errors import TimeError
from graphrag.temporal.find import find_times
from graphrag.temporal.interval import Interval
from graphrag.temporal.sense import hints, tokenise

REFERENCE = datetime(2024, 5, 15, 12, tzinfo=UTC)
"""A Wednesday."""


def instant(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def found(text, **options):
    return [
        (e.text, e.period.bound, e.period.start.date().isoformat())
        for e in find_times(text, REFERENCE, **options)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who led Acme in 2019?", [("in 2019", "in", "2019-01-01")]),
        ("who ran in the election of 1864", [("1864", "in", "1864-01-01")]),
        ("She won the 2012 election.", [("the 2012", "in", "2012-01-01")]),
        (
            "Who was it before the spring of 2022?",
            [("before the spring of 2022", "before", "2022-03-01")],
        ),
        ("Last Friday I went home.", [("Last Friday", "in", "2024-05-10")]),
        ("We hiked two weekends ago.", [("two weekends ago", "in", "2024-05-04")]),
        (
            "It was the week before 9 June 2023.",
            [("the week before 9 June 2023", "in", "2023-06-02")],
        ),
        ("at 1:56 pm on 8 May, 2023", [("on 8 May, 2023", "in", "2023-05-08")]),
        ("Paid on Sept. 5, 2021.", [("on Sept. 5, 2021", "in", "2021-09-05")]),
        ("open since March 2021", [("since March 2021", "since", "2021-03-01")]),
        ("The car broke down last Fri on my way.", [("last Fri", "in", "2024-05-10")]),
        ("founded prior to 1914", [("prior to 1914", "before", "1914-01-01")]),
        ("a book from the 1900s", [("from the 1900s", "in", "1900-01-01")]),
        ("a photo from last week", [("from last week", "in", "2024-05-06")]),
        (
            "In 2015, 2016 and 2017 he won.",
            [
                ("In 2015", "in", "2015-01-01"),
                ("2016", "in", "2016-01-01"),
                ("2017", "in", "2017-01-01"),
            ],
        ),
        ("She may join in May 2021.", [("in May 2021", "in", "2021-05-01")]),
        ("Over the last year we grew.", [("Over the last year", "in", "2023-05-15")]),
        ("log of 2024-05-01T10:00:00Z", [("2024-05-01T10:00:00Z", "in", "2024-05-01")]),
    ],
)
def test_expression_is_found_with_its_bound(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "CEO from 2015 to 2019.",
            [("from 2015", "since", "2015-01-01"), ("to 2019", "until", "2019-01-01")],
        ),
        (
            "there from June to August 2021",
            [("from June", "since", "2021-06-01"), ("to August 2021", "until", "2021-08-01")],
        ),
        (
            "The war (1914–1918) was long.",
            [("1914", "since", "1914-01-01"), ("1918", "until", "1918-01-01")],
        ),
        (
            "between 1939 and 1945",
            [("between 1939", "since", "1939-01-01"), ("and 1945", "until", "1945-01-01")],
        ),
    ],
)
def test_range_is_a_since_and_an_until(text, expected):
    assert found(text) == expected


def test_the_two_sides_of_a_range_intersect_to_it():
    first, last = find_times("CEO from 2015 to 2019.", REFERENCE)
    both = first.period.interval.intersection(last.period.interval)
    assert both == Interval(instant("2015-01-01"), instant("2020-01-01"))


@pytest.mark.parametrize(
    "text",
    [
        "She may come. They march. The sun will fall. One second, please. Spring water.",
        "Chapter 12, page 1984, room 2010, line 3.",
        "It cost $2019, or 2019 dollars, 2019% more, in 2000 words, for 1500 people.",
        "The population of 1500 rose by 1200.",
        "She is three years old and lived there for three years, 5 times a week.",
        "Call 555-2019 or 2019-555-1234, or +1 202 555 0143.",
        "Every Friday, on Fridays, Black Friday, Friday Night Lights, Sunday nights.",
        "The next day he left; the following week, the previous year, the last year of his life.",
        "It feels like yesterday. I read USA Today. In today's world.",
        "He finished it in three weeks.",
        "This may be it, and the last march too.",
        "The 2004-05 season and 4/7/1995.",
        "It is warm in the summer, and Christmas is cold.",
        "In her 60s.",
        "In the 6th century BCE and in 1200 B.C., from 300 BC on.",
        "Those involved in the September 11 attacks.",
        "Version 2.2019, file_2019.txt, id 2019a, https://x.org/2019/05/01/a",
        "May Smith met April and June; Theresa May spoke to August Strindberg.",
        "",
    ],
)
def test_nothing_is_found_where_nothing_is_meant(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("We met on Friday.", ["2024-05-10"]),
        ("See you on Friday!", ["2024-05-17"]),
        ("Tickets, on Friday.", []),
        ("Your interview on May 20 is set.", ["2024-05-20"]),
        ("The workshop on May 8 was good.", ["2024-05-08"]),
        ("It was a good choice for May 20.", []),
        ("A note on July 25.", []),
        ("They asked for answers by May 20.", ["2024-05-20"]),
        ("They had paid the rent by April 2.", ["2024-04-02"]),
        ("I hope the walk of May 8 helps.", []),
        ("It is dry in March, and the season runs from May to November.", []),
        ("We moved there in March.", ["2024-03-01"]),
        ("Bombs fell on August 6 and 9, 1945.", []),
        ("Bombs fell on August 6th and 9th, 1945, and in 1946 none.", ["1946-01-01"]),
        ("In 1945, 1946 and 1947 it was dry.", ["1945-01-01", "1946-01-01", "1947-01-01"]),
        ("In 1945 it began. On August 6, one fell.", ["1945-01-01"]),
    ],
)
def test_undated_day_goes_where_its_sentence_leans_or_nowhere(text, starts):
    assert [start for _, _, start in found(text)] == starts


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("She is on leave (1 May–15 June).", ("2024-05-01", "2024-06-15")),
        ("We were closed from 25 April to 3 May.", ("2024-04-25", "2024-05-03")),
        ("You can see it from 25 May to 3 June.", ("2024-05-25", "2024-06-03")),
        ("It was shut 28 December - 3 January.", ("2023-12-28", "2024-01-03")),
    ],
)
def test_a_range_of_days_without_a_year_has_both_its_ends(text, ends):
    since, until = found(text)

    assert (since[2], until[2]) == ends
    assert (since[1], until[1]) == ("since", "until")


def test_preferred_future_settles_an_undated_weekday():
    assert found("Tickets, on Friday.", prefer="future") == [("on Friday", "in", "2024-05-17")]


def test_preferred_future_is_not_a_year_away_from_a_day_that_is_just_over():
    assert found("My walks, on May 8.", prefer="future") == [("on May 8", "in", "2024-05-08")]
    assert found("My walks, on March 8.", prefer="future") == [("on March 8", "in", "2025-03-08")]


def test_naive_reference_is_refused():
    with pytest.raises(TimeError, match="reference"):
        find_times("today", datetime(2024, 5, 15))  # noqa: DTZ001


WORDS = st.sampled_from(
    "the of in on since until from to between and before last next two 3 31 2019 1914-1918 May "
    "march week year Friday spring ago early end Q3 1990s - , . ( ) \n\n he was $ %".split(" ")
)


@given(st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=80))
def test_no_text_crashes_and_expressions_are_ordered_slices(text):
    expressions = find_times(text, REFERENCE)
    for expression in expressions:
        assert text[expression.start : expression.end] == expression.text
        assert expression.period.start < expression.period.end
    for one, other in pairwise(expressions):
        assert one.end <= other.start


@given(
    st.lists(WORDS | st.sampled_from(["_may", "May.", "New Year’s", "’90s", "xMon3"])).map("".join)
)
def test_a_text_without_a_hint_has_no_word_that_triggers(text):
    assert hints(text) or not any(token.triggering for token in tokenise(text))
