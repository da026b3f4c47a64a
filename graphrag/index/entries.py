"""The texts that contain one word, as BM25 reads them, and how those of all words are sorted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader
from graphrag.index.columns import boxed
from graphrag.store.cache_file import DamagedFileError

K1: Final = 1.5
B: Final = 0.75
ROW_BITS: Final = 32
"""Of the number of a term and a row in one."""
_BASE = np.float32(K1 * (1 - B))
"""The part of K1 * (1 - B + B * length / average) that does not depend on the text."""

_MOST: Final = 255
"""So often a term counts at most, for one more changes nothing: a byte each in memory."""

Counts = NDArray[np.uint8]
Sorted = tuple[NDArray[np.int32], Counts, NDArray[np.int64]]
"""Rows and counts of all terms, one term after another, and where each term begins."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What scores depend on beyond the text itself."""

    texts: int
    terms: int
    """Of all texts together, repetitions included."""
    frequencies: Mapping[str, int]
    """In how many texts a term occurs; at least the terms of the queries to come."""


Gathered = tuple[NDArray[np.int32], NDArray[np.float32] | Counts]
"""Owners of rows, and the counts of all rows of each."""


class Entries:
    """The rows that contain one term, and how often each does."""

    __slots__ = ("_gathered", "_own", "_shares", "_slope", "counts", "rows", "size")

    def __init__(self, rows: NDArray[np.int32], counts: Counts, *, own: bool = True) -> None:
        """Take the arrays; ``own``: nobody else has them, so they may be changed."""
        self.rows = rows
        self.counts = counts
        self.size = len(rows)
        self._own = own
        self._shares: NDArray[np.float32] | None = None
        self._slope = 0.0
        self._gathered: Gathered | None = None

    def share(self) -> "Entries":
        """Return the same rows in the same memory, which each of both changes apart."""
        self._own = False
        return Entries(self.rows[: self.size], self.counts[: self.size], own=False)

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory."""
        shares = 0 if self._shares is None else self._shares.nbytes
        return (self.rows.nbytes + self.counts.nbytes if self._own else 0) + shares

    def shares(self, slope: float, lengths: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return what part of the term's weight each row gets, from 0 to 1.

        Kept while no text comes or goes: words that many texts have are in many queries.
        """
        if self._shares is None or self._slope != slope:
            rows, counts = self.rows[: self.size], self.counts[: self.size]
            shares = counts / (counts + (_BASE + slope * lengths[rows]))
            self._shares, self._slope = shares.astype(np.float32), slope
        return self._shares

    def gathered(self, owner: NDArray[np.int32], owners: int) -> Gathered:
        """Return the owners of the rows, and how often each of so many owners has the term.

        Kept until a text with the term comes or goes: a row has one owner for life.
        """
        if len(owner) == owners:  # each has one row, so there is nothing to add up
            return owner[self.rows[: self.size]], self.counts[: self.size]
        if self._gathered is None:
            counts = np.bincount(owner[self.rows[: self.size]], self.counts[: self.size])
            held = np.flatnonzero(counts > 0)  # of bits: of numbers it takes ten times as long
            self._gathered = held.astype(np.int32), counts[held].astype(np.float32)
        return self._gathered

    def extend(self, rows: NDArray[np.int32], counts: Counts) -> None:
        """Take in more rows, each with its count."""
        size = self.size + len(rows)
        self._shares = self._gathered = None
        if size > len(self.rows) or not self._own:
            self._reserve(size)
        self.rows[self.size : size] = rows
        self.counts[self.size : size] = counts
        self.size = size

    def discard(self, row: int) -> None:
        """Let go of a row."""
        at = int(np.argmax(self.rows[: self.size] == row))
        if not self._own:
            self._reserve(self.size)
        self.size -= 1
        self._shares = self._gathered = None
        self.rows[at] = self.rows[self.size]
        self.counts[at] = self.counts[self.size]

    def leave(self, left: NDArray[np.bool_]) -> None:
        """Let go of all rows that left."""
        kept = ~left[self.rows[: self.size]]
        if not kept.all():
            self.rows, self.counts = self.rows[: self.size][kept], self.counts[: self.size][kept]
            self.size, self._own = len(self.rows), True
            self._shares = self._gathered = None

    def _reserve(self, size: int) -> None:
        spare = np.empty(max(size, 2 * self.size) - self.size, dtype=np.int32)
        self.rows = np.concatenate((self.rows[: self.size], spare))
        self.counts = np.concatenate((self.counts[: self.size], spare.astype(np.uint8)))
        self._own = True


_TOUCHED_BYTES = 400
"""Of a term that a query has touched, beside its rows."""
_NONE: Sorted = np.empty(0, np.int32), np.empty(0, np.uint8), np.zeros(1, np.int64)


class TermEntries:
    """The entries of all terms by number: views of one sort, or copies."""

    def __init__(self) -> None:
        self.sorted: Sorted = _NONE
        """As of the last sort: never changed."""
        self._touched: dict[int, Entries] = {}
        """Those that a query or a change has asked for since."""
        self._left: NDArray[np.bool_] | None = None
        """Rows that left at once: a term lets go of them when it is first asked for."""

    def share(self) -> "TermEntries":
        """Return the same entries in the same memory, which each of both changes apart."""
        other = TermEntries()
        other.sorted, other._left = self.sorted, self._left
        other._touched = {number: entries.share() for number, entries in self._touched.items()}
        return other

    def take(self, built: Sorted) -> None:
        """Take over what was sorted anew."""
        self.sorted, self._touched, self._left = built, {}, None

    def __len__(self) -> int:
        """Count the rows of all terms as of the last sort."""
        return len(self.sorted[0])

    @property
    def nbytes(self) -> int:
        """Return about how many bytes of memory these are."""
        rows, counts, bounds = self.sorted
        # A touched term has its share of each row, and after a change rows of its own.
        built, touched = rows.nbytes + counts.nbytes, len(self._touched) / max(1, len(bounds))
        left = 0 if self._left is None else self._left.nbytes
        return int((1 + touched) * built) + boxed(self._touched, _TOUCHED_BYTES) + left

    def of(self, number: int) -> Entries:
        """Return the entries of a term, to be read or changed."""
        entries = self._touched.get(number)
        if entries is None:
            rows, counts, bounds = self.sorted
            place = slice(*bounds[number : number + 2]) if number + 1 < len(bounds) else slice(0)
            entries = Entries(rows[place], counts[place], own=False)
            if self._left is not None:
                entries.leave(self._left)
            self._touched[number] = entries
        return entries

    def leave(self, rows: NDArray[np.integer], count: int) -> None:
        """Let go of some of so many rows."""
        left = np.zeros(count, dtype=np.bool_)
        left[rows] = True
        for entries in self._touched.values():
            entries.leave(left)  # what left before and came back since stays
        if self._left is not None:
            left[: len(self._left)] |= self._left
        self._left = left


Words = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]
"""The numbered words of all rows, where those of each row begin, and how many they are."""


def read_words(
    arrays: ArrayReader, name: str, rows: int, first: tuple[str, ...]
) -> tuple[dict[str, int], Words, Sorted]:
    """Return the numbered terms, the words of so many rows and the arrays of terms.

    ``first``: the terms that come first and stand in no text.
    """
    terms = arrays.distinct(f"{name}.terms")
    if tuple(islice(terms, len(first))) != first:
        raise DamagedFileError(f"{name} has other first terms")
    known = range(len(first), len(terms))
    words = arrays.numbers(f"{name}.words", np.int32, -1, within=known, rare=True)
    places = range(len(words) + 1)
    starts = arrays.numbers(f"{name}.starts", np.int64, rows, within=range(-1, places.stop))
    lengths = arrays.numbers(f"{name}.lengths", np.int32, rows, within=places)
    if (starts + lengths > len(words)).any():
        raise DamagedFileError(f"{name} has words beyond the last")
    found = arrays.numbers(f"{name}.rows", np.int32, -1, within=range(rows))
    counts = arrays.array(f"{name}.counts", np.uint8, len(found))
    bounds = arrays.rising(f"{name}.bounds", -1, to=len(found))
    if not (counts >= 1).all() or len(bounds) > len(terms) + 1:
        raise DamagedFileError(f"{name} has counts of what is in no text")
    return terms, (words, starts, lengths), (found, counts, bounds)


def sort_words(
    words: NDArray[np.int32], starts: NDArray[np.int64], lengths: NDArray[np.int32], terms: int
) -> Sorted:
    """Sort the words of all rows that are there, given one row after another."""
    rows = np.flatnonzero(starts >= 0)
    lengths = lengths[rows]
    # The place of each word of each live row: its start, then one more each time.
    first = starts[rows] - (np.cumsum(lengths, dtype=np.int64) - lengths)
    places = np.repeat(first, lengths) + np.arange(int(lengths.sum()))
    keys = words[places].astype(np.int64) << ROW_BITS | np.repeat(rows, lengths)
    numbers, found, counts = tallied(keys)
    # Forgotten terms have no entries, so the empty slots between the bounds are theirs.
    return found, counts, np.searchsorted(numbers, np.arange(terms + 1))


def tallied(
    keys: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], Counts]:
    """Return term, row and count of each pair of term and row, by term."""
    pairs, counts = np.unique(keys, return_counts=True)
    rows = (pairs & ((1 << ROW_BITS) - 1)).astype(np.int32)
    return pairs >> ROW_BITS, rows, np.minimum(counts, _MOST).astype(np.uint8)


def by_term(
    keys: NDArray[np.int64],
) -> Iterator[tuple[int, NDArray[np.int32], Counts]]:
    """Yield each term of some pairs of term and row, with its rows and counts."""
    numbers, rows, counts = tallied(keys)
    starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
    for start, end in pairwise((*starts, len(numbers))):
        yield int(numbers[start]), rows[start:end], counts[start:end]
