"""Storage backend for CrewAI's memory: ``Memory(storage=store, embedder=store.embed)``."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any

import numpy as np

from graphrag.errors import InputError, MissingExtraError
from graphrag.integrations.access import Access, AnyGraph, both_ways
from graphrag.integrations.recall import drop_note, note, note_of, notes, write_note
from graphrag.temporal.moment import Moment

try:
    from crewai.memory.types import MemoryRecord, ScopeInfo
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.crewai", "crewai") from error

_MOST = 1000  # hits of one search
_RECENT = 10_000  # vectors whose words are remembered


def _digest(vector: Sequence[float]) -> bytes:
    return np.asarray(vector, dtype=np.float32).tobytes()


@dataclass(frozen=True, slots=True)
class _RecordFilter:
    scope: str | None = None  # they are in it or below it
    categories: Sequence[str] | None = None  # they have one of these
    ids: Sequence[str] | None = None
    metadata: Mapping[str, Any] | None = None  # they have all of this

    @property
    def path(self) -> str:
        """Return the scope as ``/a/b``, the root as nothing."""
        plain = (self.scope or "").strip("/")
        return f"/{plain}" if plain else ""

    def fits(self, record: Mapping[str, Any]) -> bool:
        """Tell whether a record is like that."""
        path, scope, own = self.path, record["scope"], record["metadata"]
        return (
            (not path or scope == path or scope.startswith(f"{path}/"))
            and (not self.categories or not set(self.categories).isdisjoint(record["categories"]))
            and (self.ids is None or record["id"] in self.ids)
            and all(own.get(key) == value for key, value in (self.metadata or {}).items())
        )


class GraphStorage:
    """Storage whose records are notes of one group; facts are extracted, old versions kept."""

    def __init__(
        self, graph: AnyGraph, *, valid_at: Moment | None = None, known_at: Moment | None = None
    ) -> None:
        """Wrap the blocking graph, one group for each crew; with a moment it is read-only."""
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._words: dict[bytes, str] = {}  # what a vector was made of
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return vectors of the graph's own embedder, which all searches use."""
        embedder = self._access.graph.handle.session.embedder
        matrix = self._access.waited(embedder.embed(list(texts), purpose="query"))
        rows = [[float(number) for number in row] for row in matrix]
        with self._lock:
            self._words.update(zip(map(_digest, rows), texts, strict=True))
            for old in list(self._words)[:-_RECENT]:
                del self._words[old]
        return rows

    async def _save(self, records: list[MemoryRecord]) -> None:
        self._access.written()
        for record in records:
            text, source = record.content.strip() or record.id, record.source or "crewai"
            value = record.model_dump(mode="json")
            await write_note(self._access.graph, record.id, text, value=value, source=source)

    def update(self, record: MemoryRecord) -> None:
        """Replace the record with the same id."""
        self._access.waited(self._save([record]))

    async def _search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Return records by relevance to the words that ``embed`` made the vector of."""
        if (query := self._words.get(_digest(query_embedding))) is None:
            raise InputError("another embedder made this vector: give the framework this embedder")
        wanted = _RecordFilter(scope_prefix, categories, metadata=metadata_filter)
        hits = await self._access.view.search(query, limit=_MOST, scopes=("episodes",))
        scored = (
            (record.value, hit.relevance)
            for hit in hits.episodes
            if hit.relevance >= min_score and (record := note_of(hit.item))
        )
        fitting = [(MemoryRecord(**row), score) for row, score in scored if wanted.fits(row)]
        return fitting[:limit]

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return the record with an id, or None."""
        record = self._access.waited(note(self._access.view, record_id))
        return None if record is None else MemoryRecord(**record.value)

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Return the records of a scope, newest first."""
        return self._listed(scope_prefix)[offset : offset + limit]

    def _listed(self, scope: str | None) -> list[MemoryRecord]:
        return self._access.waited(self._records(_RecordFilter(scope)))

    async def _records(
        self, wanted: _RecordFilter, older_than: datetime | None = None
    ) -> list[MemoryRecord]:
        values = [record.value for record in await notes(self._access.view)]
        records = [MemoryRecord(**value) for value in values if wanted.fits(value)]
        records.sort(key=lambda record: record.created_at, reverse=True)
        return [item for item in records if older_than is None or item.created_at < older_than]

    async def _delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Remove the records that are like this, all if nothing is said; return how many."""
        self._access.written()
        wanted = _RecordFilter(scope_prefix, categories, record_ids, metadata_filter)
        records = await self._records(wanted, older_than)
        for record in records:
            await drop_note(self._access.graph, record.id)
        return len(records)

    save, asave = both_ways(_save)
    search, asearch = both_ways(_search)
    delete, adelete = both_ways(_delete)

    def reset(self, scope_prefix: str | None = None) -> None:
        """Remove the records of a scope, or all."""
        self._access.waited(self._delete(scope_prefix))

    def count(self, scope_prefix: str | None = None) -> int:
        """Count the records of a scope."""
        return len(self._listed(scope_prefix))

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Count the records of each category."""
        records = self._listed(scope_prefix)
        return dict(Counter(name for record in records for name in record.categories))

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the direct subscopes of a scope."""
        return list(self.get_scope_info(parent).child_scopes)

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return the number of records of a scope, its categories, times and subscopes."""
        records, above = self._listed(scope), _RecordFilter(scope).path
        below = {record.scope[len(above) + 1 :].split("/")[0] for record in records}
        moments = [record.created_at for record in records]
        return ScopeInfo(
            path=above or "/",
            record_count=len(records),
            categories=sorted({name for record in records for name in record.categories}),
            oldest_record=min(moments, default=None),
            newest_record=max(moments, default=None),
            child_scopes=sorted(f"{above}/{name}" for name in below if name),
        )
