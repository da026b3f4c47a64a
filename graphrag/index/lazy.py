"""Columns that only filters ask for: not loaded with the group, but when one first asks.

They hold one value a row like the others, except that what most rows lack, attributes and labels,
is kept by row. Each remembers the number of the newest event that is in it; whoever asks for it
again brings it up to that of the group (``read_aside``).
"""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, get_args

import numpy as np
import numpy.typing as npt

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import Column, Shared
from graphrag.model.values import Origin, Source
from graphrag.temporal.moment import to_micros

MISSING: Final = int(np.iinfo(np.int64).min)
"""Stands for no moment."""
Codec = tuple[type[np.generic], Any, Callable[[Any], Any]]
"""Type of a column, what it holds for no value, and how a value enters it."""


def _micros(value: datetime | str) -> int:
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

_SEQS: Final = range(1 << 63)


class AsideColumn(Shared):
    """One value a row, as of one event; sparse for names that have no codec."""

    def __init__(self, name: str, seq: int) -> None:
        self.name = name
        self.seq = seq
        """Number of the newest event that is in here."""
        self._codec = _CODECS.get(name)
        self._dense = None if self._codec is None else Column(self._codec[0])
        self.sparse: dict[int, Any] = {}
        """Values by row, if they are sparse."""

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the values be written."""
        out.put(f"{name}.seq", [self.seq], np.int64)
        if self._dense is not None:
            out.put(name, self._dense.values, self._dense.dtype)
        else:
            out.put(f"{name}.rows", list(self.sparse), np.int64)
            out.texts(name, map(json.dumps, self.sparse.values()))

    @classmethod
    def load(cls, arrays: ArrayReader, path: str, name: str, rows: int) -> "AsideColumn":
        """Return what was written of a column of this name."""
        [seq] = arrays.numbers(f"{path}.seq", np.int64, 1, within=_SEQS).tolist()
        column = cls(name, seq)
        if column._dense is not None:
            column._dense.take(arrays.array(path, column._dense.dtype, -1))
        else:
            places = arrays.numbers(f"{path}.rows", np.int64, -1, within=range(rows))
            values = map(json.loads, arrays.texts(path, len(places)))
            column.sparse = dict(zip(places.tolist(), values, strict=True))
        return column

    @property
    def moment(self) -> bool:
        """Tell whether it holds moments."""
        return self._codec is _MOMENT

    @property
    def is_sparse(self) -> bool:
        """Tell whether values are kept by row, of those that have one."""
        return self._codec is None

    def values(self, rows: int) -> npt.NDArray[Any]:
        """Return the dense values of as many rows."""
        assert self._dense is not None and self._codec is not None
        if (more := rows - len(self._dense)) > 0:
            self._dense.extend(np.full(more, self._codec[1], dtype=self._codec[0]))
        return self._dense.values[:rows]

    def put(self, row: int, value: Any) -> None:
        """Hold another value in a row, None for none."""
        if self._codec is not None:
            _, empty, encode = self._codec
            self._put([row], empty if value is None else encode(value))
        elif value:
            self.sparse[row] = value
        else:
            self.sparse.pop(row, None)

    def copy(self, row: int, other: "AsideColumn", there: int) -> None:
        """Hold in a row what another column of the same name holds in one of its own."""
        if self._codec is None:
            self.put(row, other.sparse.get(there))
        else:
            self._put([row], other.values(there + 1)[there])

    def fill(self, rows: Sequence[int], values: Sequence[Any]) -> None:
        """Put many values, moments as microseconds."""
        if self._codec is None:
            self.sparse.update(
                (row, value) for row, value in zip(rows, values, strict=True) if value
            )
            return
        dtype, empty, encode = self._codec
        if not self.moment:
            values = [empty if value is None else encode(value) for value in values]
        self._put(rows, np.asarray(values, dtype=dtype))

    def _put(self, rows: Sequence[int], values: object) -> None:
        self.values(max(rows, default=-1) + 1)  # of which a view of the past may have the same
        if self._dense is not None:
            self._dense[np.array(rows, dtype=np.intp)] = values
