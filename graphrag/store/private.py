"""Private folders and files: readable by their owner only, and not believed unseen.

A folder stands behind each ``mem://``: the engine's own memory store needs time and memory that are
quadratic in the rows of a transaction (surrealdb-embedded 3.0.0b10: 7.5 GB for 8,000). It goes on
close, with its last reference, or at exit; that of a killed process is removed by the next one,
which finds its lock released. Windows leaves it to its cleanup of temporary files.
"""

import errno
import os
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Literal

if sys.platform != "win32":
    import fcntl

_MEMORY = Path("/dev/shm")
_ROOM = 1 << 30
"""Bytes that must be free there: containers often have 64 MB."""
_PREFIX = "graphrag-mem-"
_LOCK = "lock"
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
    """Make a folder for its owner alone, unless it is there; a link to one is refused."""
    folder.mkdir(mode=0o700, exist_ok=True)
    files_in(folder)


def files_in(folder: Path) -> list[Path]:
    """Return what is in a folder, nothing if there is none; a link to one is refused."""
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "is a link", str(folder))
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


def open_private(path: Path, mode: Mode) -> BinaryIO:
    """Open a file for its owner alone; to be written, it is made if it is not there.

    Links and whatever is no plain file are refused: who gives you a store may not choose what this
    process writes to, or waits for.
    """
    descriptor = os.open(path, _FLAGS[mode] | _PLAIN, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "is no plain file", str(path))
    file: BinaryIO = os.fdopen(descriptor, mode)
    return file


def code_hash(sources: Iterable[Path], *more: object) -> str:
    """Return a hash of source files and more: what other code wrote is not read."""
    code = sha256(repr(more).encode())
    for path in sources:
        code.update(path.read_bytes())
    return code.hexdigest()


class PrivateFolder:
    """A folder that no other user may enter (0700)."""

    def __init__(self) -> None:
        for path, abandoned in _stale():
            _remove(path, abandoned, os.getpid())
        self.path, lock = _new()
        # A child of a fork inherits this object, but the folder is its parent's.
        self._remove = weakref.finalize(self, _remove, self.path, lock, os.getpid())

    def close(self) -> None:
        """Remove it with what is in it; closing twice is fine."""
        self._remove()


def _new() -> tuple[Path, int | None]:
    usable = os.access(_MEMORY, os.W_OK | os.X_OK)
    roomy = usable and shutil.disk_usage(_MEMORY).free >= _ROOM
    root = _MEMORY if roomy else tempfile.gettempdir()
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))
        if sys.platform == "win32":
            return path, None
        try:
            lock = _open_lock(path)
        except FileNotFoundError:  # another process took it for a stale one
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fstat(lock).st_nlink:
            return path, lock
        os.close(lock)


def _stale() -> Iterator[tuple[Path, int]]:
    """Yield the folders of this user that nobody uses, each with its lock, which is ours now."""
    if sys.platform == "win32":
        return
    for root in {_MEMORY, Path(tempfile.gettempdir())}:
        for path in root.glob(f"{_PREFIX}*"):
            try:
                own = path.lstat().st_uid == os.getuid()
                if not own or path.is_symlink() or not path.is_dir():  # put here by a stranger
                    continue
                lock = _open_lock(path)
            except FileNotFoundError:  # removed in the meantime
                continue
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
            else:
                yield path, lock


def _open_lock(path: Path) -> int:
    return os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)


def _remove(path: Path, lock: int | None, owner: int) -> None:
    if os.getpid() != owner:
        return
    # What the engine's threads still write there, the next process finds stale.
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)
