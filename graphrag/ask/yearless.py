"""A day or month that is said without its year: of the one year in which the facts have it.

"On 5 March" is a day of many years. Where the facts that are asked of fit in one year alone it is
that; where they fit in several the question says too little, and the answer names them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from graphrag.ask.asked import Asked, is_yearless
from graphrag.ask.lookup import CannotAnswer
from graphrag.ask.world import Line, World, bounds_of
from graphrag.index.group import BEGINNING
from graphrag.search.query_time import Said
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import from_micros

_NAMED: Final = 8
"""Years that are listed; of more only the first and the last."""
Fits = Callable[[Line, int, int], bool]


def without_year(asked: Asked) -> str:
    """Return the words of a time whose year nothing tells: of an age, of what was known then."""
    if asked.known is not None and is_yearless(asked.known):
        return asked.known.words
    bare = asked.wants in ("age", "which") or asked.limits.beside
    return asked.during.words if bare and asked.during and is_yearless(asked.during) else ""


def in_its_year(said: Said, lines: Sequence[Line], fits: Fits, world: World) -> Said | None:
    """Return a time in the one year in which some facts have it, None if they have it in none.

    Raises:
        CannotAnswer: naming the years, if there are several.
    """
    years = sorted({year for line in lines for year in _years(line, world)})
    found = []
    for year in years:
        then = _moved(said, year)
        if then is not None and any(fits(line, *bounds_of(then.interval)) for line in lines):
            found.append((year, then))
    if len(found) > 1:
        some = [str(year) for year, _ in found]
        named = ", ".join(some) if len(some) <= _NAMED else f"{some[0]} to {some[-1]}"
        raise CannotAnswer(f"“{said.words}” may be of several years: {named}; say which")
    return found[0][1] if found else None


def _years(line: Line, world: World) -> range:
    """Return the years in which a fact held; of an unknown beginning the last three."""
    last = from_micros(min(line.end, max(world.now, line.start + 1)) - 1).year
    first = last - 2 if line.start == BEGINNING else from_micros(line.start).year
    return range(first, last + 1)


def _moved(said: Said, year: int) -> Said | None:
    """Return a time in another year; None if that has no such day."""
    start, end = said.interval.start, said.interval.end
    own = start or end
    assert own is not None
    try:
        moved = Interval(_in(start, year - own.year), _in(end, year - own.year))
    except ValueError:
        return None
    return replace(said, words=f"{said.words} {year}", interval=moved)


def _in(moment: datetime | None, years: int) -> datetime | None:
    return None if moment is None else moment.replace(year=moment.year + years)
