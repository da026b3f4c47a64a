"""Episodes of the time that a question speaks of: told then, or naming one of its years."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from graphrag.index.episodes import Episodes
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.search.fuse import Mask
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros

if TYPE_CHECKING:
    from graphrag.search.when import When

_FIRST, _LAST = 1000, 2099
"""Years that a text may name with four digits."""
_TELLING = 0.2
"""What more than this share of the visible episodes has tells nothing."""
_YEAR_LONG = 200
"""Days above which a period is one of years."""


def of_time(when: "When", episodes: Episodes, seen: Mask) -> Mask | None:
    """Mark the episodes that name a year of a period, or were told in it; None: says nothing."""
    found = np.zeros(len(seen), dtype=np.bool_)
    for period in when.intervals:
        named = np.zeros(len(seen), dtype=np.bool_)
        for year in _years(period):
            named[episodes.pieces.rows_with(str(year))] = True
        start, end = to_micros(period.start, BEGINNING), to_micros(period.end, FOREVER)
        told = (start <= episodes["valid"]) & (episodes["valid"] < end)
        for mask in (named, told):
            if (mask & seen).sum() <= _TELLING * seen.sum():
                found |= mask
    return found if found.any() else None


def _years(period: Interval) -> range:
    """Return the years of a period that is at least about a year long."""
    start = period.start or datetime(_FIRST, 1, 1, tzinfo=UTC)
    end = period.end or datetime(_LAST, 1, 1, tzinfo=UTC)
    if (end - start).days < _YEAR_LONG:
        return range(0)
    last = end.year if (end.month, end.day) > (1, 1) else end.year - 1
    return range(max(start.year, _FIRST), min(last, _LAST) + 1)
