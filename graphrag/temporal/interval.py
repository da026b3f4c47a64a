"""Half-open intervals of world time, ``[start, end)``, and the moments that a read looks from.

Half open, so that a fact that ends in the instant the next one starts neither overlaps it nor
leaves a gap. None is a value, not a missing one: no start means "always so far", no end means
"still true". An empty interval does not exist; what would be one is None.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time

from graphrag.errors import TimeError


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A point in world time and one in system time; both None means now."""

    valid_at: datetime | None = None
    """Facts whose interval contains this moment; None is the moment of the read."""
    known_at: datetime | None = None
    """Only what the graph had been given by then; None is everything given so far."""
    history: bool = False
    """Facts of every time, ended ones too; retracted ones included."""


NOW = Viewpoint()


@dataclass(frozen=True, slots=True, repr=False)
class Interval:
    """A stretch of time that holds at least one instant, in UTC.

    ``repr`` shows ``[2021-03-01, 2023-06-01)``; an unknown start is ``?``, an open end is ``...``.
    Raises ``TimeError`` if an end is naive, or the start is not before the end.
    """

    start: datetime | None = None
    end: datetime | None = None

    def __post_init__(self) -> None:
        """Refuse naive ends and empty intervals; bring both ends to UTC."""
        object.__setattr__(self, "start", _utc(self.start, "start"))
        object.__setattr__(self, "end", _utc(self.end, "end"))
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise TimeError(
                f"interval is empty: start {_show(self.start)} is not before end "
                f"{_show(self.end)}; pass a later end, or None for no end"
            )

    def __repr__(self) -> str:
        """Show both ends, as ISO dates where they fall on midnight."""
        start = "?" if self.start is None else _show(self.start)
        end = "..." if self.end is None else _show(self.end)
        return f"[{start}, {end})"

    def contains(self, moment: datetime) -> bool:
        """Tell whether the moment lies inside; the start does, the end does not."""
        at = _utc(moment, "moment")
        assert at is not None
        return (self.start is None or self.start <= at) and (self.end is None or at < self.end)

    def overlaps(self, other: "Interval") -> bool:
        """Tell whether the two share at least one instant."""
        return not self.before(other) and not other.before(self)

    def before(self, other: "Interval") -> bool:
        """Tell whether this one is over when the other starts; touching counts."""
        return self.end is not None and other.start is not None and self.end <= other.start

    def meets(self, other: "Interval") -> bool:
        """Tell whether this one ends in the very instant the other starts."""
        return self.end is not None and self.end == other.start

    def intersection(self, other: "Interval") -> "Interval | None":
        """Give the instants that both hold, or None if there are none."""
        if not self.overlaps(other):
            return None
        starts = [at for at in (self.start, other.start) if at is not None]
        ends = [at for at in (self.end, other.end) if at is not None]
        return Interval(max(starts, default=None), min(ends, default=None))

    def until(self, moment: datetime) -> "Interval | None":
        """Give the part before the moment, or None if nothing is left."""
        return self.intersection(Interval(end=moment))

    def since(self, moment: datetime) -> "Interval | None":
        """Give the part from the moment on, or None if nothing is left."""
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
