"""Row file: a SQLite copy of a store's rows that returns one in 10 µs (the engine: 0.1 ms).

It has an image per record, as in the log, with a checksum: SQLite has none. The rows of a group are
used only if the store's log has the event that was the newest when they were written; rows that
later events touched are dropped. A killed process leaves the state of its last flush.
"""

import json
import logging
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from hashlib import blake2b, sha256
from pathlib import Path
from threading import Lock
from zlib import crc32

from graphrag.model import values
from graphrag.schema import newest
from graphrag.store import assertions, rows
from graphrag.store.private import (
    MALFORMED,
    DamagedFileError,
    code_hash,
    files_in,
    make_private_folder,
    open_private,
)

_LOG = logging.getLogger("graphrag")
_OF_NO_USE = (
    "the rows beside the store in %s are of no use (%s): nothing is lost, they are read from the "
    "store itself"
)
_FLUSH = 1 << 20  # bytes of rows that wait in memory at most
_FEWEST = 1_000  # rows from which closing begins a file: fewer are read again in a moment
_LONGEST = 1 << 20
"""Bytes of the longest image that is kept, or read from a file that somebody else made."""
_AT_ONCE = 250  # records of one query
_MOST_STAMPS, _LONGEST_STAMP = 100_000, 2_048
"""Stamps of groups that are read, usually 200 bytes each, and half the bytes of the longest: the
name of a group has up to 200 characters. A file with more is begun anew, as a row without the stamp
of its group may be of any event."""
_ROWS = "SELECT number, checksum, frame FROM rows WHERE "
_STAMP = "group_info"  # the table of the records that have the stamps of groups
_TABLE = "CREATE TABLE rows (number INTEGER PRIMARY KEY, checksum INTEGER, frame BLOB)"
_OPENING = (
    "PRAGMA journal_mode = wal",
    "PRAGMA synchronous = normal",
    "PRAGMA wal_autocheckpoint = 16384",  # 64 MB: before that, a thread does it
    "PRAGMA secure_delete = on",  # no damage brings a dropped row back
    "PRAGMA cell_size_check = on",
    "PRAGMA trusted_schema = off",
)
_FAILURES = (OSError, MemoryError, sqlite3.Error, *MALFORMED)

Key = tuple[str, str]
"""Table and id of a record."""
Stamp = tuple[int, int]
"""Number of a group's newest event, and its moment in microseconds."""


class RowFile:
    """The images of a store's rows by record, as JSON; without a folder, of none."""

    def __init__(self, folder: Path | None, *place: str) -> None:
        self._folder = folder or Path()
        name = sha256("\0".join(place).encode()).hexdigest()[:16]
        self._path = self._folder / f"{name}.sqlite3"
        self._database: sqlite3.Connection | None = None
        self._waiting: dict[Key, bytes | None] = {}
        """Images that are not in the file yet; None for records to delete there."""
        self._bytes = 0
        self._maintaining = Lock()
        self.off = folder is None
        """Nothing is kept: there is no folder, or its disk failed."""
        self.noted: dict[str, Stamp] = {}
        """The stamp of each group in the file."""
        self.stamps: dict[str, Stamp] = {}
        """The stamp of each group whose rows are right now."""
        try:
            if not self.off and self._files():
                self._open()
        except _FAILURES as error:
            self._let_go(error)

    def find(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """Return the images of the records that are here."""
        images = {key: image for key in keys if (image := self._waiting.get(key)) is not None}
        database = self._database
        if database is None:
            return images
        wanted = {key for key in keys if key not in self._waiting}
        numbers = [*{*map(_number, wanted)}]
        try:
            for start in range(0, len(numbers), _AT_ONCE):
                batch = numbers[start : start + _AT_ONCE]
                marks = ", ".join("?" * len(batch))
                rows = _read(database, f"number IN ({marks})", batch)
                images |= {key: image for _, key, image in rows if key in wanted}
        except _FAILURES as error:
            self._let_go(error)
            return {}
        return images

    def put(self, images: Iterable[tuple[Key, str]]) -> None:
        """Take in the images of records."""
        for key, image in images:
            if self.off:
                return
            data = image.encode()
            self._waiting[key] = data if len(data) <= _LONGEST else None
            self._bytes += len(data)
            if self._bytes >= _FLUSH:
                self._flush()

    def drop(self, keys: Sequence[Key]) -> None:
        """Let go of records that changed."""
        if not self.off:
            self._waiting.update(dict.fromkeys(keys))

    def clear(self) -> None:
        """Let go of all rows, on the disk, too: something is forgotten, or another history came.

        If a file cannot be deleted, it is not read, nor written, any more.
        """
        self.close()
        self.noted.clear()
        try:
            with self._maintaining:  # waits for a thread that moves the log of SQLite
                for path in self._files() if self._folder != Path() else ():
                    path.unlink(missing_ok=True)
        except OSError:
            self.off = True
            raise

    def fault(self) -> str:
        """Compare every row on the disk with its checksum; return what is wrong, or ""."""
        database = self._database
        if database is None:
            return ""
        try:
            database.execute("PRAGMA shrink_memory")  # or what was read before would be read
            [(verdict,)] = database.execute("PRAGMA integrity_check(1)")
            if verdict != "ok":
                return str(verdict)
            if any(number != _number(key) for number, key, _ in _read(database, "TRUE")):
                return "a row is not where it was written"
        except _FAILURES as error:
            return str(error)
        return ""

    def save(self) -> None:
        """Write everything, for the next opening; few rows are not worth a file."""
        if self._database is not None or len(self._waiting) >= _FEWEST:
            self._flush()

    def checkpoint(self) -> Callable[[], None]:
        """Write everything and return what moves it to its place, in a thread."""
        if self._database is not None or self._waiting:
            self._flush()
        return (lambda: None) if self.off else self._maintain

    def close(self) -> None:
        """Close the file; what was not saved is read from the store again."""
        self._waiting.clear()
        self._bytes = 0
        if self._database is not None:
            database, self._database = self._database, None
            database.close()

    def _flush(self) -> None:
        """Write what waits, and with it the stamps of which it is; then let go of it."""
        if self.off:
            self.close()
            return
        # A group without any event has no rows, and nothing to recognise it by.
        stamps = {group: stamp for group, stamp in self.stamps.items() if stamp[0]}
        images = {key: image for key, image in self._waiting.items() if image is not None}
        for group, stamp in stamps.items() - self.noted.items():
            images[_STAMP, group] = json.dumps(stamp).encode()
        gone = [(_number(key),) for key in self._waiting.keys() - images.keys()]
        frames = ((key, _name(key) + image) for key, image in images.items())
        rows = [(_number(key), crc32(frame), frame) for key, frame in frames]
        try:
            with self._open() as database:
                database.executemany("DELETE FROM rows WHERE number = ?", gone)
                database.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", rows)
            self.noted |= stamps
        except _FAILURES as error:
            self._let_go(error, off=True)
        self._waiting, self._bytes = {}, 0

    def _maintain(self) -> None:
        """Move the log of SQLite into its file: others read and write meanwhile."""
        with self._maintaining:
            if self._database is None:  # cleared meanwhile
                return
            try:
                with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=rw", uri=True)) as file:
                    file.execute("PRAGMA wal_checkpoint(passive)").fetchall()
            except sqlite3.Error as error:
                self._warn(error)
                self.off = True

    def _open(self) -> sqlite3.Connection:
        """Return the open file, which is made if it is not there."""
        if self._database is not None:
            return self._database
        make_private_folder(self._folder)
        for path in self._files():
            if not stat.S_ISREG(path.lstat().st_mode):
                raise DamagedFileError(f"{path} is no plain file")
            if not path.name.startswith(self._path.name):  # of an earlier version
                path.unlink()
        open_private(self._path, "r+b").close()
        self._database = database = sqlite3.connect(self._path, check_same_thread=False)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * _LONGEST)
        for pragma in _OPENING:
            database.execute(pragma)
        schema = [sql for (sql,) in database.execute("SELECT sql FROM sqlite_schema") if sql]
        [(version,)] = database.execute("PRAGMA user_version")
        modules = (values, assertions, rows, sys.modules[__name__])  # they say what a row is like
        hashed = code_hash((Path(module.__file__ or "") for module in modules), newest())
        code = int(hashed[:8], 16) >> 1 or 1
        if schema == [_TABLE] and version == code:
            where = f"number < 0 LIMIT {_MOST_STAMPS + 1}"
            for _, (_, group), stamp in _read(database, where, longest=_LONGEST_STAMP):
                if len(self.noted) == _MOST_STAMPS:
                    raise DamagedFileError("it has too many stamps")
                seq, at = json.loads(stamp)
                self.noted[group] = int(seq), int(at)
        elif schema == [_TABLE]:  # of another version
            self.clear()
            return self._open()
        elif not schema:
            database.execute(_TABLE)
            database.execute(f"PRAGMA user_version = {code}")
        else:
            raise DamagedFileError(f"{self._path} has other tables")
        return database

    def _files(self) -> list[Path]:
        return [path for path in files_in(self._folder) if path.name.startswith(self._path.stem)]

    def _let_go(self, error: Exception, *, off: bool = False) -> None:
        """Do without what is here, and with ``off`` without a file for as long as this is open."""
        self._warn(error)
        with suppress(OSError):  # such as that of which it was just warned
            self.clear()
        self.off |= off

    def _warn(self, error: Exception) -> None:
        if not self.off:
            _LOG.warning(_OF_NO_USE, self._folder, error)


def _read(
    database: sqlite3.Connection, where: str, numbers: Sequence[int] = (), longest: int = _LONGEST
) -> Iterator[tuple[int, Key, bytes]]:
    """Yield number, key and image of records, if they are what was written."""
    for number, checksum, frame in database.execute(_ROWS + where, numbers):
        name, _, image = frame.partition(b"\n")
        if len(frame) > 2 * longest:  # its name comes on top of the image
            raise DamagedFileError("a row is too long")
        if crc32(frame) != checksum:
            raise DamagedFileError("a row is damaged")
        table, _, id_ = name.decode().partition(":")
        yield number, (table, id_), image


def _name(key: Key) -> bytes:
    return f"{key[0]}:{key[1]}\n".encode()


def _number(key: Key) -> int:
    """Return where a record is: beside those of its moment, stamps before all; the last wins."""
    (table, id_), name = key, _name(key)
    if table != _STAMP:
        with suppress(ValueError):  # as a UUIDv7 begins: 48 bits of milliseconds
            moment = int(id_[:8] + id_[9:13], 16) & 0xFFFFFFFFFFFF
            return moment << 15 | crc32(name) & 0x7FFF
    number = int.from_bytes(blake2b(name, digest_size=8).digest()) >> 1
    return -1 - number if table == _STAMP else number
