"""The searchable rows of one kind in one group: ids, vectors, words and typed columns side by side.

A row keeps its number for life: removal only marks it dead, so that columns of other scopes may
point at it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.bm25 import BM25Index
from graphrag.index.columns import Column, Shared
from graphrag.index.lazy import AsideColumn
from graphrag.index.row_ids import Ids, RowOf
from graphrag.index.vectors import Vectors
from graphrag.protocols import Matrix
from graphrag.store.cache_file import DamagedFileError

Array = npt.NDArray[Any]
Columns = Mapping[str, type[np.generic]]

ENTITIES: Columns = {"type": np.int32, "removed": np.int64, "endings": np.bool_}
FACTS: Columns = {
    "subject": np.int32,
    "object": np.int32,
    "relation": np.int32,
    "valid": np.int64,
    "invalid": np.int64,
    "retracted": np.int64,
    "pending": np.bool_,
    "observed": np.bool_,
}
EPISODES: Columns = {
    "valid": np.int64,
    "removed": np.int64,
    "saga": np.int32,
    "message": np.bool_,
    "asks": np.bool_,
    "own": np.bool_,
    "figures": np.bool_,
}
PASSAGES: Columns = {"episode": np.int32}
COMMUNITIES: Columns = {}


class Scope(Shared):
    """Rows that can be ranked by meaning and by words, and masked by columns."""

    def __init__(self, dimension: int, columns: Columns, *, lean: bool = False) -> None:
        self.ids = Ids(lean=lean)
        self.alive = Column(np.bool_)
        self.vectors = Vectors(dimension)
        self.postings = BM25Index()
        self.columns = {name: Column(dtype) for name, dtype in columns.items()}
        self.aside: dict[str, AsideColumn] = {}
        """Columns that are read when a filter asks for them."""
        self.spread: float | None = None
        """How much the cosines of all rows differ, where only a part of them is here."""
        self.version = 0
        """Another number after every change of the rows or their columns."""

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the rows be written."""
        self.ids.save(out, f"{name}.ids")
        out.put(f"{name}.alive", self.alive.values, np.bool_)
        self.vectors.save(out, f"{name}.vectors")
        self.postings.save(out, f"{name}.words")
        for field, column in self.columns.items():
            out.put(f"{name}.{field}", column.values, column.dtype)
        out.texts(f"{name}.aside", self.aside)
        for field, lazy in self.aside.items():
            lazy.save(out, f"{name}.aside.{field}")

    def load(self, arrays: ArrayReader, name: str, within: Mapping[str, range]) -> None:
        """Take over rows; ``within`` has the bounds of the columns that number something."""
        self.ids.load(arrays, f"{name}.ids")
        rows = len(self.ids)
        alive = arrays.array(f"{name}.alive", np.bool_, rows)
        self.alive.take(alive)
        if not self.ids.live(alive):
            raise DamagedFileError(f"{name} has two rows of one id")
        self.vectors.load(arrays, f"{name}.vectors", rows)
        self.postings.load(arrays, f"{name}.words", rows)
        for field, column in self.columns.items():
            values = arrays.array(f"{name}.{field}", column.dtype, rows)
            if field in within:
                arrays.numbers(f"{name}.{field}", column.dtype, rows, within=within[field])
            column.take(values)
        for field in arrays.texts(f"{name}.aside"):
            self.aside[field] = AsideColumn.load(arrays, f"{name}.aside.{field}", field, rows)

    def __len__(self) -> int:
        """Count the rows, dead ones too."""
        return len(self.ids)

    @property
    def row_of(self) -> RowOf:
        """The row of each id that lives."""
        return self.ids.row_of

    def __getitem__(self, name: str) -> Array:
        """Return a column's values, one per row."""
        return self.columns[name].values

    def extend(
        self,
        ids: Sequence[str],
        vectors: Matrix,
        texts: Sequence[str],
        columns: Mapping[str, Sequence[object] | Array],
    ) -> None:
        """Append rows; all arguments have one entry per row."""
        self.version += 1
        self.vectors.extend(vectors)
        self.postings.extend(texts)
        for name, column in self.columns.items():
            column.extend(np.asarray(columns[name], dtype=column.dtype))
        self.alive.extend(np.ones(len(ids), dtype=np.bool_))
        self.ids.extend(ids)

    def replace(
        self, id_: str, vector: Matrix | None = None, text: str | None = None, **columns: int
    ) -> None:
        """Change what is given of one row."""
        row = self.row_of[id_]
        self.version += 1
        if vector is not None:
            self.vectors.replace(row, vector)
        if text is not None:
            self.postings.replace(row, text)
        for name, value in columns.items():
            self.columns[name][row] = value

    def remove(self, id_: str) -> None:
        """Take one row out of every ranking."""
        row = self.row_of.pop(id_)
        self.version += 1
        self.alive[row] = False
        self.postings.remove(row)

    def leave(self, ids: Collection[str]) -> None:
        """Take many rows out of every ranking at once; those that are not there are left out."""
        rows = self.ids.rows(ids)
        self.version += 1
        self.alive[rows] = False
        self.ids.leave(rows)
        self.postings.leave(rows)
