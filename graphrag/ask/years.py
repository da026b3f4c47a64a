"""A day or month that is said without its year: of the one year in which the facts have it."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from graphrag.ask.facts import Solution, matching
from graphrag.ask.query import Query
from graphrag.ask.world import CannotAnswer, FactRow, World, bounds_of
from graphrag.index.group import BEGINNING
from graphrag.search.query_time import Said
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import from_micros
from graphrag.temporal.vocabulary import MONTHS

_NAMED: Final = 8
"""Years that are listed; of more only the first and the last."""
_MONTH: Final = re.compile(rf"\b(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b")
_YEAR: Final = re.compile(r"\d{4}|['’]\d\d|\b(?:last|next|this|past|coming|previous|ago)\b")


def is_yearless(said: Said) -> bool:
    """Tell whether a time is a day or month of any year."""
    words = said.words.casefold()
    return _MONTH.search(words) is not None and _YEAR.search(words) is None


def in_its_year(said: Said, query: Query, world: World) -> Said:
    """Return a time in the one year in which the facts of a query have it.

    Raises:
        CannotAnswer: if they have it in no year, or naming the years, if there are several.
    """
    rows = matching(query, world, Solution())
    found = []
    for year in sorted({year for row in rows for year in _years(row, world)}):
        then = _moved(said, year)
        if then is None:
            continue
        start, end = bounds_of(then.interval)
        point = {"start": "start", "end": "end"}.get(query.edge or "")
        if any(
            start <= getattr(row, point) < end if point else row.meets(start, end) for row in rows
        ):
            found.append((year, then))
    if not found and query.wants == "whether" and rows:
        return _moved(said, from_micros(rows[-1].start).year) or said
    if not found:
        raise CannotAnswer(f"no fact fits: none in {said.words!r} of any year")
    if len(found) > 1:
        years = [str(year) for year, _ in found]
        named = ", ".join(years) if len(years) <= _NAMED else f"{years[0]} to {years[-1]}"
        raise CannotAnswer(f"“{said.words}” may be of several years: {named}; say which")
    return found[0][1]


def _years(row: FactRow, world: World) -> range:
    """Return the years in which a fact held; of an unknown beginning the last three."""
    last = from_micros(min(row.end, max(world.now, row.start + 1)) - 1).year
    first = last - 2 if row.start == BEGINNING else from_micros(row.start).year
    return range(first, last + 1)


def _moved(said: Said, year: int) -> Said | None:
    """Return a time in another year; None if that has no such day."""
    start, end = said.interval.start, said.interval.end
    own = start or end
    if own is None:
        return None
    try:
        moved = Interval(_in(start, year - own.year), _in(end, year - own.year))
    except ValueError:
        return None
    return replace(said, words=f"{said.words} {year}", interval=moved)


def _in(moment: datetime | None, years: int) -> datetime | None:
    return None if moment is None else moment.replace(year=moment.year + years)
