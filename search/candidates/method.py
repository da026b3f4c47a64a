"""The rows of one group that are nearest to a vector, from an HNSW index that covers all groups.

The index is asked without a filter and its answer is filtered here. If too few rows of the group
come back, more are asked for, and of a small group all vectors are compared.

A way to candidates: asked for more until enough of what it finds may be seen.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field

from graphrag.engine.lookup import nearest, vectors_of
from graphrag.index.scope import Scope
from graphrag.index.vectors import Vectors, from_bytes
from graphrag.protocols import Matrix
from graphrag.search.candidates.limits import Limits
from graphrag.store.store import Store

_WIDER = 4
_SAMPLE = 2_000


class Nearest:
    """Ids of one table, nearest first, as many as are asked for."""

    def __init__(
        self,
        store: Store,
        group: str,
        table: str,
        vector: Matrix,
        rows: int,
        limits: Limits,
        kept: Scope,
    ) -> None:
        self._store = store
        self._group = group
        self._table = table
        self._vector = vector
        self._rows = rows
        self._limits = limits
        self._kept = kept
        self._asked = 0
        self._found: list[str] = []

    async def best(self, count: int) -> list[str]:
        """Return the ``count`` nearest rows of the group, fewer if it has no more or is too far.

        Raises:
            StoreIndexError: if the table has no index.
        """
        count = min(count, self._rows)
        if len(self._found) < count and self._rows <= self._limits.scan:
            self._found = await self._compared()
        while len(self._found) < count:
            asked = max(count, _WIDER * self._asked)
            if asked > self._limits.nearest:
                if self._rows <= self._limits.largest_scan:
                    self._found = await self._compared()
                break
            found = await nearest(self._store, self._table, self._vector.tolist(), asked)
            self._found = [id_ for group, id_ in found if group == self._group]
            self._asked = asked
            if len(found) < asked:
                break
        return self._found[:count]

    async def _compared(self) -> list[str]:
        ids, vectors = await _read(self._store, self._group, self._table, self._kept)
        scores = vectors.scores(self._vector).tolist()
        order = sorted(range(len(ids)), key=lambda row: (-scores[row], ids[row]))
        self._rows = len(ids)
        return [ids[row] for row in order]


async def spread(
    store: Store, group: str, vector: Matrix, rows: int, limits: Limits, kept: Scope
) -> float | None:
    """Return the standard deviation of the cosines of a group's passages, of up to 2,000 of them.

    None if there are none.
    """
    if not rows:
        return None
    most = None if rows <= limits.scan else _SAMPLE
    _, vectors = await _read(store, group, "passage", kept, most)
    return float(vectors.scores(vector).std()) if len(vectors) else None


async def _read(
    store: Store, group: str, table: str, kept: Scope, most: int | None = None
) -> tuple[list[str], Vectors]:
    """Return the vectors of a group's rows in a table, and keep them for the next search."""
    of = "all" if most is None else "some"
    if of not in kept.beside:
        ids, stored = await vectors_of(store, table, group, most)
        vectors = Vectors(kept.vectors.dimension)
        vectors.extend(from_bytes(stored, vectors.dimension))
        kept.beside[of] = ids, vectors
    return kept.beside[of]


Best = Callable[[int], Awaitable[list[str]]]


@dataclass(slots=True)
class Method:
    """Candidates of one scope by one method, in its order."""

    scope: str
    best: Best
    ids: list[str] = field(default_factory=list)
    asked: int = 0
    full: bool = False
    """Enough of them are visible, or there are no more."""

    async def ask(self, least: int, most: int) -> None:
        """Ask for more than before; of more than ``most`` there is no second time."""
        self.asked = max(least, _WIDER * self.asked)
        found = await self.best(self.asked)
        self.full = self.asked > most or len(found) == len(self.ids)
        self.ids = found


def by_passage(passages: Nearest) -> Best:
    """Find episodes by their nearest passages."""

    async def best(count: int) -> list[str]:
        found = await passages.best(count)
        return list(dict.fromkeys(id_.rpartition(":")[0] for id_ in found))

    return best


async def together(waiting: Iterable[Coroutine[None, None, None]]) -> None:
    """Wait for all of these: one scores what it got while another waits for SurrealDB."""
    for failure in await asyncio.gather(*waiting, return_exceptions=True):
        if failure is not None:
            raise failure
