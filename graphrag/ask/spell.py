"""Moments and lengths of facts in words: as finely as a question asks, or the facts are dated."""

from datetime import UTC, datetime, timedelta

from graphrag.ask.world import FactRow
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.model.assertion import Precision
from graphrag.model.values import Fact
from graphrag.temporal.moment import from_micros

Stated = tuple[Precision | None, Precision | None]
"""How finely a beginning and an end were stated; None if nobody stated that one."""

_DAY = timedelta(days=1)
_DAY_MICROS = 86_400_000_000
_UNITS = ("year", "month", "week", "day")


def date_words(
    wants: str, line: FactRow, unit: str, stated: Stated, *, fixed: bool = False, over: bool = False
) -> str | None:
    """Return the date that is asked for, None if it is not known.

    The last day counts for ``until``: a lifetime is given with the first moment after it. An end
    that was stated by its year or month is said as it was stated, as is the day when it was
    ``over``. Of facts of whole years what ends with a year was over in that year.

    Args:
        wants: What is asked for.
        line: The fact.
        unit: The unit of the answer.
        stated: How finely the ends of the fact were stated.
        fixed: Whether the question says the unit.
        over: Whether the question is of the end.
    """
    units = (None, None) if fixed else stated
    start, end = _moment(line.start), _moment(line.end)
    if start is not None and not line.placed:
        return f"before {_written(start, 'day')}"
    first = None if start is None else _written(start, _coarser(unit, units[0]))
    last = None
    if end is not None:
        coarse = stated[1] in ("year", "month")
        day = end if coarse or (over and unit != "year") else end - timedelta(microseconds=1)
        last = _written(day, _coarser(unit, units[1]))
    if wants == "until":
        return last
    if wants == "since" or last is None or first is None:
        return first
    return first if first == last else f"{first} to {last}"


def stated_units(fact: Fact) -> Stated:
    """Return how finely the sources of a fact state its beginning and its end."""
    since = [statement.since for statement in fact.statements if statement.since is not None]
    until = [statement.until for statement in fact.statements if statement.until is not None]
    return (
        next((date.precision for date in since if date.moment == fact.valid_at), None),
        next((date.precision for date in until if date.moment == fact.invalid_at), None),
    )


def _coarser(unit: str, stated: Precision | None) -> str:
    return min(unit, stated or unit, key=_UNITS.index) if stated != "exact" else unit


def stretch_words(line: FactRow) -> str:
    """Return when a fact holds, for the steps of an answer."""
    start, end = _moment(line.start), _moment(line.end)
    if start is not None and not line.placed:
        return f"of some time before {start.date().isoformat()}"
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


def lasts(row: FactRow) -> bool:
    """Tell a state from what happened on a day."""
    return row.end - row.start > _DAY_MICROS


def _moment(micros: int) -> datetime | None:
    return None if micros in (BEGINNING, FOREVER) else from_micros(micros)


def _written(moment: datetime, unit: str) -> str:
    length = {"year": 4, "month": 7}.get(unit, 10)
    return moment.date().isoformat()[:length]
