"""The facts at each entity, for walks that set out from a few of them.

A fact keeps its ends for life, so only new ones are ever entered, when a walk first needs them.
Ends are as they are stored: whoever follows merges asks for the whole family of an entity.
"""

import numpy as np
from numpy.typing import NDArray

from graphrag.index.incidence import Incidence
from graphrag.index.scope import Scope

Rows = NDArray[np.intp]
_FEW = 5_000
"""Facts up to which a pass over all of them is as quick."""
_SHARE = 8
"""A walk over more than this part of all facts is quicker as passes over all of them."""


class Touching:
    """Rows of facts by the rows of their ends."""

    def __init__(self, facts: Scope) -> None:
        self._facts = facts
        self._entered = 0
        self._links = Incidence()

    def at(self, entities: Rows, before: int) -> Rows | None:
        """Return the facts at some entities, some twice; None if a pass over all is quicker.

        ``before``: the number of facts that there were, for a look at an earlier state.
        """
        if before < _FEW:
            return None
        self._enter()
        if self._links.counts_right(entities).sum() > before // _SHARE:
            return None
        rows, _ = self._links.of_right(entities)
        return rows if self._entered == before else rows[rows < before]

    def _enter(self) -> None:
        first, last = self._entered, len(self._facts)
        if first == last:
            return
        self._entered = last
        rows = np.arange(first, last, dtype=np.int32)
        subject, object_ = self._facts["subject"][first:last], self._facts["object"][first:last]
        other = object_ != subject
        self._links.add(
            np.concatenate((rows, rows[other])), np.concatenate((subject, object_[other]))
        )
