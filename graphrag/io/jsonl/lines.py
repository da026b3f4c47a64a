"""A group as lines of JSON: a header, one record a line, the log, and a last line that seals it.

The header says what is to come, and the last line how much that was and its checksum: what was cut
short or changed on the way is refused before anything is written. Everything stands in one order
(tables, then ids, then the log), so the same group always gives the same bytes.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from graphrag.errors import InputError
from graphrag.ingest.intake import checked_group
from graphrag.io.files import WHOLE, Put, opened, refusals
from graphrag.io.jsonl import UnreadableError, moment, read_moment

VERSION = 1
END = "end"
_LONGEST = 1 << 27  # bytes of a line: the event of 100,000 facts has 100 MB
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a file."""

    group: str
    created_at: datetime  # system time: when the group began
    embedder: str
    dimension: int
    vectors: bool  # False if they are to be made anew
    counts: Mapping[str, int]  # number of lines by kind

    def line(self) -> dict[str, Any]:
        """Return it as JSON can carry it."""
        return {
            "format": WHOLE,
            "version": VERSION,
            "group": self.group,
            "created_at": moment(self.created_at),
            "embedder": {"name": self.embedder, "dimension": self.dimension},
            "vectors": self.vectors,
            "counts": self.counts,
        }

    @classmethod
    def of(cls, line: Line) -> "Header":
        """Return the header of a line."""
        if line.get("format") != WHOLE:
            raise UnreadableError("this is no graph that was exported by surreal-graphrag")
        if line.get("version") != VERSION:
            raise UnreadableError(
                f"the format has version {line.get('version')!r}, this library knows {VERSION}: "
                "upgrade surreal-graphrag"
            )
        match line:
            case {
                "group": str(group),
                "created_at": str(created_at),
                "embedder": {"name": str(embedder), "dimension": int(dimension)},
                "vectors": bool(vectors),
                "counts": dict(counts),
            } if all(isinstance(count, int) and count >= 0 for count in counts.values()):
                try:
                    began = read_moment(created_at)
                except (ValueError, OverflowError):
                    raise UnreadableError(f"created_at is {created_at!r}, no moment") from None
                return cls(checked_group(group), began, embedder, dimension, vectors, counts)
        raise UnreadableError(
            "the header lacks one of group, created_at, embedder, vectors and counts"
        )


class Sealing:
    """Writes lines and seals them."""

    def __init__(self, put: Put) -> None:
        self._put = put
        self._sum = sha256()
        self._lines = 0

    def add(self, line: Line) -> None:
        """Write a line."""
        data = _JSON.encode(line).encode() + b"\n"
        self._sum.update(data)
        self._lines += 1
        self._put(data)

    def seal(self) -> None:
        """Write the last line."""
        last = {"record": END, "lines": self._lines, "sha256": self._sum.hexdigest()}
        self._put(_JSON.encode(last).encode() + b"\n")


@dataclass(frozen=True, slots=True)
class Placed:
    """A line and where it stands."""

    number: int
    line: Line
    size: int  # its bytes


def is_whole_group(path: Path) -> bool:
    """Tell whether a file begins as an exported group does."""
    try:
        with opened(path) as file, refusals("read", path):
            found = json.loads(file.readline(1 << 16))
    except (InputError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("format") == WHOLE


def read(path: Path) -> Iterator[Placed]:
    """Yield the lines of a file from the header on, and check the seal at its end."""
    checksum, number, sealed = sha256(), 0, False
    with opened(path) as file, refusals("read", path):
        for number, data in enumerate(iter(partial(file.readline, _LONGEST), b""), 1):
            if sealed:
                raise InputError(f"{path.name}, line {number}: nothing may follow the last line")
            line = _parsed(path, number, data)
            if sealed := number > 1 and line.get("record") == END:
                _check_seal(path, number, line, checksum.hexdigest())
            else:
                checksum.update(data)
                yield Placed(number, line, len(data))
    if not sealed:
        raise InputError(
            f"{path.name} is cut short after line {number}: the last line of an export is "
            f'{{"record":"{END}", ...}}; export again, or copy the file again'
        )


def _parsed(path: Path, number: int, data: bytes) -> Line:
    place = f"{path.name}, line {number}"
    if not data.endswith(b"\n") and len(data) >= _LONGEST:
        raise InputError(f"{place} has more than {_LONGEST >> 20} MB: this is no export")
    try:
        line = json.loads(data)
    except (ValueError, RecursionError) as error:  # also of bytes that are no text
        what = "is cut short" if not data.endswith(b"\n") else f"is no JSON: {error}"
        raise InputError(f"{place} {what}") from None
    if not isinstance(line, dict):
        raise InputError(f"{place} is no object: every line of an export is one")
    return line


def _check_seal(path: Path, number: int, line: Line, checksum: str) -> None:
    if line.get("lines") != number - 1:
        raise InputError(
            f"{path.name}, line {number}: the export had {line.get('lines')!r} lines before this "
            f"one, there are {number - 1}: copy the file again"
        )
    if line.get("sha256") != checksum:
        raise InputError(
            f"{path.name}: the lines do not have the checksum that line {number} tells: something "
            "was changed; copy the file again"
        )
