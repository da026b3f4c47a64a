"""One file of named arrays, with nothing executable in it.

Layout: the bytes of the arrays, each aligned to 64 for mapping, then a footer: JSON that describes
them, its checksum and its length. The checksum of an array covers its description and the stamp of
the file, so arrays that were swapped or come from another file fail. It is compared when the array
is first asked for: 0.06 s for 330 MB. It finds no forgery, so readers also validate everything.
"""

import errno
import json
import math
import mmap
import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from graphrag.index.arrays import ANY, Array, ArrayFile, Texts
from graphrag.store.private import DamagedFileError, make_private_folder, open_private

FileStamp = Mapping[str, str | int]
"""What a file is of."""
_KINDS: Final = {np.dtype(kind).str: np.dtype(kind) for kind in "? u1 i1 i4 i8 f4 f8".split()}
_ALIGN: Final = 64
_LINE: Final = 4096
"""Bytes of a line of numbers that are summed."""
PART: Final = 16 << 20
"""Bytes that are written, or held against their checksum, at a time."""
_HOLES: Final = 100
"""A file this many times as long as its blocks on the disk was not written by this library."""
_TAIL: Final = 16
"""Bytes at the end of a file: checksum and length of the JSON before them, in hexadecimal."""
_LONGEST: Final = 1 << 20


class ArrayWriter(ArrayFile):
    """Arrays by name, to be written as one file."""

    def __init__(self) -> None:
        self.arrays: dict[str, tuple[Array, ...]] = {}

    def numbers(self, name: str, values: Array, rows: int = -1, within: range = ANY) -> Array:
        """Take an array."""
        self.lend(name, values)
        return values

    def lend(self, name: str, *values: Array) -> None:
        """Take arrays that are written as one."""
        self.arrays[name] = tuple(map(np.ascontiguousarray, values))

    def write(self, path: Path, stamp: FileStamp, proceed: Callable[[], bool]) -> None:
        """Write the file, whole or not at all: nothing once ``proceed`` returns False."""
        make_private_folder(path.parent)
        partial = path.with_suffix(".partial")
        try:
            with open_private(partial, "wb") as file:
                described, unsynced = [], 0
                for name, arrays in self.arrays.items():
                    file.write(bytes(-file.tell() % _ALIGN))
                    shape = sum(map(len, arrays)), *arrays[0].shape[1:]
                    about = name, arrays[0].dtype.str, shape
                    total = _seed(stamp, *about)
                    for part in _parts(arrays):
                        if not proceed():
                            return
                        total = checksum(part, total)
                        file.write(part)
                        unsynced += len(part)
                        if unsynced >= PART:  # a commit meanwhile waits for little of this
                            _sync(file)
                            unsynced = 0
                    described.append((*about, total))
                file.write(footer_of({"stamp": stamp, "arrays": described}))
                _sync(file)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


def _parts(arrays: Iterable[Array]) -> Iterator[memoryview]:
    """Yield the bytes of arrays that are written as one, ``PART`` at a time."""
    begun = bytearray()
    for array in arrays:
        whole = array.reshape(-1).view(np.uint8).data
        missing = -len(begun) % PART
        begun += whole[:missing]
        if len(begun) == PART:
            yield memoryview(begun)
            begun = bytearray()
        for start in range(missing, len(whole), PART):
            part = whole[start : start + PART]
            if len(part) == PART:
                yield part
            else:
                begun += part
    if begun:
        yield memoryview(begun)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _seed(*about: object) -> int:
    return crc32(json.dumps(about).encode())


def checksum(part: memoryview, total: int) -> int:
    """Return the checksum of an array with one part more, given that of the parts before.

    It is the CRC-32 of the sums of 64-bit numbers in every line of 4 KiB and in every column of the
    part, and of the bytes after the last line. What changes one number changes two sums; a change
    that changes no sum takes four numbers at least. 5 GB/s, where the CRC-32 of all bytes does 2.2.
    """
    whole = len(part) - len(part) % _LINE
    lines = np.frombuffer(part[:whole], np.uint64).reshape(-1, _LINE // 8)
    for axis in (0, 1):
        total = crc32(np.add.reduce(lines, axis=axis), total)
    return crc32(part[whole:], total)


def footer_of(content: Mapping[str, Any]) -> bytes:
    """Return the end of a file."""
    text = json.dumps(content).encode()
    return b"%b%08x%08x" % (text, crc32(text), len(text))


def read_footer(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """Read the content of a footer, and where it begins."""
    end = max(0, file.seek(0, os.SEEK_END) - _TAIL)
    file.seek(end)
    try:
        total, length = (int(file.read(8), 16) for _ in range(2))
        if not 0 <= length <= min(_LONGEST, end):
            raise DamagedFileError(f"its footer has {length} bytes")
        file.seek(end - length)
        text = file.read(length)
        if crc32(text) != total:
            raise DamagedFileError("its footer is damaged")
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"its footer cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise DamagedFileError("its footer describes nothing")
    return content, end - length


class ArrayReader(ArrayFile):
    """The arrays of a file by name, which stays open as long as somebody may read rows of it."""

    reads = True

    def __init__(self, path: Path) -> None:
        with open_private(path, "rb") as file:
            footer, end = read_footer(file)
            state = os.fstat(file.fileno())
            if getattr(state, "st_blocks", state.st_size) * 512 < state.st_size // _HOLES:
                raise DamagedFileError("it has next to nothing on the disk")
            self.stamp: FileStamp = footer["stamp"]
            # Type, shape and beginning of each array; the checksums of those not asked for yet.
            self._places: dict[str, tuple[str, tuple[int, ...], int]] = {}
            self._unverified: dict[str, int] = {}
            at = 0
            for name, kind, shape, total in footer["arrays"]:
                if any(type(length) is not int or length < 0 for length in (*shape, total)):
                    raise DamagedFileError(f"{name} has no size")
                at += -at % _ALIGN
                self._places[name], self._unverified[name] = (kind, (*shape,), at), total
                at += _size(kind, shape)
            if at != end:
                raise DamagedFileError(f"it has {end} bytes of arrays instead of {at}")
            self._view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
            self._descriptor = os.dup(file.fileno())
            weakref.finalize(self, os.close, self._descriptor)

    def has(self, name: str, there: bool) -> bool:
        """Tell whether a part was written."""
        return name in self._places

    def numbers(self, name: str, values: Array, rows: int = -1, within: range = ANY) -> Array:
        """Return an array of the type and the width of the one given."""
        written, lengths, at = self._places[name]
        self._verify(name)
        kind, shape = values.dtype, (lengths[0] if rows == -1 else rows, *values.shape[1:])
        if written != kind.str or lengths != shape:
            raise DamagedFileError(f"{name} is {written} {lengths} instead of {kind.str} {shape}")
        if not (count := math.prod(shape)):
            return np.empty(shape, kind)
        if kind == np.bool_ or within is not ANY:
            # In a mapping of its own, so that what is rarely used does not become resident.
            with self._part(at, count * kind.itemsize) as part:
                seen = np.frombuffer(part, np.uint8 if kind == np.bool_ else kind)
                within = range(2) if kind == np.bool_ else within
                fits = seen.min() >= within.start and seen.max() < within.stop
                del seen  # which keeps the part mapped
            if not fits:
                raise DamagedFileError(f"{name} has numbers outside of {within}")
        return np.frombuffer(self._view, kind, count, at).reshape(shape)

    def texts(self, name: str, texts: Iterable[str] = ()) -> Texts:
        """Return the texts of the file."""
        exchanged = super().texts(name, ())
        _, (size,), at = self._places[f"{name}.text"]
        with self._part(at, size) as part:
            str(part, "utf-8", "surrogatepass")
            begins = exchanged.ends[exchanged.ends < size]
            cut = (np.frombuffer(part, np.uint8)[begins] & 0xC0 == 0x80).any()
        if cut:
            raise DamagedFileError(f"{name} is cut within a character")
        return exchanged

    def read_rows(self, name: str, rows: npt.NDArray[np.intp], into: Array) -> None:
        """Read rows of an array from the file."""
        at, length = self._places[name][2], into.strides[0]
        whole = into.reshape(-1).view(np.uint8).data
        for number, row in enumerate(rows.tolist()):
            part = whole[number * length : (number + 1) * length]
            if os.preadv(self._descriptor, [part], at + row * length) != length:
                raise OSError(errno.EIO, f"ends before row {row}")

    def verify(self) -> None:
        """Compare every array that was not asked for with its checksum."""
        for name in [*self._unverified]:
            self._verify(name)

    def _verify(self, name: str) -> None:
        if (expected := self._unverified.pop(name, None)) is None:
            return
        kind, lengths, at = self._places[name]
        total, size = _seed(self.stamp, name, kind, lengths), _size(kind, lengths)
        for start in range(0, size, PART):
            with self._part(at + start, min(PART, size - start)) as part:
                total = checksum(part, total)
        if total != expected:
            raise DamagedFileError(f"{name} is damaged")

    @contextmanager
    def _part(self, at: int, size: int) -> Iterator[memoryview]:
        if not size:
            yield memoryview(b"")
            return
        skipped = at % mmap.ALLOCATIONGRANULARITY
        start, length = at - skipped, skipped + size
        with (
            mmap.mmap(self._descriptor, length, access=mmap.ACCESS_READ, offset=start) as mapped,
            memoryview(mapped) as view,
            view[skipped:] as part,
        ):
            yield part


def _size(kind: str, lengths: Sequence[int]) -> int:
    return math.prod(lengths) * _KINDS[kind].itemsize
