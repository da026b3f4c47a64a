"""Lifetime that a text gives a relation: start, end and kind, and how finely each was stated."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from graphrag.model.assertion import Kind, Precision
from graphrag.temporal.interval import Granularity, Period

_PRECISION: dict[Granularity, Precision] = {
    "instant": "exact",
    "part_of_day": "day",
    "day": "day",
    "weekend": "month",
    "week": "month",
    "month": "month",
    "quarter": "year",
    "season": "year",
    "year": "year",
    "decade": "year",
    "century": "year",
}
"""The finest that is not finer than what was said: a season is somewhere in a year."""


@dataclass(frozen=True, slots=True)
class Life:
    """What a text says of when a relation holds."""

    start: datetime | None = None
    end: datetime | None = None
    kind: Kind = "state"
    current: bool = False
    start_precision: Precision = "exact"
    end_precision: Precision = "exact"
    over: bool = False
    """True if all it says is that it holds no more: the relation's end."""

    def beginning(self, period: Period) -> "Life":
        """Return it with a start."""
        late = period.bound in ("after", "until")
        moment = period.end if late else period.start
        precision = "exact" if late else _PRECISION[period.granularity]
        return replace(self, start=moment, start_precision=precision)

    def ending(self, period: Period) -> "Life":
        """Return it with an end; what lasts until a year takes in that year."""
        last = period.bound == "until"
        return replace(
            self,
            end=period.end if last else period.start,
            end_precision="exact" if last else _PRECISION[period.granularity],
        )


def ends_of(period: Period) -> tuple[Period, ...]:
    """Return both ends of ``from 8 to 20 August``, a stretch of days; any other time as it is."""
    day = timedelta(days=1)
    if period.bound != "in" or period.granularity != "day" or period.end - period.start <= day:
        return (period,)
    first = Period(period.start, period.start + day, "day", "since")
    return first, Period(period.end - day, period.end, "day", "until")


def day_before(period: Period) -> Period:
    """Return the last day of a period: ``at the end of March`` is the 31st."""
    return Period(period.end - timedelta(days=1), period.end, "day", period.bound)
