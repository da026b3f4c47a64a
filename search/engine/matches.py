"""The rows of one group that share the most telling words with a query, by exact BM25.

The FULLTEXT index finds the rows, the group's counts give the statistics, and the scores are worked
out here: SurrealDB's own give 0 for words that most rows have, cost a scan of the lengths of the
whole table, and cannot be compared with those of the other profile. The rarest words are looked up
first; the commoner ones only as long as a row without the rare ones could still be among the best.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from graphrag.engine.texts import mark, read_terms
from graphrag.errors import StoreIndexError
from graphrag.index.entries import K1, B
from graphrag.index.postings import Statistics
from graphrag.store.store import Store

_AT_ONCE = 1_000
"""Rows that are worth reading together with the rarest word's."""


class Matches:
    """Ids of one table, best first, as many as are asked for."""

    def __init__(
        self, store: Store, group: str, table: str, terms: Sequence[str], statistics: Statistics
    ) -> None:
        self._store = store
        self._group = group
        self._table = table
        self._statistics = statistics
        frequencies = statistics.frequencies
        known = Counter(term for term in terms if frequencies.get(term, 0) > 0)
        self._weights = {
            term: repeats * (K1 + 1) * self._idf(frequencies[term])
            for term, repeats in known.items()
        }
        self._left = sorted(known, key=lambda term: (frequencies[term], term))
        self._scores: dict[str, float] = {}

    async def best(self, count: int) -> list[str]:
        """Return the ``count`` best rows, fewer only if no more of them share a word.

        Raises:
            StoreIndexError: if the table has no index.
        """
        while self._left and not self._settled(count):
            await self._look_up(self._next())
        order = sorted(self._scores, key=lambda id_: (-self._scores[id_], id_))
        return order[:count]

    def _settled(self, count: int) -> bool:
        """Tell whether no row that was not found can be among the best ``count``."""
        if len(self._scores) < count:
            return False
        least = sorted(self._scores.values(), reverse=True)[count - 1]
        return least > sum(self._weights[term] for term in self._left)

    def _next(self) -> list[str]:
        taken = [self._left.pop(0)]
        rows = self._statistics.frequencies[taken[0]]
        while self._left and rows + self._statistics.frequencies[self._left[0]] <= _AT_ONCE:
            rows += self._statistics.frequencies[self._left[0]]
            taken.append(self._left.pop(0))
        return taken

    async def _look_up(self, terms: Iterable[str]) -> None:
        before = mark(self._group)
        [rows] = await self._store.query(
            f"SELECT VALUE [record::id(id), terms] FROM {self._table}_words "
            "WHERE terms @1,OR@ $terms;",
            terms=" ".join(before + term for term in terms),
        )
        if not rows:
            # Without an index SurrealDB answers with nothing.
            raise StoreIndexError(
                f"the word index of {self._table!r} finds nothing of what is counted: run "
                "'surreal-graphrag index build', or build_indexes()"
            )
        for (_, id_), stored in rows:
            if id_ not in self._scores:
                pieces = read_terms(stored, self._group)
                self._scores[id_] = max(self._score(piece) for piece in pieces)

    def _score(self, terms: list[str]) -> float:
        counts = Counter(term for term in terms if term in self._weights)
        average = self._statistics.terms / self._statistics.texts
        norm = K1 * (1 - B + B * len(terms) / average)
        return math.fsum(
            self._weights[term] * count / (count + norm) for term, count in counts.items()
        )

    def _idf(self, frequency: int) -> float:
        return math.log1p((self._statistics.texts - frequency + 0.5) / (frequency + 0.5))
