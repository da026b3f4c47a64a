"""The rows of one group that share the most telling words with a query, by exact BM25.

The FULLTEXT index finds the rows, the group's counts give the statistics, and the scores are worked
out here: SurrealDB's own give 0 for words that most rows have, cost a scan of the lengths of the
whole table, and cannot be compared with those of the other profile. The rarest words are looked up
first; the commoner ones only as long as a row without the rare ones could still be among the best.
Reading a row costs 20 µs, so of words that too many rows have only those rows are read that have
two of them.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from graphrag.engine.lookup import with_words
from graphrag.engine.scopes import mark
from graphrag.errors import StoreIndexError
from graphrag.index.entries import K1, B, Statistics
from graphrag.index.texts import PIECE
from graphrag.search.candidates.limits import Limits
from graphrag.store.store import Store

_AT_ONCE = 1_000
"""Rows that are worth reading together with the rarest word's."""
_COMMON = 6
"""Words that too many rows have, of which pairs are looked up."""


class Matches:
    """Ids of one table, best first, as many as are asked for."""

    def __init__(
        self,
        store: Store,
        group: str,
        table: str,
        terms: Sequence[str],
        statistics: Statistics,
        limits: Limits,
    ) -> None:
        self._store = store
        self._limits = limits
        self._rows = 0
        """Rows that were read."""
        self._group = group
        self._table = table
        self._statistics = statistics
        frequencies = statistics.frequencies
        known = Counter(term for term in terms if frequencies.get(term, 0) > 0)
        self._weights = {
            term: repeats * (K1 + 1) * self._idf(frequencies[term])
            for term, repeats in known.items()
        }
        before = mark(group)
        self._marked = [(before + term, weight) for term, weight in self._weights.items()]
        self._left = sorted(known, key=lambda term: (frequencies[term], term))
        self._scores: dict[str, float] = {}

    async def best(self, count: int) -> list[str]:
        """Return the ``count`` best rows, fewer only if no more of them share a word.

        Raises:
            StoreIndexError: if the table has no index.
        """
        while self._left and not self._settled(count):
            if self._rows + self._frequency(self._left[0]) > self._limits.words:
                await self._look_up_common(count)
            else:
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
        rows = self._frequency(taken[0])
        while self._left and rows + self._frequency(self._left[0]) <= _AT_ONCE:
            rows += self._frequency(self._left[0])
            taken.append(self._left.pop(0))
        return taken

    async def _look_up(self, terms: Sequence[str]) -> None:
        [rows] = await with_words(self._store, self._group, self._table, [terms], every=False)
        if not rows:
            raise StoreIndexError(
                f"the word index of {self._table!r} finds nothing of what is counted: run "
                "'surreal-graphrag index build', or health.build_indexes()"
            )
        self._enter(rows)

    async def _look_up_common(self, count: int) -> None:
        """Look up the words that are left, which too many rows have, where two of them meet.

        A row that has only one of them scores little: such are read only to have enough at all.
        """
        terms, self._left = self._left, []
        of, most = (self._store, self._group, self._table), self._limits.words
        for rows in await with_words(*of, [*combinations(terms[:_COMMON], 2)], limit=most):
            self._enter(rows)
        for term in terms:
            if len(self._scores) >= count:
                return
            self._enter(*await with_words(*of, [[term]], limit=most))

    def _enter(self, rows: Iterable[tuple[str, str]]) -> None:
        for id_, stored in rows:
            self._rows += 1
            if id_ not in self._scores:
                self._scores[id_] = max(map(self._score, stored.split(PIECE)))

    def _frequency(self, term: str) -> int:
        return self._statistics.frequencies[term]

    def _score(self, piece: str) -> float:
        terms = piece.split()
        average = self._statistics.terms / self._statistics.texts
        norm = K1 * (1 - B + B * len(terms) / average)
        score = 0.0
        for term, weight in self._marked:
            if count := terms.count(term):
                score += weight * count / (count + norm)
        return score

    def _idf(self, frequency: int) -> float:
        return math.log1p((self._statistics.texts - frequency + 0.5) / (frequency + 0.5))
