"""Links between rows of two kinds (episodes to entities or facts), readable from either side.

Two sorted copies, one per side, plus dictionaries of the newest links until another sort pays.
Loaded when first needed, then brought up to date from the log.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from itertools import chain
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import Column, boxed

Rows = NDArray[np.intp]
Alive = NDArray[np.bool_]
"""Whether each row lives."""
_FEW = 2_000
_NEW_BYTES = 150
"""Of a row with a new link: its number and a list."""
_SHARE = 8
"""New links are sorted in when they are more than this part of the old ones."""


class Incidence:
    """Pairs of a row on the left and a row on the right, each once."""

    def __init__(self) -> None:
        self._left = Column(np.int32)
        self._right = Column(np.int32)
        self._sorted = 0
        self._sides = (_Side(self._left.values, self._right.values),) * 2

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the pairs be written."""
        out.put(f"{name}.left", self._left.values, np.int32)
        out.put(f"{name}.right", self._right.values, np.int32)

    def load(self, arrays: ArrayReader, name: str, left: int, right: int) -> None:
        """Take over pairs of rows below these."""
        lefts = arrays.numbers(f"{name}.left", np.int32, -1, within=range(left))
        rights = arrays.numbers(f"{name}.right", np.int32, len(lefts), within=range(right))
        self._left.take(lefts)
        self._right.take(rights)
        self._sort()

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self._left)

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory."""
        sides = {id(side): side.nbytes for side in self._sides}
        return self._left.nbytes + self._right.nbytes + sum(sides.values())

    def add(self, left: ArrayLike, right: ArrayLike) -> None:
        """Add pairs that are not there yet."""
        lefts, rights = (np.asarray(rows, dtype=np.int32) for rows in (left, right))
        self._left.extend(lefts)
        self._right.extend(rights)
        new = len(self) - self._sorted
        if new > _FEW and new > self._sorted // _SHARE:
            self._sort()
        elif len(lefts):
            if self._sides[0] is self._sides[1]:
                empty = np.empty(0, dtype=np.int32)
                self._sides = _Side(empty, empty), _Side(empty, empty)
            self._sides[0].enter(lefts.tolist(), rights.tolist())
            self._sides[1].enter(rights.tolist(), lefts.tolist())

    def _sort(self) -> None:
        one, other = self._left.values, self._right.values
        self._sides = _Side(one, other), _Side(other, one)
        self._sorted = len(self)

    def of_left(self, rows: ArrayLike) -> tuple[Rows, Rows]:
        """Return the pairs of some rows on the left, which are given once each."""
        return self._sides[0].of(np.asarray(rows, dtype=np.intp))

    def of_right(self, rows: ArrayLike) -> tuple[Rows, Rows]:
        """Return the pairs of some rows on the right: those on the left, those on the right."""
        rights, lefts = self._sides[1].of(np.asarray(rows, dtype=np.intp))
        return lefts, rights

    def counts_right(self, rows: ArrayLike) -> NDArray[np.intp]:
        """Return how many pairs each of some rows on the right is in."""
        return self._sides[1].counts(np.asarray(rows, dtype=np.intp))


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
        flat = np.fromiter(chain.from_iterable(pairs), dtype=np.int64)
        new = np.unique(_keys(flat[::2], flat[1::2]))
        known = _keys(*self.of_left(np.unique(new >> 32)))
        new = np.setdiff1d(new, known, assume_unique=True)
        self.add(new >> 32, new & 0xFFFFFFFF)

    def among(self, left: Alive, right: Alive, gone: Iterable[tuple[int, int]]) -> Self:
        """Return the links between rows that live, without some, to be added to apart."""
        other = type(self)(self.seq)
        lefts, rights = self._left.values, self._right.values
        kept = (lefts < len(left)) & (rights < len(right))  # newer rows than the masks' do not live
        lefts, rights = lefts[kept], rights[kept]
        kept = left[lefts] & right[rights]
        flat = np.fromiter(chain.from_iterable(gone), dtype=np.int64)
        if len(flat):
            kept &= ~np.isin(_keys(lefts, rights), _keys(flat[::2], flat[1::2]))
        other.add(lefts[kept], rights[kept])
        return other

    def pairs(self) -> set[tuple[int, int]]:
        """Return all pairs, to be compared."""
        rows = np.unique(self._left.values)
        return set(zip(*(side.tolist() for side in self.of_left(rows)), strict=True))


class Mentions(Links):
    """Episodes and the entities that they speak of: the edges that multi-hop search follows."""


class Sources(Links):
    """Episodes and the facts that they state."""


def _keys(episodes: NDArray[np.integer], others: NDArray[np.integer]) -> NDArray[np.int64]:
    return np.asarray(episodes.astype(np.int64) << 32 | others, dtype=np.int64)


class _Side:
    """The pairs by the rows of one side."""

    def __init__(self, rows: NDArray[np.int32], others: NDArray[np.int32]) -> None:
        self._pairs = rows, others
        self._new: defaultdict[int, list[int]] = defaultdict(list)

    @property
    def nbytes(self) -> int:
        made: tuple[NDArray[np.int32], ...] = self.__dict__.get("_sorted", ())
        return sum(array.nbytes for array in made) + boxed(self._new, _NEW_BYTES)

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The other rows by those of this side, and where those of each begin.

        Made when they are first asked for: most pairs are read from one side only. A row and its
        place as one number are sorted in a quarter of the time of ``argsort``.
        """
        rows, others = self._pairs
        keys = rows.astype(np.int64) << 32 | np.arange(len(rows))
        keys.sort()
        counts = np.bincount(rows, minlength=int(rows.max(initial=-1)) + 1)
        bounds = np.concatenate(([0], np.cumsum(counts, dtype=np.int32)), dtype=np.int32)
        return others[keys & 0xFFFFFFFF], bounds

    def enter(self, rows: Iterable[int], others: Iterable[int]) -> None:
        for row, other in zip(rows, others, strict=True):
            self._new[row].append(other)

    def of(self, rows: Rows) -> tuple[Rows, Rows]:
        sorted_, bounds = self._sorted
        known = rows[rows < len(bounds) - 1]
        first, counts = bounds[known], bounds[known + 1] - bounds[known]
        shift = np.repeat(first - (np.cumsum(counts) - counts), counts)
        ones, others = np.repeat(known, counts), sorted_[shift + np.arange(int(counts.sum()))]
        if self._new:
            pairs = [(row, other) for row in rows.tolist() for other in self._new.get(row, ())]
            if pairs:
                new = np.array(pairs, dtype=np.intp)
                return np.concatenate((ones, new[:, 0])), np.concatenate((others, new[:, 1]))
        return ones, others.astype(np.intp)

    def counts(self, rows: Rows) -> NDArray[np.intp]:
        _, bounds = self._sorted
        last = len(bounds) - 2
        inside = np.minimum(rows, max(last, 0))
        found = np.where(rows <= last, bounds[inside + 1 if last >= 0 else inside], 0)
        found = found - np.where(rows <= last, bounds[inside], 0)
        if self._new:
            found += np.array([len(self._new.get(row, ())) for row in rows.tolist()], dtype=np.intp)
        return found
