"""Named arrays and texts in one file, with nothing executable in it.

Layout: a line of JSON that names the arrays, then their bytes, each array aligned to 64 for
mapping. The reader states the type and shape of each array and checks ranges; sizes are checked
against the file first. Each part has a checksum seeded with the array's description, so swapped
arrays and other events' files fail; it is compared when the array is asked for: 0.06 s for 330 MB.
"""

import math
import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from graphrag.store.cache_file import (
    PART,
    Bytes,
    DamagedFileError,
    Head,
    HeldFile,
    checked,
    checksum,
    checksum_starts,
    head_line,
    open_private,
    parts_of,
    read_head,
    write_whole,
)

Array = npt.NDArray[Any]
Item = TypeVar("Item")
Described = tuple[str, str, Sequence[int], Sequence[int]]
"""Name, type and shape of an array, and the checksums of its parts."""
_KINDS: Final = {np.dtype(kind).str: np.dtype(kind) for kind in "? u1 i1 i4 i8 f4 f8".split()}
_ALIGN: Final = 64
_HOLES: Final = 100
"""A file that is so many times as long as what it takes on the disk was not written."""


class ArrayWriter:
    """Arrays by name, to be written as one file."""

    def __init__(self) -> None:
        self.arrays: dict[str, tuple[Array, ...]] = {}

    def put(self, name: str, values: npt.ArrayLike, dtype: npt.DTypeLike) -> None:
        """Take some numbers."""
        self.arrays[name] = (np.ascontiguousarray(values, dtype),)

    def lend(self, name: str, *values: Array) -> None:
        """Take an array, or several that are to be one."""
        self.arrays[name] = tuple(map(np.ascontiguousarray, values))

    def texts(self, name: str, texts: Iterable[str]) -> None:
        """Take some texts, which ``Texts`` reads."""
        coded = [*map(encoded, texts)]
        self.lend(f"{name}.text", np.frombuffer(b"".join(coded), np.uint8))
        self.put(f"{name}.ends", np.cumsum([0, *map(len, coded)]), np.int64)

    def write(self, path: Path, said: Head, going_on: Callable[[], bool]) -> None:
        """Write the file, whole or not at all, as long as that is going on.

        Raises:
            OSError: if the disk refuses.
        """
        head = {
            "said": said,
            "arrays": [[name, *checked(said, name, some)] for name, some in self.arrays.items()],
        }

        def parts() -> Iterator[Bytes]:
            at = len(head_line(head))
            for some in self.arrays.values():
                yield b"\0" * (-at % _ALIGN)
                at += -at % _ALIGN + sum(array.nbytes for array in some)
                for part in parts_of(some):
                    if not going_on():
                        raise _NotWantedError
                    yield part

        with suppress(_NotWantedError):
            write_whole(path, head, parts())


class _NotWantedError(Exception):
    """Something in the file is to be forgotten."""


class ArrayReader:
    """The arrays of a file by name."""

    def __init__(self, path: Path) -> None:
        """Map a file.

        Raises:
            DamagedFileError: if it is not as long as it says, or not as it was written.
            OSError: if it cannot be read.
        """
        with open_private(path, "rb") as file:
            head, first = read_head(file), file.tell()
            state = os.fstat(file.fileno())
            if getattr(state, "st_blocks", state.st_size) * 512 < state.st_size // _HOLES:
                raise DamagedFileError("it has next to nothing on the disk")
            self.said: Head = head["said"]
            self._places: dict[str, tuple[str, tuple[int, ...], int]] = {}
            """Type, shape and beginning of each array."""
            self._unverified: dict[str, Sequence[int]] = {}
            """Checksums of the parts of each array that nobody asked for yet."""
            end = self._survey(head["arrays"], first)
            if end != state.st_size:
                raise DamagedFileError(f"it has {state.st_size} bytes instead of {end}")
            self._view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
            self._file = HeldFile(file)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is an array of this name."""
        return name in self._places

    def array(self, name: str, dtype: npt.DTypeLike, *shape: int) -> Array:
        """Return an array, which must have this type and this shape; -1 for any length.

        It is mapped, to private pages: its owner may change it in place.
        """
        kind = np.dtype(dtype)
        written, lengths, at = self._places[name]
        self._verify(name)
        fits = len(lengths) == len(shape) and all(
            want in (-1, length) for want, length in zip(shape, lengths, strict=True)
        )
        if written != kind.str or not fits:
            raise DamagedFileError(f"{name} is {written} {lengths} instead of {kind.str} {shape}")
        count = math.prod(lengths)
        array = np.frombuffer(self._view, kind, count, at) if count else np.empty(0, kind)
        if kind == np.bool_ and array.view(np.uint8).max(initial=0) > 1:
            raise DamagedFileError(f"{name} has other values than true and false")
        return array.reshape(lengths)

    def held(self, name: str) -> tuple[HeldFile, int]:
        """Return the file, and where in it an array begins."""
        return self._file, self._places[name][2]

    def numbers(
        self, name: str, dtype: npt.DTypeLike, *shape: int, within: range, rare: bool = False
    ) -> Array:
        """Return an array of whole numbers in a range; ``rare``: few of them will be used."""
        array = self.array(name, dtype, *shape)
        with self._file.part(self._places[name][2], array.nbytes if rare else 0) as part:
            seen = np.frombuffer(part, array.dtype) if rare else array
            least, most = seen.min(initial=within.start), seen.max(initial=within.start)
            del seen  # the part is let go of
        if array.size and not (least >= within.start and most < within.stop):
            raise DamagedFileError(f"{name} has numbers outside of {within}")
        return array

    def rising(self, name: str, length: int, *, to: int) -> Array:
        """Return bounds: whole numbers that begin with 0, never fall and end with ``to``."""
        bounds = self.array(name, np.int64, length)
        if not len(bounds) or bounds[0] != 0 or bounds[-1] != to or (np.diff(bounds) < 0).any():
            raise DamagedFileError(f"{name} has bounds out of order")
        return bounds

    def texts(self, name: str, count: int = -1) -> list[str]:
        """Return so many texts."""
        texts = Texts(self, name)
        if count not in (-1, len(texts)):
            raise DamagedFileError(f"{name} has {len(texts)} texts")
        return list(texts)

    def distinct(self, name: str) -> dict[str, int]:
        """Return texts that all differ, each with its number."""
        texts = self.texts(name)
        numbers = dict(zip(texts, range(len(texts)), strict=True))
        if len(numbers) != len(texts):
            raise DamagedFileError(f"{name} has the same text twice")
        return numbers

    def verify(self) -> None:
        """Hold every array against its checksums that was not asked for.

        Raises:
            DamagedFileError: if one is not what was written.
            OSError: if it cannot be read.
        """
        for name in [*self._unverified]:
            self._verify(name)

    def _verify(self, name: str) -> None:
        if (checksums := self._unverified.pop(name, None)) is None:
            return
        kind, lengths, at = self._places[name]
        size = _size(kind, lengths)
        begins = checksum_starts(self.said, name, kind, lengths, size)
        for (start, begin), end in zip(begins, checksums, strict=True):
            with self._file.part(at + start, min(PART, size - start)) as part:
                if checksum(part, begin) != end:
                    raise DamagedFileError(f"{name} is damaged")

    def _survey(self, arrays: Sequence[Described], at: int) -> int:
        """Note where each array is, and return where the file must end."""
        for name, kind, shape, checksums in arrays:
            lengths = tuple(shape)
            if any(type(length) is not int or length < 0 for length in (*lengths, *checksums)):
                raise DamagedFileError(f"{name} has no size")
            at += -at % _ALIGN
            self._places[name] = kind, lengths, at
            self._unverified[name] = checksums
            at += _size(kind, lengths)
        return at


def _size(kind: str, lengths: Sequence[int]) -> int:
    return math.prod(lengths) * _KINDS[kind].itemsize


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

    def __iter__(self) -> Iterator[str]:
        """Yield all texts."""
        whole, ends = bytes(self._coded), pairwise(self._ends.tolist())
        if whole.isascii():
            letters = whole.decode()
            return iter([letters[start:end] for start, end in ends])
        return (whole[start:end].decode("utf-8", "surrogatepass") for start, end in ends)


def encoded(text: str) -> bytes:
    """Return a text as bytes, half characters too."""
    return text.encode("utf-8", "surrogatepass")
