"""Facts at an entity, by relation for the write path, and all for walks.

Ends are as stored: following merges means asking for all merged ids.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphrag.index.entries import ROW_BITS, Rows, Segments
from graphrag.index.scope import Scope

_FEW = 5_000
"""Facts up to which a pass over all of them is as quick."""
_SHARE = 8
"""A walk over more than this part of all facts is quicker as passes over all of them."""


class Adjacency:
    """Rows of facts by the rows of their ends, which never change: only new facts are entered."""

    def __init__(self, facts: Scope) -> None:
        self._facts = facts
        self._entered = 0
        self._segments = Segments()

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory."""
        return self._segments.nbytes

    def at(self, ends: Sequence[int], relation: int) -> NDArray[np.integer]:
        """Return the rows of one relation at an entity, which may have several rows itself.

        They are in the order of addition.
        """
        rows = self._all_at(ends)
        return np.asarray(rows[self._facts["relation"][rows] == relation])

    def latest(self, ends: Sequence[int], *, relations: int, each: int) -> dict[int, list[int]]:
        """Return up to ``each`` rows of the ``relations`` relations that were added last."""
        rows = self._all_at(ends)
        codes = self._facts["relation"][rows]
        newest = dict.fromkeys(codes[::-1].tolist())
        return {code: rows[codes == code][-each:].tolist() for code in [*newest][:relations]}

    def _all_at(self, ends: Sequence[int]) -> NDArray[np.integer]:
        self._enter()
        if len(ends) == 1:
            return self._segments.of(ends[0])[0]
        return np.unique(self._segments.of_each(np.array(ends, dtype=np.intp))[1])

    def around(self, entities: Rows, before: int) -> Rows | None:
        """Return the facts at some entities, some twice; None if a pass over all is quicker.

        ``before``: the number of facts that there were, for a look at an earlier state.
        """
        if before < _FEW:
            return None
        self._enter()
        if self._segments.counts(entities).sum() > before // _SHARE:
            return None
        rows = self._segments.of_each(entities)[1]
        return rows if self._entered == before else rows[rows < before]

    def _enter(self) -> None:
        """Enter the rows that have come since."""
        first, last = self._entered, len(self._facts)
        if first < last:
            self._entered = last
            rows = np.arange(first, last)
            ends = (
                self._facts[name][first:last].astype(np.int64) for name in ("subject", "object")
            )
            self._segments.add(np.concatenate([end << ROW_BITS | rows for end in ends]))
