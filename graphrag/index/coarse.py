"""Coarse vectors: the principal third of the dimensions in int8, to prefilter the int8 pass.

Of MiniLM's 384 dimensions, the 127 principal ones of a sample hold four fifths of the energy. With
``r`` the length of the remainder and ``a`` in [-1, 1] the cosine of two remainders,

    q.x = q'.x' + r_q r_x a

``a = 1`` is safe but leaves a fifth of the rows. Measured, ``a`` exceeds the cosine of the vectors
by at most 0.2, or is at most 0.6 where they are unlike; from a cosine of 0.8 that is the safe
bound. The safe bound also applies to rows with a remainder longer than nearly all of the sample's.
Rows that share something absent from the sample within usual remainders may be missed until the
directions are rebuilt, when half of the rows have changed (docs/decisions.md).
"""

import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.int8 import BLOCK, Codes
from graphrag.index.parallel import Product
from graphrag.store.cache_file import DamagedFileError

_ALIKE = 0.6
_MORE = 0.2
_SAMPLE = 8_192
_LEFT_OUT = 0.4
"""Of the energy: half of the searches of 200,000 such rows needed the pass over all bytes, too."""
_ROUNDING = np.float32(1e-6)
"""Of float32, in the square of a length: a rest is never taken for shorter than it is."""
_USUAL = 0.99
"""Of the sample's rests are no longer than the longest usual one."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How high the cosines of one query may be."""

    product: Product
    """The ceiling of each row, if no usual rests are more alike than ``_ALIKE``."""
    _slack: float
    _rests: float
    """The product of the query's rest and the longest usual one, at most 1."""

    def least(self, cosine: float) -> float:
        """Return what a row of this cosine or a higher one has at least.

        A usual row's ceiling has ``_ALIKE`` of both rests, so it lacks no more than what ``alike``
        exceeds that by, times ``_rests``; an unusual row's has all of them and lacks nothing. For
        no higher cosine is less returned, since ``alike`` rises no faster and ``_rests`` is at most
        1, so what holds for a row's own cosine holds for every lower one.
        """
        alike = min(1.0, max(_ALIKE, cosine + _MORE))
        return cosine - self._slack - (alike - _ALIKE) * self._rests


class Coarse:
    """One short code per vector: the largest part of it, and how long the rest is."""

    def __init__(self, dimension: int) -> None:
        kept = max(1, dimension // 3 - 1)  # of 384 numbers 127, and one for the rest
        self._codes = Codes(kept + 1)
        self._directions = np.zeros((dimension, kept), dtype=np.float32)
        self._usual = 1.0

    @classmethod
    def of(cls, units: NDArray[np.float32]) -> "Coarse | None":
        """Return the codes of some vectors along what matters most; None if nothing does."""
        made = cls(units.shape[1])
        sample = units[:: 1 + len(units) // _SAMPLE]
        energy, directions = np.linalg.eigh(sample.T @ sample)  # the least comes first
        kept = made._directions.shape[1]
        if energy[:-kept].sum() >= _LEFT_OUT * energy.sum():
            return None
        made._directions = np.ascontiguousarray(directions[:, -kept:])
        made._usual = float(np.quantile(made._short(sample)[:, -1], _USUAL, method="lower"))
        made.extend(units)
        return made

    def share(self) -> "Coarse":
        """Return the same codes in the same memory, which each of both changes apart."""
        other = copy.copy(self)
        other._codes = self._codes.share()
        return other

    def save(self, out: ArrayWriter, name: str) -> None:
        """Lend the codes, and copy what belongs to them."""
        self._codes.save(out, name)
        out.put(f"{name}.directions", self._directions, np.float32)
        out.put(f"{name}.usual", [self._usual], np.float32)

    def load(self, arrays: ArrayReader, name: str, rows: int) -> None:
        """Take over so many codes."""
        self._codes.load(arrays, name, rows)
        self._directions = arrays.array(f"{name}.directions", np.float32, *self._directions.shape)
        [self._usual] = arrays.array(f"{name}.usual", np.float32, 1).tolist()
        if not np.isfinite([self._directions.sum(), self._usual]).all():
            raise DamagedFileError(f"{name} has what is no number")

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._codes)

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory."""
        return self._codes.nbytes + self._directions.nbytes

    def extend(self, units: NDArray[np.float32]) -> None:
        """Append the codes of unit vectors, which need not be like the first ones."""
        self._codes.grow(len(units))
        for start in range(0, len(units), BLOCK):
            self._codes.extend(self._held(units[start : start + BLOCK]))

    def replace(self, row: int, unit: NDArray[np.float32]) -> None:
        """Give a row another vector."""
        self._codes.replace(row, self._held(unit[np.newaxis])[0])

    def against(self, unit: NDArray[np.float32]) -> Ceiling:
        """Return how high the cosines of a query may be."""
        [short] = self._short(unit[np.newaxis])
        product, slack = self._codes.against(short)
        return Ceiling(product, slack.most, min(1.0, self._usual * float(short[-1])))

    def _held(self, units: NDArray[np.float32]) -> NDArray[np.float32]:
        # Usual rests are made shorter, not the others longer: no code is of more than length 1,
        # which is what its slack goes by.
        short = self._short(units)
        short[short[:, -1] <= self._usual, -1] *= _ALIKE
        return short

    def _short(self, units: NDArray[np.float32]) -> NDArray[np.float32]:
        # One row by einsum: BLAS would have its threads take part in it.
        one = len(units) == 1
        kept = np.einsum("ij,jk->ik", units, self._directions) if one else units @ self._directions
        whole, inside = (np.einsum("ij,ij->i", numbers, numbers) for numbers in (units, kept))
        rest = np.sqrt(np.maximum(whole - inside, 0) + _ROUNDING)
        return np.column_stack((kept, rest))
