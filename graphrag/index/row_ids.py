"""Row ids: one array of bytes in the mapped file, texts for newer rows.

In a dict an id takes 140 bytes: a fifth of the process at a million facts, and 0.5 s per opening.
Bisection takes 1 µs instead of 0.1, for the few that are looked up.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Final, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import Column, Shared
from graphrag.index.entries import ranges

_WIDEST: Final = 64
"""Bytes of an id up to which all of them are written as wide as the widest."""


class RowOf(Shared, Mapping[str, int]):
    """The row of each id that lives."""

    def __init__(self) -> None:
        """Know none yet."""
        self.rest: dict[str, int] = {}
        """Of the ids that are texts."""
        self._first = _NONE
        self.alive = Column(np.bool_)
        """Which of the first ids live."""

    def take(self, first: "_FiledIds", alive: NDArray[np.bool_]) -> None:
        """Take over the first rows, of which some are dead."""
        self._first, self.alive = first, Column(np.bool_, alive)

    def __len__(self) -> int:
        """Count the ids that live."""
        return int(np.count_nonzero(self.alive.values)) + len(self.rest)

    def __iter__(self) -> Iterator[str]:
        """Yield them in the order of their rows."""
        yield from compress(self._first, self.alive.values.tolist())
        yield from self.rest

    def __getitem__(self, id_: str) -> int:
        """Return the row of an id."""
        row = self.rest.get(id_)
        if row is None and (row := self._filed(id_)) is None:
            raise KeyError(id_)
        return row

    def __contains__(self, id_: object) -> bool:
        """Tell whether an id lives."""
        return id_ in self.rest or (isinstance(id_, str) and self._filed(id_) is not None)

    def _filed(self, id_: str) -> int | None:
        """Return the row of an id that a file has."""
        if not len(self.alive):  # of most groups none
            return None
        return next((row for row in self._first.rows(id_) if self.alive.values[row]), None)

    def pop(self, id_: str) -> int:
        """Let an id die, and return what was its row."""
        row = self[id_]
        if self.rest.pop(id_, None) is None:
            self.alive[row] = False
        return row


class Ids(Shared, Sequence[str]):
    """The id of each row, dead ones too."""

    def __init__(self, *, lean: bool = False) -> None:
        """Hold none yet; ``lean``: what a file has of them stays there."""
        self._lean = lean
        self._first = _NONE
        self._rest: list[str] = []
        self.row_of = RowOf()

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the ids be written: as one array, unless some are odd or very long."""
        rest = [*self._rest]
        odd = not "".join(rest).isascii() or any(id_[-1:] == "\0" for id_ in rest)
        if odd or max(map(len, rest), default=0) > _WIDEST:
            out.texts(name, self)
        else:
            rows = np.concatenate((self._first.ids, np.array([*map(str.encode, rest)], np.bytes_)))
            out.lend(name, rows.view(np.uint8).reshape(len(rows), rows.itemsize))

    def load(self, arrays: ArrayReader, name: str) -> None:
        """Take over the ids of all rows; ``live`` follows."""
        if f"{name}.text" in arrays:
            self._rest = arrays.texts(name)
            return
        coded = arrays.numbers(name, np.uint8, -1, -1, within=range(128), rare=True)
        rows = coded.view(f"S{coded.shape[1]}")[:, 0] if coded.size else np.empty(0, "S1")
        self._first = _FiledIds(rows)
        if not self._lean:
            self._rest, self._first = [*self._first], _NONE

    def live(self, alive: NDArray[np.bool_]) -> bool:
        """Note which of the rows that were loaded live, and tell whether these all differ."""
        first = len(self._first)
        self.row_of.take(self._first, alive[:first])
        numbered = zip(self._rest, range(first, len(self)), strict=True)
        kept = alive[first:]
        self.row_of.rest = dict(compress(numbered, kept.tolist()))
        differ = len(self.row_of.rest) == np.count_nonzero(kept)
        return differ and self._first.differ(alive[:first])

    def rows_of(self, id_: str) -> Iterator[int]:
        """Yield the rows of an id, those dead too that a file has."""
        yield from self._first.rows(id_)
        if (row := self.row_of.rest.get(id_)) is not None:
            yield row

    def rows(self, ids: Collection[str]) -> NDArray[np.intp]:
        """Return the rows of those ids that live, in any order."""
        rest = self.row_of.rest
        late = np.array([rest[id_] for id_ in ids if id_ in rest], dtype=np.intp)
        filed = self._first.rows_of(ids)
        return np.concatenate((filed[self.row_of.alive.values[filed]], late))

    def leave(self, rows: NDArray[np.intp]) -> None:
        """Let the ids of some rows die."""
        first = len(self._first)
        self.row_of.alive[rows[rows < first]] = False
        for row in rows[rows >= first].tolist():
            del self.row_of.rest[self._rest[row - first]]

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._first) + len(self._rest)

    @overload
    def __getitem__(self, row: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: SupportsIndex | slice) -> str | list[str]:
        """Return the id of a row, or those of several."""
        if not len(self._first):  # as quick as a list, which it is
            return self._rest[row]
        if isinstance(row, slice):
            return [self[number] for number in range(*row.indices(len(self)))]
        place = range(len(self))[row]
        late = place - len(self._first)
        return self._first[place] if late < 0 else self._rest[late]

    def __iter__(self) -> Iterator[str]:
        """Yield the id of every row."""
        yield from self._first
        yield from self._rest

    def extend(self, ids: Sequence[str]) -> None:
        """Add rows, which live."""
        first = len(self)
        self._rest.extend(ids)
        self.row_of.rest.update(zip(ids, range(first, first + len(ids)), strict=True))


class _FiledIds:
    """Ids of a file, which nobody changes."""

    def __init__(self, ids: NDArray[np.bytes_]) -> None:
        self.ids = ids
        self._order = None if (ids[1:] > ids[:-1]).all() else np.argsort(ids, kind="stable")
        self._sorted = ids if self._order is None else ids[self._order]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, row: int) -> str:
        return str(self.ids[row], "ascii")

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def rows(self, id_: str) -> Iterator[int]:
        """Yield the rows of an id."""
        if not self._may_have(id_):
            return
        coded = id_.encode()
        for at in range(int(self._sorted.searchsorted(coded)), len(self)):
            if self._sorted[at] != coded:
                return
            yield at if self._order is None else int(self._order[at])

    def rows_of(self, ids: Iterable[str]) -> NDArray[np.intp]:
        """Return the rows of those of many ids that are here."""
        coded = np.array([id_.encode() for id_ in ids if self._may_have(id_)], self.ids.dtype)
        firsts, stops = (self._sorted.searchsorted(coded, side) for side in ("left", "right"))
        places = ranges(firsts, stops - firsts)
        return places if self._order is None else self._order[places]

    def _may_have(self, id_: str) -> bool:
        """Tell whether an id is what bytes of these can be; a zero at the end is none of them."""
        return id_.isascii() and len(id_) <= self.ids.itemsize and id_[-1:] != "\0"

    def differ(self, alive: NDArray[np.bool_]) -> bool:
        """Tell whether no two rows that live have one id."""
        living = self.ids[alive]
        return self._order is None or len(np.unique(living)) == len(living)


_NONE: Final = _FiledIds(np.empty(0, np.bytes_))
