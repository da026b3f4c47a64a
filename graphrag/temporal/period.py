"""A stretch of the calendar with the precision it was named in, and the arithmetic behind it.

An expression such as "since March 2021" has two parts: what it names (the month) and how the fact
stands to it (from then on). `Period` keeps both apart, because a writer wants the first instant, a
filter wants the interval, and both want to know that it was a month and not a day.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from graphrag.temporal.interval import Interval

Granularity = Literal[
    "instant",
    "part_of_day",
    "day",
    "week",
    "weekend",
    "month",
    "quarter",
    "season",
    "year",
    "decade",
    "century",
]
Bound = Literal["in", "since", "until", "before", "after"]
Prefer = Literal["past", "future"]
Unit = Literal["day", "week", "weekend", "month", "quarter", "year", "decade", "century"]

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_WRITTEN: Final[tuple[Unit, ...]] = ("day", "month", "year")
MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DAYS = {"day": 1, "week": 7, "weekend": 7}


@dataclass(frozen=True, slots=True)
class Period:
    """What a time expression names, ``[start, end)`` in UTC, and how it bounds the fact."""

    start: datetime
    end: datetime
    granularity: Granularity
    """Calendar unit of the words: "early March 2021" is ten days long, and a "month"."""
    bound: Bound = "in"

    @property
    def interval(self) -> Interval:
        """Times that the expression admits.

        "in" and its like: the period. "since X": from its first instant on, "after X": from its
        end on. "before X": up to its first instant, "until X": to its end, as in "from 1939 to
        1945", which takes in 1945.
        """
        match self.bound:
            case "in":
                return Interval(self.start, self.end)
            case "since":
                return Interval(start=self.start)
            case "after":
                return Interval(start=self.end)
            case "before":
                return Interval(end=self.start)
            case "until":
                return Interval(end=self.end)

    @property
    def named(self) -> str | None:
        """The words of one day, month or year: ``4 March 2012``; None of any other stretch."""
        unit = self.granularity
        if unit not in _WRITTEN or self.end != shift(self.start, unit, 1):
            return None
        day, month = self.start.day, MONTH_NAMES[self.start.month - 1]
        return " ".join([str(day), month, str(self.start.year)][_WRITTEN.index(unit) :])

    def bounded(self, bound: Bound) -> "Period":
        """Give the same period with another bound."""
        return replace(self, bound=bound)


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a text stands in time, and which way its undated days lean."""

    moment: datetime
    prefer: Prefer = "past"

    @property
    def today(self) -> datetime:
        """First instant of the day, in UTC."""
        return floor(self.moment, "day")


def midnight(year: int, month: int = 1, day: int = 1) -> datetime:
    """Give the first instant of a day."""
    return datetime(year, month, day, tzinfo=UTC)


def floor(moment: datetime, unit: Unit) -> datetime:
    """Give the first instant of the calendar unit that holds the moment; weeks start on Monday.

    The weekend of a moment is the one that ends its week.
    """
    day = midnight(moment.year, moment.month, moment.day)
    match unit:
        case "day":
            return day
        case "week":
            return day - moment.weekday() * DAY
        case "weekend":
            return day + (5 - moment.weekday()) * DAY
        case "month":
            return midnight(moment.year, moment.month)
        case "quarter":
            return midnight(moment.year, moment.month - (moment.month - 1) % 3)
        case "year":
            return midnight(moment.year)
        case "decade":
            return midnight(moment.year - moment.year % 10)
        case "century":
            # The 20th century is 1901-2000.
            return midnight(moment.year - (moment.year - 1) % 100)


def shift(moment: datetime, unit: Unit, count: int) -> datetime:
    """Move by whole units; a day that the target month lacks becomes its last day.

    Raises:
        ValueError: If the result lies outside years 1-9999.
        OverflowError: Likewise.
    """
    if unit in _DAYS:
        return moment + count * _DAYS[unit] * DAY
    months = moment.year * 12 + moment.month - 1 + count * _MONTHS[unit]
    first = moment.replace(year=months // 12, month=months % 12 + 1, day=1)
    last = (first.replace(day=28) + 4 * DAY).replace(day=1) - DAY
    return first.replace(day=min(moment.day, last.day))


def unit_from(start: datetime, unit: Unit, count: int = 1) -> Period:
    """Give the period of whole units that begins at the start."""
    end = start + 2 * DAY if unit == "weekend" else shift(start, unit, count)
    return Period(start, end, unit)


def day_of(year: int, month: int, day: int) -> Period:
    """Give one day."""
    return unit_from(midnight(year, month, day), "day")
