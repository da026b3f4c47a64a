"""Texts by a text or an id, left in the file that has them.

As dictionaries the names of 300,000 entities took 0.7 s of each opening and 150 MB, and a search
looks up a few of them. What changes is held in memory, instead of what the file has.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayFile, Texts, bounds_of, encoded
from graphrag.index.columns import Shared
from graphrag.index.ids import Ids
from graphrag.store.private import DamagedFileError


class TextMap(Shared, Mapping[str, tuple[str, ...]]):
    """Some texts by each key; a key without any is not there."""

    def __init__(self) -> None:
        self._rest: dict[str, tuple[str, ...]] = {}
        """What has changed since the file was written, and all of it without one."""
        self._first: FiledTexts | FiledIds | None = None

    def find(self, key: str) -> tuple[str, ...]:
        """Return the texts of a key, none if it has none."""
        if (texts := self._rest.get(key)) is None and self._first is not None:
            texts = self._first.find(key)
        return texts or ()

    def __getitem__(self, key: str) -> tuple[str, ...]:
        if texts := self.find(key):
            return texts
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and bool(self.find(key))

    def __setitem__(self, key: str, texts: tuple[str, ...]) -> None:
        self._rest[key] = texts

    def add(self, key: str, text: str) -> None:
        """Add a text to those of a key, unless it is there."""
        if text not in (texts := self.find(key)):
            self[key] = (*texts, text)

    def discard(self, key: str, text: str) -> None:
        """Take a text from those of a key, if it is there."""
        if text in (texts := self.find(key)):
            self[key] = tuple(kept for kept in texts if kept != text)

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self._each())

    def __len__(self) -> int:
        return sum(1 for _ in self._each())

    def _each(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each key with its texts, without looking them up."""
        if self._first is not None:
            yield from (item for item in self._first.items() if item[0] not in self._rest)
        yield from (item for item in self._rest.items() if item[1])

    def exchange_by_row(
        self, file: ArrayFile, name: str, ids: Ids, rows: Mapping[str, int]
    ) -> NDArray[np.int64]:
        """Write the texts of ids, by their ``rows``, or leave them in the file that is read.

        Returns where those of each row begin. An id that came back has two rows, its last counts.
        """
        of_row: list[tuple[str, ...]] = [()] * len(rows and ids)
        for id_, texts in self._each():
            of_row[rows[id_]] = texts
        texts_ = file.texts(name, chain.from_iterable(of_row))
        starts = bounds_of(map(len, of_row))
        bounds = file.bounds(f"{name}.bounds", starts, len(ids), to=len(texts_))
        self._first, self._rest = FiledTexts(ids, texts_, bounds, np.diff(bounds) > 0), {}
        return bounds

    def exchange_ids(self, file: ArrayFile, name: str, ids: Ids, rows: Mapping[str, int]) -> None:
        """Write the texts, ids that have ``rows``, by their keys, or leave them in the file."""
        hashed = sorted((crc32(encoded(key)), key, texts) for key, texts in self._each())
        of_key = {key: texts for _, key, texts in hashed}
        keys = file.texts(name, of_key)
        codes = np.array([code for code, _, _ in hashed], np.int64)
        codes = file.numbers(f"{name}.hashes", codes, len(keys))
        if (codes[1:] < codes[:-1]).any():
            raise DamagedFileError(f"{name} is out of order")
        numbers = np.array([rows[id_] for id_ in chain(*of_key.values())], np.int32)
        numbers = file.numbers(f"{name}.rows", numbers, within=range(len(ids)))
        starts = bounds_of(map(len, of_key.values()))
        bounds = file.bounds(f"{name}.bounds", starts, len(keys), to=len(numbers))
        self._first, self._rest = FiledIds(ids, keys, codes.data, numbers.data, bounds.data), {}


@dataclass(frozen=True, slots=True, eq=False)
class FiledTexts:
    """Texts of ids, by their rows."""

    ids: Ids
    texts: Texts
    bounds: NDArray[np.int64]
    has: NDArray[np.bool_]
    """Which rows have texts."""

    def find(self, key: str) -> tuple[str, ...]:
        """Return the texts of an id."""
        rows = self.ids.rows_of(key)
        return next((self._at(row) for row in rows if row < len(self.has) and self.has[row]), ())

    def items(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each id that has texts, with them."""
        return ((self.ids[row], self._at(row)) for row in np.flatnonzero(self.has).tolist())

    def _at(self, row: int) -> tuple[str, ...]:
        return tuple(map(self.texts.__getitem__, range(*self.bounds[row : row + 2].tolist())))


@dataclass(frozen=True, slots=True, eq=False)
class FiledIds:
    """Ids by text, each text found by its hash, in the order of the hashes, and then compared."""

    ids: Ids
    texts: Texts
    hashes: "memoryview[int]"
    rows: "memoryview[int]"
    bounds: "memoryview[int]"

    def find(self, key: str) -> tuple[str, ...]:
        """Return the ids of a text."""
        coded = encoded(key)
        code = crc32(coded)
        for place in range(bisect_left(self.hashes, code), len(self.texts)):
            if self.hashes[place] != code:
                break
            if self.texts.coded(place) == coded:
                return self._at(place)
        return ()

    def items(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each text with its ids."""
        return ((text, self._at(place)) for place, text in enumerate(self.texts))

    def _at(self, place: int) -> tuple[str, ...]:
        rows = self.rows[self.bounds[place] : self.bounds[place + 1]]
        return tuple(self.ids[row] for row in rows)
