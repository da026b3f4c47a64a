"""Row file: a copy of a store's rows that returns one in microseconds (the engine: 0.1 ms).

``NAME-N.rows`` is append-only and has a frame per row: its record and its image as in the log.
``NAME.places`` has a line of JSON, then the offset of each record's frame with its checksum, and is
replaced as a whole. The file is used for a group only if the store's log has the newest event
noted; rows that later events touched are dropped, and so is what is damaged.
"""

import inspect
import logging
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO
from zlib import crc32

from graphrag.model import values
from graphrag.schema import newest
from graphrag.store import cache_file, offsets, rows
from graphrag.store.cache_file import (
    MALFORMED,
    DamagedFileError,
    files_in,
    make_private_folder,
    open_private,
    read_head,
    write_whole,
)
from graphrag.store.offsets import Key, Place, Places, record_name

_LOG = logging.getLogger("graphrag")
_BUFFER = 1 << 20
_FEWEST = 1_000
"""Rows from which a file is kept: fewer are read again in a moment."""
_LONGEST = 1 << 20
_SPARE = 16 << 20
"""Bytes of dropped frames that are not worth writing the file anew."""

Stamp = tuple[int, int]
"""Number of a group's newest event, and its moment in microseconds."""


class RowFile:
    """The images of a store's rows by record."""

    def __init__(self, folder: Path, *place: str) -> None:
        self._folder = folder
        self._name = sha256("\0".join(place).encode()).hexdigest()[:16]
        self._places = Places()
        self._number = 0
        self._file: BinaryIO | None = None
        self._flushed = 0
        self._buffer = bytearray()
        self._changed = False
        self._off = False
        self._writing = Lock()
        self.stamps: dict[str, Stamp] = {}
        """What was known of each group when the file was saved."""
        self._read_places()

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._places)

    def find(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """Return the images of the records that are here, as JSON."""
        found: dict[Key, bytes] = {}
        try:
            for key, place in self._places.find(keys).items() if len(self._places) else ():
                name, frame = record_name(key), self._frame(place)
                if frame.startswith(name):  # another record may have the same hash
                    found[key] = frame[len(name) :]
        except (OSError, DamagedFileError) as error:
            self._let_go(error)
        return found

    def put(self, images: Iterable[tuple[Key, str]]) -> None:
        """Take in the images of records, as JSON."""
        placed: list[tuple[Key, Place]] = []
        for key, image in images if not self._off else ():
            frame = record_name(key) + image.encode()
            if len(frame) > _LONGEST:
                self.drop([key])
                continue
            placed.append((key, (self._flushed + len(self._buffer), len(frame), crc32(frame))))
            self._buffer += frame
            if len(self._buffer) >= _BUFFER:
                try:
                    self._flush()
                except OSError as error:
                    self._let_go(error, off=True)
                    return
        self._places.enter(placed)
        self._changed |= bool(placed)

    def drop(self, keys: Sequence[Key]) -> None:
        """Let go of records that changed."""
        self._changed |= self._places.drop(keys)

    def clear(self) -> None:
        """Let go of all rows, on the disk, too: something is forgotten, or another history came.

        Raises:
            OSError: if a file cannot be deleted; what is in it will not be read any more.
        """
        self._places = Places()
        self._number += 1
        self.close()
        self._flushed = 0
        self._changed = False
        self.stamps.clear()
        with self._writing:
            for path in self._files():
                path.unlink(missing_ok=True)

    def fault(self) -> str:
        """Hold every row that was written against its checksum; return what is wrong, or ""."""
        self._places.sort()
        try:
            for place in self._places.in_order():
                self._frame(place)
        except (OSError, DamagedFileError) as error:
            return str(error)
        return ""

    def save(self, stamps: Mapping[str, Stamp]) -> None:
        """Write where the rows are, for the next opening; few rows are not worth it."""
        if not self._changed:
            return
        try:
            self._places.sort()
            if len(self) < _FEWEST:
                self.clear()
                return
            if self._flushed + len(self._buffer) > 2 * self._places.live + _SPARE:
                self._compact()
        except (OSError, DamagedFileError) as error:
            self._let_go(error, off=True)
        self.checkpoint(stamps)()

    def checkpoint(self, stamps: Mapping[str, Stamp]) -> Callable[[], None]:
        """Return what writes, in a thread, where the rows are now; more may come meanwhile."""
        if self._off:
            return lambda: None
        try:
            self._places.sort()
            self._flush()
            file = self._opened()
        except OSError as error:
            self._let_go(error, off=True)
            return lambda: None
        self.stamps = dict(stamps)
        self._changed = False
        head = {
            "code": _code_version(),
            "number": self._number,
            "length": self._flushed,
            "count": len(self._places),
            "stamps": self.stamps,
        }
        places = self._places.as_bytes()
        head["checksum"] = crc32(places)

        def write() -> None:
            number = head["number"]
            try:
                os.fsync(file.fileno())
                with self._writing:
                    if self._number == number:
                        self._write_places(head, places)
            except (OSError, ValueError) as error:
                if self._number == number:  # else cleared meanwhile: there is nothing to save
                    self._warn(error)
                    self._off = True

        return write

    def close(self) -> None:
        """Close the file; what was not saved is read from the store again."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._buffer.clear()

    def _let_go(self, error: Exception, *, off: bool = False) -> None:
        """Do without what is here, and with ``off`` without a file for as long as this is open."""
        self._warn(error)
        try:
            self.clear()
        except OSError:  # such as that of which it was just warned; nobody will read the file
            off = True
        self._off |= off

    def _warn(self, error: Exception) -> None:
        if not self._off:
            _LOG.warning(
                "the rows beside the store in %s are of no use (%s): nothing is lost, they are "
                "read from the store itself",
                self._folder,
                error,
            )

    # -- places --------------------------------------------------------------------------------

    def _read_places(self) -> None:
        try:
            if self._places_path not in self._files():
                return
            with open_private(self._places_path, "rb") as file:
                head = read_head(file)
                if head["code"] != _code_version():
                    return
                data = file.read()
            if crc32(data) != head["checksum"]:
                raise DamagedFileError(f"{self._places_path} is damaged")
            places, number, length = Places(data), int(head["number"]), int(head["length"])
            stamps = {group: (int(seq), int(at)) for group, (seq, at) in head["stamps"].items()}
            if self._path(number).stat().st_size < length or not places.fit(length, _LONGEST):
                raise DamagedFileError(f"{self._path(number)} is cut short")
        except (OSError, MemoryError, *MALFORMED) as error:
            self._let_go(error)
            return
        self._places, self._number, self._flushed = places, number, length
        self.stamps = stamps

    def _write_places(self, head: Mapping[str, Any], places: bytes) -> None:
        write_whole(self._places_path, head, [places])
        for path in self._files():
            if path.suffix == ".rows" and path != self._path(self._number):
                path.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        """Return what is on the disk of these rows."""
        return [path for path in files_in(self._folder) if path.name.startswith(self._name)]

    @property
    def _places_path(self) -> Path:
        return self._folder / f"{self._name}.places"

    # -- frames --------------------------------------------------------------------------------

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._name}-{number}.rows"

    def _frame(self, place: Place) -> bytes:
        at, size, checksum = place
        if at >= self._flushed:
            at -= self._flushed
            return bytes(self._buffer[at : at + size])
        file = self._opened()
        file.seek(at)
        return _checked(file.read(size), checksum)

    def _flush(self) -> None:
        file = self._opened()
        file.seek(self._flushed)
        while self._buffer:
            written = file.write(self._buffer)
            self._flushed += written
            del self._buffer[:written]

    def _opened(self) -> BinaryIO:
        if self._file is None:
            make_private_folder(self._folder)
            self._file = open_private(self._path(self._number), "r+b", buffering=0)
        return self._file

    def _compact(self) -> None:
        """Write what is live to a new file, in the order it was written."""
        self._flush()
        length = 0
        with open_private(self._path(self._number + 1), "wb") as file:
            for place in self._places.in_order():
                length += file.write(self._frame(place))
        self.close()
        self._places.close_gaps()
        self._number, self._flushed = self._number + 1, length


def _checked(frame: bytes, checksum: int) -> bytes:
    """Return a frame if it is what was written."""
    if crc32(frame) != checksum:
        raise DamagedFileError("a row is damaged")
    return frame


@cache
def _code_version() -> str:
    """Return a name for what a row looks like: it changes with the code that says so."""
    code = sha256(str(newest()).encode())
    for module in (values, cache_file, offsets, rows, sys.modules[__name__]):
        code.update(inspect.getsource(module).encode())
    return code.hexdigest()
