"""Which episode speaks of which entity, and which states which fact.

Only some reads ask for these links, so they are not loaded with the group but when they are first
needed, and are then brought up to date from the log of events.
"""

from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from graphrag.index.incidence import Incidence


class Links(Incidence):
    """Rows of episodes on the left, rows of what they tell on the right, as of one event."""

    def __init__(self, seq: int) -> None:
        super().__init__()
        self.seq = seq
        """Number of the newest event that is in here."""

    def enter(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Add pairs of an episode's and another row, whether they are there already or not."""
        flat = np.fromiter(chain.from_iterable(pairs), dtype=np.int64)
        new = np.unique(_keys(flat[::2], flat[1::2]))
        known = _keys(*self.of_left(np.unique(new >> 32)))
        new = np.setdiff1d(new, known, assume_unique=True)
        self.add(new >> 32, new & 0xFFFFFFFF)


class Mentions(Links):
    """Episodes and the entities that they speak of: the edges that multi-hop search follows."""


class Sources(Links):
    """Episodes and the facts that they state."""


def _keys(episodes: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(episodes << 32 | others, dtype=np.int64)
