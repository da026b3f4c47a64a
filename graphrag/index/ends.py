"""The facts at an entity by relation: what the write path asks at every claim, in constant time."""

from collections import defaultdict
from collections.abc import Iterable
from operator import itemgetter


class Ends:
    """Rows of facts by an end and a relation, in the order of telling."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._relations: dict[int, list[int]] = defaultdict(list)

    def add(self, row: int, relation: int, ends: Iterable[int]) -> None:
        """Enter the row of a fact at each of its ends."""
        for end in ends:
            rows = self._rows[end, relation]
            if not rows:
                self._relations[end].append(relation)
            rows.append(row)

    def at(self, ends: Iterable[int], relation: int) -> list[int]:
        """Return the rows of one relation at an entity, which may have several rows itself."""
        found = [rows for end in ends if (rows := self._rows.get((end, relation))) is not None]
        return found[0] if len(found) == 1 else sorted({row for rows in found for row in rows})

    def latest(self, ends: Iterable[int], *, relations: int, each: int) -> dict[int, list[int]]:
        """Return up to ``each`` rows of the ``relations`` relations that were told last."""
        ends = list(ends)
        codes = {code: None for end in ends for code in self._relations.get(end, ())}
        tails = [(rows[-1], code, rows) for code in codes if (rows := self.at(ends, code))]
        tails.sort(key=itemgetter(0), reverse=True)
        return {code: rows[-each:] for _, code, rows in tails[:relations]}
