from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.errors import TimeError
from graphrag.temporal.interval import Interval

ZERO = datetime(2020, 1, 1, tzinfo=UTC)
moments = st.integers(0, 12).map(lambda day: ZERO + timedelta(days=day))
ends = st.none() | moments


@st.composite
def intervals(draw):
    start, end = draw(ends), draw(ends)
    if start is not None and end is not None and start >= end:
        start, end = end, start
    if start is not None and start == end:
        end = None
    return Interval(start, end)


def day(number):
    return ZERO + timedelta(days=number)


def test_start_is_inside_and_end_is_not():
    june = Interval(day(0), day(1))
    assert june.contains(day(0))
    assert not june.contains(day(1))


def test_open_sides_reach_for_ever():
    assert Interval().contains(datetime(1, 1, 1, tzinfo=UTC))
    assert Interval(start=day(3)).contains(datetime(9999, 12, 31, tzinfo=UTC))
    assert not Interval(start=day(3)).contains(day(2))


def test_empty_interval_is_an_error_that_says_so():
    with pytest.raises(TimeError, match="interval is empty: start 2020-01-02 is not before"):
        Interval(day(1), day(1))
    with pytest.raises(TimeError, match="empty"):
        Interval(day(2), day(1))


def test_naive_ends_are_refused():
    with pytest.raises(TimeError, match="start 2020-01-01T00:00:00 has no time zone"):
        Interval(start=datetime(2020, 1, 1))  # noqa: DTZ001
    with pytest.raises(TimeError, match="moment"):
        Interval().contains(datetime(2020, 1, 1))  # noqa: DTZ001


def test_strings_are_refused():
    with pytest.raises(TimeError, match="parse it first"):
        Interval("2020-01-01")


def test_zones_are_brought_to_utc():
    berlin = timezone(timedelta(hours=2))
    assert Interval(datetime(2020, 6, 1, 2, tzinfo=berlin)).start == datetime(
        2020, 6, 1, tzinfo=UTC
    )
    assert Interval(datetime(2020, 6, 1, 2, tzinfo=berlin)).start.tzinfo is UTC


def test_end_beyond_the_calendar_is_an_error():
    with pytest.raises(TimeError, match="outside years"):
        Interval(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))))


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        (Interval(day(0), day(1)), "[2020-01-01, 2020-01-02)"),
        (Interval(day(0)), "[2020-01-01, ...)"),
        (Interval(end=day(0)), "[?, 2020-01-01)"),
        (Interval(), "[?, ...)"),
        (Interval(day(0) + timedelta(hours=9)), "[2020-01-01T09:00:00Z, ...)"),
    ],
)
def test_repr_is_one_readable_line(interval, shown):
    assert repr(interval) == shown


def test_neighbours_meet_and_do_not_overlap():
    first, second = Interval(day(0), day(1)), Interval(day(1), day(2))
    assert first.meets(second)
    assert first.before(second)
    assert not first.overlaps(second)
    assert first.intersection(second) is None


@given(intervals(), intervals())
def test_overlap_is_symmetric(one, other):
    assert one.overlaps(other) == other.overlaps(one)


@given(intervals(), intervals(), moments)
def test_intersection_holds_exactly_the_shared_moments(one, other, at):
    both = one.intersection(other)
    inside = both is not None and both.contains(at)
    assert inside == (one.contains(at) and other.contains(at))
    assert (both is not None) == one.overlaps(other)


@given(intervals(), moments, moments)
def test_until_and_since_partition(interval, cut, at):
    before, after = interval.until(cut), interval.since(cut)
    inside = [part for part in (before, after) if part is not None and part.contains(at)]
    assert len(inside) == interval.contains(at)
    if before is not None and after is not None:
        assert before.meets(after)


@given(intervals())
def test_interval_intersects_itself_and_is_hashable(interval):
    assert interval.intersection(interval) == interval
    assert {interval} == {interval.intersection(Interval())}
