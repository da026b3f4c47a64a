from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.errors import TimeError
from graphrag.temporal.interval import Interval, Period
from graphrag.temporal.phrase import resolve_phrase

REFERENCE = datetime(2024, 5, 15, 12, tzinfo=UTC)
"""A Wednesday."""

RIGHT = [
    # phrase, first instant, end, granularity, bound
    ("2024-03-05", "2024-03-05", "2024-03-06", "day", "in"),
    ("2024-03", "2024-03-01", "2024-04-01", "month", "in"),
    ("2017/11/14", "2017-11-14", "2017-11-15", "day", "in"),
    ("15/05/2024", "2024-05-15", "2024-05-16", "day", "in"),
    ("1971-0-0", "1971-01-01", "1972-01-01", "year", "in"),
    ("March 2021", "2021-03-01", "2021-04-01", "month", "in"),
    ("Sept. 2021", "2021-09-01", "2021-10-01", "month", "in"),
    ("in 2019", "2019-01-01", "2020-01-01", "year", "in"),
    ("the year 1996", "1996-01-01", "1997-01-01", "year", "in"),
    ("476 AD", "0476-01-01", "0477-01-01", "year", "in"),
    ("3 May 2021", "2021-05-03", "2021-05-04", "day", "in"),
    ("May 3rd, 2021", "2021-05-03", "2021-05-04", "day", "in"),
    ("the fifth of May 2020", "2020-05-05", "2020-05-06", "day", "in"),
    ("3-5 May 2023", "2023-05-03", "2023-05-06", "day", "in"),
    ("31 December 2025", "2025-12-31", "2026-01-01", "day", "in"),
    ("on 3 May", "2024-05-03", "2024-05-04", "day", "in"),
    ("on 20 May", "2023-05-20", "2023-05-21", "day", "in"),
    ("Feb 29", "2024-02-29", "2024-03-01", "day", "in"),
    ("29 February", "2024-02-29", "2024-03-01", "day", "in"),
    ("today", "2024-05-15", "2024-05-16", "day", "in"),
    ("yesterday", "2024-05-14", "2024-05-15", "day", "in"),
    ("tomorrow", "2024-05-16", "2024-05-17", "day", "in"),
    ("the day before yesterday", "2024-05-13", "2024-05-14", "day", "in"),
    ("this morning", "2024-05-15T06", "2024-05-15T12", "part_of_day", "in"),
    ("last night", "2024-05-14T18", "2024-05-15T06", "part_of_day", "in"),
    ("Friday night", "2024-05-10T18", "2024-05-11T06", "part_of_day", "in"),
    ("the morning of 9 June 2023", "2023-06-09T06", "2023-06-09T12", "part_of_day", "in"),
    ("last Friday", "2024-05-10", "2024-05-11", "day", "in"),
    ("next Thurs", "2024-05-16", "2024-05-17", "day", "in"),
    ("last Wednesday", "2024-05-08", "2024-05-09", "day", "in"),
    ("next Friday", "2024-05-17", "2024-05-18", "day", "in"),
    ("this Monday", "2024-05-13", "2024-05-14", "day", "in"),
    ("the following Sunday", "2024-05-19", "2024-05-20", "day", "in"),
    ("the Friday before last", "2024-05-03", "2024-05-04", "day", "in"),
    ("last week", "2024-05-06", "2024-05-13", "week", "in"),
    ("next week", "2024-05-20", "2024-05-27", "week", "in"),
    ("two weeks ago", "2024-05-01", "2024-05-08", "week", "in"),
    ("a couple of weeks ago", "2024-05-01", "2024-05-08", "week", "in"),
    ("10 days ago", "2024-05-05", "2024-05-06", "day", "in"),
    ("three months ago", "2024-02-01", "2024-03-01", "month", "in"),
    ("about five years ago", "2019-01-01", "2020-01-01", "year", "in"),
    ("50 years ago", "1969-01-01", "1979-01-01", "decade", "in"),
    ("thirty-one years ago", "1993-01-01", "1994-01-01", "year", "in"),
    ("9 yrs ago", "2015-01-01", "2016-01-01", "year", "in"),
    ("Easter 2020", "2020-04-12", "2020-04-13", "day", "in"),
    ("Whit Monday 1890", "1890-05-26", "1890-05-27", "day", "in"),
    ("Good Friday 2018", "2018-03-30", "2018-03-31", "day", "in"),
    ("Michaelmas 1702", "1702-09-29", "1702-09-30", "day", "in"),
    ("an hour ago", "2024-05-15T11", "2024-05-15T12", "part_of_day", "in"),
    ("in two weeks", "2024-05-29", "2024-06-05", "week", "in"),
    ("last weekend", "2024-05-11", "2024-05-13", "weekend", "in"),
    ("this weekend", "2024-05-18", "2024-05-20", "weekend", "in"),
    ("two weekends ago", "2024-05-04", "2024-05-06", "weekend", "in"),
    ("the weekend before last", "2024-05-04", "2024-05-06", "weekend", "in"),
    ("the previous month", "2024-04-01", "2024-05-01", "month", "in"),
    ("last month", "2024-04-01", "2024-05-01", "month", "in"),
    ("last year", "2023-01-01", "2024-01-01", "year", "in"),
    ("the year before last", "2022-01-01", "2023-01-01", "year", "in"),
    ("over the past year", "2023-05-15", "2024-05-15T12", "year", "in"),
    ("the last two weeks", "2024-05-01", "2024-05-15T12", "week", "in"),
    ("the week before 9 June 2023", "2023-06-02", "2023-06-09", "week", "in"),
    ("two days before 9 June 2023", "2023-06-07", "2023-06-08", "day", "in"),
    ("the Sunday before 25 May 2023", "2023-05-21", "2023-05-22", "day", "in"),
    ("the weekend before 20 October 2023", "2023-10-14", "2023-10-16", "weekend", "in"),
    ("the month after June 2021", "2021-07-01", "2021-08-01", "month", "in"),
    ("the first week of June 2021", "2021-06-01", "2021-06-08", "week", "in"),
    ("the last Sunday of May 2023", "2023-05-28", "2023-05-29", "day", "in"),
    ("the last week of May 2023", "2023-05-25", "2023-06-01", "week", "in"),
    ("next spring", "2025-03-01", "2025-06-01", "season", "in"),
    ("last summer", "2023-06-01", "2023-09-01", "season", "in"),
    ("last winter", "2023-12-01", "2024-03-01", "season", "in"),
    ("the summer of '69", "1969-06-01", "1969-09-01", "season", "in"),
    ("early 2021", "2021-01-01", "2021-05-01", "year", "in"),
    ("mid-March 2020", "2020-03-11", "2020-03-21", "month", "in"),
    ("the late 1990s", "1997-01-01", "2000-01-01", "decade", "in"),
    ("the end of June", "2023-06-21", "2023-07-01", "month", "in"),
    ("early next week", "2024-05-20", "2024-05-22", "week", "in"),
    ("Q3 2023", "2023-07-01", "2023-10-01", "quarter", "in"),
    ("the third quarter of 2023", "2023-07-01", "2023-10-01", "quarter", "in"),
    ("the first half of 2023", "2023-01-01", "2023-07-01", "year", "in"),
    ("in the 1990s", "1990-01-01", "2000-01-01", "decade", "in"),
    ("the '80s", "1980-01-01", "1990-01-01", "decade", "in"),
    ("the nineties", "1990-01-01", "2000-01-01", "decade", "in"),
    ("the 19th century", "1801-01-01", "1901-01-01", "century", "in"),
    ("Christmas 2021", "2021-12-25", "2021-12-26", "day", "in"),
    ("last Christmas", "2023-12-25", "2023-12-26", "day", "in"),
    ("2019-20", "2019-01-01", "2021-01-01", "year", "in"),
    ("as of 2019", "2019-01-01", "2020-01-01", "year", "in"),
    ("since March 2021", "2021-03-01", "2021-04-01", "month", "since"),
    ("from 2019 onwards", "2019-01-01", "2020-01-01", "year", "since"),
    ("beginning in 2019", "2019-01-01", "2020-01-01", "year", "since"),
    ("until 31 December 2025", "2025-12-31", "2026-01-01", "day", "until"),
    ("by the end of 2021", "2021-10-01", "2022-01-01", "year", "until"),
    ("before the spring of 2022", "2022-03-01", "2022-06-01", "season", "before"),
    ("after last Friday", "2024-05-10", "2024-05-11", "day", "after"),
    ("from 2015 to 2019", "2015-01-01", "2020-01-01", "year", "in"),
    ("between May and July 2021", "2021-05-01", "2021-08-01", "month", "in"),
]
WRONG = [
    "", " ", "$40", "3", "12", "three", "may", "march", "fall", "spring", "sun", "second",
    "soonish", "three years old", "for three years", "three years", "a week", "555-1234",
    "555-2019",
    "+1 202 555 0143", "2023-02-30", "31 February 2021", "30 Feb", "2024-13", "2024-13-01",
    "4/7/1995", "8-3-2017", "5 May 2023 at 3pm", "10:30", "half past three", "the other day",
    "a few years ago", "recently", "every Friday", "Fridays", "one day", "year 3", "9999 years ago",
    "room 2010", "chapter 12", "2,019", "20.19", "1700000000", "from here to there",
]  # fmt: skip


def instant(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(("phrase", "start", "end", "granularity", "bound"), RIGHT)
def test_phrase_names_its_period(phrase, start, end, granularity, bound):
    expected = Period(instant(start), instant(end), granularity, bound)
    assert resolve_phrase(phrase, REFERENCE) == expected


@pytest.mark.parametrize("phrase", WRONG)
def test_what_is_no_date_stays_without_one(phrase):
    assert resolve_phrase(phrase, REFERENCE) is None


@pytest.mark.parametrize(
    ("phrase", "past", "future"),
    [
        ("on 20 May", "2023-05-20", "2024-05-20"),
        ("on 3 May", "2024-05-03", "2025-05-03"),
        ("Friday", "2024-05-10", "2024-05-17"),
        ("in June", "2023-06-01", "2024-06-01"),
        ("in May", "2024-05-01", "2024-05-01"),
        ("Wednesday", "2024-05-15", "2024-05-15"),
    ],
)
def test_undated_days_lie_on_the_preferred_side(phrase, past, future):
    assert resolve_phrase(phrase, REFERENCE).start == instant(past)
    assert resolve_phrase(phrase, REFERENCE, prefer="future").start == instant(future)


@pytest.mark.parametrize(
    ("phrase", "interval"),
    [
        ("in 2019", Interval(instant("2019-01-01"), instant("2020-01-01"))),
        ("since 2019", Interval(start=instant("2019-01-01"))),
        ("after 2019", Interval(start=instant("2020-01-01"))),
        ("before 2019", Interval(end=instant("2019-01-01"))),
        ("until 2019", Interval(end=instant("2020-01-01"))),
    ],
)
def test_bound_decides_the_interval(phrase, interval):
    assert resolve_phrase(phrase, REFERENCE).interval == interval


def test_reference_counts_in_utc():
    evening = datetime(2024, 5, 15, 22, tzinfo=timezone(timedelta(hours=-5)))
    assert resolve_phrase("today", evening).start == instant("2024-05-16")


def test_naive_reference_is_refused():
    with pytest.raises(TimeError, match="reference"):
        resolve_phrase("today", datetime(2024, 5, 15))  # noqa: DTZ001


def test_the_ends_of_the_calendar_are_no_crash():
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    for phrase in ("last week", "next week", "yesterday", "tomorrow", "last summer", "Friday"):
        resolve_phrase(phrase, first)
        resolve_phrase(phrase, last, prefer="future")


WORDS = st.sampled_from(
    "the of in on since until from to before after last next this two 3 31 2019 May march week "
    "weekend month year day Friday spring ago early end Q3 1990s century - , and a first".split()
)


@given(st.lists(WORDS, max_size=7).map(" ".join) | st.text(max_size=60))
def test_no_text_crashes(text):
    period = resolve_phrase(text, REFERENCE)
    assert period is None or period.start < period.end
