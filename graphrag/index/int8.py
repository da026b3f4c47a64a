"""Int8 codes of vectors, a prefilter that leaves the top k exact.

For a query ``q`` and a vector ``x`` with codes ``q'`` and ``x'`` (-127 to 127, scaled per vector),

    |q.x - q'.x'| <= |x - x'| + |q - q'| |x'|

so rows further below the k-th best than the largest of these bounds need no exact product. A pass
over 100,000 rows of 384 takes 1.5 ms on one core, the exact product 7. Needs ``simsimd`` (extra
``fast``, part of ``local``); without it every product is exact.
"""

import importlib.util
from functools import cache

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import Column, RowMatrix, Shared
from graphrag.index.cosines import Product, Rows
from graphrag.store.cache_file import DamagedFileError

_LEVELS = 127
BLOCK = 4_096
"""Vectors that are worked on at a time: on the way to bytes one takes four times its room."""


@cache
def available() -> bool:
    """Tell whether products of bytes can be computed here."""
    return importlib.util.find_spec("simsimd") is not None


class Codes(Shared):
    """One code per vector, with its scale, and the largest distance of a code from its vector."""

    def __init__(self, dimension: int) -> None:
        self._codes: RowMatrix[np.int8] = RowMatrix(dimension, np.int8)
        self._scale = Column(np.float32)
        self._most_lost = 0.0

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the codes be written, and what belongs to them."""
        out.lend(name, *self._codes.parts(slice(None)))
        out.put(f"{name}.scale", self._scale.values, np.float32)
        out.put(f"{name}.lost", [self._most_lost], np.float64)

    def load(self, arrays: ArrayReader, name: str, rows: int) -> None:
        """Take over so many codes."""
        self._codes.load(arrays, name, rows)
        scale = arrays.array(f"{name}.scale", np.float32, rows)
        [self._most_lost] = arrays.array(f"{name}.lost", np.float64, 1).tolist()
        if not (np.isfinite(scale).all() and 0 <= self._most_lost <= 1):
            raise DamagedFileError(f"{name} has what is no number")
        self._scale.take(scale)

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._scale.values)

    def extend(self, units: NDArray[np.float32]) -> None:
        """Append the codes of unit vectors."""
        self.grow(len(units))
        for start in range(0, len(units), BLOCK):
            codes, scale, lost = _coded(units[start : start + BLOCK])
            self._codes.extend(codes)
            self._scale.extend(scale)
            self._most_lost = max(self._most_lost, float(lost.max(initial=0.0)))

    def grow(self, added: int) -> None:
        """Have room for so many rows more: who adds them by and by says so once."""
        self._codes.grow(added)

    def replace(self, row: int, unit: NDArray[np.float32]) -> None:
        """Give a row another vector."""
        codes, scale, lost = _coded(unit[np.newaxis])
        self._codes[row] = codes[0]
        self._scale[row] = scale[0]
        self._most_lost = max(self._most_lost, float(lost[0]))

    def against(self, unit: NDArray[np.float32]) -> tuple[Product, float]:
        """Return what computes the rough cosines of rows, and their largest error."""
        import simsimd  # when first needed: many programs never compare so many

        code, [scale], [lost] = _coded(unit[np.newaxis])
        codes, scales = self._codes, self._scale.values

        def product(rows: Rows) -> NDArray[np.float32]:
            parts = codes.parts(rows) if isinstance(rows, slice) else [codes[rows]]
            # Never with ``out=``: simsimd 6.5 then returns a None that it does not count.
            products = [
                np.asarray(simsimd.cdist(code, part, metric="dot", out_dtype="float32"))[0]
                for part in parts
                if len(part)  # simsimd refuses none
            ]
            if not products:
                return np.empty(0, dtype=np.float32)
            rough: NDArray[np.float32]
            rough = np.concatenate(products) if len(products) > 1 else products[0]
            rough *= scales[rows]
            rough *= scale
            return rough

        # |x'| is at most 1 + |x - x'|; the last term covers the rounding of float32.
        return product, self._most_lost * (1 + float(lost)) + float(lost) + 1e-6


def _coded(
    units: NDArray[np.float32],
) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    scale = np.abs(units).max(axis=1, initial=0) / np.float32(_LEVELS)
    scale[scale == 0] = 1  # a vector that was blanked
    codes = np.rint(units / scale[:, np.newaxis])
    lost = units - codes * scale[:, np.newaxis]
    return codes.astype(np.int8), scale, np.sqrt(np.einsum("ij,ij->i", lost, lost))
