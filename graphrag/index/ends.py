"""The facts at an entity by relation: what the write path asks at every claim, in constant time."""

from collections import defaultdict
from collections.abc import Iterable


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

    def at(self, end: int, relation: int) -> list[int]:
        """Return the rows of one relation at an entity."""
        return self._rows.get((end, relation), [])

    def latest(self, end: int, *, relations: int, each: int) -> dict[int, list[int]]:
        """Return up to ``each`` rows of the ``relations`` relations that were told last."""
        tails = [(code, self._rows[end, code]) for code in self._relations.get(end, ())]
        tails.sort(key=lambda tail: tail[1][-1], reverse=True)
        return {code: rows[-each:] for code, rows in tails[:relations]}
