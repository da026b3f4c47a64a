"""Named arrays and texts that parts of an index exchange with a file, in either direction.

Each part has one method, ``exchange``: a file that is written takes its arrays, one that is read
returns its own instead, after checking types and ranges.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from graphrag.store.private import DamagedFileError

Array = npt.NDArray[Any]
ANY: Final = range(-1 << 63, 1 << 63)
COUNT: Final = range(1 << 63)


class ArrayFile(ABC):
    """Arrays by name, which are written to a file or read from it."""

    reads = False
    """Whether arrays are returned; otherwise those given are taken."""

    def has(self, name: str, there: bool) -> bool:
        """Tell whether a part is in the file, or is to be."""
        return there

    @abstractmethod
    def numbers(self, name: str, values: Array, rows: int = -1, within: range = ANY) -> Array:
        """Exchange an array of this type and width; with ``rows`` of this length.

        What is read is mapped to private pages: its owner may change it in place.
        """

    def texts(self, name: str, texts: Iterable[str]) -> "Texts":
        """Exchange texts."""
        coded = [*map(encoded, texts)]
        whole = self.numbers(f"{name}.text", np.frombuffer(b"".join(coded), np.uint8))
        return Texts(whole, self.bounds(f"{name}.ends", bounds_of(map(len, coded)), to=len(whole)))

    def bounds(self, name: str, bounds: Array, rows: int = -1, *, to: int) -> Array:
        """Exchange where each row begins in another array, and where the last one ends."""
        bounds = self.numbers(name, bounds, -1 if rows == -1 else rows + 1)
        if bounds[0] != 0 or bounds[-1] != to or (np.diff(bounds) < 0).any():
            raise DamagedFileError(f"{name} has bounds out of order")
        return bounds

    def integers(
        self, name: str, values: Iterable[int], rows: int = -1, within: range = ANY
    ) -> list[int]:
        """Exchange a list of integers."""
        return list(self.numbers(name, np.fromiter(values, np.int64), rows, within).tolist())

    def number(self, name: str, value: int, within: range = COUNT) -> int:
        """Exchange one number."""
        return self.integers(name, [value], 1, within)[0]

    def strings(self, name: str, texts: Iterable[str], count: int = -1) -> list[str]:
        """Exchange a list of texts; with ``count`` of this length."""
        given = [*texts]
        exchanged = self.texts(name, given)
        strings = [*exchanged] if self.reads else given
        if count not in (-1, len(strings)):
            raise DamagedFileError(f"{name} has {len(strings)} texts")
        return strings

    def distinct(self, name: str, texts: Iterable[str]) -> dict[str, int]:
        """Exchange texts that all differ, each with its number."""
        strings = self.strings(name, texts)
        numbers = dict(zip(strings, range(len(strings)), strict=True))
        if len(numbers) != len(strings):
            raise DamagedFileError(f"{name} has the same text twice")
        return numbers


class Texts:
    """Texts one behind another, each decoded when it is asked for."""

    def __init__(self, coded: Array, ends: Array) -> None:
        self.ends = ends
        self._coded: memoryview[int] = coded.data
        self._ends: memoryview[int] = ends.data

    def __len__(self) -> int:
        return len(self._ends) - 1

    def coded(self, place: int) -> "memoryview[int]":
        """Return the bytes of a text."""
        return self._coded[self._ends[place] : self._ends[place + 1]]

    def __getitem__(self, place: int) -> str:
        return str(self.coded(place), "utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        whole, ends = bytes(self._coded), pairwise(self._ends.tolist())
        if whole.isascii():
            letters = whole.decode()
            return iter([letters[start:end] for start, end in ends])
        return (whole[start:end].decode("utf-8", "surrogatepass") for start, end in ends)


def encoded(text: str) -> bytes:
    """Return a text as bytes, half characters too."""
    return text.encode("utf-8", "surrogatepass")


def bounds_of(sizes: Iterable[int]) -> npt.NDArray[np.int64]:
    """Return where each of some rows begins, given their sizes, and where the last one ends."""
    return np.cumsum([0, *sizes], dtype=np.int64)
