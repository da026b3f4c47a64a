"""Rows by key in sorted segments that never change: texts by term, facts by entity, links.

New entries become a segment of their own; a segment that is not small beside the one before is
merged with it. Rows that are not alive stay in a segment until then, and are left out of answers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.index.arrays import ArrayFile
from graphrag.index.columns import Shared
from graphrag.store.private import DamagedFileError

ROW_BITS: Final = 32
"""Bits of the row in a key and a row as one number."""
_LOW: Final = (1 << ROW_BITS) - 1
_MOST: Final = 255  # largest count of a pair: one more of a term in a text changes nothing
_SHARE: Final = 8  # a segment is merged into the one before when that is fewer times as long

Alive = NDArray[np.bool_]
"""Whether each row lives."""
Counts = NDArray[np.uint8]
Rows = NDArray[np.intp]
Pairs = NDArray[np.int64]
"""Each a key and a row: ``key << ROW_BITS | row``."""
Entries = tuple[NDArray[np.int32], Counts]
"""The rows of one key, and how often each has it."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Some entries, sorted by key."""

    keys: NDArray[np.int32]
    """Each once, ascending."""
    starts: NDArray[np.int64]
    """Where the entries of each key begin, and where the last end."""
    rows: NDArray[np.int32]
    counts: Counts

    @classmethod
    def of(cls, pairs: Pairs) -> Self:
        """Return the segment of some pairs, which may be repeated."""
        distinct, counts = np.unique(pairs, return_counts=True)
        return cls._sorted(distinct, np.minimum(counts, _MOST).astype(np.uint8))

    @classmethod
    def merged(cls, segments: Sequence["Segment"], alive: Alive | None) -> Self:
        """Return the entries of several segments, those of rows that live if they are given."""
        pairs, counts = [np.empty(0, np.int64)], [np.empty(0, np.uint8)]
        for segment in segments:
            kept = slice(None) if alive is None else alive[segment.rows]
            pairs.append(segment.pairs[kept])
            counts.append(segment.counts[kept])
        every = np.concatenate(pairs)
        order = every.argsort(kind="stable")
        return cls._sorted(every[order], np.concatenate(counts)[order])

    @classmethod
    def _sorted(cls, pairs: Pairs, counts: Counts) -> Self:
        keys = (pairs >> ROW_BITS).astype(np.int32)
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        rows = (pairs & _LOW).astype(np.int32)
        return cls(keys[first], np.append(first, len(pairs)), rows, counts)

    def __len__(self) -> int:
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


class Segments(Shared):
    """The segments of an index, the largest first."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []

    def exchange(
        self, file: ArrayFile, name: str, keys: range, rows: int, alive: Alive | None = None
    ) -> None:
        """Write the entries of so many rows, those that live, or read them."""
        segment = self.merged(alive)
        numbers = file.numbers(f"{name}.numbers", segment.keys, within=keys)
        of_rows = file.numbers(f"{name}.rows", segment.rows, within=range(rows))
        counts = file.numbers(f"{name}.counts", segment.counts, len(of_rows), range(1, _MOST + 1))
        bounds = file.bounds(f"{name}.bounds", segment.starts, len(numbers), to=len(of_rows))
        if (numbers[1:] <= numbers[:-1]).any():
            raise DamagedFileError(f"{name} has keys out of order")
        self._segments = [Segment(numbers, bounds, of_rows, counts)]

    def __len__(self) -> int:
        return sum(map(len, self._segments))

    def add(self, pairs: Pairs, alive: Alive | None = None) -> None:
        """Add entries."""
        parts = [*self._segments, Segment.of(pairs)]
        while len(parts) > 1 and _SHARE * len(parts[-1]) > len(parts[-2]):
            parts[-2:] = [Segment.merged(parts[-2:], alive)]
        self._segments = parts

    def merged(self, alive: Alive | None = None) -> Segment:
        """Return all entries, those of rows that live if they are given."""
        return Segment.merged(self._segments, alive)

    def of(self, key: int, alive: Alive | None = None) -> Entries:
        """Return the rows of a key, and how often each has it."""
        rows, counts = [np.empty(0, np.int32)], [np.empty(0, np.uint8)]
        for segment in self._segments:
            place = segment.place(key)
            here, times = segment.rows[place], segment.counts[place]
            if alive is not None and not (living := alive.take(here)).all():
                here, times = here[living], times[living]
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
        counts = (segment.places(keys)[1] for segment in self._segments)
        return sum(counts, np.zeros(len(keys), dtype=np.intp))


def ranges(firsts: NDArray[np.integer], counts: NDArray[np.integer]) -> Rows:
    """Return the numbers of several ranges, one range after another."""
    shift = np.repeat(firsts - (np.cumsum(counts) - counts), counts)
    return np.asarray(shift + np.arange(int(counts.sum())), dtype=np.intp)


class Links(Shared):
    """Pairs of a row on the left, such as an episode, and one on the right, such as an entity."""

    def __init__(self, seq: int = 0) -> None:
        self.seq = seq  # of the newest event that is in here
        self._left = Segments()  # the rows on the right by those on the left
        self._right: Segments | None = None
        """The reverse, made when it is first asked for: most pairs are read from one side only."""

    def exchange(self, file: ArrayFile, name: str, left: int, right: int) -> None:
        """Write the pairs of rows below these, or read them."""
        self.seq = file.number(f"{name}.seq", self.seq)
        self._left.exchange(file, name, range(left), right)

    def __len__(self) -> int:
        return len(self._left)

    def enter(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Add pairs, whether they are there already or not."""
        new = np.unique(_flat(pairs))
        known = _pairs(*self.of_left(np.unique(new >> ROW_BITS)))
        new = np.setdiff1d(new, known, assume_unique=True)
        if len(new):
            self._left.add(new)
            if self._right is not None:
                self._right.add(_reversed(new))

    def of_left(self, rows: ArrayLike) -> tuple[Rows, Rows]:
        """Return the pairs of some rows on the left, which are given once each."""
        return self._left.of_each(np.asarray(rows, dtype=np.intp))

    def of_right(self, rows: ArrayLike) -> tuple[Rows, Rows]:
        """Return the pairs of some rows on the right: those on the left, those on the right."""
        rights, lefts = self._by_right().of_each(np.asarray(rows, dtype=np.intp))
        return lefts, rights

    def counts_right(self, rows: ArrayLike) -> Rows:
        """Return how many pairs each of some rows on the right is in."""
        return self._by_right().counts(np.asarray(rows, dtype=np.intp))

    def _by_right(self) -> Segments:
        if self._right is None:
            right = Segments()
            right.add(_reversed(self._left.merged().pairs))
            self._right = right
        return self._right

    def among(self, left: Alive, right: Alive, gone: Iterable[tuple[int, int]]) -> "Links":
        """Return the links between rows that live, without some, to be added to apart."""
        among = Links(self.seq)
        pairs = np.setdiff1d(self._left.merged().pairs, _flat(gone), assume_unique=True)
        # Rows that are newer than the masks do not live.
        pairs = pairs[(pairs >> ROW_BITS < len(left)) & (pairs & _LOW < len(right))]
        among._left.add(pairs[left[pairs >> ROW_BITS] & right[pairs & _LOW]])
        return among

    def pairs(self) -> set[tuple[int, int]]:
        """Return all pairs, to be compared."""
        pairs = self._left.merged().pairs
        return set(zip((pairs >> ROW_BITS).tolist(), (pairs & _LOW).tolist(), strict=True))


def _pairs(lefts: NDArray[np.generic], rights: NDArray[np.generic]) -> Pairs:
    return np.asarray(lefts.astype(np.int64) << ROW_BITS | rights.astype(np.int64))


def _reversed(pairs: Pairs) -> Pairs:
    return _pairs(pairs & _LOW, pairs >> ROW_BITS)


def _flat(pairs: Iterable[tuple[int, int]]) -> Pairs:
    flat = np.fromiter(chain.from_iterable(pairs), dtype=np.int64)
    return _pairs(flat[::2], flat[1::2])
