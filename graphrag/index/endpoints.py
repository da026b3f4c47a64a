"""Facts at an entity, by relation for the write path, and all for walks.

Ends never change, so only new facts are entered. Ends are as stored: following merges means asking
for all merged ids.
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
_MANY = 10_000
"""New rows that are worth a sort of all, if they are many beside those that are sorted, too."""


class Ends:
    """Rows of facts by an end and a relation, in the order of telling.

    The first write that asks enters the rows, readers never do. What is many then is sorted: a
    million facts in lists took five seconds and 600 MB. A place in the order becomes a list when it
    is first asked for.
    """

    def __init__(self, facts: Scope) -> None:
        self._facts = facts
        self._entered = 0
        self._before = 0
        """How many rows there were when they were sorted."""
        self._places = np.empty(0, dtype=np.int64)
        """End and relation of each sorted row, rising."""
        self._sorted = np.empty(0, dtype=np.int32)
        self._rows: dict[int, list[int]] = {}
        self._relations: dict[int, list[int]] = defaultdict(list)
        """Of an end: those that no sorted row has there."""

    @property
    def nbytes(self) -> int:
        """Return about how many bytes of memory these are."""
        rows = self._places.nbytes + self._sorted.nbytes + 2 * 8 * (self._entered - self._before)
        return rows + boxed(self._rows, _PLACE_BYTES) + boxed(self._relations, _ENTITY_BYTES)

    def at(self, ends: Sequence[int], relation: int) -> list[int]:
        """Return the rows of one relation at an entity, which may have several rows itself."""
        self._enter()
        if len(ends) == 1:
            return self._at(_place(ends[0], relation))
        found = [rows for end in ends if (rows := self._at(_place(end, relation)))]
        return found[0] if len(found) == 1 else sorted({row for rows in found for row in rows})

    def latest(self, ends: Sequence[int], *, relations: int, each: int) -> dict[int, list[int]]:
        """Return up to ``each`` rows of the ``relations`` relations that were added last."""
        self._enter()
        codes = {code: None for end in ends for code in self._relations_at(end)}
        tails = [(rows[-1], code, rows) for code in codes if (rows := self.at(ends, code))]
        tails.sort(key=itemgetter(0), reverse=True)
        return {code: rows[-each:] for _, code, rows in tails[:relations]}

    def _at(self, place: int) -> list[int]:
        if (rows := self._rows.get(place)) is None:
            first, last = self._between(place, place + 1)
            rows = list(self._sorted[first:last].tolist())
            if rows:
                self._rows[place] = rows
        return rows

    def _relations_at(self, end: int) -> list[int]:
        first, last = self._between(_place(end, 0), _place(end + 1, 0))
        known = np.unique(self._places[first:last]) - _place(end, 0)
        return [*known.tolist(), *self._relations.get(end, ())]

    def _between(self, first: int, last: int) -> tuple[int, int]:
        if not len(self._places):
            return 0, 0
        return int(self._places.searchsorted(first)), int(self._places.searchsorted(last))

    def _enter(self) -> None:
        """Enter the rows that have come since."""
        first, self._entered = self._entered, len(self._facts)
        if self._entered - first > max(_MANY, len(self._sorted) // 8):
            self._sort()
        elif first < self._entered:
            names = ("subject", "object", "relation")
            columns = (self._facts[name][first:].tolist() for name in names)
            for row, (subject, object_, relation) in enumerate(zip(*columns, strict=True), first):
                for end in {subject, object_}:
                    place = _place(end, relation)
                    rows = self._at(place)
                    if not rows:
                        self._rows[place] = rows
                        self._relations[end].append(relation)
                    rows.append(row)

    def _sort(self) -> None:
        subjects, objects, relations = (
            self._facts[name].astype(np.int64) for name in ("subject", "object", "relation")
        )
        others = np.flatnonzero(objects != subjects)
        rows = np.concatenate((np.arange(len(subjects)), others)).astype(np.int32)
        ends = np.concatenate((subjects, objects[others]))
        places = ends << 32 | relations[rows]
        order = np.lexsort((rows, places))
        self._places, self._sorted = places[order], rows[order]
        self._before = self._entered
        self._rows.clear()
        self._relations.clear()


def _place(end: int, relation: int) -> int:
    return end << 32 | relation


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
