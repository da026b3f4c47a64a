"""What ties entities together, at one moment and in slices of time: facts, and long texts.

A fact with a concept, what only a common noun names, ties less: that two people have a boat says
little about them, and a hub with thirty of them would push away the people around it. What long
texts name together is tied beside (``text_ties.py``). In a slice a fact weighs by the overlap
coefficient (Szymkiewicz and Simpson): the common time as a share of the shorter of the two, so an
instant inside a slice counts fully. Unknown starts and missing ends are unbounded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

import numpy as np
from dateutil.relativedelta import relativedelta

from graphrag.community.detect import Nodes, Weights, strengths
from graphrag.community.text_ties import Quote, named_together
from graphrag.errors import QueryError
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.values import CONCEPT
from graphrag.search.edges import confidences
from graphrag.search.rewind import NOTHING_UNDONE, Past
from graphrag.search.visibility import Mask, Visible
from graphrag.store.store import Store
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros

_LEAST = 0.05
"""Weight of a fact that nobody is sure of: it still ties its ends together."""
_COMMON = 0.3
"""Share of its confidence that a fact with a concept weighs."""
NO_FACT = -1
"""Row of what is no fact."""


@dataclass(frozen=True, slots=True)
class Ties:
    """Ties between two entities, side by side."""

    rows: Nodes
    """Of the facts; -1 for two that texts name together."""
    subjects: Nodes
    """Rows of entities."""
    objects: Nodes
    weights: Weights
    """Confidences, less for concepts."""
    quotes: Sequence[Quote] = ()
    """Sentences of long texts that name two or more."""

    @classmethod
    async def read(
        cls,
        index: GroupIndex,
        store: Store,
        held: Mask,
        seen: Visible,
        *,
        past: Past = NOTHING_UNDONE,
    ) -> "Ties":
        """Return what ties entities by the facts of a mask, and by the texts that are visible."""
        facts = await cls.stated(index, store, held, seen, past=past)
        if not len(index.passages):  # no text is long
            return facts
        strengths = facts.strengths(len(index.entities))
        named = await named_together(index, store, seen, past, strengths)
        if named is None:
            return facts
        return cls(
            np.concatenate((facts.rows, np.full(len(named.weights), NO_FACT))),
            np.concatenate((facts.subjects, named.subjects)),
            np.concatenate((facts.objects, named.objects)),
            np.concatenate((facts.weights, named.weights)),
            named.quotes,
        )

    @classmethod
    async def stated(
        cls,
        index: GroupIndex,
        store: Store,
        held: Mask,
        seen: Visible,
        *,
        past: Past = NOTHING_UNDONE,
    ) -> "Ties":
        """Return what ties entities by the facts of a mask alone."""
        sure = await confidences(index, store, past)
        subject, object_ = seen.ends
        rows = np.flatnonzero(held & (subject != object_))
        weights = np.maximum(sure[rows], _LEAST)
        if CONCEPT in index.types:
            common = past.types(index) == index.type_code(CONCEPT)
            weights[common[subject[rows]] | common[object_[rows]]] *= _COMMON
        return cls(rows, subject[rows], object_[rows], weights)

    def __len__(self) -> int:
        """Count them."""
        return len(self.rows)

    @property
    def facts(self) -> "Ties":
        """Return those that are facts."""
        return self.some(np.flatnonzero(self.rows != NO_FACT))

    def strengths(self, nodes: int) -> Weights:
        """Return the weight of all ties of every entity."""
        return strengths(self.subjects, self.objects, self.weights, nodes)

    def some(self, places: Nodes) -> "Ties":
        """Return the ties at some places."""
        return Ties(
            self.rows[places],
            self.subjects[places],
            self.objects[places],
            self.weights[places],
            self.quotes,
        )


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
