"""Row blocks shared between this thread and one thread for each other core.

The others start at once from the front; the caller later works from the back until they meet. It
never waits: a block begun elsewhere but not done is computed again, because on a busy machine that
thread may not run. Blocks shrink towards the meeting point and are few, because ending one takes
the GIL. Passes are bound by memory, so at most 8 threads, and no more than the process may use.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

Rows = slice | NDArray[np.intp]
Product = Callable[[Rows], NDArray[np.float32]]
"""One number for each of some rows; lets go of the interpreter meanwhile."""

_MOST = 8
"""Threads, with the one that asks."""
_LEAST = 8_192
"""Rows of a block at least, and of those that are worked on from the back."""


def cores(quota: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """Return how many cores the process may use, by its affinity and the container's quota."""
    here = (
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )
    try:
        most, period = quota.read_text().split()
        return max(1, min(len(here), int(most) // int(period)))
    except (OSError, ValueError, ZeroDivisionError):  # none is set, "max", or no Linux
        return len(here)


_others = max(1, min(_MOST, cores()) - 1)
_other_cores = ThreadPoolExecutor(_others, thread_name_prefix="graphrag-vectors")


class Shared:
    """A product with every row, begun on other threads and ended by who asks for it."""

    def __init__(self, product: Product, rows: int, *, worth: int = 10_000) -> None:
        """Begin, if there are so many rows that a hand-over costs less than it saves."""
        self._product = product
        self._first, self._last = 0, rows
        """What nobody has begun yet lies between."""
        self._taken: list[slice] = []
        self._done: dict[int, NDArray[np.float32]] = {}
        self._lock = Lock()
        threads = min(_others, rows // max(worth, 1))
        self._share = threads + 2
        self._helping = [_other_cores.submit(self._ahead) for _ in range(threads)]

    def result(self) -> NDArray[np.float32]:
        """Return the number of every row, the same array each time."""
        return self._whole

    @cached_property
    def _whole(self) -> NDArray[np.float32]:
        if not self._helping:
            return self._product(slice(0, self._last))
        while (block := self._back()) is not None:
            self._done[block.start] = self._product(block)
        for other in self._helping:
            other.cancel()
        parts = [
            self._product(block) if (done := self._done.get(block.start)) is None else done
            for block in sorted(self._taken, key=lambda block: block.start)
        ]
        return np.concatenate(parts)

    def _ahead(self) -> None:
        """Work from the front, on another thread."""
        while (block := self._front()) is not None:
            self._done[block.start] = self._product(block)

    def _front(self) -> slice | None:
        with self._lock:
            first, left = self._first, self._last - self._first
            self._first += min(left, max(_LEAST, left // self._share))
            return self._begun(slice(first, self._first))

    def _back(self) -> slice | None:
        with self._lock:
            last = self._last
            self._last = max(self._first, last - _LEAST)
            return self._begun(slice(self._last, last))

    def _begun(self, block: slice) -> slice | None:
        if block.start == block.stop:
            return None
        self._taken.append(block)
        return block
