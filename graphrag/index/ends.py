"""The facts at an entity by relation: what the write path asks at every claim, in constant time."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter

from graphrag.index.scope import Scope


class Ends:
    """Rows of facts by an end and a relation, in the order of telling."""

    def __init__(self, facts: Scope) -> None:
        self._facts = facts
        self._entered = 0
        """Rows that are in here: the first write that asks enters them, readers never do."""
        self._rows: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._relations: dict[int, list[int]] = defaultdict(list)

    def at(self, ends: Sequence[int], relation: int) -> list[int]:
        """Return the rows of one relation at an entity, which may have several rows itself."""
        self._enter()
        if len(ends) == 1:
            return self._rows.get((ends[0], relation), [])
        found = [rows for end in ends if (rows := self._rows.get((end, relation))) is not None]
        return found[0] if len(found) == 1 else sorted({row for rows in found for row in rows})

    def latest(self, ends: Sequence[int], *, relations: int, each: int) -> dict[int, list[int]]:
        """Return up to ``each`` rows of the ``relations`` relations that were told last."""
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
