"""A third of each vector's numbers, to find quickly which few rows need all of them.

Vectors of texts lie near a subspace: of MiniLM's 384 numbers, the 127 along the principal
directions of a sample have four fifths of the energy. Those are kept as bytes, and with them, as
one number more, how long the rest of the vector is, ``r``. A cosine is then

    q.x = q'.x' + r_q r_x a

where ``a``, from -1 to 1, says how much alike both rests are. With 1 nothing can be missed, but a
fifth of all rows would be left to look at. So this goes by what was measured instead: rests are
hardly more alike than the vectors themselves, by 0.2 at most, or, if these are unlike, by no more
than 0.6. For cosines from 0.8 on that is the sure bound. Vectors that are nothing like the sample
keep to it, too: what they share is then in their rests as it is in the whole. The figures are in
docs/decisions.md. What is left is judged by all of the numbers (``int8.py``), then exactly.
"""

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


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How high the cosines of one query may be."""

    product: Product
    """The ceiling of each row, if no rests are more alike than ``_ALIKE``."""
    _slack: float
    _rests: float
    """The product of the query's rest and the longest."""

    def least(self, cosine: float) -> float:
        """Return what a row of this cosine or a higher one has at least."""
        alike = min(1.0, max(_ALIKE, cosine + _MORE))
        return cosine - self._slack - (alike - _ALIKE) * self._rests


class Coarse:
    """One short code per vector: the largest part of it, and how long the rest is."""

    def __init__(self, dimension: int) -> None:
        kept = max(1, dimension // 3 - 1)  # of 384 numbers 127, and one for the rest
        self._codes = Codes(kept + 1)
        self._directions = np.zeros((dimension, kept), dtype=np.float32)
        self._longest = 0.0

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
        made.extend(units)
        return made

    def save(self, out: ArrayWriter, name: str) -> None:
        """Lend the codes, and copy what belongs to them."""
        self._codes.save(out, name)
        out.put(f"{name}.directions", self._directions, np.float32)
        out.put(f"{name}.longest", [self._longest], np.float32)

    def load(self, arrays: ArrayReader, name: str, rows: int) -> None:
        """Take over so many codes."""
        self._codes.load(arrays, name, rows)
        self._directions = arrays.array(f"{name}.directions", np.float32, *self._directions.shape)
        [self._longest] = arrays.array(f"{name}.longest", np.float32, 1).tolist()
        if not np.isfinite([self._directions.sum(), self._longest]).all():
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
        for start in range(0, len(units), BLOCK):
            short = self._short(units[start : start + BLOCK])
            self._codes.extend(short)
            self._longest = max(self._longest, float(short[:, -1].max()))

    def lend(self) -> NDArray[np.int8]:
        """Return the codes: whoever changes one from now on changes a copy."""
        return self._codes.lend()

    def replace(self, row: int, unit: NDArray[np.float32]) -> None:
        """Give a row another vector."""
        [short] = self._short(unit[np.newaxis])
        self._codes.replace(row, short)
        self._longest = max(self._longest, float(short[-1]))

    def against(self, unit: NDArray[np.float32]) -> Ceiling:
        """Return how high the cosines of a query may be."""
        [short] = self._short(unit[np.newaxis])
        rests = self._longest * float(short[-1])
        short[-1] *= _ALIKE
        product, slack = self._codes.against(short)
        return Ceiling(product, slack.most, rests)

    def _short(self, units: NDArray[np.float32]) -> NDArray[np.float32]:
        # One row by einsum: BLAS would have its threads take part in it.
        one = len(units) == 1
        kept = np.einsum("ij,jk->ik", units, self._directions) if one else units @ self._directions
        whole, inside = (np.einsum("ij,ij->i", numbers, numbers) for numbers in (units, kept))
        rest = np.sqrt(np.maximum(whole - inside, 0) + _ROUNDING)
        return np.column_stack((kept, rest))
