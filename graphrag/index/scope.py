"""The searchable rows of one kind in one group: ids, vectors, words and typed columns side by side.

A row keeps its number for life: removal only marks it dead, so that columns of other scopes may
point at it.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, get_args

import numpy as np

from graphrag.index.arrays import ANY, Array, ArrayFile
from graphrag.index.bm25 import BM25Index
from graphrag.index.columns import Column, Shared
from graphrag.index.ids import Ids, RowOf
from graphrag.index.vectors import Vectors
from graphrag.model.values import Origin, Source
from graphrag.protocols import Matrix
from graphrag.temporal.moment import to_micros

Columns = Mapping[str, type[np.generic]]
ColumnValues = Mapping[str, Sequence[object] | Array]

ENTITIES: Columns = {"type": np.int32, "removed": np.int64, "endings": np.bool_}
FACTS: Columns = {
    **dict.fromkeys(("subject", "object", "relation"), np.int32),
    **dict.fromkeys(("valid", "invalid", "retracted"), np.int64),
    **dict.fromkeys(("pending", "observed"), np.bool_),
}
EPISODES: Columns = {
    **dict.fromkeys(("valid", "removed"), np.int64),
    "saga": np.int32,
    **dict.fromkeys(("message", "asks"), np.bool_),
}
PASSAGES: Columns = {"episode": np.int32}
COMMUNITIES: Columns = {}

MISSING: Final = int(np.iinfo(np.int64).min)
"""Stands for no moment."""
Codec = tuple[type[np.generic], Any, Callable[[Any], Any]]
"""Type of a column, what it holds for no value, and how a value enters it."""


def _micros(value: datetime | str | int) -> int:
    if isinstance(value, int):
        return value
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return to_micros(moment, MISSING)


_MOMENT: Final[Codec] = (np.int64, MISSING, _micros)
_FLAG: Final[Codec] = (np.bool_, False, bool)
_CODECS: Final[dict[str, Codec]] = {
    **dict.fromkeys(("created_at", "expired_at", "reference_time"), _MOMENT),
    **dict.fromkeys(("as_given", "confirmed", "observed", "untyped"), _FLAG),
    "confidence": (np.float64, np.nan, float),
    "origin": (np.int8, -1, get_args(Origin).index),
    "source": (np.int8, -1, get_args(Source).index),
}


class AsideColumn(Shared):
    """One value a row, as of one event, read when a filter first asks for it (``read_aside``).

    What most rows lack, attributes and labels, has no codec and is kept by row.
    """

    def __init__(self, name: str, seq: int) -> None:
        self.name = name
        self.seq = seq  # of the newest event that is in here
        self._codec = _CODECS.get(name)
        self._dense = None if self._codec is None else Column(self._codec[0])
        self.sparse: dict[int, Any] = {}  # by row

    def exchange(self, file: ArrayFile, name: str, rows: int) -> None:
        """Write the values of so many rows, or read them."""
        self.seq = file.number(f"{name}.seq", self.seq)
        if self._dense is not None:
            self._dense.exchange(file, name)
            return
        places = file.integers(f"{name}.rows", self.sparse, within=range(rows))
        texts = file.strings(name, map(json.dumps, self.sparse.values()), len(places))
        if file.reads:
            self.sparse = dict(zip(places, map(json.loads, texts), strict=True))

    @property
    def moment(self) -> bool:
        """Tell whether it holds moments."""
        return self._codec is _MOMENT

    @property
    def is_sparse(self) -> bool:
        """Tell whether values are kept by row, of those that have one."""
        return self._codec is None

    def values(self, rows: int) -> Array:
        """Return the dense values of as many rows."""
        assert self._dense is not None and self._codec is not None
        if (more := rows - len(self._dense)) > 0:
            self._dense.extend(np.full(more, self._codec[1], dtype=self._codec[0]))
        return self._dense.values[:rows]

    def take(self, rows: Sequence[int], source: "AsideColumn", theirs: Sequence[int]) -> None:
        """Hold in rows what another column of the same name holds in some of its own."""
        if self._codec is None:
            self.fill(rows, [*map(source.sparse.get, theirs)])
        else:
            self._put(rows, source.values(max(theirs, default=-1) + 1)[[*theirs]])

    def fill(self, rows: Sequence[int], values: Sequence[Any]) -> None:
        """Put values, None for none; moments may come as microseconds."""
        if self._codec is not None:
            _, empty, encode = self._codec
            self._put(rows, [empty if value is None else encode(value) for value in values])
            return
        for row, value in zip(rows, values, strict=True):
            if value:
                self.sparse[row] = value
            else:
                self.sparse.pop(row, None)

    def _put(self, rows: Sequence[int], values: object) -> None:
        self.values(max(rows, default=-1) + 1)  # of which a view of the past may have the same
        if self._dense is not None:
            self._dense[np.array(rows, dtype=np.intp)] = values


class ScopeIndex(Shared):
    """Rows that can be ranked by meaning and by words, and masked by columns."""

    def __init__(self, dimension: int, columns: Columns) -> None:
        self.ids = Ids()
        self.vectors = Vectors(dimension)
        self.postings = BM25Index()
        self.columns = {name: Column(dtype) for name, dtype in columns.items()}
        self.aside: dict[str, AsideColumn] = {}
        """Columns that are read when a filter asks for them."""
        self.spread: float | None = None
        """How much the cosines of all rows differ, where only a part of them is here."""
        self.version = 0
        """Another number after every change of the rows or their columns."""

    def exchange(self, file: ArrayFile, name: str, within: Mapping[str, range]) -> None:
        """Write the rows, or read them; ``within`` bounds the columns that number something."""
        self.ids.exchange(file, f"{name}.ids")
        rows = len(self.ids)
        self.vectors.exchange(file, f"{name}.vectors", rows)
        self.postings.exchange(file, f"{name}.words", rows)
        for field, column in self.columns.items():
            column.exchange(file, f"{name}.{field}", rows, within.get(field, ANY))
        for field in file.strings(f"{name}.aside", self.aside):
            aside = self.aside.setdefault(field, AsideColumn(field, 0))
            aside.exchange(file, f"{name}.aside.{field}", rows)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def alive(self) -> Column[np.bool_]:
        """Which rows live."""
        return self.ids.alive

    @property
    def row_of(self) -> RowOf:
        """The row of each id that lives."""
        return self.ids.row_of

    def __getitem__(self, name: str) -> Array:
        return self.columns[name].values

    def extend(
        self, ids: Sequence[str], vectors: Matrix, texts: Sequence[str], columns: ColumnValues
    ) -> None:
        """Append rows; all arguments have one entry per row."""
        self.version += 1
        self.vectors.extend(vectors)
        self.postings.extend(texts)
        for name, column in self.columns.items():
            column.extend(np.asarray(columns[name], dtype=column.dtype))
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

    def blank(self, ids: Iterable[str]) -> None:
        """Rank rows by words alone: their stored vectors are missing or damaged."""
        for id_ in ids:
            self.vectors.blank(self.row_of[id_])

    def leave(self, ids: Collection[str]) -> None:
        """Take many rows out of every ranking at once; those that are not there are left out."""
        rows = self.ids.rows(ids)
        self.version += 1
        self.ids.leave(rows)
        self.postings.leave(rows)
