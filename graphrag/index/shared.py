"""Work on many rows that this thread and one more share.

The other thread begins at once, so what is done between asking and looking costs nothing on an idle
second core. Nobody waits for it: a block that it has begun and not ended when all others are done
is computed again here, because on a busy machine it may not run for a while. Blocks become smaller
towards the end, so that this costs little.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

Product = Callable[[slice], NDArray[np.float32]]
"""One number for each row of a block; lets go of the interpreter meanwhile."""

_WORTH_A_THREAD = 10_000
"""Rows; below this a hand-over costs as much as it saves."""
_LEAST, _MOST = 4_096, 16_384
"""Rows of a block."""
_second_core = ThreadPoolExecutor(1, thread_name_prefix="graphrag-vectors")


class Shared:
    """A product with every row, begun on another thread and ended by who asks for it."""

    def __init__(self, product: Product, rows: int) -> None:
        self._product = product
        several = rows >= _WORTH_A_THREAD
        self._blocks = _blocks(rows) if several else [slice(0, rows)]
        self._done: list[NDArray[np.float32] | None] = [None] * len(self._blocks)
        self._left = deque(range(len(self._blocks)))
        self._other = _second_core.submit(self._take) if several else None

    def result(self) -> NDArray[np.float32]:
        """Return the number of every row."""
        self._take()
        if self._other is not None:
            self._other.cancel()
        parts = [
            self._product(block) if done is None else done
            for block, done in zip(self._blocks, self._done, strict=True)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _take(self) -> None:
        """Work on the blocks that are left, until none is."""
        while self._left:
            try:
                number = self._left.popleft()
            except IndexError:  # the other thread took the last one
                return
            self._done[number] = self._product(self._blocks[number])


def _blocks(rows: int) -> list[slice]:
    blocks: list[slice] = []
    start = 0
    while start < rows:
        size = min(_MOST, max(_LEAST, (rows - start) // 4))
        blocks.append(slice(start, min(start + size, rows)))
        start += size
    return blocks
