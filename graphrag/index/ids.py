"""Ids of rows: one array of bytes in the mapped file, texts for newer rows.

In a dict an id takes 140 bytes: a fifth of the process at a million facts, and 0.5 s per opening.
Bisection takes 1 µs instead of 0.1, for the few that are looked up.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import lt
from typing import Final, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayFile
from graphrag.index.columns import Column, Shared
from graphrag.index.entries import ranges
from graphrag.store.private import DamagedFileError

_WIDEST: Final = 64
"""Bytes of an id up to which all of them are written as wide as the widest."""


class Ids(Shared, Sequence[str]):
    """The id of each row, dead ones too, and which rows live."""

    def __init__(self) -> None:
        self._first = _NONE
        self._rest: list[str] = []
        """The ids of the rows that are not in a file."""
        self._later: dict[str, int] = {}
        """The row of each of these that lives."""
        self.ascend = True
        """Each id is larger than the one before."""
        self.alive = Column(np.bool_)

    def exchange(self, file: ArrayFile, name: str) -> None:
        """Write the ids, as one array unless some are odd or very long, or read them."""
        self.alive.exchange(file, f"{name}.alive")
        rest, count = [*self._rest], len(self.alive)
        usual = (id_.isascii() and len(id_) <= _WIDEST and id_[-1:] != "\0" for id_ in rest)
        if not file.has(f"{name}.coded", all(usual)):
            rest = file.strings(f"{name}.texts", self, count)
            coded = _NONE.ids
        else:
            coded = np.concatenate((self._first.ids, np.array([*map(str.encode, rest)], np.bytes_)))
            flat = file.numbers(f"{name}.coded", coded.view(np.uint8), within=range(128))
            if len(flat) % max(count, 1) or not count <= len(flat) <= count * _WIDEST:
                raise DamagedFileError(f"{name} has {count} ids in {len(flat)} bytes")
            coded = flat.view(f"S{len(flat) // count}") if count else _NONE.ids
        if file.reads:
            self._load(name, coded, rest)

    def _load(self, name: str, coded: NDArray[np.bytes_], rest: list[str]) -> None:
        self._first, self._rest = _FiledIds(coded), rest
        first, alive = len(coded), self.alive.values
        self.ascend = self._first.ascend and all(map(lt, rest, rest[1:]))
        numbered = zip(rest, range(first, len(self)), strict=True)
        self._later = dict(compress(numbered, alive[first:].tolist()))
        differ = len(self._later) == np.count_nonzero(alive[first:])
        if not (differ and self._first.differ(alive[:first])):
            raise DamagedFileError(f"{name} has two rows of one id")

    @property
    def row_of(self) -> "RowOf":
        """The row of each id that lives."""
        return RowOf(self)

    def row(self, id_: str) -> int | None:
        """Return the row of an id that lives."""
        row = self._later.get(id_)
        if row is None and len(self._first):
            alive = self.alive.values
            row = next((row for row in self._first.rows(id_) if alive[row]), None)
        return row

    def rows_of(self, id_: str) -> Iterator[int]:
        """Yield the rows of an id, those dead too that a file has."""
        yield from self._first.rows(id_)
        if (row := self._later.get(id_)) is not None:
            yield row

    def rows(self, ids: Collection[str]) -> NDArray[np.intp]:
        """Return the rows of those ids that live, in any order."""
        late = np.array([self._later[id_] for id_ in ids if id_ in self._later], dtype=np.intp)
        filed = self._first.rows_of(ids)
        return np.concatenate((filed[self.alive.values[filed]], late))

    def leave(self, rows: NDArray[np.intp]) -> None:
        """Let the ids of some rows die."""
        self.alive[rows] = False
        first = len(self._first)
        for row in rows[rows >= first].tolist():
            del self._later[self._rest[row - first]]

    def __len__(self) -> int:
        return len(self._first) + len(self._rest)

    @overload
    def __getitem__(self, row: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: SupportsIndex | slice) -> str | list[str]:
        if not len(self._first):  # as quick as a list, which it is
            return self._rest[row]
        if isinstance(row, slice):
            return [self[number] for number in range(*row.indices(len(self)))]
        place = range(len(self))[row]
        late = place - len(self._first)
        return self._first[place] if late < 0 else self._rest[late]

    def __iter__(self) -> Iterator[str]:
        yield from map(self._first.__getitem__, range(len(self._first)))
        yield from self._rest

    def extend(self, ids: Sequence[str]) -> None:
        """Add rows, which live."""
        first = len(self)
        last = [self[first - 1]] if first else []
        self.ascend = self.ascend and all(map(lt, [*last, *ids], ids[1 - len(last) :]))
        self._rest.extend(ids)
        self._later.update(zip(ids, range(first, first + len(ids)), strict=True))
        self.alive.extend(np.ones(len(ids), dtype=np.bool_))


class RowOf(Mapping[str, int]):
    """The row of each id that lives."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids

    def __len__(self) -> int:
        return int(np.count_nonzero(self._ids.alive.values))

    def __iter__(self) -> Iterator[str]:
        return compress(self._ids, self._ids.alive.values.tolist())

    def __getitem__(self, id_: str) -> int:
        if (row := self._ids.row(id_)) is None:
            raise KeyError(id_)
        return row

    def __contains__(self, id_: object) -> bool:
        return isinstance(id_, str) and self._ids.row(id_) is not None


class _FiledIds:
    """Ids of a file, which nobody changes."""

    def __init__(self, ids: NDArray[np.bytes_]) -> None:
        self.ids = ids
        self.ascend = bool((ids[1:] > ids[:-1]).all())
        self._order = None if self.ascend else np.argsort(ids, kind="stable")
        self._sorted = ids if self._order is None else ids[self._order]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, row: int) -> str:
        return str(self.ids[row], "ascii")

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
        # A zero at the end is lost in an array of bytes.
        return id_.isascii() and len(id_) <= self.ids.itemsize and id_[-1:] != "\0"

    def differ(self, alive: NDArray[np.bool_]) -> bool:
        """Tell whether no two rows that live have one id."""
        living = self.ids[alive]
        return self._order is None or len(np.unique(living)) == len(living)


_NONE: Final = _FiledIds(np.empty(0, np.bytes_))
