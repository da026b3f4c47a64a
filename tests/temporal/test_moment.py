from datetime import UTC, date, datetime, timedelta, timezone

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.errors import InputError, TimeError
from graphrag.temporal.moment import from_micros, parse_moment, to_micros, utc_now

REFERENCE = datetime(2024, 5, 15, 12, tzinfo=UTC)
zones = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
aware = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=zones)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-03-05T10:00:00Z", datetime(2024, 3, 5, 10, tzinfo=UTC)),
        ("2024-03-05T10:00:00+02:00", datetime(2024, 3, 5, 8, tzinfo=UTC)),
        ("2024-03-05 10:00:00.25-05:30", datetime(2024, 3, 5, 15, 30, 0, 250000, tzinfo=UTC)),
        ("2024-03-05t10:00z", datetime(2024, 3, 5, 10, tzinfo=UTC)),
        (" 2024-03-05 ", datetime(2024, 3, 5, tzinfo=UTC)),
        ("2024-03", datetime(2024, 3, 1, tzinfo=UTC)),
        ("2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("0476", datetime(476, 1, 1, tzinfo=UTC)),
        ("March 2021", datetime(2021, 3, 1, tzinfo=UTC)),
        ("5 May 2023", datetime(2023, 5, 5, tzinfo=UTC)),
        ("May 5th, 2023", datetime(2023, 5, 5, tzinfo=UTC)),
        ("yesterday", datetime(2024, 5, 14, tzinfo=UTC)),
        ("last month", datetime(2024, 4, 1, tzinfo=UTC)),
        ("now", REFERENCE),
        ("Mon, 05 Feb 2024 10:00:00 GMT", datetime(2024, 2, 5, 10, tzinfo=UTC)),
        ("5 May 2023 at 9:30 +02:00", datetime(2023, 5, 5, 7, 30, tzinfo=UTC)),
        (date(2024, 3, 5), datetime(2024, 3, 5, tzinfo=UTC)),
    ],
)
def test_a_period_means_its_first_instant(value, expected):
    moment = parse_moment(value, reference=REFERENCE)
    assert moment == expected
    assert moment.tzinfo is UTC


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("2024-03-05T10:00:00", "add Z or an offset"),
        ("2024-03-05 10:00", "add Z or an offset"),
        (datetime(2024, 3, 5), "add Z or an offset"),  # noqa: DTZ001
        ("2023-02-30", "not a possible date"),
        ("2024-13", "not a possible date"),
        ("2024-03-05T25:00Z", "not a possible date"),
        ("0000", "not a possible date"),
        ("30 February 2023", "not a time we can place"),
        ("soonish", "not a time we can place"),
        ("", "not a time we can place"),
        ("blah", "not a time we can place"),
        ("may", "not a time we can place"),
        ("3", "not a time we can place"),
        ("1700000000", "not a time we can place"),
        ("5 May 2023 at 3pm", "not a time we can place"),
        ("4/7/1995", "not a time we can place"),
        ("since 2019", "not a time we can place"),
        ("0001-01-01T00:00:00+02:00", "outside years"),
        (True, "not a time: pass"),
        (None, "not a time: pass"),
        (1700000000, "not a time: pass"),
        (b"2024", "not a time: pass"),
    ],
)
def test_error_names_argument_value_and_remedy(value, reason):
    with pytest.raises(TimeError) as caught:
        parse_moment(value, what="valid_at", reference=REFERENCE)
    assert reason in str(caught.value)
    assert str(caught.value).startswith("valid_at ")
    assert isinstance(caught.value, InputError)


def test_naive_reference_is_refused():
    with pytest.raises(TimeError, match="reference"):
        parse_moment("yesterday", reference=datetime(2024, 5, 15))  # noqa: DTZ001


def test_relative_words_count_from_now_without_a_reference():
    assert utc_now() - parse_moment("yesterday") < timedelta(days=2, minutes=1)


def test_now_is_aware():
    assert utc_now().utcoffset() == timedelta(0)


@given(aware)
def test_isoformat_round_trips(moment):
    assert parse_moment(moment.isoformat()) == moment
    assert parse_moment(moment) == moment


@given(aware)
def test_micros_round_trip_exactly(moment):
    assert from_micros(to_micros(moment, 0)) == moment


@given(st.integers(to_micros(datetime.min.replace(tzinfo=UTC), 0), 10**15))
def test_micros_keep_every_integer(micros):
    assert to_micros(from_micros(micros), 0) == micros


def test_none_takes_the_default():
    assert to_micros(None, -1) == -1


def test_ends_of_the_calendar_have_micros():
    last = datetime.max.replace(tzinfo=UTC)
    assert from_micros(to_micros(last, 0)) == last
    with pytest.raises(TimeError, match="outside years"):
        from_micros(to_micros(last, 0) + 1)
    with pytest.raises(TimeError, match="outside years"):
        from_micros(10**30)


def test_naive_micros_are_refused():
    with pytest.raises(TimeError, match="no time zone"):
        to_micros(datetime(2024, 1, 1), 0)  # noqa: DTZ001


def test_a_datetime_of_a_data_frame_becomes_a_plain_one():
    given = pandas.Timestamp("2021-02-03T04:05:06.000007+02:00")
    found = parse_moment(given)
    assert type(found) is datetime
    assert found == datetime(2021, 2, 3, 2, 5, 6, 7, tzinfo=UTC)
