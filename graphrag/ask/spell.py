"""Moments and lengths of facts in words: as finely as a question asks, or the facts are dated."""

from datetime import UTC, datetime, timedelta

from graphrag.ask.world import Line
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.temporal.moment import from_micros

_DAY = timedelta(days=1)


def date_words(wants: str, line: Line, unit: str) -> str | None:
    """Return the date that is asked for, None if it is not known.

    The last day counts for ``until``: a lifetime is given with the first moment after it.
    """
    start, end = _moment(line.start), _moment(line.end)
    if wants == "until":
        return None if end is None else _written(end - timedelta(microseconds=1), unit)
    if wants == "since" or end is None or start is None:
        return None if start is None else _written(start, unit)
    first, last = _written(start, unit), _written(end - timedelta(microseconds=1), unit)
    return first if first == last else f"{first} to {last}"


def stretch_words(line: Line) -> str:
    """Return when a fact holds, for the steps of an answer."""
    start, end = _moment(line.start), _moment(line.end)
    first = "an unknown day" if start is None else start.date().isoformat()
    return f"from {first}" + ("" if end is None else f" until {end.date().isoformat()}")


def between(start: int, end: int, unit: str) -> int:
    """Count the whole units between two moments."""
    one, two = _moment(start) or datetime.min.replace(tzinfo=UTC), _moment(end)
    if two is None or two < one:
        return 0
    if unit in ("day", "week"):
        return (two - one) // (_DAY if unit == "day" else 7 * _DAY)
    months = (two.year - one.year) * 12 + two.month - one.month
    months -= (two.day, two.time()) < (one.day, one.time())
    return months if unit == "month" else months // 12


def _moment(micros: int) -> datetime | None:
    return None if micros in (BEGINNING, FOREVER) else from_micros(micros)


def _written(moment: datetime, unit: str) -> str:
    length = {"year": 4, "month": 7}.get(unit, 10)
    return moment.date().isoformat()[:length]
