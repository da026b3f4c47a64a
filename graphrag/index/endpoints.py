"""The facts at an entity by relation: what the write path asks at every claim, in constant time.

The facts at each entity, for walks that set out from a few of them.

A fact keeps its ends for life, so only new ones are ever entered, when a walk first needs them.
Ends are as they are stored: whoever follows merges asks for the whole family of an entity.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from graphrag.index.columns import boxed
from graphrag.index.incidence import Incidence
from graphrag.index.scope import Scope

_PLACE_BYTES = 290
"""Of an entity and a relation, with the list of their rows."""
_ENTITY_BYTES = 150
"""Of an entity with the list of its relations."""


class Ends:
    """Rows of facts by an end and a relation, in the order of telling."""

    def __init__(self, facts: Scope) -> None:
        self._facts = facts
        self._entered = 0
        """Rows that are in here: the first write that asks enters them, readers never do."""
        self._rows: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._relations: dict[int, list[int]] = defaultdict(list)

    @property
    def nbytes(self) -> int:
        """Return about how many bytes of memory these are."""
        rows = 2 * 8 * self._entered
        return rows + boxed(self._rows, _PLACE_BYTES) + boxed(self._relations, _ENTITY_BYTES)

    def at(self, ends: Sequence[int], relation: int) -> list[int]:
        """Return the rows of one relation at an entity, which may have several rows itself."""
        self._enter()
        if len(ends) == 1:
            return self._rows.get((ends[0], relation), [])
        found = [rows for end in ends if (rows := self._rows.get((end, relation))) is not None]
        return found[0] if len(found) == 1 else sorted({row for rows in found for row in rows})

    def latest(self, ends: Sequence[int], *, relations: int, each: int) -> dict[int, list[int]]:
        """Return up to ``each`` rows of the ``relations`` relations that were added last."""
        self._enter()
        codes = {code: None for end in ends for code in self._relations.get(end, ())}
        tails = [(rows[-1], code, rows) for code in codes if (rows := self.at(ends, code))]
        tails.sort(key=itemgetter(0), reverse=True)
        return {code: rows[-each:] for _, code, rows in tails[:relations]}

    def _enter(self) -> None:
        """Enter the rows that have come since."""
        first, self._entered = self._entered, len(self._facts)
        if first == self._entered:
            return
        subjects, objects, relations = (
            self._facts[name][first:].tolist() for name in ("subject", "object", "relation")
        )
        ends = zip(subjects, objects, relations, strict=True)
        for row, (subject, object_, relation) in enumerate(ends, first):
            for end in {subject, object_}:
                rows = self._rows[end, relation]
                if not rows:
                    self._relations[end].append(relation)
                rows.append(row)


def common(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """Return the rows that are in both, which are in order.

    Looks up those of the shorter in the longer: one of two ends may be a hub.
    """
    if len(one) > len(other):
        one, other = other, one
    places = ((row, bisect_left(other, row)) for row in one)
    return [row for row, at in places if at < len(other) and other[at] == row]


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

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory."""
        return self._links.nbytes

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
