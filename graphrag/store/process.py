"""What the engine takes for granted of its process and its folder, and does not say if it lacks.

Short of descriptors or of address space it aborts the process; in a forked child, where none of its
threads is, it waits for ever; and into a folder that somebody deleted it goes on writing.
"""

import os
import sys
from pathlib import Path

from graphrag.errors import StoreError, TransactionError

_DESCRIPTORS = 64
"""It opens up to 48 at once; with 31 free it aborted (surrealdb-embedded 3.0.0b10)."""
_ADDRESSES = 3_500 << 20
"""Bytes that it reserves for a moment while it opens a folder: 3.1 GB."""


class Owner:
    """The process that opened a graph."""

    def __init__(self, graph: str) -> None:
        self._graph = graph
        self._pid = os.getpid()

    @property
    def here(self) -> bool:
        """Tell whether this is that process, and no child that it forked."""
        return os.getpid() == self._pid

    def check(self) -> None:
        """Refuse to go on in a forked child.

        Raises:
            StoreError: if this is not the process that opened the graph.
        """
        if not self.here:
            raise StoreError(
                f"{self._graph} was opened by process {self._pid}, of which this one is a fork: "
                "a fork cannot use it; start workers by 'spawn', or close the graph before you "
                "fork and open it afterwards, in one of the processes"
            )


def check_limits() -> None:
    """Look whether this process may still open and reserve what the engine needs.

    Raises:
        StoreError: if it may not.
    """
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
    """Return how many file descriptors this process has open; 0 where nothing tells."""
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


class Presence:
    """Whether the folder of an open store is still the one that was opened."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = str(folder / "LOCK")
        self._opened = self._now()

    def check(self) -> None:
        """Refuse to write into what nobody will find.

        Raises:
            TransactionError: if the folder is gone, or another one is in its place.
        """
        if self._now() != self._opened:
            raise TransactionError(
                f"nothing was written: {self._folder} was deleted, moved or replaced while the "
                "graph was open, and what it held is not there any more; close the graph, put "
                "the folder back or restore a backup, and open it again"
            )

    def _now(self) -> tuple[int, int] | None:
        # The engine holds its lock open, so no later file can have the number of that one.
        try:
            found = os.stat(self._lock)
        except OSError:
            return None
        return found.st_dev, found.st_ino
