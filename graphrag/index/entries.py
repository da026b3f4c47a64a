"""The texts that contain one word, as BM25 reads them."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

K1: Final = 1.5
B: Final = 0.75
_BASE = np.float32(K1 * (1 - B))
"""The part of K1 * (1 - B + B * length / average) that does not depend on the text."""


class Entries:
    """The rows that contain one term, and how often each does."""

    __slots__ = ("_shares", "_slope", "counts", "rows", "size")

    def __init__(self, rows: NDArray[np.int32], counts: NDArray[np.float32]) -> None:
        self.rows = rows
        self.counts = counts
        self.size = len(rows)
        self._shares: NDArray[np.float32] | None = None
        self._slope = 0.0

    def shares(self, slope: float, lengths: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return what part of the term's weight each row gets, from 0 to 1.

        Kept while no text comes or goes: words that many texts have are in many queries.
        """
        if self._shares is None or self._slope != slope:
            rows, counts = self.rows[: self.size], self.counts[: self.size]
            shares = counts / (counts + (_BASE + slope * lengths[rows]))
            self._shares, self._slope = shares.astype(np.float32), slope
        return self._shares

    def extend(self, rows: NDArray[np.int32], counts: NDArray[np.float32]) -> None:
        """Take in more rows, each with its count."""
        size = self.size + len(rows)
        self._shares = None
        if size > len(self.rows):
            self._reserve(size)
        self.rows[self.size : size] = rows
        self.counts[self.size : size] = counts
        self.size = size

    def discard(self, row: int) -> None:
        """Let go of a row."""
        at = int(np.argmax(self.rows[: self.size] == row))
        self.size -= 1
        self._shares = None
        self.rows[at] = self.rows[self.size]
        self.counts[at] = self.counts[self.size]

    def _reserve(self, size: int) -> None:
        spare = np.empty(max(size, 2 * self.size) - self.size, dtype=np.int32)
        self.rows = np.concatenate((self.rows[: self.size], spare))
        self.counts = np.concatenate((self.counts[: self.size], spare.astype(np.float32)))
