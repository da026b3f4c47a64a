"""The rows of a store once more, in a file that gives one in microseconds.

The engine takes 0.1 ms for a row, and a search returns thirty. The file is a copy and never the
truth. What a transaction changes is dropped from it; of each group it notes the newest event that
it knows of, and is believed only if the store's log has that event, with the same moment; what
later events touched is dropped, too. Deleting the folder costs reading the rows from the engine.

Layout: ``NAME-N.rows`` has a frame for each row, its record and its image as the log has it, and
only grows; ``NAME.places`` has a line of JSON, then where each record's frame is. The places are
replaced as a whole, so a crash leaves the last ones.
"""

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from graphrag.store.places import Key, Places, record_name

_log = logging.getLogger(__name__)
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
        self._name = hashlib.sha256("\0".join(place).encode()).hexdigest()[:16]
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
        for key, (at, size) in self._places.find(keys).items() if len(self._places) else ():
            name, frame = record_name(key), self._frame(at, size)
            # Another record may have the same hash, and a damaged file anything.
            if len(frame) == size and frame.startswith(name):
                found[key] = frame[len(name) :]
        return found

    def put(self, images: Iterable[tuple[Key, str]]) -> None:
        """Take in the images of records, as JSON."""
        for key, image in images:
            frame = record_name(key) + image.encode()
            if len(frame) > _LONGEST or self._off:
                continue
            self._places.enter(key, (self._flushed + len(self._buffer), len(frame)))
            self._buffer += frame
            self._changed = True
            if len(self._buffer) >= _BUFFER:
                try:
                    self._flush()
                except OSError as error:
                    self._give_up(error)

    def drop(self, keys: Iterable[Key]) -> None:
        """Let go of records that changed."""
        self._changed |= self._places.drop(keys)

    def clear(self) -> None:
        """Let go of all rows, on the disk, too: something is forgotten, or another history came.

        Raises:
            OSError: if a file cannot be deleted.
        """
        self.close()
        for path in self._folder.glob(f"{self._name}*"):
            path.unlink(missing_ok=True)
        self._places = Places()
        self._number += 1
        self._flushed = 0
        self._changed = False
        self.stamps.clear()

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
        except OSError as error:
            self._give_up(error)
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
            self._give_up(error)
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

        def write() -> None:
            with self._writing:
                try:
                    os.fsync(file.fileno())
                    self._write_places(json.dumps(head).encode() + b"\n" + places)
                except (OSError, ValueError) as error:  # full, or cleared and closed meanwhile
                    _log.warning("the rows beside the store were not saved: %s", error)

        return write

    def close(self) -> None:
        """Close the file; what was not saved is read from the store again."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._buffer.clear()

    def _give_up(self, error: OSError) -> None:
        self._off = True
        _log.warning(
            "the rows beside the store could not be written (%s): nothing is lost, they are read "
            "from the store itself",
            error,
        )
        self.clear()

    # -- places --------------------------------------------------------------------------------

    def _read_places(self) -> None:
        try:
            with self._places_path.open("rb") as file:
                head = json.loads(file.readline())
                if head["code"] != _code_version():
                    return
                places = Places(file.read())
            number, length = int(head["number"]), int(head["length"])
            stamps = {group: (int(seq), int(at)) for group, (seq, at) in head["stamps"].items()}
            if len(places) != head["count"] or self._path(number).stat().st_size < length:
                return
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return
        self._places, self._number, self._flushed = places, number, length
        self.stamps = stamps

    def _write_places(self, data: bytes) -> None:
        partial = self._places_path.with_suffix(".partial")
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self._places_path)
        for path in self._folder.glob(f"{self._name}-*.rows"):
            if path != self._path(self._number):
                path.unlink(missing_ok=True)

    @property
    def _places_path(self) -> Path:
        return self._folder / f"{self._name}.places"

    # -- frames --------------------------------------------------------------------------------

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._name}-{number}.rows"

    def _frame(self, at: int, size: int) -> bytes:
        if at >= self._flushed:
            return bytes(self._buffer[at - self._flushed :][:size])
        try:
            file = self._opened()
            file.seek(at)
            return file.read(size)
        except OSError:
            return b""  # as if it were not here: the engine has the row

    def _flush(self) -> None:
        file = self._opened()
        file.seek(self._flushed)
        while self._buffer:
            written = file.write(self._buffer)
            self._flushed += written
            del self._buffer[:written]

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._folder.mkdir(exist_ok=True)
            path = self._path(self._number)
            path.touch()
            self._file = path.open("r+b", buffering=0)
        return self._file

    def _compact(self) -> None:
        """Write what is live to a new file, in the order it was told."""
        self._flush()
        length = 0
        with self._path(self._number + 1).open("wb") as file:
            for at, size in self._places.in_order():
                frame = self._frame(at, size)
                if len(frame) != size:
                    raise OSError(f"{self._path(self._number)} is cut short")
                length += file.write(frame)
        self.close()
        self._places.close_gaps()
        self._number, self._flushed = self._number + 1, length


@cache
def _code_version() -> str:
    """Return a name for what a row looks like: it changes with the code that says so."""
    package = Path(__file__).parents[1]
    code = hashlib.sha256()
    for path in (
        *(package / "store" / name for name in ("places.py", "row_file.py", "rows.py")),
        package / "models.py",
        *sorted((package / "schema").glob("*.surql")),
    ):
        code.update(path.read_bytes())
    return code.hexdigest()
