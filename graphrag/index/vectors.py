"""Unit vectors of one group in one float32 matrix, with exact top-k by cosine.

A filter is a mask on the product with the whole matrix. With many rows, two prefilters reduce what
the product reads: ``int8.py``, which changes no result, and ``coarse.py``, which rests on a
measured assumption.

The product is an ``einsum``, not BLAS, in blocks shared by two threads (``parallel.py``). 100,000
rows of 384 numbers on two cores, p50 / p95 in ms, numpy 2.4, OpenBLAS 0.3.31: blocks 4.2 / 4.8, one
``einsum`` 6.2 / 6.9, BLAS on two threads 5.9 / 6.3; beside two busy processes 8.4 / 12.4, 9.0 /
14.8 and 15.0 / 19.0.
"""

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.errors import InputError
from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import RowMatrix
from graphrag.index.cosines import Cosines
from graphrag.index.int8 import Codes, available
from graphrag.index.parallel import Product, Rows, Shared

if TYPE_CHECKING:
    from graphrag.index.coarse import Coarse  # loaded when there are rows enough for it

_WORTH_CODES = 5_000
_WORTH_COARSE = 200_000
"""Rows: with half of them, what the pass saves is lost again on the rows that it leaves."""
_FEW = 50
"""A rough cosine costs so many times less than an exact one."""
_SHORTEST = 1e-15
"""Of what is shorter float32 loses the squares: a norm of 4e-22 would come out as one of 8e-23."""


class Vectors:
    """Hold one vector of a fixed dimension per row and compare them all with a query.

    Several threads may search at once, and any of them may make the codes, which are filled before
    they are seen. Whoever changes rows is alone meanwhile.
    """

    def __init__(
        self,
        dimension: int,
        *,
        worth_codes: int = _WORTH_CODES,
        worth_coarse: int = _WORTH_COARSE,
    ) -> None:
        """Hold none yet; from so many rows on, rough passes and coarse ones before them pay."""
        self.dimension = dimension
        self._worth_codes = worth_codes
        self._worth_coarse = worth_coarse
        self._units: RowMatrix[np.float32] = RowMatrix(dimension, np.float32)
        self._codes: Codes | None = None
        self._coarse: Coarse | None = None

    def share(self) -> "Vectors":
        """Return the same rows in the same memory, which each of both changes apart."""
        self.prepare()
        other = copy.copy(self)
        other._units = self._units.share()
        other._codes = None if self._codes is None else self._codes.share()
        other._coarse = None if self._coarse is None else self._coarse.share()
        return other

    def save(self, out: ArrayWriter, name: str) -> None:
        """Lend the vectors and their codes to what is to be written."""
        self.prepare()
        out.lend(name, *self._units.lend())
        if self._codes is not None:
            self._codes.save(out, f"{name}.codes")
        if self._coarse is not None:
            self._coarse.save(out, f"{name}.coarse")
            out.put(f"{name}.coarse.again", [self._worth_coarse], np.int64)

    def load(self, arrays: ArrayReader, name: str, rows: int) -> None:
        """Take over so many vectors."""
        # Without codes there are passes over all of them.
        self._units.load(arrays, name, rows, picked=available() and f"{name}.codes" in arrays)
        if not available():  # where the file was written they could be used
            return
        if f"{name}.codes" in arrays:
            self._codes = Codes(self.dimension)
            self._codes.load(arrays, f"{name}.codes", rows)
        if f"{name}.coarse" in arrays:
            from graphrag.index.coarse import Coarse

            self._coarse = Coarse(self.dimension)
            self._coarse.load(arrays, f"{name}.coarse", rows)
            again = arrays.numbers(f"{name}.coarse.again", np.int64, 1, within=range(1 << 48))
            [self._worth_coarse] = again.tolist()

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._units)

    def __repr__(self) -> str:
        """Show the shape."""
        return f"Vectors({len(self)} rows, dimension {self.dimension})"

    @property
    def values(self) -> NDArray[np.float32]:
        """Return all rows; a copy of them where a file holds the first."""
        return self._units[:]

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory; spare room costs none until it is used."""
        return self._units.nbytes + sum(codes.nbytes for codes in self._made())

    def reserve(self, rows: int) -> None:
        """Have room for so many rows in all."""
        self._units.reserve(rows)

    def extend(self, matrix: ArrayLike) -> None:
        """Add one row per vector, scaled to norm 1."""
        added, norms = _checked(matrix, self.dimension)
        self._units.extend(added / norms)
        for codes in self._made():
            codes.extend(self._units[len(codes) :])

    def append(self, vector: ArrayLike) -> int:
        """Add one vector, scaled to norm 1, and return its row."""
        self.extend(np.asarray(vector)[np.newaxis])
        return len(self) - 1

    def replace(self, row: int, vector: ArrayLike) -> None:
        """Give a row another vector, scaled to norm 1."""
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        self._put(row, self._unit(vector))

    def blank(self, row: int) -> None:
        """Let a row be like nothing: its vector is missing or damaged where it is stored."""
        self._put(row, 0)

    def _put(self, row: int, unit: NDArray[np.float32] | int) -> None:
        self._units[row] = unit
        [now] = self._units[row : row + 1]
        for codes in self._made():
            codes.replace(row, now)

    def rows(self, rows: ArrayLike) -> NDArray[np.float32]:
        """Copy the vectors of some rows, in the order asked for."""
        return self._units[np.asarray(rows, dtype=np.intp)]

    def scores(self, query: ArrayLike) -> NDArray[np.float32]:
        """Return the cosine of the query with every row."""
        return Shared(_exact(self._units, self._unit(query)), len(self)).result()

    def compare(self, query: ArrayLike, among: NDArray[np.bool_] | None = None) -> Cosines:
        """Return the cosines of the query with every row, exact where they are asked for.

        They are begun at once on another thread, so ask early and look late. If nothing but a few
        rows will be asked for, the others are left out until they are.
        """
        unit = self._unit(query)
        if (
            among is not None
            and len(among) > self._worth_codes
            and _FEW * np.count_nonzero(among) < len(among)
        ):
            cosines = Cosines(len(self), _exact(self._units, unit), lazy=True)
            cosines.at(np.flatnonzero(among))
            return cosines
        self.prepare()
        codes, coarse = self._codes, self._coarse  # which another search may exchange
        if codes is None:
            return Cosines(len(self), _exact(self._units, unit))
        product, slack = codes.against(unit)
        ceiling = None if coarse is None else coarse.against(unit)
        return Cosines(len(self), _exact(self._units, unit), product, slack, ceiling)

    def prepare(self) -> None:
        """Make what rough passes go by, when there are rows enough for one."""
        if self._codes is None and len(self) >= self._worth_codes and available():
            codes = Codes(self.dimension)
            codes.extend(self._units[:])
            self._codes = codes
        if len(self) >= self._worth_coarse and self._codes is not None:
            from graphrag.index.coarse import Coarse

            self._coarse = Coarse.of(self._units[:])
            self._worth_coarse = 2 * len(self)  # when half of the rows are others

    def _made(self) -> "list[Codes | Coarse]":
        return [codes for codes in (self._codes, self._coarse) if codes is not None]

    def _unit(self, vector: ArrayLike) -> NDArray[np.float32]:
        row = np.asarray(vector)[np.newaxis]
        if row.dtype == np.float32 and row.shape == (1, self.dimension):
            norms = np.sqrt(np.einsum("ij,ij->i", row, row))
            if _SHORTEST <= norms[0] < np.inf:  # checked at every search, without the rest of it
                return np.asarray(row[0] / norms)
        rows, norms = _checked(row, self.dimension)
        return np.asarray(rows[0] / norms[0])


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
