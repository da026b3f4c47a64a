"""Row ids: 16 bytes each in the mapped file, texts for newer rows.

In a dict an id takes 140 bytes: a fifth of the process at a million facts, and 0.5 s per opening.
Bisection takes 2 µs instead of 0.1, for the few that are looked up.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import compress
from typing import Final, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter

Halves = tuple[NDArray[np.uint64], NDArray[np.uint64]]
"""The first eight bytes of each id, and the last eight."""

_LETTERS: Final = 36
_DASHES: Final = (8, 13, 18, 23)
"""Where they are in an id as text."""
_LOW: Final = (1 << 64) - 1


class RowOf(Mapping[str, int]):
    """The row of each id that lives."""

    def __init__(self) -> None:
        """Know none yet."""
        self.rest: dict[str, int] = {}
        """Of the ids that are texts."""
        self._first = _NONE
        self._any = False
        """Whether a file has ids: most groups are asked for many, and have none."""
        self.alive: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        """Which of the first ids live."""

    def take(self, first: "_Numbered", alive: NDArray[np.bool_]) -> None:
        """Take over the first rows, of which some are dead."""
        self._first, self._any, self.alive = first, len(first) > 0, alive.copy()

    def copy(self) -> "RowOf":
        """Return the same rows, to be changed apart."""
        other = RowOf()
        other.rest = dict(self.rest)
        other.take(self._first, self.alive)
        return other

    def __len__(self) -> int:
        """Count the ids that live."""
        return int(np.count_nonzero(self.alive)) + len(self.rest)

    def __iter__(self) -> Iterator[str]:
        """Yield them in the order of their rows."""
        yield from compress(self._first, self.alive.tolist())
        yield from self.rest

    def __getitem__(self, id_: str) -> int:
        """Return the row of an id."""
        row = self.rest.get(id_)
        if row is None and (row := self._numbered(id_)) is None:
            raise KeyError(id_)
        return row

    def __contains__(self, id_: object) -> bool:
        """Tell whether an id lives."""
        return id_ in self.rest or (isinstance(id_, str) and self._numbered(id_) is not None)

    def _numbered(self, id_: str) -> int | None:
        """Return the row of an id that a file has."""
        rows = self._first.rows(id_) if self._any else ()
        return next((row for row in rows if self.alive[row]), None)

    def pop(self, id_: str) -> int:
        """Let an id die, and return what was its row."""
        row = self[id_]
        if self.rest.pop(id_, None) is None:
            self.alive[row] = False
        return row


class Ids(Sequence[str]):
    """The id of each row, dead ones too."""

    def __init__(self, *, lean: bool = False) -> None:
        """Hold none yet; ``lean``: in a file they are numbers, and stay there."""
        self._lean = lean
        self._first = _NONE
        self._rest: list[str] = []
        self.row_of = RowOf()

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the ids be written: as numbers, if all are UUIDs."""
        rest = _numbers(self._rest) if self._lean else None
        if rest is None:
            out.texts(name, self)
            return
        for half, first, added in zip(("high", "low"), self._first.halves, rest, strict=True):
            out.lend(f"{name}.{half}", first.view(np.int64), added.view(np.int64))

    def load(self, arrays: ArrayReader, name: str) -> None:
        """Take over the ids of all rows; ``live`` follows."""
        if f"{name}.high" not in arrays:
            self._rest = arrays.texts(name)
            return
        high = arrays.array(f"{name}.high", np.int64, -1)
        low = arrays.array(f"{name}.low", np.int64, len(high))
        self._first = _Numbered(high.view(np.uint64), low.view(np.uint64))

    def live(self, alive: NDArray[np.bool_]) -> bool:
        """Note which of the rows that were loaded live, and tell whether these all differ."""
        first = len(self._first)
        self.row_of.take(self._first, alive[:first])
        numbered = zip(self._rest, range(first, len(self)), strict=True)
        kept = alive[first:]
        self.row_of.rest = dict(numbered if kept.all() else compress(numbered, kept.tolist()))
        differ = len(self.row_of.rest) == np.count_nonzero(kept)
        return differ and self._first.differ(alive[:first])

    @property
    def numbered(self) -> bool:
        """Tell whether a file has some of them, as numbers."""
        return self.row_of._any

    def filed(self, id_: str) -> Iterator[int]:
        """Yield the rows of an id that a file has, dead ones too."""
        return self._first.rows(id_)

    def rows(self, ids: Collection[str]) -> NDArray[np.intp]:
        """Return the rows of those ids that live, in any order."""
        row_of, some = self.row_of, [*ids]
        numbers = _numbers(some) if row_of._any else None
        if numbers is None:
            found = (row_of.get(id_) for id_ in some)
            return np.array([row for row in found if row is not None], dtype=np.intp)
        filed = self._first.rows_of(*numbers)
        rest = row_of.rest
        late = (rest[id_] for id_ in some if id_ in rest) if rest else ()
        return np.concatenate((filed[row_of.alive[filed]], np.fromiter(late, np.intp)))

    def leave(self, rows: NDArray[np.intp]) -> None:
        """Let the ids of some rows die."""
        first = len(self._first)
        self.row_of.alive[rows[rows < first]] = False
        for row in rows[rows >= first].tolist():
            del self.row_of.rest[self._rest[row - first]]

    def copy(self) -> "Ids":
        """Return the same ids, to be changed apart."""
        other = Ids(lean=self._lean)
        other._first, other._rest, other.row_of = self._first, [*self._rest], self.row_of.copy()
        return other

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._first) + len(self._rest)

    @overload
    def __getitem__(self, row: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: SupportsIndex | slice) -> str | list[str]:
        """Return the id of a row, or those of several."""
        if not self.row_of._any:  # as quick as a list, which it is
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


class _Numbered:
    """Ids as numbers of sixteen bytes, which nobody changes."""

    def __init__(self, high: NDArray[np.uint64], low: NDArray[np.uint64]) -> None:
        self.halves: Halves = high, low
        rising = bool((high[1:] >= high[:-1]).all())
        self._order = None if rising else np.argsort(high, kind="stable")
        self._sorted = high if self._order is None else high[self._order]
        # Their numbers are those of Python, which are compared quicker.
        self._high: memoryview[int] = high.data
        self._low: memoryview[int] = low.data
        self._keys: memoryview[int] = self._sorted.data

    def __len__(self) -> int:
        return len(self._high)

    def __getitem__(self, row: int) -> str:
        text = f"{self._high[row] << 64 | self._low[row]:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def rows(self, id_: str) -> Iterator[int]:
        """Yield the rows of an id."""
        try:
            number = int(id_.replace("-", ""), 16)
        except ValueError:
            return
        high, low = number >> 64, number & _LOW
        for at in range(bisect_left(self._keys, high), len(self)):
            if self._keys[at] != high:
                return
            row = at if self._order is None else int(self._order[at])
            # The text, too: it may be no id, or one that is written otherwise.
            if self._low[row] == low and self[row] == id_:
                yield row

    def rows_of(self, high: NDArray[np.uint64], low: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return the rows of those of many ids that are here."""
        place, found = self._sorted.searchsorted(high), [np.empty(0, dtype=np.intp)]
        while len(place):  # one step for each id of the most that have the same first half
            here = place < len(self)
            here[here] = self._sorted[place[here]] == high[here]
            place, high, low = place[here], high[here], low[here]
            rows = place if self._order is None else self._order[place]
            found.append(rows[self.halves[1][rows] == low])
            place = place + 1
        return np.concatenate(found)

    def differ(self, alive: NDArray[np.bool_]) -> bool:
        """Tell whether no two rows that live have one id."""
        if (self._sorted[1:] > self._sorted[:-1]).all():
            return True
        high, low = (half[alive] for half in self.halves)
        order = np.lexsort((low, high))
        high, low = high[order], low[order]
        return not ((high[1:] == high[:-1]) & (low[1:] == low[:-1])).any()


_NONE: Final = _Numbered(np.empty(0, np.uint64), np.empty(0, np.uint64))


def _numbers(ids: Sequence[str]) -> Halves | None:
    """Return ids as numbers; None if one of them is no UUID as UUIDs are written."""
    whole = "".join(ids)
    if not whole.isascii() or not {*map(len, ids)} <= {_LETTERS}:
        return None
    letters = np.frombuffer(whole.encode(), np.uint8).reshape(-1, _LETTERS)
    if not (letters[:, _DASHES] == ord("-")).all():
        return None
    digits = np.delete(letters, _DASHES, axis=1).tobytes().decode()
    try:
        numbers = bytes.fromhex(digits)
    except ValueError:
        return None
    if numbers.hex() != digits:
        return None
    high, low = np.frombuffer(numbers, ">u8").reshape(-1, 2).T.astype(np.uint64)
    return high, low
