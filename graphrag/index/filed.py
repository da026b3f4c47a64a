"""What is looked up by a text or by an id, and stays in the file that has it.

As dictionaries the names of 300,000 entities took 0.7 s of each opening and 150 MB, and a search
looks up a few of them. In the file a text is found by its hash, four bytes each in order, and then
compared; whoever changes what is behind a text changes a copy of it.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import Array, ArrayReader, ArrayWriter
from graphrag.index.row_ids import Ids
from graphrag.store.cache_file import DamagedFileError

Item = TypeVar("Item")


class Texts:
    """Texts of a file, each decoded when it is asked for."""

    def __init__(self, arrays: ArrayReader, name: str) -> None:
        """Take over the texts of this name.

        Raises:
            DamagedFileError: if one of them is none.
            UnicodeDecodeError: if all of them are none.
        """
        coded = arrays.array(f"{name}.text", np.uint8, -1)
        ends = arrays.rising(f"{name}.ends", -1, to=len(coded))
        file, at = arrays.held(f"{name}.text")
        with file.part(at, coded.nbytes) as part:  # so that looking at it makes nothing resident
            str(part, "utf-8", "surrogatepass")
            inside = np.frombuffer(part, np.uint8)[ends[ends < len(coded)]] & 0xC0 == 0x80
        if inside.any():
            raise DamagedFileError(f"{name} is cut within a character")
        self._coded: memoryview[int] = coded.data
        self._ends: memoryview[int] = ends.data

    def __len__(self) -> int:
        """Count them."""
        return len(self._ends) - 1

    def coded(self, place: int) -> "memoryview[int]":
        """Return the bytes of a text."""
        return self._coded[self._ends[place] : self._ends[place + 1]]

    def __getitem__(self, place: int) -> str:
        """Return a text."""
        return str(self.coded(place), "utf-8", "surrogatepass")


def texts_of(name: str, coded: Iterable[bytes]) -> dict[str, Array]:
    """Return the arrays that ``Texts`` reads."""
    some = [*coded]
    return {
        f"{name}.text": np.frombuffer(b"".join(some), np.uint8),
        f"{name}.ends": np.cumsum([0, *map(len, some)], dtype=np.int64),
    }


def encoded(text: str) -> bytes:
    """Return a text as bytes, half characters too."""
    return text.encode("utf-8", "surrogatepass")


class IdsByText:
    """The ids behind each text, each once, in the order of their coming."""

    def __init__(self) -> None:
        self._rest: dict[str, list[str]] = {}
        """What has changed since the file was written, and all of it without one."""
        self._first: _Filed | None = None
        self._seen: dict[str, list[str]] = {}
        """What was looked up in the file."""

    def copy(self) -> "IdsByText":
        """Return the same ids, to be changed apart."""
        other = IdsByText()
        other._rest = {text: [*ids] for text, ids in self._rest.items()}
        other._first = self._first
        return other

    def get(self, text: str) -> list[str]:
        """Return the ids behind a text, not to be changed."""
        ids = self._rest.get(text)
        if ids is None and self._first is not None:
            ids = self._seen.get(text)
            if ids is None and (ids := self._first.ids(text)) is not None:
                self._seen[text] = ids
        return ids or []

    def add(self, text: str, id_: str) -> None:
        """Add an id to those behind a text."""
        if id_ not in (ids := self._own(text)):
            ids.append(id_)

    def discard(self, text: str, id_: str) -> None:
        """Take an id from those behind a text, if it is there."""
        if id_ in self.get(text):
            self._own(text).remove(id_)

    def _own(self, text: str) -> list[str]:
        """Return the ids behind a text, to be changed."""
        if text not in self._rest:
            self._rest[text] = [*self.get(text)]
            self._seen.pop(text, None)
        return self._rest[text]

    def items(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each text with its ids."""
        if self._first is not None:
            for place in range(len(self._first.texts)):
                if (text := self._first.texts[place]) not in self._rest:
                    yield text, self._first.ids_at(place)
        yield from self._rest.items()

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the ids be written, which ``out`` knows."""
        first, rows = self._first, out.rows
        rest = {text: tuple(ids) for text, ids in self._rest.items()}
        out.later(lambda: _filed(name, first, rest, rows))

    def load(self, arrays: ArrayReader, name: str, ids: Ids) -> None:
        """Leave in the file what it has, of these ids."""
        self._first = _Filed(arrays, name, ids)


class _Filed:
    """Rows by text, as a file has them."""

    def __init__(self, arrays: ArrayReader, name: str, ids: Ids) -> None:
        self._ids = ids
        self.texts = Texts(arrays, f"{name}.texts")
        hashes = arrays.array(f"{name}.hashes", np.int64, len(self.texts))
        if (hashes[1:] < hashes[:-1]).any():
            raise DamagedFileError(f"{name} is out of order")
        rows = arrays.numbers(f"{name}.rows", np.int32, -1, within=range(len(ids)))
        bounds = arrays.rising(f"{name}.bounds", len(self.texts) + 1, to=len(rows))
        self._hashes: memoryview[int] = hashes.data
        self._rows: memoryview[int] = rows.data
        self._bounds: memoryview[int] = bounds.data

    def ids(self, text: str) -> list[str] | None:
        """Return the ids behind a text, None if it is not here."""
        coded = encoded(text)
        code = crc32(coded)
        for place in range(bisect_left(self._hashes, code), len(self.texts)):
            if self._hashes[place] != code:
                break
            if self.texts.coded(place) == coded:
                return self.ids_at(place)
        return None

    def ids_at(self, place: int) -> list[str]:
        return [self._ids[row] for row in self.rows_at(place)]

    def rows_at(self, place: int) -> list[int]:
        return self._rows[self._bounds[place] : self._bounds[place + 1]].tolist()


def _filed(
    name: str,
    first: _Filed | None,
    rest: Mapping[str, tuple[str, ...]],
    rows: Mapping[str, int],
) -> dict[str, Array]:
    found = {encoded(text): [rows[id_] for id_ in ids] for text, ids in rest.items()}
    if first is not None:
        for place in range(len(first.texts)):
            found.setdefault(bytes(first.texts.coded(place)), first.rows_at(place))
    ordered = sorted((crc32(coded), coded) for coded in found)
    some = [found[coded] for _, coded in ordered]
    return {
        f"{name}.hashes": np.array([code for code, _ in ordered], dtype=np.int64),
        **texts_of(f"{name}.texts", (coded for _, coded in ordered)),
        f"{name}.rows": np.fromiter(chain.from_iterable(some), np.int32),
        f"{name}.bounds": np.cumsum([0, *map(len, some)], dtype=np.int64),
    }


class ById(Mapping[str, Item]):
    """Something of each of some ids."""

    def __init__(self) -> None:
        self._rest: dict[str, Item] = {}
        self._ids = Ids()
        self._has: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._read: Callable[[int], Item] | None = None

    def take(self, ids: Ids, has: NDArray[np.bool_], read: Callable[[int], Item]) -> None:
        """Leave in the file what it has of some rows, to be read by row."""
        if ids.numbered:
            self._ids, self._has, self._read = ids, has, read
        else:
            self._rest = {ids[row]: read(row) for row in np.flatnonzero(has).tolist()}

    def copy(self) -> "ById[Item]":
        """Return the same, to be changed apart."""
        other = ById[Item]()
        other._rest = dict(self._rest)
        other._ids, other._has, other._read = self._ids, self._has, self._read
        return other

    def __getitem__(self, id_: str) -> Item:
        """Return what is an id's."""
        found = self._rest.get(id_)
        if found is not None:
            return found
        if self._read is None or (row := self._row(id_)) is None:
            raise KeyError(id_)
        return self._read(row)

    def __contains__(self, id_: object) -> bool:
        """Tell whether an id has something."""
        return id_ in self._rest or (isinstance(id_, str) and self._row(id_) is not None)

    def _row(self, id_: str) -> int | None:
        return next((row for row in self._ids.filed(id_) if self._has[row]), None)

    def __setitem__(self, id_: str, item: Item) -> None:
        """Give an id something else."""
        self._rest[id_] = item

    def __iter__(self) -> Iterator[str]:
        """Yield the ids that have something."""
        for row in np.flatnonzero(self._has).tolist():
            if (id_ := self._ids[row]) not in self._rest:
                yield id_
        yield from self._rest

    def __len__(self) -> int:
        """Count them."""
        return sum(1 for _ in self)


def named_rows(
    name: str, types: ById[str], names: ById[tuple[str, ...]], rows: Mapping[str, int]
) -> dict[str, Array]:
    """Return the type and the names of each row as arrays."""
    kinds: dict[str, int] = {}
    size = 1 + max(rows.values(), default=-1)  # an id that came back has two rows, its last counts
    kind = np.full(size, -1, dtype=np.int32)
    some: list[tuple[str, ...]] = [()] * size
    for id_, own in names.items():
        kind[rows[id_]] = kinds.setdefault(types[id_], len(kinds))
        some[rows[id_]] = own
    return {
        **texts_of(f"{name}.kinds", map(encoded, kinds)),
        f"{name}.kind": kind,
        **texts_of(name, map(encoded, chain.from_iterable(some))),
        f"{name}.bounds": np.cumsum([0, *map(len, some)], dtype=np.int64),
    }
