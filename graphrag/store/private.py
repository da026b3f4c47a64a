"""Private store folders, which stand behind ``mem://``.

The engine's own memory store needs time and memory quadratic in the rows of a transaction
(surrealdb-embedded 3.0.0b10: 7.5 GB for 8,000); a folder, in memory where there is room, does not.
It goes on close, with its last reference, or at exit. Folders of killed processes are recognised by
their released file lock and removed by the next process; Windows has no such lock and leaves them
to its temporary-file cleanup.
"""

import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_MEMORY = Path("/dev/shm")
_ROOM = 1 << 30
"""Bytes that must be free there: containers often have 64 MB."""
_PREFIX = "graphrag-mem-"
_LOCK = "lock"


class PrivateFolder:
    """A folder that no other user may enter (0700)."""

    def __init__(self) -> None:
        """Make it, after removing those whose processes are gone.

        Raises:
            OSError: if there is no place for it.
        """
        for path, abandoned in _stale():
            _remove(path, abandoned, os.getpid())
        self.path, lock = _new()
        # A child of a fork inherits this object, but the folder is its parent's.
        self._remove = weakref.finalize(self, _remove, self.path, lock, os.getpid())

    def close(self) -> None:
        """Remove it with what is in it; closing twice is fine."""
        self._remove()


def _new() -> tuple[Path, int | None]:
    root = _MEMORY if _has_room(_MEMORY) else tempfile.gettempdir()
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


def _has_room(root: Path) -> bool:
    if not os.access(root, os.W_OK | os.X_OK):
        return False
    state = os.statvfs(root)
    return state.f_bavail * state.f_frsize >= _ROOM


def _stale() -> Iterator[tuple[Path, int]]:
    """Return the folders of this user that nobody uses, each with its lock, which is ours now."""
    if sys.platform == "win32":
        return
    for root in {_MEMORY, Path(tempfile.gettempdir())}:
        for path in root.glob(f"{_PREFIX}*"):
            try:
                # A stranger may have put a link here.
                if path.lstat().st_uid == os.getuid() and path.is_dir() and not path.is_symlink():
                    lock = _open_lock(path)
                else:
                    continue
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
