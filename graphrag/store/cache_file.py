"""Files beside a store, readable by their owner only, verified before use.

A first line describes the content and has a checksum of itself. CRC-32 finds damage at 2.2 GB/s
(``hashlib``: 0.7 to 1.4) but not forgery, so readers also validate everything.
"""

import errno
import json
import mmap
import os
import stat
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal
from zlib import crc32

import numpy as np
import numpy.typing as npt

Bytes = bytes | bytearray | memoryview
Head = Mapping[str, str | int]
"""What a file says of itself."""
PART: Final = 16 << 20
"""Bytes of an array with one checksum."""
_LINE: Final = 4096
_LONGEST_HEAD = 1 << 20
_AT_ONCE = 32 << 20
"""Bytes that are on their way to the disk at a time."""
_PLAIN = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
"""Neither follow a link nor wait for the other end of a pipe; not every system knows these."""
Mode = Literal["rb", "r+b", "wb"]
_FLAGS: Mapping[Mode, int] = {
    "rb": os.O_RDONLY,
    "r+b": os.O_RDWR | os.O_CREAT,
    "wb": os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
}


MALFORMED = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError
)  # fmt: skip
"""What reading something may raise that was not written by this library."""


class DamagedFileError(ValueError):
    """A file is not what was written."""


def make_private_folder(folder: Path) -> None:
    """Make a folder for its owner alone, unless it is there.

    Raises:
        OSError: if it cannot be made, or what is there only leads to a folder.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    files_in(folder)


def files_in(folder: Path) -> list[Path]:
    """Return what is in a folder, nothing if there is none.

    Raises:
        OSError: if it cannot be read, or is only a link to a folder.
    """
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "is a link", str(folder))
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


def open_private(path: Path, mode: Mode, *, buffering: int = -1) -> BinaryIO:
    """Open a file for its owner alone; to be written, it is made if it is not there.

    Raises:
        OSError: also if it is a link or no plain file: who gives you a store may not choose what
            this process writes to, or waits for.
    """
    descriptor = os.open(path, _FLAGS[mode] | _PLAIN, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "is no plain file", str(path))
    file: BinaryIO = os.fdopen(descriptor, mode, buffering)
    return file


class HeldFile:
    """A file of rows that stays open as long as somebody may read some of them.

    A mapping that stays would have all that is looked at count as resident, and up to two megabytes
    around each row of it.
    """

    def __init__(self, file: BinaryIO) -> None:
        """Hold a file that was opened, whether its name leads to another later or to none."""
        self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)

    def read(self, at: int, rows: npt.NDArray[np.intp], into: npt.NDArray[Any]) -> None:
        """Read rows of an array that begins there.

        Raises:
            OSError: if the disk refuses, or the file has become shorter.
        """
        length = into.strides[0]
        whole = into.reshape(-1).view(np.uint8).data
        for number, row in enumerate(rows.tolist()):
            part = whole[number * length : (number + 1) * length]
            if os.preadv(self._descriptor, [part], at + row * length) != length:
                raise OSError(errno.EIO, f"ends before row {row}")

    @contextmanager
    def part(self, at: int, size: int) -> Iterator[memoryview]:
        """Map some bytes for as long as they are looked at: others' mappings stay as they are."""
        if not size:
            yield memoryview(b"")
            return
        skipped = at % mmap.ALLOCATIONGRANULARITY
        with (
            mmap.mmap(
                self._descriptor, skipped + size, access=mmap.ACCESS_READ, offset=at - skipped
            ) as mapped,
            memoryview(mapped) as view,
            view[skipped:] as part,
        ):
            yield part


def write_whole(path: Path, head: Mapping[str, Any], parts: Iterable[Bytes]) -> None:
    """Write a file whole or not at all; what is half written is deleted.

    Raises:
        OSError: if the disk refuses.
    """
    make_private_folder(path.parent)
    partial = path.with_suffix(".partial")
    try:
        with open_private(partial, "wb") as file:
            file.write(head_line(head))
            under_way = 0
            for part in parts:
                under_way += file.write(part)
                if under_way >= _AT_ONCE:  # whoever commits meanwhile waits for little of this
                    _sync(file)
                    under_way = 0
            _sync(file)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def head_line(head: Mapping[str, Any]) -> bytes:
    """Return the first line of a file."""
    text = json.dumps(head).encode()
    return b"%08x %b\n" % (crc32(text), text)


def read_head(file: BinaryIO) -> dict[str, Any]:
    """Read the first line of a file.

    Raises:
        DamagedFileError: if it is not as it was written.
    """
    checksum, _, text = file.readline(_LONGEST_HEAD).partition(b" ")
    if checksum != b"%08x" % crc32(text.removesuffix(b"\n")):
        raise DamagedFileError("its first line is damaged")
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"its first line is no JSON: {error}") from None
    if not isinstance(head, dict):
        raise DamagedFileError("its first line says nothing")
    return head


def checksum(part: Bytes, begin: int) -> int:
    """Return the CRC-32 of sums of the 64-bit numbers in a part, and of the bytes after them.

    In lines of 4 KiB, of which every line and every column is summed: what changes one number
    changes two sums, and a change that changes no sum is one of four numbers at least that belong
    together. 5 GB/s, where the CRC of all bytes does 2.2.
    """
    whole = len(part) - len(part) % _LINE
    lines = np.frombuffer(part[:whole], np.uint64).reshape(-1, _LINE // 8)
    for axis in (0, 1):
        begin = crc32(np.add.reduce(lines, axis=axis), begin)
    return crc32(part[whole:], begin)


def checksum_starts(
    said: Head, name: str, kind: str, shape: Sequence[int], size: int
) -> Iterator[tuple[int, int]]:
    """Yield where each part of an array begins, and with what its checksum does."""
    whole = crc32(json.dumps([said, name, kind, shape]).encode())
    return ((start, crc32(b"%d" % start, whole)) for start in _starts(size))


def _starts(size: int) -> range:
    """Return where the parts of so many bytes begin: an empty array has one, too."""
    return range(0, max(1, size), PART)


def parts_of(arrays: Sequence[npt.NDArray[Any]]) -> Iterator[Bytes]:
    """Yield the bytes of arrays, one behind another, by the parts that have a checksum."""
    wholes = [array.reshape(-1).view(np.uint8).data for array in arrays]
    begins = [*accumulate(map(len, wholes), initial=0)]
    for start in _starts(begins[-1]):
        cut = [
            whole[max(0, start - begin) : max(0, start + PART - begin)]
            for begin, whole in zip(begins, wholes, strict=False)
        ]
        some = [part for part in cut if len(part)]
        yield some[0] if len(some) == 1 else b"".join(some)


def checked(
    said: Head, name: str, arrays: Sequence[npt.NDArray[Any]]
) -> tuple[str, tuple[int, ...], list[int]]:
    """Return type and shape of arrays that are one behind another, and the checksums of its parts.

    Only their first axes may be of different lengths.
    """
    kind, size = arrays[0].dtype.str, sum(array.nbytes for array in arrays)
    shape = (sum(map(len, arrays)), *arrays[0].shape[1:])
    begins = checksum_starts(said, name, kind, shape, size)
    sums = [
        checksum(part, begin) for part, (_, begin) in zip(parts_of(arrays), begins, strict=True)
    ]
    return kind, shape, sums
