"""Episodes of the time that a question speaks of: told then, or naming one of its years."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from graphrag.index.episodes import Episodes
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.search.episodes.plain import Parts
from graphrag.search.fuse import Mask
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros

if TYPE_CHECKING:
    from graphrag.search.when import When

_FIRST, _LAST = 1000, 2099
"""Years that a text may name with four digits."""
_TELLING = 0.2
"""What more than this share of the visible episodes has tells nothing."""
_AROUND = 0.5
_YEAR_LONG = 200
"""Days above which a period is one of years."""


def of_time(when: "When", episodes: Episodes, seen: Mask) -> Parts | None:
    """Score the episodes that tell of a period of the question; None: it says nothing.

    1 for naming one of its years or being told in it, half for naming years before and after it:
    what began earlier and ended later went on meanwhile.
    """
    found = np.zeros(len(seen), dtype=np.float64)
    for period in when.intervals:
        years = _years(period)
        start, end = to_micros(period.start, BEGINNING), to_micros(period.end, FOREVER)
        masks = [(1.0, (start <= episodes["valid"]) & (episodes["valid"] < end))]
        if years:
            masks.append((1.0, _naming(years, episodes)))
            before = _naming(range(_FIRST, years.start), episodes)
            masks.append((_AROUND, before & _naming(range(years.stop, _LAST + 1), episodes)))
        for share, mask in masks:
            if (mask & seen).sum() <= _TELLING * seen.sum():
                np.maximum(found, share * mask, out=found)
    return found if found.any() else None


def _naming(years: range, episodes: Episodes) -> Mask:
    mask = np.zeros(len(episodes), dtype=np.bool_)
    for year in years:
        mask[episodes.pieces.rows_with(str(year))] = True
    return mask


def _years(period: Interval) -> range:
    """Return the years of a period that is at least about a year long."""
    start = period.start or datetime(_FIRST, 1, 1, tzinfo=UTC)
    end = period.end or datetime(_LAST, 1, 1, tzinfo=UTC)
    if (end - start).days < _YEAR_LONG:
        return range(0)
    last = end.year if (end.month, end.day) > (1, 1) else end.year - 1
    return range(max(start.year, _FIRST), min(last, _LAST) + 1)
