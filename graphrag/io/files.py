"""Export files: atomic writes (compressed for ``.gz``), formats, and escapes.

In XML 1.0, control characters are written as in spreadsheets, ``_x0007_``, and a literal underscore
of that form as ``_x005F_``, so that every text survives a round trip.
"""

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, Literal, get_args

from graphrag.errors import InputError

GZIP = ".gz"
_MAGIC = b"\x1f\x8b"
_LEVEL = 6
_FREE, _RATIO = 64 << 20, 100
"""Bytes that any packed file may unpack to, and how often its own size beyond them: facts as text
shrink to a tenth, the most regular ones to a fiftieth."""
_PART = 1 << 16
Put = Callable[[bytes], object]
"""Write some bytes."""


def ending(path: Path) -> str:
    """Return what a file's name ends in, in lower case and without ``.gz``."""
    bare = path.with_suffix("") if path.suffix.casefold() == GZIP else path
    return bare.suffix.casefold()


@contextmanager
def written(path: Path) -> Iterator[Put]:
    """Give what writes a file; it takes its place when all is written, over what was there.

    The same bytes give the same file: a compressed one notes neither its name nor the time. A pipe
    or a device is written to: put in its place, a file would take it from everybody else.
    """
    if "\0" in str(path):
        raise InputError(f"{str(path)!r} is no name of a file: it holds a null character")
    with refusals("write", path):
        special = path.exists() and not (path.is_file() or path.is_dir())
        part = path if special else path.with_name(f".{path.name}.{token_hex(4)}.part")
        file: IO[bytes] = part.open("wb")
    packs = path.suffix.casefold() == GZIP
    sink = gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) if packs else file
    try:

        def put(data: bytes) -> None:
            with refusals("write", path):
                sink.write(data)

        yield put
        with refusals("write", path):
            sink.close()
            file.close()
            if not special:
                part.replace(path)
    finally:
        file.close()
        if not special:
            part.unlink(missing_ok=True)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes] | io.BufferedReader]:
    """Give the bytes of a file, unpacked if it is packed, whatever its name says."""
    check_there(path)
    with refusals("read", path):
        file = path.open("rb")
    with file:
        if file.peek(len(_MAGIC))[: len(_MAGIC)] == _MAGIC:
            most = _FREE + _RATIO * path.stat().st_size
            with gzip.GzipFile(fileobj=file) as packed:
                yield io.BufferedReader(_Unpacked(packed, path, most), _PART)
        else:
            yield file


class _Unpacked(io.RawIOBase):
    """The bytes of a packed file, as long as they are not far more than it can hold of facts."""

    def __init__(self, packed: gzip.GzipFile, path: Path, most: int) -> None:
        self._packed, self._path, self._most, self._count = packed, path, most, 0

    def readable(self) -> bool:
        """Tell that it is there to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Unpack some more."""
        with refusals("read", self._path):
            data = self._packed.read(len(buffer))
        self._count += len(data)
        if self._count > self._most:
            raise InputError(
                f"{self._path.name} unpacks to more than {self._most >> 20} MB, {_RATIO} times its "
                "size and more: if that is right, unpack it first"
            )
        buffer[: len(data)] = data
        return len(data)


def check_there(path: Path) -> None:
    """Raise ``InputError`` if there is no such file."""
    with refusals("read", path):  # a name may be too long to ask for
        there = path.is_file()
    if not there:
        raise InputError(f"there is no file {path}")


def read_whole(path: Path, most: int = 1 << 28, *, advice: str = "split it") -> bytes:
    """Return all bytes of a file; ``advice`` is for one that is too large to be read so."""
    with opened(path) as file, refusals("read", path):
        data = file.read(most + 1)
    if len(data) > most:
        raise InputError(
            f"{path.name} has more than {most >> 20} MB and is read as a whole: {advice}"
        )
    return data


@contextmanager
def refusals(what: str, path: Path) -> Iterator[None]:
    """Raise what the system or the compression says of a file as ``InputError``."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path.name} is damaged or cut short: {error}") from None
    except OSError as error:
        raise InputError(f"cannot {what} {path}: {error.strerror or error}") from None


_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_CODE = re.compile("_x([0-9A-Fa-f]{4})_")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


def escaped(text: str) -> str:
    """Return a text as it may stand between tags or quotes."""
    if _UNFIT.search(text):
        text = _UNFIT.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    return text.translate(_MARKUP)


def unescaped(text: str) -> str:
    """Return the text that was written so, after XML's own escapes were read."""
    return _CODE.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


Format = Literal["jsonl", "csv", "graphml", "turtle", "html"]
LINES: Format = "jsonl"
WHOLE = "surreal-graphrag"
"""Value of ``format`` in the first line of a whole graph."""
_ENDINGS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".graphml": "graphml",
    ".ttl": "turtle",
    ".html": "html",
}


@dataclass(frozen=True, slots=True)
class Exported:
    """Result of an export."""

    file: Path
    format: Format
    group: str
    records: dict[str, int]
    """Number of records by kind: ``entity``, ``fact``, and in ``jsonl`` all other kinds."""
    bytes: int
    """Size of the file in bytes."""
    seconds: float


def format_of(file: str | Path, given: Format | None) -> Format:
    """Return the given format, or the one that the ending of a file names."""
    meant = given or _ENDINGS.get(ending(Path(file)))
    if meant is None:
        raise InputError(
            f"{file} has no ending that names a format: use {', '.join(_ENDINGS)}, or give format "
            f"as one of {', '.join(get_args(Format))}"
        )
    return meant
