"""Work on many rows that this thread and one more share.

The other thread begins at once and from the front, so what is done between asking and looking costs
nothing on an idle second core; who looks then works from the back until both meet. Nobody waits: a
block that the other thread has begun and not ended is computed again here, because on a busy
machine it may not run for a while. Its blocks are a third of what is left each time: few, because
at the end of each it takes the interpreter from whoever has it, and small where both meet.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

Rows = slice | NDArray[np.intp]
Product = Callable[[Rows], NDArray[np.float32]]
"""One number for each of some rows; lets go of the interpreter meanwhile."""

_SHARE = 3
"""The other thread takes this part of what is left."""
_LEAST = 8_192
"""Rows of a block at least, and of those that are worked on from the back."""
_second_core = ThreadPoolExecutor(1, thread_name_prefix="graphrag-vectors")


class Shared:
    """A product with every row, begun on another thread and ended by who asks for it."""

    def __init__(self, product: Product, rows: int, *, worth: int = 10_000) -> None:
        """Begin, if there are so many rows that a hand-over costs less than it saves."""
        self._product = product
        self._first, self._last = 0, rows
        """What nobody has begun yet lies between."""
        self._taken: list[slice] = []
        self._done: dict[int, NDArray[np.float32]] = {}
        self._lock = Lock()
        self._other = _second_core.submit(self._ahead) if rows >= worth else None

    def result(self) -> NDArray[np.float32]:
        """Return the number of every row, the same array each time."""
        return self._whole

    @cached_property
    def _whole(self) -> NDArray[np.float32]:
        if self._other is None:
            return self._product(slice(0, self._last))
        while (block := self._back()) is not None:
            self._done[block.start] = self._product(block)
        self._other.cancel()
        parts = [
            self._product(block) if (done := self._done.get(block.start)) is None else done
            for block in sorted(self._taken, key=lambda block: block.start)
        ]
        return np.concatenate(parts)

    def _ahead(self) -> None:
        """Work from the front, on the other thread."""
        while (block := self._front()) is not None:
            self._done[block.start] = self._product(block)

    def _front(self) -> slice | None:
        with self._lock:
            first, left = self._first, self._last - self._first
            self._first += min(left, max(_LEAST, left // _SHARE))
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
