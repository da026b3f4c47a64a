"""Half-open intervals of world time, calendar periods, and viewpoints of reads.

``[start, end)`` excludes its end, so that consecutive facts neither overlap nor leave a gap. No
start means "unknown", no end "still true". There is no empty interval; operations return None.

An expression such as "since March 2021" is parsed into a ``Period`` (the month) and its relation to
the fact (from then on): a writer uses the first instant, a filter the interval, and both the
precision.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Final, Literal

from graphrag.errors import TimeError


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A point in world time and one in system time from which the graph is read; None means now."""

    valid_at: datetime | None = None
    """World time: facts that hold at this moment; None is the moment of the read."""
    known_at: datetime | None = None
    """System time: only data stored by this moment; None is all data."""
    history: bool = False
    """Whether facts of all times are included, also ended and retracted ones."""


NOW = Viewpoint()


@dataclass(frozen=True, slots=True, repr=False)
class Interval:
    """A non-empty interval of time in UTC.

    ``repr`` shows ``[2021-03-01, 2023-06-01)``; an unknown start is ``?``, an open end is ``...``.
    Raises ``TimeError`` if an end is naive, or the start is not before the end.
    """

    start: datetime | None = None
    end: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", _utc(self.start, "start"))
        object.__setattr__(self, "end", _utc(self.end, "end"))
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise TimeError(
                f"interval is empty: start {_show(self.start)} is not before end "
                f"{_show(self.end)}; pass a later end, or None for no end"
            )

    def __repr__(self) -> str:
        start = "?" if self.start is None else _show(self.start)
        end = "..." if self.end is None else _show(self.end)
        return f"[{start}, {end})"

    def contains(self, moment: datetime) -> bool:
        """Tell whether the interval contains a moment; it contains its start, not its end."""
        at = _utc(moment, "moment")
        assert at is not None
        return (self.start is None or self.start <= at) and (self.end is None or at < self.end)

    def overlaps(self, other: "Interval") -> bool:
        """Tell whether the two share at least one instant."""
        return not self.before(other) and not other.before(self)

    def before(self, other: "Interval") -> bool:
        """Tell whether this interval ends at or before the start of the other."""
        return self.end is not None and other.start is not None and self.end <= other.start

    def meets(self, other: "Interval") -> bool:
        """Tell whether this interval ends exactly when the other starts."""
        return self.end is not None and self.end == other.start

    def intersection(self, other: "Interval") -> "Interval | None":
        """Return the common part, or None if there is none."""
        if not self.overlaps(other):
            return None
        starts = [at for at in (self.start, other.start) if at is not None]
        ends = [at for at in (self.end, other.end) if at is not None]
        return Interval(max(starts, default=None), min(ends, default=None))

    def until(self, moment: datetime) -> "Interval | None":
        """Return the part before the moment, or None if nothing is left."""
        return self.intersection(Interval(end=moment))

    def since(self, moment: datetime) -> "Interval | None":
        """Return the part from the moment on, or None if nothing is left."""
        return self.intersection(Interval(start=moment))


def _utc(moment: datetime | None, side: str) -> datetime | None:
    # Python compares datetimes of one zone by their wall clocks, wrong where a clock is set back:
    # in UTC every comparison is one of instants.
    if moment is None:
        return None
    if not isinstance(moment, datetime):
        raise TimeError(f"interval {side} {moment!r} is not a datetime; parse it first")
    if moment.utcoffset() is None:
        raise TimeError(f"interval {side} {moment.isoformat()} has no time zone; pass an aware one")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise TimeError(f"interval {side} {moment.isoformat()} is outside years 1-9999") from error


def _show(moment: datetime) -> str:
    if moment.time() == time.min:
        return moment.date().isoformat()
    return moment.replace(tzinfo=None).isoformat() + "Z"


Unit = Literal["day", "week", "weekend", "month", "quarter", "year", "decade", "century"]
Granularity = Unit | Literal["instant", "part_of_day", "season"]
Bound = Literal["in", "since", "until", "before", "after"]
Prefer = Literal["past", "future"]

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
        start = {"in": self.start, "since": self.start, "after": self.end}.get(self.bound)
        end = {"in": self.end, "until": self.end, "before": self.start}.get(self.bound)
        return Interval(start, end)

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

    Outside years 1-9999 it raises ``ValueError`` or ``OverflowError``.
    """
    if unit in _DAYS:
        return moment + count * _DAYS[unit] * DAY
    months = moment.year * 12 + moment.month - 1 + count * _MONTHS[unit]
    first = moment.replace(year=months // 12, month=months % 12 + 1, day=1)
    last = (first.replace(day=28) + 4 * DAY).replace(day=1) - DAY
    return first.replace(day=min(moment.day, last.day))


def unit_from(start: datetime, unit: Unit, count: int = 1) -> Period:
    """Return the period of ``count`` units that begins at ``start``; a weekend is two days."""
    end = start + 2 * DAY if unit == "weekend" else shift(start, unit, count)
    return Period(start, end, unit)


def day_of(year: int, month: int, day: int) -> Period:
    """Give one day."""
    return unit_from(midnight(year, month, day), "day")
