"""Pairs of rows of two kinds, such as episodes and entities, readable from either side."""

from collections.abc import Iterable
from itertools import chain
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import Shared
from graphrag.index.entries import ROW_BITS, Pairs, Rows, Segment, Segments

Alive = NDArray[np.bool_]
"""Whether each row lives."""
_LOW = (1 << ROW_BITS) - 1


class Incidence(Shared):
    """Pairs of a row on the left and a row on the right, each once."""

    def __init__(self) -> None:
        self._left = Segments()
        """The rows on the right by those on the left."""
        self._right: Segments | None = None
        """The reverse, made when it is first asked for: most pairs are read from one side only."""

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the pairs be written."""
        self._left.merged().save(out, name)

    def load(self, arrays: ArrayReader, name: str, left: int, right: int) -> None:
        """Take over pairs of rows below these."""
        self._left.take(Segment.load(arrays, name, range(left), right))
        self._right = None

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self._left)

    def add(self, left: ArrayLike, right: ArrayLike) -> None:
        """Add pairs that are not there yet."""
        pairs = _pairs(np.asarray(left), np.asarray(right))
        if len(pairs):
            self._left.add(pairs)
            if self._right is not None:
                self._right.add(_reversed(pairs))

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


class Links(Incidence):
    """Rows of episodes on the left, rows of what they tell on the right, as of one event."""

    def __init__(self, seq: int) -> None:
        super().__init__()
        self.seq = seq
        """Number of the newest event that is in here."""

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the links be written."""
        out.put(f"{name}.seq", [self.seq], np.int64)
        super().save(out, name)

    def load(self, arrays: ArrayReader, name: str, left: int, right: int) -> None:
        """Take over links of rows below these."""
        [self.seq] = arrays.numbers(f"{name}.seq", np.int64, 1, within=range(1 << 63)).tolist()
        super().load(arrays, name, left, right)

    def enter(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Add pairs of an episode's and another row, whether they are there already or not."""
        new = np.unique(_flat(pairs))
        known = _pairs(*self.of_left(np.unique(new >> ROW_BITS)))
        new = np.setdiff1d(new, known, assume_unique=True)
        self.add(new >> ROW_BITS, new & _LOW)

    def among(self, left: Alive, right: Alive, gone: Iterable[tuple[int, int]]) -> Self:
        """Return the links between rows that live, without some, to be added to apart."""
        other = type(self)(self.seq)
        pairs = np.setdiff1d(self._left.merged().pairs, _flat(gone), assume_unique=True)
        lefts, rights = pairs >> ROW_BITS, pairs & _LOW
        kept = (lefts < len(left)) & (rights < len(right))  # newer rows than the masks' do not live
        lefts, rights = lefts[kept], rights[kept]
        kept = left[lefts] & right[rights]
        other.add(lefts[kept], rights[kept])
        return other

    def pairs(self) -> set[tuple[int, int]]:
        """Return all pairs, to be compared."""
        pairs = self._left.merged().pairs
        return set(zip((pairs >> ROW_BITS).tolist(), (pairs & _LOW).tolist(), strict=True))


class Mentions(Links):
    """Episodes and the entities that they speak of: the edges that multi-hop search follows."""


class Sources(Links):
    """Episodes and the facts that they state."""


def _pairs(lefts: NDArray[np.generic], rights: NDArray[np.generic]) -> Pairs:
    return np.asarray(lefts.astype(np.int64) << ROW_BITS | rights.astype(np.int64))


def _reversed(pairs: Pairs) -> Pairs:
    return _pairs(pairs & _LOW, pairs >> ROW_BITS)


def _flat(pairs: Iterable[tuple[int, int]]) -> Pairs:
    flat = np.fromiter(chain.from_iterable(pairs), dtype=np.int64)
    return _pairs(flat[::2], flat[1::2])
