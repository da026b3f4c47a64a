"""Inverted index of a group's texts in sorted segments, which are never changed.

New texts become a segment of their own; small segments are merged when they are no longer small
beside the one before. A removed text stays in its segment until then: ``since`` has the number of
the first segment whose entries of a row count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import Array, ArrayReader
from graphrag.store.cache_file import DamagedFileError

K1: Final = 1.5
B: Final = 0.75
ROW_BITS: Final = 32
"""Of the number of a term and a row in one."""
NEVER: Final = int(np.iinfo(np.int32).max)
"""In place of the first segment that counts, of a row without a text."""
_MOST: Final = 255
"""Largest count of a term in a text: one more changes nothing."""
_SHARE: Final = 8
"""A segment is merged into the one before when that is fewer times as long."""

Counts = NDArray[np.uint8]
Entries = tuple[NDArray[np.int32], Counts]
"""The rows that contain one term, and how often each does."""


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
    """The entries of some texts, sorted by term."""

    terms: NDArray[np.int32]
    """Numbers of the terms, ascending."""
    starts: NDArray[np.int64]
    """Where the entries of each term begin, and where the last end."""
    rows: NDArray[np.int32]
    counts: Counts
    number: int = 0

    @classmethod
    def of_words(cls, keys: NDArray[np.int64], number: int) -> Self:
        """Return the segment of some words, each given as ``term << ROW_BITS | row``."""
        pairs, counts = np.unique(keys, return_counts=True)
        return cls._sorted(pairs, np.minimum(counts, _MOST).astype(np.uint8), number)

    @classmethod
    def merged(cls, segments: Sequence["Segment"], since: NDArray[np.int32]) -> Self:
        """Return the entries of several segments that count."""
        valid = [since[segment.rows] <= segment.number for segment in segments]
        pairs = zip(segments, valid, strict=True)
        keys = np.concatenate([np.empty(0, np.int64), *(one.keys[kept] for one, kept in pairs)])
        pairs = zip(segments, valid, strict=True)
        counts = np.concatenate([np.empty(0, np.uint8), *(one.counts[kept] for one, kept in pairs)])
        order = keys.argsort(kind="stable")
        number = max((segment.number for segment in segments), default=0)
        return cls._sorted(keys[order], counts[order], number)

    @classmethod
    def _sorted(cls, keys: NDArray[np.int64], counts: Counts, number: int) -> Self:
        terms = (keys >> ROW_BITS).astype(np.int32)
        first = np.flatnonzero(np.diff(terms, prepend=-1))
        rows = (keys & ((1 << ROW_BITS) - 1)).astype(np.int32)
        return cls(terms[first], np.append(first, len(keys)), rows, counts, number)

    def __len__(self) -> int:
        """Count the entries."""
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory."""
        return sum(part.nbytes for part in (self.terms, self.starts, self.rows, self.counts))

    @property
    def keys(self) -> NDArray[np.int64]:
        """The term and the row of each entry as one number, ascending."""
        terms = np.repeat(self.terms.astype(np.int64), np.diff(self.starts))
        return np.asarray(terms << ROW_BITS | self.rows)

    def place(self, term: int) -> slice:
        """Return where the entries of a term are."""
        at = int(self.terms.searchsorted(term))
        if at == len(self.terms) or self.terms[at] != term:
            return slice(0)
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

    def arrays(self, name: str) -> dict[str, Array]:
        """Return what ``load`` reads."""
        return {
            f"{name}.numbers": self.terms,
            f"{name}.bounds": self.starts,
            f"{name}.rows": self.rows,
            f"{name}.counts": self.counts,
        }

    @classmethod
    def load(cls, arrays: ArrayReader, name: str, terms: range, rows: int) -> Self:
        """Return the saved entries of so many rows.

        Raises:
            DamagedFileError: if they are not what was written.
        """
        numbers = arrays.numbers(f"{name}.numbers", np.int32, -1, within=terms)
        of_rows = arrays.numbers(f"{name}.rows", np.int32, -1, within=range(rows))
        counts = arrays.array(f"{name}.counts", np.uint8, len(of_rows))
        bounds = arrays.rising(f"{name}.bounds", len(numbers) + 1, to=len(of_rows))
        if not (counts >= 1).all() or (numbers[1:] <= numbers[:-1]).any():
            raise DamagedFileError(f"{name} has counts of what is in no text")
        return cls(numbers, bounds, of_rows, counts)


class Segments:
    """The segments of an index, the largest first."""

    def __init__(self, segments: Sequence[Segment] = ()) -> None:
        self._segments = [*segments]
        self._borrowed = {*segments}
        """Segments in the memory of another index."""

    def share(self) -> "Segments":
        """Return the same segments, to be added to apart."""
        return Segments(self._segments)

    def take(self, segment: Segment) -> None:
        """Take over one segment instead."""
        self._segments = [segment]

    @property
    def number(self) -> int:
        """Return the number of the next segment."""
        return 1 + max((segment.number for segment in self._segments), default=0)

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory."""
        return sum(one.nbytes for one in self._segments if one not in self._borrowed)

    def add(self, keys: NDArray[np.int64], since: NDArray[np.int32]) -> None:
        """Add the words of new texts."""
        self._segments.append(Segment.of_words(keys, self.number))
        while len(self._segments) > 1 and _SHARE * len(self._segments[-1]) > len(
            self._segments[-2]
        ):
            last = self._segments[-2:]
            self._segments[-2:] = [Segment.merged(last, since)]

    def merged(self, since: NDArray[np.int32]) -> Segment:
        """Return all entries that count."""
        return Segment.merged(self._segments, since)

    def of(self, term: int, since: NDArray[np.int32] | None) -> Entries:
        """Return the rows that contain a term, and how often; without ``since`` all count."""
        rows, counts = [np.empty(0, np.int32)], [np.empty(0, np.uint8)]
        for segment in self._segments:
            place = segment.place(term)
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
