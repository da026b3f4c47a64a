"""What a question says about time, question by question."""

from datetime import UTC, datetime

import pytest

from graphrag.errors import TimeError
from graphrag.search.query_time import read_when
from graphrag.temporal.interval import Interval

NOW = datetime(2024, 5, 15, 12, tzinfo=UTC)
"""A Wednesday."""


def days(start: str | None, end: str | None) -> Interval:
    ends = (None if text is None else datetime.fromisoformat(f"{text}T00:00+00:00")
            for text in (start, end))  # fmt: skip
    return Interval(*ends)


PERIODS = [
    # A single time with a preposition filters.
    ("Where did Alice work in 2019?", True, [("2019-01-01", "2020-01-01")]),
    ("Where did Alice work as of March 2021?", True, [("2021-03-01", "2021-04-01")]),
    ("Who led Acme between 2010 and 2014?", True, [("2010-01-01", "2015-01-01")]),
    ("Who was at Acme from 2015 to 2018?", True, [("2015-01-01", "2019-01-01")]),
    ("Who has lived in Paris since 1990?", True, [("1990-01-01", None)]),
    ("Was Alice at Acme until 2020?", True, [(None, "2021-01-01")]),
    ("Who led Acme before 2010?", True, [(None, "2010-01-01")]),
    ("Who led Acme after 2010?", True, [("2011-01-01", None)]),
    ("Who joined after 2010 and before 2014?", True, [("2011-01-01", "2014-01-01")]),
    ("Who hosted it during the period Jan 1975 to dec 1981?", True, [("1975-01-01", "1982-01-01")]),
    ("What did he act in between the years 1975 and 1982?", True, [("1975-01-01", "1983-01-01")]),
    ("In the time period from 1896 to 1901, who led it?", True, [("1896-01-01", "1902-01-01")]),
    ("what happened in the 1990s", True, [("1990-01-01", "2000-01-01")]),
    ("which award was he given on january 1, 1933", True, [("1933-01-01", "1933-01-02")]),
    ("what was the index of malaysia in the year 1980", True, [("1980-01-01", "1981-01-01")]),
    ("What did she do in May?", True, [("2024-05-01", "2024-06-01")]),
    ("Where was Tim in the week before 16 November 2023?", True, [("2023-11-09", "2023-11-16")]),
    # A figure of speech is no time.
    ("In today's world, who leads Acme?", False, []),
    ("Who died in the September 11 attacks?", False, []),
    # Relative words, names with years and several times only prefer.
    ("What did we do last spring?", False, [("2023-03-01", "2023-06-01")]),
    ("What did Ann say yesterday?", False, [("2024-05-14", "2024-05-15")]),
    ("What will Bob do next week?", False, [("2024-05-20", "2024-05-27")]),
    ("Who won the 2009 season?", False, [("2009-01-01", "2010-01-01")]),
    ("who won the 1988 cup?", False, [("1988-01-01", "1989-01-01")]),
    ("What did it cost about 2019?", False, [("2019-01-01", "2020-01-01")]),
    ("what is the index that is point in time is 2014-0-0", False, [("2014-01-01", "2015-01-01")]),
    (
        "Who worked at Acme in 2010 or 2012?",
        False,
        [("2010-01-01", "2011-01-01"), ("2012-01-01", "2013-01-01")],
    ),
    # A date of two readings is both.
    (
        "Who was born on 3/4/2017?",
        False,
        [("2017-03-04", "2017-03-05"), ("2017-04-03", "2017-04-04")],
    ),
    ("Who was born on 07/16/1902?", True, [("1902-07-16", "1902-07-17")]),
    # Who asks for a time does not filter by another.
    ("When was Bob at Acme in 2020?", False, [("2020-01-01", "2021-01-01")]),
    # No times.
    ("Where does Alice work?", False, []),
    ("What may she do?", False, []),
    ("What costs 2000 dollars?", False, []),
    ("Who wrote page 1984?", False, []),
    ("", False, []),
]


@pytest.mark.parametrize(
    ("question", "filters", "periods"), PERIODS, ids=[one[0] for one in PERIODS]
)
def test_a_question_speaks_of_these_periods(question, filters, periods):
    when = read_when(question, NOW)
    assert when.intervals == tuple(days(*ends) for ends in periods)
    assert when.filters is filters


@pytest.mark.parametrize(
    "question",
    ["Who leads the team now?", "Who is the current CEO?", "where does he live currently"],
)
def test_now_is_the_moment_of_the_reference(question):
    when = read_when(question, NOW)
    assert when.filters
    assert [interval.start for interval in when.intervals] == [NOW]
    assert when.intervals[0].contains(NOW)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("When did Bob join Acme?", "when"),
        ("when martin luther king died?", "when"),
        ("gustav stresemann ended his chancellorship when", "when"),
        ("In what year did Bob join?", "when"),
        ("what is the start time for agra", "when"),
        ("give the date beni suef had a population of 3154100", "when"),
        ("when is Ann's birthday", "when"),
        ("How long did Bob work at Acme?", "how long"),
        ("How many years did Bob work at Acme?", "how long"),
        ("For what length of time did Bob work at Acme?", "how long"),
        ("What span of time did Bob work at Acme?", "how long"),
        ("How old was Bob?", "how long"),
        ("Who was with Lincoln when he was shot?", None),
        ("What time zone is it in?", None),
        ("Who led Acme at the time of the merger?", None),
        ("How many people work at Acme?", None),
        ("what is spouse of ann that is start time is 2009-1-1", None),
    ],
)
def test_a_question_may_ask_for_a_time(question, asks):
    assert read_when(question, NOW).asks == asks


@pytest.mark.parametrize(
    ("question", "bound", "event"),
    [
        ("Where did she live before the move?", "before", "the move"),
        ("What did Ann do after the road trip?", "after", "the road trip"),
        ("Where was Alice when Bob moved?", "in", "Bob moved"),
        ("Who led it during the war?", "in", "the war"),
        ("What has she done since her promotion?", "since", "her promotion"),
        ("Who held the post until he was replaced?", "until", "he was replaced"),
    ],
)
def test_an_event_bounds_the_answer(question, bound, event):
    [anchor] = read_when(question, NOW).anchors
    assert (anchor.bound, anchor.words) == (bound, event)


@pytest.mark.parametrize(
    "question",
    ["Where did Bob work in 2019?", "What is named after Bob?", "What came before that?"],
)
def test_dates_and_pronouns_are_no_events(question):
    assert read_when(question, NOW).anchors == ()


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("Where did Alice use to work?", True),
        ("Who is her former boss?", True),
        ("Where did she live before?", True),
        ("Where did she live before the move?", True),
        ("What did Ann do after the road trip?", True),
        ("Where was Alice when Bob moved?", True),
        ("Who led it during the war?", True),
        ("What has she done since her promotion?", True),
        ("Who held the post until he was replaced?", True),
        ("Who was the first employee?", True),
        ("What is her first name?", False),
        ("What is the latest version?", False),
        ("Where did Bob work in 2019?", False),
        ("What is named after Bob?", False),
        ("What came before that?", False),
        ("What is it used for?", False),
        ("Where does Alice work?", False),
    ],
)
def test_a_question_may_look_back(question, past):
    assert read_when(question, NOW).past is past


def test_relative_times_count_from_the_reference():
    when = read_when("What did Bob do last year?", datetime(2010, 7, 1, tzinfo=UTC))
    assert when.intervals == (days("2009-01-01", "2010-01-01"),)


def test_a_question_may_speak_of_several_periods():
    when = read_when("Who worked at Acme in 2010 or 2012?", NOW)
    assert when.intervals == (days("2010-01-01", "2011-01-01"), days("2012-01-01", "2013-01-01"))
    assert read_when("Who works at Acme?", NOW).intervals == ()


def test_words_say_how_it_was_understood():
    assert str(read_when("Where did Bob work in 2019?", NOW)) == (
        "'in 2019' [2019-01-01, 2020-01-01) (filter)"
    )
    assert str(read_when("Who is Bob?", NOW)) == "no time"
    assert not read_when("Who is Bob?", NOW)


def test_a_long_text_is_not_read_as_a_question():
    assert not read_when("in 2019 " * 10_000, NOW)


def test_a_question_of_nothing_but_years_is_read_at_once():
    assert len(read_when("cup 1999 " * 200, NOW).said) == 1
    assert len(read_when(" ".join(f"cup {year}" for year in range(1900, 2000)), NOW).said) == 8


def test_a_naive_reference_is_refused():
    with pytest.raises(TimeError):
        read_when("Who won in 2019?", NOW.replace(tzinfo=None))
