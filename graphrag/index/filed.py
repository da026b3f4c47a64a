"""Texts by a text or an id, left in the file that has them.

As dictionaries the names of 300,000 entities took 0.7 s of each opening and 150 MB, and a search
looks up a few of them. What changes is held in memory, instead of what the file has.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Protocol
from zlib import crc32

import numpy as np

from graphrag.index.arrays import ArrayReader, ArrayWriter, Texts, encoded
from graphrag.index.columns import Shared
from graphrag.index.row_ids import Ids
from graphrag.store.cache_file import DamagedFileError

Rows = Mapping[str, int]
"""The row of each id."""


class Filed(Protocol):
    """What a file has by some keys."""

    def find(self, key: str) -> tuple[str, ...]:
        """Return what belongs to a key, nothing if it is not here."""

    def items(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        """Yield each key with what belongs to it."""


class TextMap(Shared, Mapping[str, tuple[str, ...]]):
    """Some texts by each key; a key without any is not there."""

    def __init__(self) -> None:
        self._rest: dict[str, tuple[str, ...]] = {}
        """What has changed since the file was written, and all of it without one."""
        self._first: Filed | None = None

    def take(self, first: Filed) -> None:
        """Leave in the file what it has."""
        self._first = first

    def find(self, key: str) -> tuple[str, ...]:
        """Return the texts of a key, none if it has none."""
        texts = self._rest.get(key)
        if texts is None and self._first is not None:
            texts = self._first.find(key)
        return texts or ()

    def __getitem__(self, key: str) -> tuple[str, ...]:
        """Return the texts of a key that has some."""
        if texts := self.find(key):
            return texts
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        """Tell whether a key has texts."""
        return isinstance(key, str) and bool(self.find(key))

    def __setitem__(self, key: str, texts: tuple[str, ...]) -> None:
        """Give a key other texts, or none."""
        self._rest[key] = texts

    def add(self, key: str, text: str) -> None:
        """Add a text to those of a key, unless it is there."""
        if text not in (texts := self.find(key)):
            self[key] = (*texts, text)

    def discard(self, key: str, text: str) -> None:
        """Take a text from those of a key, if it is there."""
        if text in (texts := self.find(key)):
            self[key] = tuple(other for other in texts if other != text)

    def __iter__(self) -> Iterator[str]:
        """Yield the keys that have texts."""
        return (key for key, _ in self._each())

    def __len__(self) -> int:
        """Count the keys that have texts."""
        return sum(1 for _ in self._each())

    def _each(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each key with its texts, without looking them up."""
        if self._first is not None:
            yield from (item for item in self._first.items() if item[0] not in self._rest)
        yield from (item for item in self._rest.items() if item[1])

    def save_by_row(self, out: ArrayWriter, name: str, rows: Rows) -> None:
        """Let the texts be written by the rows of the ids that they belong to."""
        # An id that came back has two rows, its last counts.
        of_row: list[tuple[str, ...]] = [()] * (1 + max(rows.values(), default=-1))
        for id_, texts in self._each():
            of_row[rows[id_]] = texts
        out.texts(name, chain.from_iterable(of_row))
        out.put(f"{name}.bounds", np.cumsum([0, *map(len, of_row)]), np.int64)

    def save_ids(self, out: ArrayWriter, name: str, rows: Rows) -> None:
        """Let the texts, which are ids that have rows, be written by their keys."""
        hashed = sorted((crc32(encoded(key)), key, ids) for key, ids in self._each())
        of_key = [ids for _, _, ids in hashed]
        out.put(f"{name}.hashes", [code for code, _, _ in hashed], np.int64)
        out.texts(name, (key for _, key, _ in hashed))
        out.put(f"{name}.rows", [rows[id_] for id_ in chain(*of_key)], np.int32)
        out.put(f"{name}.bounds", np.cumsum([0, *map(len, of_key)]), np.int64)


class FiledTexts:
    """Texts of ids, by their rows."""

    def __init__(self, arrays: ArrayReader, name: str, ids: Ids) -> None:
        """Take over the texts of these ids."""
        self._ids, self._texts = ids, Texts(arrays, name)
        self.bounds = arrays.rising(f"{name}.bounds", len(ids) + 1, to=len(self._texts))
        """Where the texts of each row begin."""
        self.has = np.diff(self.bounds) > 0
        """Which rows have texts."""

    def find(self, key: str) -> tuple[str, ...]:
        """Return the texts of an id."""
        rows = self._ids.rows_of(key)
        return next((self._at(row) for row in rows if row < len(self.has) and self.has[row]), ())

    def items(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each id that has texts, with them."""
        return ((self._ids[row], self._at(row)) for row in np.flatnonzero(self.has).tolist())

    def _at(self, row: int) -> tuple[str, ...]:
        return tuple(map(self._texts.__getitem__, range(*self.bounds[row : row + 2].tolist())))


class FiledIds:
    """Ids by text, each text found by its hash, four bytes each in order, and then compared."""

    def __init__(self, arrays: ArrayReader, name: str, ids: Ids) -> None:
        """Take over the texts of which these are the ids."""
        self._ids = ids
        self._texts = Texts(arrays, name)
        hashes = arrays.array(f"{name}.hashes", np.int64, len(self._texts))
        if (hashes[1:] < hashes[:-1]).any():
            raise DamagedFileError(f"{name} is out of order")
        rows = arrays.numbers(f"{name}.rows", np.int32, -1, within=range(len(ids)))
        bounds = arrays.rising(f"{name}.bounds", len(self._texts) + 1, to=len(rows))
        self._hashes: memoryview[int] = hashes.data
        self._rows: memoryview[int] = rows.data
        self._bounds: memoryview[int] = bounds.data

    def find(self, key: str) -> tuple[str, ...]:
        """Return the ids of a text."""
        coded = encoded(key)
        code = crc32(coded)
        for place in range(bisect_left(self._hashes, code), len(self._texts)):
            if self._hashes[place] != code:
                break
            if self._texts.coded(place) == coded:
                return self._at(place)
        return ()

    def items(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each text with its ids."""
        return ((text, self._at(place)) for place, text in enumerate(self._texts))

    def _at(self, place: int) -> tuple[str, ...]:
        rows = self._rows[self._bounds[place] : self._bounds[place + 1]]
        return tuple(self._ids[row] for row in rows)
