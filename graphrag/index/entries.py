"""Rows by key, such as texts by term or facts by entity, in sorted segments that never change.

What is new becomes a segment of its own; a segment that is not small beside the one before is
merged with it. A removed row stays in its segment until then: ``since`` has the number of the first
segment whose entries of a row count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import Shared
from graphrag.store.cache_file import DamagedFileError

if TYPE_CHECKING:
    from graphrag.index.scope import Scope

K1: Final = 1.5
B: Final = 0.75
ROW_BITS: Final = 32
"""Of a key and a row as one number."""
NEVER: Final = int(np.iinfo(np.int32).max)
"""In place of the first segment that counts, of a row without a text."""
_MOST: Final = 255
"""Largest count of a pair: one more of a term in a text changes nothing."""
_SHARE: Final = 8
"""A segment is merged into the one before when that is fewer times as long."""
_FEW_FACTS: Final = 5_000
"""Facts up to which a pass over all of them is as quick as looking at an entity's."""
_WALKED: Final = 8
"""A walk over more than this part of all facts is quicker as passes over all of them."""

Counts = NDArray[np.uint8]
Rows = NDArray[np.intp]
Pairs = NDArray[np.int64]
"""Each a key and a row: ``key << ROW_BITS | row``."""
Entries = tuple[NDArray[np.int32], Counts]
"""The rows of one key, and how often each has it."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What scores depend on beyond the text itself."""

    texts: int
    terms: int
    """Of all texts together, repetitions included."""
    frequencies: Mapping[str, int]
    """In how many texts a term occurs; at least the terms of the queries to come."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Some entries, sorted by key."""

    keys: NDArray[np.int32]
    """Each once, ascending."""
    starts: NDArray[np.int64]
    """Where the entries of each key begin, and where the last end."""
    rows: NDArray[np.int32]
    counts: Counts
    number: int = 0

    @classmethod
    def of(cls, pairs: Pairs, number: int) -> Self:
        """Return the segment of some pairs, which may be repeated."""
        distinct, counts = np.unique(pairs, return_counts=True)
        return cls._sorted(distinct, np.minimum(counts, _MOST).astype(np.uint8), number)

    @classmethod
    def merged(cls, segments: Sequence["Segment"], since: NDArray[np.int32] | None) -> Self:
        """Return the entries of several segments; without ``since`` all count."""
        pairs, counts = [np.empty(0, np.int64)], [np.empty(0, np.uint8)]
        for segment in segments:
            kept = slice(None) if since is None else since[segment.rows] <= segment.number
            pairs.append(segment.pairs[kept])
            counts.append(segment.counts[kept])
        every = np.concatenate(pairs)
        order = every.argsort(kind="stable")
        number = max((segment.number for segment in segments), default=0)
        return cls._sorted(every[order], np.concatenate(counts)[order], number)

    @classmethod
    def _sorted(cls, pairs: Pairs, counts: Counts, number: int) -> Self:
        keys = (pairs >> ROW_BITS).astype(np.int32)
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        rows = (pairs & ((1 << ROW_BITS) - 1)).astype(np.int32)
        return cls(keys[first], np.append(first, len(pairs)), rows, counts, number)

    def __len__(self) -> int:
        """Count the entries."""
        return len(self.rows)

    @property
    def pairs(self) -> Pairs:
        """Each entry as one number, ascending."""
        keys = np.repeat(self.keys.astype(np.int64), np.diff(self.starts))
        return np.asarray(keys << ROW_BITS | self.rows)

    def place(self, key: int) -> slice:
        """Return where the entries of a key are."""
        at = int(self.keys.searchsorted(key))
        if at == len(self.keys) or self.keys[at] != key:
            return slice(0)
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

    def places(self, keys: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the entries of each of some keys begin, and how many they are."""
        if not len(self.keys):
            return np.zeros_like(keys), np.zeros_like(keys)
        at = np.minimum(self.keys.searchsorted(keys), len(self.keys) - 1)
        counts = np.where(self.keys[at] == keys, self.starts[at + 1] - self.starts[at], 0)
        return self.starts[at], counts

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the entries be written."""
        out.lend(f"{name}.numbers", self.keys)
        out.lend(f"{name}.bounds", self.starts)
        out.lend(f"{name}.rows", self.rows)
        out.lend(f"{name}.counts", self.counts)

    @classmethod
    def load(cls, arrays: ArrayReader, name: str, keys: range, rows: int) -> Self:
        """Return the saved entries of so many rows.

        Raises:
            DamagedFileError: if they are not what was written.
        """
        numbers = arrays.numbers(f"{name}.numbers", np.int32, -1, within=keys)
        of_rows = arrays.numbers(f"{name}.rows", np.int32, -1, within=range(rows))
        counts = arrays.array(f"{name}.counts", np.uint8, len(of_rows))
        bounds = arrays.rising(f"{name}.bounds", len(numbers) + 1, to=len(of_rows))
        if not (counts >= 1).all() or (numbers[1:] <= numbers[:-1]).any():
            raise DamagedFileError(f"{name} has keys out of order")
        return cls(numbers, bounds, of_rows, counts)


class Segments(Shared):
    """The segments of an index, the largest first."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []

    def take(self, segment: Segment) -> None:
        """Take over one segment instead."""
        self._segments = [segment]

    def __len__(self) -> int:
        """Count the entries."""
        return sum(map(len, self._segments))

    @property
    def number(self) -> int:
        """Return the number of the next segment."""
        return 1 + max((segment.number for segment in self._segments), default=0)

    def add(self, pairs: Pairs, since: NDArray[np.int32] | None = None) -> None:
        """Add entries."""
        parts = [*self._segments, Segment.of(pairs, self.number)]
        while len(parts) > 1 and _SHARE * len(parts[-1]) > len(parts[-2]):
            parts[-2:] = [Segment.merged(parts[-2:], since)]
        self._segments = parts

    def merged(self, since: NDArray[np.int32] | None = None) -> Segment:
        """Return all entries that count."""
        return Segment.merged(self._segments, since)

    def of(self, key: int, since: NDArray[np.int32] | None = None) -> Entries:
        """Return the rows of a key, and how often each has it; without ``since`` all count."""
        rows, counts = [np.empty(0, np.int32)], [np.empty(0, np.uint8)]
        for segment in self._segments:
            place = segment.place(key)
            here, times = segment.rows[place], segment.counts[place]
            if since is not None:
                valid = since[here] <= segment.number
                here, times = here[valid], times[valid]
            if len(here):
                rows.append(here)
                counts.append(times)
        if len(rows) <= 2:
            return rows[-1], counts[-1]
        return np.concatenate(rows), np.concatenate(counts)

    def of_each(self, keys: Rows) -> tuple[Rows, Rows]:
        """Return the pairs of some keys: their keys, and their rows."""
        of_keys, rows = [np.empty(0, np.intp)], [np.empty(0, np.int32)]
        for segment in self._segments:
            starts, counts = segment.places(keys)
            of_keys.append(np.repeat(keys, counts))
            rows.append(segment.rows[ranges(starts, counts)])
        return np.concatenate(of_keys), np.concatenate(rows).astype(np.intp)

    def counts(self, keys: Rows) -> Rows:
        """Return how many entries each of some keys has."""
        total = np.zeros(len(keys), dtype=np.intp)
        for segment in self._segments:
            total += segment.places(keys)[1]
        return total


def ranges(firsts: NDArray[np.integer], counts: NDArray[np.integer]) -> Rows:
    """Return the numbers of several ranges, one range after another."""
    shift = np.repeat(firsts - (np.cumsum(counts) - counts), counts)
    return np.asarray(shift + np.arange(int(counts.sum())), dtype=np.intp)


class Adjacency:
    """Rows of facts by the rows of their ends, which never change: only new facts are entered.

    Ends are as stored: following merges means asking for all merged ids.
    """

    def __init__(self, facts: "Scope") -> None:
        self._facts = facts
        self._entered = 0
        self._segments = Segments()

    def at(self, ends: Sequence[int], relation: int) -> NDArray[np.integer]:
        """Return the rows of one relation at an entity, which may have several rows itself.

        They are in the order of addition.
        """
        rows = self._all_at(ends)
        return np.asarray(rows[self._facts["relation"][rows] == relation])

    def latest(self, ends: Sequence[int], *, relations: int, each: int) -> dict[int, list[int]]:
        """Return up to ``each`` rows of the ``relations`` relations that were added last."""
        rows = self._all_at(ends)
        codes = self._facts["relation"][rows]
        newest = dict.fromkeys(codes[::-1].tolist())
        return {code: rows[codes == code][-each:].tolist() for code in [*newest][:relations]}

    def _all_at(self, ends: Sequence[int]) -> NDArray[np.integer]:
        self._enter()
        if len(ends) == 1:
            return self._segments.of(ends[0])[0]
        return np.unique(self._segments.of_each(np.array(ends, dtype=np.intp))[1])

    def around(self, entities: Rows, before: int) -> Rows | None:
        """Return the facts at some entities, some twice; None if a pass over all is quicker.

        ``before``: the number of facts that there were, for a look at an earlier state.
        """
        if before < _FEW_FACTS:
            return None
        self._enter()
        if self._segments.counts(entities).sum() > before // _WALKED:
            return None
        rows = self._segments.of_each(entities)[1]
        return rows if self._entered == before else rows[rows < before]

    def _enter(self) -> None:
        """Enter the rows that have come since."""
        first, last = self._entered, len(self._facts)
        if first < last:
            self._entered = last
            rows = np.arange(first, last)
            ends = (
                self._facts[name][first:last].astype(np.int64) for name in ("subject", "object")
            )
            self._segments.add(np.concatenate([end << ROW_BITS | rows for end in ends]))
