"""A numpy array that grows.

Appending to a numpy array copies it; a Python list cannot be masked or gathered. ``Column`` keeps
spare room behind the filled part, so an append costs amortised constant time and ``values`` is an
ordinary view, ready for vectorised work. The price is up to half of the memory spare.
"""

import sys
from collections.abc import Collection
from itertools import islice
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Scalar = TypeVar("Scalar", bound=np.generic)

_LEAST = 16
_SAMPLE = 16


class Column(Generic[Scalar]):
    """Hold values of one fixed dtype, row by row."""

    __slots__ = ("_buffer", "_size")

    def __init__(self, dtype: type[Scalar], values: ArrayLike = ()) -> None:
        self._buffer: NDArray[Scalar] = np.empty(_LEAST, dtype=dtype)
        self._size = 0
        self.extend(values)

    def __getstate__(self) -> NDArray[Scalar]:
        """Return what is to be saved: no spare room."""
        return self.values

    def take(self, values: NDArray[Scalar]) -> None:
        """Hold these values instead, as they lie in memory."""
        self._buffer = values
        self._size = len(values)

    __setstate__ = take

    def __len__(self) -> int:
        """Count the rows."""
        return self._size

    def __repr__(self) -> str:
        """Show dtype and length."""
        return f"Column({self._buffer.dtype}, {self._size} rows)"

    @property
    def dtype(self) -> np.dtype[Scalar]:
        """Return the dtype, fixed for life."""
        return self._buffer.dtype

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory, the spare room among them."""
        return self._buffer.nbytes

    @property
    def values(self) -> NDArray[Scalar]:
        """View the filled part; growth leaves an old view behind, so take it anew each time."""
        return self._buffer[: self._size]

    def __setitem__(self, rows: int | slice | NDArray[np.generic], values: object) -> None:
        """Overwrite existing rows, addressed by number, slice, index array or mask."""
        self.values[rows] = np.asarray(values, dtype=self.dtype)

    def append(self, value: object) -> int:
        """Add one value and return its row."""
        row = self._size
        self._reserve(row + 1)
        self._buffer[row] = np.asarray(value, dtype=self.dtype)
        self._size = row + 1
        return row

    def extend(self, values: ArrayLike) -> None:
        """Add many values; a cast that loses the kind (float to int, say) is a ``TypeError``."""
        added = np.asarray(values)
        # An empty list arrives as float64, which no integer column would accept.
        if added.size == 0:
            return
        size = self._size + len(added)
        self._reserve(size)
        np.copyto(self._buffer[self._size : size], added, casting="same_kind")
        self._size = size

    def _reserve(self, size: int) -> None:
        if size > len(self._buffer):
            buffer = np.empty(max(size, 2 * len(self._buffer)), dtype=self._buffer.dtype)
            buffer[: self._size] = self.values
            self._buffer = buffer


def boxed(items: Collection[object], each: int) -> int:
    """Return about how many bytes a container of Python objects takes, ``each`` for one of them."""
    return sys.getsizeof(items) + each * len(items)


def texts_bytes(texts: Collection[str]) -> int:
    """Return how many bytes a text takes, judged by the first few of them."""
    few = [sys.getsizeof(text) for text in islice(texts, _SAMPLE)]
    return sum(few) // max(1, len(few))
