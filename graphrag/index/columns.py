"""Growing numpy arrays and matrices, with copy-on-write pages.

Appends cost amortised constant time, at the price of up to half of the memory spare. The first rows
of a ``RowMatrix`` stay in the mapped file: copying a million vectors of 384 took 6 s and 2.5 GB.
Mapped pages that are read count as resident, up to 2 MB around each, so a few rows of many are read
from the file instead (1 to 2.5 µs each).

Rows never change in place, because a writer or a view of the past may have them: a change copies
the thousand rows around it.
"""

import copy
import os
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.index.array_file import ArrayReader, ArrayWriter
from graphrag.index.arrays import ANY, ArrayFile
from graphrag.index.cosines import Rows

Scalar = TypeVar("Scalar", bound=np.generic)

_LEAST = 16
_SAMPLE = 8
_WORTH_READING = 20_000  # rows: fewer take no memory worth the time
_PICKED = 4_096
"""More rows are quicker in a mapping, which then counts as memory: 0.9 of 2.6 GB with 1,024."""
_BLOCK = 1_024  # rows that are copied for the change of one


class Shared:
    """What another may have too, in the same memory, though each of both changes apart."""

    def share(self) -> Self:
        """Return the same parts: shared in turn, copied if they are dicts or lists, or as they are.

        Whatever else changes in place does so only before it is seen.
        """
        twin = copy.copy(self)
        vars(twin).update((name, _shared(part)) for name, part in [*vars(twin).items()])
        return twin


def _shared(part: object) -> object:
    if isinstance(part, Shared):
        return part.share()
    if isinstance(part, dict):
        copied = copy.copy(part)
        copied.update((key, item.share()) for key, item in part.items() if isinstance(item, Shared))
        return copied
    return [*part] if isinstance(part, list) else part


class Column(Shared, Generic[Scalar]):
    """Hold values of one fixed dtype, row by row."""

    def __init__(self, dtype: type[Scalar], values: ArrayLike = ()) -> None:
        self._buffer: NDArray[Scalar] = np.empty(_LEAST, dtype=dtype)
        self._size, self._lent = 0, False
        self.extend(values)

    def take(self, values: NDArray[Scalar]) -> None:
        """Hold these values instead, as they lie in memory."""
        self._buffer, self._size = values, len(values)

    def exchange(self, file: ArrayFile, name: str, rows: int = -1, within: range = ANY) -> None:
        """Write the values, or read so many numbers in a range."""
        values = file.numbers(name, self.values, rows, within)
        if file.reads:
            self.take(values)

    def share(self) -> Self:
        """Return the same values in the same memory, until one of both changes them."""
        twin = copy.copy(self)
        twin.take(self.values)
        self._lent = twin._lent = True
        return twin

    def __len__(self) -> int:
        return self._size

    @property
    def dtype(self) -> np.dtype[Scalar]:
        """Return the dtype, fixed for life."""
        return self._buffer.dtype

    @property
    def values(self) -> NDArray[Scalar]:
        """View the filled part; growth leaves an old view behind, so take it anew each time."""
        return self._buffer[: self._size]

    def __setitem__(self, rows: int | slice | NDArray[np.generic], values: object) -> None:
        """Overwrite existing rows, addressed by number, slice, index array or mask."""
        if self._lent:
            self._buffer, self._lent = self._buffer.copy(), False
        self.values[rows] = np.asarray(values, dtype=self.dtype)

    def extend(self, values: ArrayLike) -> None:
        """Add many values; a cast that loses the kind (float to int, say) is a ``TypeError``."""
        added = np.asarray(values)
        if added.size == 0:  # an empty list arrives as float64, which no integer column accepts
            return
        size = self._size + len(added)
        if size > len(self._buffer):
            buffer = np.empty(max(size, 2 * len(self._buffer)), dtype=self.dtype)
            buffer[: self._size] = self.values
            self._buffer, self._lent = buffer, False
        np.copyto(self._buffer[self._size : size], added, casting="same_kind")
        self._size = size


class RowMatrix(Shared, Generic[Scalar]):
    """Hold rows of one width and type; who changes them is alone meanwhile."""

    def __init__(self, width: int, dtype: type[Scalar]) -> None:
        self._first: NDArray[Scalar] = np.empty((0, width), dtype)
        self._file: tuple[ArrayReader, str] | None = None
        """The file of the first rows, and their name in it, if few at a time are read from it."""
        self._rest: NDArray[Scalar] = np.empty((0, width), dtype)
        self._added = 0  # rows of ``_rest`` that are filled
        self._blocks: dict[int, NDArray[Scalar]] = {}
        """Rows that hold instead of those before, by the number of the first."""
        self._fresh: set[int] = set()
        """Blocks that nobody else has: they were copied since the rows were handed out."""
        self._borrowed = 0
        """How many rows are in the memory of another matrix."""

    def exchange(self, file: ArrayFile, name: str, rows: int, *, picked: bool = False) -> None:
        """Write the rows, or read so many: few at a time are ``picked``, or all used."""
        if isinstance(file, ArrayWriter):
            file.lend(name, *self.parts(slice(None)))
            return
        self._first = file.numbers(name, self._first, rows)
        picked = picked and rows >= _WORTH_READING and hasattr(os, "preadv")  # not on Windows
        if picked and isinstance(file, ArrayReader):
            self._file = file, name

    def share(self) -> Self:
        """Return the same rows in the same memory, which each of both changes apart."""
        self._fresh.clear()
        twin = super().share()
        twin._rest, twin._fresh, twin._borrowed = self._rest[: self._added], set(), len(self)
        return twin

    def __len__(self) -> int:
        return len(self._first) + self._added

    @property
    def width(self) -> int:
        """Return how many numbers a row has."""
        return int(self._first.shape[1])

    @property
    def nbytes(self) -> int:
        """Return the bytes of the rows; spare room costs none until it is used."""
        copied = sum(len(self._blocks[start]) for start in self._fresh) if self._borrowed else 0
        return (len(self) - self._borrowed + copied) * self.width * self._first.itemsize

    def __getitem__(self, rows: Rows) -> NDArray[Scalar]:
        """Return some rows, in the order asked for; a slice of one part is a view."""
        if isinstance(rows, slice):
            first, *others = self.parts(rows)
            return np.concatenate((first, *others)) if others else first
        taken = self._found(rows)
        for start, block in self._blocks.items():
            inside = (rows >= start) & (rows < start + len(block))
            if inside.any():
                taken[inside] = block[rows[inside] - start]
        return taken

    def _found(self, rows: NDArray[np.intp]) -> NDArray[Scalar]:
        """Return some rows as they were before any was copied."""
        kept = len(self._first)
        if not self._added:
            return self._picked(rows)
        if not kept:
            return self._rest[: self._added].take(rows, axis=0)
        late = rows >= kept
        taken = np.empty((len(rows), self.width), self._first.dtype)
        taken[~late] = self._picked(rows[~late])
        taken[late] = self._rest[: self._added][rows[late] - kept]
        return taken

    def _picked(self, rows: NDArray[np.intp]) -> NDArray[Scalar]:
        unsure = not 0 <= rows.min(initial=0) <= rows.max(initial=0) < len(self._first)
        if self._file is None or unsure or len(rows) > _PICKED:
            return self._first.take(rows, axis=0)
        file, name = self._file
        taken = np.empty((len(rows), self.width), self._first.dtype)
        file.read_rows(name, rows, taken)
        return taken

    def parts(self, rows: slice) -> Iterator[NDArray[Scalar]]:
        """Yield the rows from one to another where they lie: one view, or a few; never none."""
        start, stop, _ = rows.indices(len(self))
        for first in sorted(self._blocks) if self._blocks else ():
            block = self._blocks[first]
            if start < min(stop, first + len(block)) and stop > first:
                if start < first:
                    yield from self._between(start, first)
                    start = first
                yield block[start - first : stop - first]
                start = first + len(block)
                if start >= stop:
                    return
        yield from self._between(start, stop)

    def _between(self, start: int, stop: int) -> Iterator[NDArray[Scalar]]:
        kept = len(self._first)
        if start < kept:
            yield self._first[start : min(stop, kept)]
        if stop > kept or start >= kept:
            yield self._rest[max(start - kept, 0) : max(stop - kept, 0)]

    def reserve(self, rows: int) -> None:
        """Have room for so many rows in all: growth by and by copies each added row twice."""
        if (added := rows - len(self._first)) > len(self._rest):
            self._move(added)

    def extend(self, rows: NDArray[Scalar]) -> None:
        """Add rows behind the others."""
        size = self._added + len(rows)
        if size > len(self._rest):
            # Pages that were never written cost no memory, so spare room is free until used.
            self._move(2 * size + 16)
        self._rest[self._added : size] = rows
        self._added = size

    def __setitem__(self, row: int, numbers: ArrayLike) -> None:
        start = row - row % _BLOCK
        if start not in self._fresh or row >= start + len(self._blocks[start]):
            self._blocks[start] = self[start : start + _BLOCK].copy()
            self._fresh.add(start)
        self._blocks[start][row - start] = numbers

    def _move(self, room: int) -> None:
        rest = np.empty((room, self.width), self._first.dtype)
        rest[: self._added] = self._rest[: self._added]
        self._rest = rest


def bytes_of(value: object, seen: set[int] | None = None) -> int:
    """Return about how many bytes of memory a value takes, without what was ``seen``, by id.

    A collection is judged by its first items. Arrays count whole, whoever views a part of them.
    """
    seen = set() if seen is None else seen
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base
    if value is None or id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, (np.ndarray, RowMatrix)):
        return value.nbytes
    if isinstance(value, memoryview):
        return bytes_of(value.obj, seen)
    if isinstance(value, (dict, list, tuple, set, frozenset)):
        few: list[object] = [*islice(value, _SAMPLE)]
        size = sys.getsizeof(value)
        if isinstance(value, dict):
            few += islice(value.values(), _SAMPLE)
        of_few = sum([bytes_of(item, seen) for item in few])
        return size + of_few * len(value) // max(1, min(len(value), _SAMPLE))
    if not type(value).__module__.startswith("graphrag."):
        return sys.getsizeof(value)
    own = getattr(value, "__dict__", {})
    slots = getattr(value, "__slots__", ())
    parts = [*own.values(), *(getattr(value, name, None) for name in slots)]
    size = sys.getsizeof(value) + sys.getsizeof(own)
    return size + sum([bytes_of(part, seen) for part in parts if type(part) is not int])
