"""Unit vectors of one group in one float32 matrix, searched exactly.

A product with the whole matrix gives every cosine at once: no approximation, no build time, and a
filter is a mask on the result.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.errors import InputError


class Vectors:
    """Hold one vector of a fixed dimension per row and compare them all with a query."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._buffer = np.empty((0, dimension), dtype=np.float32)
        self._size = 0

    def __len__(self) -> int:
        """Count the rows."""
        return self._size

    def __repr__(self) -> str:
        """Show the shape."""
        return f"Vectors({self._size} rows, dimension {self.dimension})"

    @property
    def values(self) -> NDArray[np.float32]:
        """View the filled part; growth leaves an old view behind, so take it anew each time."""
        return self._buffer[: self._size]

    def extend(self, matrix: ArrayLike) -> None:
        """Add one row per vector, scaled to norm 1."""
        added = _unit(matrix, self.dimension)
        size = self._size + len(added)
        if size > len(self._buffer):
            # Pages that were never written cost no memory, so spare room is free until used.
            buffer = np.empty((size + size // 2 + 16, self.dimension), dtype=np.float32)
            buffer[: self._size] = self.values
            self._buffer = buffer
        self._buffer[self._size : size] = added
        self._size = size

    def append(self, vector: ArrayLike) -> int:
        """Add one vector, scaled to norm 1, and return its row."""
        self.extend(np.asarray(vector)[np.newaxis])
        return self._size - 1

    def replace(self, row: int, vector: ArrayLike) -> None:
        """Give a row another vector, scaled to norm 1."""
        if not 0 <= row < self._size:
            raise IndexError(f"row {row} of {self._size}")
        self._buffer[row] = _unit(np.asarray(vector)[np.newaxis], self.dimension)[0]

    def rows(self, rows: ArrayLike) -> NDArray[np.float32]:
        """Copy the vectors of some rows, in the order asked for."""
        return self.values[np.asarray(rows, dtype=np.intp)]

    def scores(self, query: ArrayLike) -> NDArray[np.float32]:
        """Return the cosine of the query with every row."""
        unit = _unit(np.asarray(query)[np.newaxis], self.dimension)[0]
        return np.asarray(self.values @ unit)


def from_bytes(blobs: Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    """Read stored vectors, one row each, as little-endian float32."""
    expected = 4 * dimension
    for got in set(map(len, blobs)):
        if got != expected:
            raise InputError(
                f"stored vector: expected {expected} bytes ({dimension} numbers), got {got}"
            )
    # One join and one reinterpretation: a loop over rows would cost more than reading them.
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dimension)


def to_bytes(matrix: ArrayLike) -> list[bytes]:
    """Write one blob of little-endian float32 per row."""
    rows = np.ascontiguousarray(matrix, dtype="<f4")
    return [row.tobytes() for row in rows]


def _unit(matrix: ArrayLike, dimension: int) -> NDArray[np.float32]:
    rows = np.asarray(matrix, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != dimension:
        raise InputError(f"vector: expected dimension {dimension}, got shape {rows.shape[1:]}")
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    bad = np.flatnonzero(~(np.isfinite(norms) & (norms > 0)))
    if bad.size:
        row = int(bad[0])
        raise InputError(
            f"vector {row}: expected finite numbers and a norm above 0, got norm {norms[row]}"
        )
    return np.asarray(rows / norms[:, np.newaxis])
