"""What the engine needs of its process and its folder, and does not check itself.

Short of descriptors or of address space it aborts the process; in a forked child it waits for ever;
into a deleted folder it goes on writing, and after the end of a log that a full disk or a kill left
torn.
"""

import mmap
import os
import shutil
import struct
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

from graphrag.errors import StoreCorruptError, StoreError

if sys.platform != "win32":
    import fcntl

_DESCRIPTORS = 64
"""It opens up to 48 at once; with 31 free it aborted (surrealdb-embedded 3.0.0b10)."""
_ADDRESSES = 3_500 << 20
"""Bytes that it reserves for a moment while it opens a folder: 3.1 GB."""


class Owner:
    """The process that opened a graph."""

    def __init__(self, graph: str) -> None:
        self._graph, self._pid = graph, os.getpid()

    @property
    def here(self) -> bool:
        """Tell whether this is that process, and no child that it forked."""
        return os.getpid() == self._pid

    def check(self) -> None:
        """Refuse to go on in a forked child."""
        if not self.here:
            raise StoreError(
                f"{self._graph} was opened by process {self._pid}, of which this one is a fork: "
                "a fork cannot use it; start workers by 'spawn', or close the graph before you "
                "fork and open it afterwards, in one of the processes"
            )


def check_limits() -> None:
    """Refuse a process that may not open and reserve what the engine needs."""
    if sys.platform == "win32":
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if most != resource.RLIM_INFINITY and (free := most - _descriptors()) < _DESCRIPTORS:
        raise StoreError(
            f"the database needs {_DESCRIPTORS} free file descriptors, this process may open "
            f"{max(free, 0)} more (of {most}): raise the limit ('ulimit -n'), or close files"
        )
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most != resource.RLIM_INFINITY and (free := most - _addresses()) < _ADDRESSES:
        raise StoreError(
            f"the database reserves {_ADDRESSES >> 20} MiB of address space when it opens, this "
            f"process may have {max(free, 0) >> 20} more: raise the limit ('ulimit -v'), or limit "
            "the memory of its control group instead"
        )


def _descriptors() -> int:
    """Return how many file descriptors are open; 0 where nothing tells."""
    try:
        return len(os.listdir("/dev/fd")) - 1  # without the one that this takes
    except FileNotFoundError:
        return 0
    except OSError:  # not even that one was free
        return sys.maxsize


def _addresses() -> int:
    """Return how many bytes of address space are taken; 0 where nothing tells."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def lock_of(folder: Path) -> tuple[int, int] | None:
    """Return which file is the lock of a store: held open, no later file can have its number."""
    try:
        state = os.stat(folder / "LOCK")
    except OSError:
        return None
    return state.st_dev, state.st_ino


_BLOCK = 32_768
_HEADER = struct.Struct(">IHB")
"""Of a part of a record, none of which crosses a block: checksum (of the rest), length, kind."""
_EMPTY, _WHOLE, _PARTS = 0, (1, 4, 9), (2, 3)
_MARK = "refused-"
_LEVELS = 26
"""Where a manifest has the number of its levels: before are its version and three numbers."""


@dataclass(frozen=True, slots=True)
class LogState:
    """The bytes of a log, its newest segment, and the bytes and the number of its file."""

    size: int
    segment: str
    end: int
    file: int


class WriteAheadLog:
    """The log in which the engine (SurrealKV 0.21) has what is not in its tables yet.

    The rest of a record that it could not write it writes before the next one, or when it is
    closed, so what it refused comes back. And it appends to a torn record, or to a file that it has
    just replaced: the next replay ends before what was acknowledged since. Both are cut off.
    """

    def __init__(self, store: Path) -> None:
        self._store, self._folder = store, store / "wal"

    def state(self) -> LogState:
        """Return how far the log goes."""
        files = files_of(self._folder)
        if not files:
            return LogState(0, "", 0, 0)
        newest = max(files)
        size = sum(state.st_size for state in files.values())
        return LogState(size, newest, files[newest].st_size, files[newest].st_ino)

    def refuse(self, state: LogState) -> None:
        """Cut off what came after a state, now and when the store is opened again.

        The mark is a file without contents, for which a full disk has room.
        """
        self._cut(state.segment, state.end)
        (self._store / f"{_MARK}{state.segment}-{state.end}").touch()

    def mend(self) -> bool:
        """Cut off what was refused and what is torn; False for an open store: it may grow there."""
        if not (lock := self._store / "LOCK").exists():
            return True
        with lock.open("rb+") as file:
            try:
                if sys.platform == "win32":
                    file.read(1)  # not allowed while the engine has it
                else:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # as the engine does
            except (BlockingIOError, PermissionError):
                return False
            for manifest in (self._store / "manifest").glob("*.manifest"):
                _check_manifest(manifest)
            self._mend()
            return True

    def _mend(self) -> None:
        for mark in self._store.glob(f"{_MARK}*"):
            _, segment, end = mark.name.split("-")
            if segment in files_of(self._folder):  # else it is in tables: what is newer was written
                self._cut(segment, int(end))
            mark.unlink()
            _synchronize(self._store)  # it must not come back after the next commit
        shutil.rmtree(self._folder / "repair_temp", ignore_errors=True)
        if (state := self.state()).end:
            for name in files_of(self._folder).keys() - {state.segment}:
                _whole(self._folder / name, newest=False)
            self._cut(state.segment, _whole(self._folder / state.segment, newest=True))

    def _cut(self, segment: str, end: int) -> None:
        for name, state in files_of(self._folder).items():
            most = end if name == segment else 0
            if name >= segment and state.st_size > most:
                os.truncate(path := self._folder / name, most)
                _synchronize(path)


def _check_manifest(file: Path) -> None:
    """Refuse a list of tables that says it is longer than it is: the engine would abort."""
    data = file.read_bytes()
    at, levels = _LEVELS + 1, data[_LEVELS] if len(data) > _LEVELS else 0
    for _ in range(levels):  # of each the number of its tables, and theirs
        at += 4 + 8 * int.from_bytes(data[at : at + 4])
    if not levels or len(data) < at + 4 + int.from_bytes(data[at : at + 4]):
        raise StoreCorruptError(f"the manifest {file} is damaged: restore a copy of the store")


def files_of(folder: Path) -> dict[str, os.stat_result]:
    """Return the state of each file in a folder, by name."""
    try:
        with os.scandir(folder) as files:  # half the time of Path.iterdir, before every write
            return {file.name: file.stat() for file in files if file.is_file()}
    except FileNotFoundError:  # it is new, or a part of it was just removed
        return {}


def _synchronize(path: Path) -> None:
    if sys.platform == "win32" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _whole(segment: Path, *, newest: bool) -> int:
    """Return where the last whole record ends if the next is torn.

    Records after the damage are an error: the engine would silently leave them out.
    """
    if not (size := segment.stat().st_size):
        return 0
    with segment.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = end = 0
        while at + _HEADER.size <= size:
            kind, stop = data[at + _HEADER.size - 1], at + _BLOCK - at % _BLOCK
            if at + _HEADER.size > stop or (kind == _EMPTY and not data[at:stop].strip(b"\0")):
                at = stop
            elif length := _part(data, at):
                at += length
                end = at if kind in _WHOLE else end
            else:
                break
        else:
            return end
        later = (*range(at + 1, min(stop, size)), *range(stop, size, _BLOCK))
        if newest and not any(_part(data, place) for place in later):
            return end
        raise StoreCorruptError(
            f"the log {segment} is damaged at byte {at:,} of {size:,}, and what was written after "
            f"that cannot be read: restore a copy of the store, or cut the file to {end} bytes and "
            "remove the later ones beside it to go on without that"
        )


def _part(data: mmap.mmap, at: int) -> int:
    """Return the bytes of the part of a record that begins at a place, 0 if none does."""
    if at + _HEADER.size > len(data):
        return 0
    checksum, length, kind = _HEADER.unpack_from(data, at)
    start, stop = at + _HEADER.size, at + _BLOCK - at % _BLOCK
    if kind not in (*_WHOLE, *_PARTS) or start + length > min(stop, len(data)):
        return 0
    return _HEADER.size + length if zlib.crc32(data[start - 1 : start + length]) == checksum else 0
