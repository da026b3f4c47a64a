"""Slices of world time, and the weight of each fact in each slice.

The weight is the overlap coefficient (Szymkiewicz and Simpson): the common time as a share of the
shorter of the two, so an instant inside a slice counts fully. Unknown starts and missing ends are
unbounded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

import numpy as np
from dateutil.relativedelta import relativedelta

from graphrag.community.detect import Nodes, Weights
from graphrag.community.ties import Ties
from graphrag.errors import QueryError
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros

Every = Literal["month", "quarter", "year", "decade"]
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_SHORTEST = timedelta(hours=1)
_MOST = 240
"""Slices at most: twenty years of months. Finding communities takes as much for each of them."""


def slices(every: Every | timedelta, start: datetime, end: datetime) -> tuple[Interval, ...]:
    """Return the slices from one moment to another: whole ones of the calendar, cut at both ends.

    Those of a length begin at the start.

    Raises:
        QueryError: for no such calendar step, a length under an hour, an end that is not after the
            start, or more slices than anybody tells apart.
    """
    if isinstance(every, timedelta):
        if every < _SHORTEST:
            raise QueryError(f"every {every}: give at least an hour")
    elif every not in _MONTHS:
        raise QueryError(f"every {every!r}: choose from {', '.join(get_args(Every))}")
    if start >= end:
        raise QueryError(f"end {end:%Y-%m-%d} is not after start {start:%Y-%m-%d}")
    found = []
    for turn in _turns(every, start, end):
        found.append(Interval(start, turn))
        start = turn
        if len(found) > _MOST:
            raise QueryError(f"more than {_MOST} slices: give a later start=, or a longer every=")
    return tuple(found)


def _turns(every: Every | timedelta, start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield where slices end, the last at the end."""
    span = every if isinstance(every, timedelta) else relativedelta(months=_MONTHS[every])
    turn = start if isinstance(every, timedelta) else begin(every, start)
    while turn < end:
        try:
            turn = turn + span
        except (OverflowError, ValueError):  # beyond the year 9999
            turn = end
        yield min(turn, end)


def begin(every: Every | timedelta, moment: datetime) -> datetime:
    """Return the beginning of the step of the calendar, or of the day, that a moment lies in."""
    if isinstance(every, timedelta):
        return moment.replace(hour=0, minute=0, second=0, microsecond=0)
    months = _MONTHS.get(every, 1)
    month = max((moment.year * 12 + moment.month - 1) // months * months, 12)
    return datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SlicedTies:
    """Ties of all slices side by side, slice by slice."""

    places: Nodes
    """Of the ties among those that were cut."""
    slices: Nodes
    subjects: Nodes
    """Rows of entities."""
    objects: Nodes
    weights: Weights


def sliced(ties: Ties, valid: Nodes, invalid: Nodes, parts: Sequence[Interval]) -> SlicedTies:
    """Return the ties that hold in each slice, weighed by what they have in common with it.

    Args:
        ties: Facts.
        valid: Start of every fact of the group, in microseconds.
        invalid: Its end.
        parts: The slices.
    """
    since, until = valid[ties.rows], invalid[ties.rows]
    lives = until.astype(float) - since.astype(float)
    found, shares = [], []
    for part in parts:
        first, last = to_micros(part.start, BEGINNING), to_micros(part.end, FOREVER)
        places = np.flatnonzero((since < last) & (until > first) & (since < until))
        common = np.minimum(until[places], last) - np.maximum(since[places], first)
        found.append(places)
        shares.append(common / np.minimum(lives[places], float(last - first)))
    places = np.concatenate(found)
    return SlicedTies(
        places,
        np.repeat(np.arange(len(parts)), [len(one) for one in found]),
        ties.subjects[places],
        ties.objects[places],
        ties.weights[places] * np.concatenate(shares),
    )
