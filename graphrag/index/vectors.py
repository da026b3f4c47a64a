"""Unit vectors of one group in one float32 matrix, with exact top-k by cosine.

A filter is a mask on the product with the whole matrix. The product is an ``einsum``, not BLAS,
which would start threads of its own. With many rows int8 codes are a prefilter that changes no
result. For a query ``q`` and a vector ``x`` with codes ``q'`` and ``x'`` (-127 to 127, scaled per
vector),

    |q.x - q'.x'| <= |x - x'| + |q - q'| |x'|

so rows further below the k-th best than the largest of these bounds need no exact product. A pass
over 100,000 rows of 384 takes 1.5 ms on one core, the exact product 7. Needs ``simsimd`` (extra
``fast``, part of ``local``); without it every product is exact.
"""

import importlib.util
from collections.abc import Sequence
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.errors import InputError
from graphrag.index.arrays import ArrayFile
from graphrag.index.columns import Column, RowMatrix, Shared
from graphrag.index.cosines import Cosines, Product, Rows
from graphrag.store.private import DamagedFileError

_WORTH_CODES = 5_000  # rows from which codes are made
_SHORTEST = 1e-15
"""Of what is shorter float32 loses the squares: a norm of 4e-22 would come out as one of 8e-23."""
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

    def exchange(self, file: ArrayFile, name: str, rows: int) -> None:
        """Write so many codes, or read them."""
        self._codes.exchange(file, name, rows)
        self._scale.exchange(file, f"{name}.scale", rows)
        [self._most_lost] = file.numbers(f"{name}.lost", np.array([self._most_lost]), 1).tolist()
        if not (np.isfinite(self._scale.values).all() and 0 <= self._most_lost <= 1):
            raise DamagedFileError(f"{name} has what is no number")

    def __len__(self) -> int:
        return len(self._scale.values)

    def extend(self, units: NDArray[np.float32]) -> None:
        """Append the codes of unit vectors."""
        if len(units) > BLOCK:
            self._codes.reserve(len(self._codes) + len(units))
        for start in range(0, len(units), BLOCK):
            codes, scale, lost = _coded(units[start : start + BLOCK])
            self._codes.extend(codes)
            self._scale.extend(scale)
            self._most_lost = max(self._most_lost, float(lost.max(initial=0.0)))

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


class Vectors(Shared):
    """Hold one vector of a fixed dimension per row and compare them all with a query.

    Several threads may search at once, and any may make the codes; who changes rows is alone.
    """

    def __init__(self, dimension: int, *, worth_codes: int = _WORTH_CODES) -> None:
        self.dimension, self._worth_codes = dimension, worth_codes
        self._units: RowMatrix[np.float32] = RowMatrix(dimension, np.float32)
        self._codes: Codes | None = None

    def share(self) -> Self:
        """Return the same rows in the same memory, which each of both changes apart."""
        self.prepare()
        return super().share()

    def exchange(self, file: ArrayFile, name: str, rows: int) -> None:
        """Write so many vectors and their codes, or read both."""
        if not file.reads:
            self.prepare()
        coded = available() and file.has(f"{name}.codes", self._codes is not None)
        self._units.exchange(file, name, rows, picked=coded)  # without codes all rows are read
        if coded:
            self._codes = Codes(self.dimension) if self._codes is None else self._codes
            self._codes.exchange(file, f"{name}.codes", rows)

    def __len__(self) -> int:
        return len(self._units)

    @property
    def values(self) -> NDArray[np.float32]:
        """Return all rows; a copy of them where a file holds the first."""
        return self._units[:]

    def reserve(self, rows: int) -> None:
        """Have room for so many rows in all."""
        self._units.reserve(rows)

    def extend(self, matrix: ArrayLike) -> None:
        """Add one row per vector, scaled to norm 1."""
        added, norms = _checked(matrix, self.dimension)
        self._units.extend(added / norms)
        if self._codes is not None:
            self._codes.extend(self._units[len(self._codes) :])

    def replace(self, row: int, vector: ArrayLike) -> None:
        """Give a row another vector, scaled to norm 1."""
        self._put(row, self._unit(vector))

    def blank(self, row: int) -> None:
        """Let a row be like nothing: its vector is missing or damaged where it is stored."""
        self._put(row, 0)

    def _put(self, row: int, unit: NDArray[np.float32] | int) -> None:
        self._units[row] = unit
        if self._codes is not None:
            self._codes.replace(row, self._units[row : row + 1][0])

    def rows(self, rows: ArrayLike) -> NDArray[np.float32]:
        """Copy the vectors of some rows, in the order asked for."""
        return self._units[np.asarray(rows, dtype=np.intp)]

    def scores(self, query: ArrayLike) -> NDArray[np.float32]:
        """Return the cosine of the query with every row."""
        return _exact(self._units, self._unit(query))(slice(0, len(self)))

    def compare(self, query: ArrayLike) -> Cosines:
        """Return the cosines of the query with every row, exact where they are asked for."""
        unit = self._unit(query)
        self.prepare()
        codes = self._codes  # which another search may exchange
        rough = () if codes is None else codes.against(unit)
        return Cosines(len(self), _exact(self._units, unit), *rough)

    def prepare(self) -> None:
        """Make the codes, when there are rows enough for them."""
        if self._codes is None and len(self) >= self._worth_codes and available():
            codes = Codes(self.dimension)
            codes.extend(self._units[:])
            self._codes = codes

    def _unit(self, vector: ArrayLike) -> NDArray[np.float32]:
        rows, norms = _checked(np.asarray(vector)[np.newaxis], self.dimension)
        return np.asarray(rows[0] / norms[0])


def from_bytes(blobs: Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    """Read stored vectors of this dimension, one row each, as little-endian float32."""
    # One join and one reinterpretation: a loop over rows would cost more than reading them.
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dimension)


def norms_of(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the length of each row, 0 of one that is too short to differ from nothing."""
    norms: NDArray[np.float32] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    norms[norms < _SHORTEST] = 0
    return norms


def _exact(units: RowMatrix[np.float32], unit: NDArray[np.float32]) -> Product:
    def product(rows: Rows) -> NDArray[np.float32]:
        parts = units.parts(rows) if isinstance(rows, slice) else [units[rows]]
        products = [np.einsum("ij,j->i", part, unit) for part in parts]
        return products[0] if len(products) == 1 else np.concatenate(products)

    return product


def _checked(matrix: ArrayLike, dimension: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    # A number beyond float32 becomes infinite here and is refused below, without a warning.
    with np.errstate(over="ignore"):
        rows = np.asarray(matrix, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != dimension:
        got = rows.shape[1] if rows.ndim == 2 else f"an array of shape {rows.shape}"
        raise InputError(f"vector: expected dimension {dimension}, got {got}")
    norms = norms_of(rows)
    bad = np.flatnonzero(~(np.isfinite(norms) & (norms > 0)))
    if bad.size:
        row = int(bad[0])
        raise InputError(
            f"vector {row}: expected finite numbers and a norm of 1e-15 or more, "
            f"got norm {norms[row]}"
        )
    return rows, norms[:, np.newaxis]
