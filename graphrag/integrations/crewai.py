"""The graph as the storage of CrewAI's memory: ``Memory(storage=store, embedder=store.embed)``."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from graphrag.errors import MissingExtraError
from graphrag.integrations.access import Access, AnyGraph
from graphrag.integrations.embedded import Embedded
from graphrag.integrations.matching import Wanted
from graphrag.integrations.named_notes import drop_note, note, note_of, notes, write_note
from graphrag.temporal.moment import Moment

try:
    from crewai.memory.types import MemoryRecord, ScopeInfo
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.crewai", "crewai") from error

_MOST = 1000  # hits of one search


class GraphStorage:
    """Records are notes of one group: read for dated facts, and kept when they are replaced."""

    def __init__(
        self, graph: AnyGraph, *, valid_at: Moment | None = None, known_at: Moment | None = None
    ) -> None:
        """Take the blocking graph, one group for each crew; with a moment it is only read."""
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._embedded = Embedded(self._access)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return vectors of the graph's own embedder, the only ones it is searched by."""
        return self._embedded.embed(texts)

    def save(self, records: list[MemoryRecord]) -> None:
        """Store records, each in the place of the one with its id."""
        self._access.waited(self.asave(records))

    async def asave(self, records: list[MemoryRecord]) -> None:
        """Store records on the loop of the graph."""
        self._access.written()
        for one in records:
            text, value = one.content, one.model_dump(mode="json")
            source = one.source or "crewai"
            await write_note(
                self._access.graph, one.id, text.strip() or one.id, value=value, source=source
            )

    def update(self, record: MemoryRecord) -> None:
        """Store a record in the place of the one with its id."""
        self.save([record])

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Return records by relevance to the words that ``embed`` made the vector of."""
        wanted = scope_prefix, categories, metadata_filter
        return self._access.waited(self.asearch(query_embedding, *wanted, limit, min_score))

    async def asearch(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Search on the loop of the graph."""
        query = self._embedded.words(query_embedding)
        wanted = Wanted(scope_prefix, categories, metadata=metadata_filter)
        view = self._access.seen(self._access.graph)
        hits = (await view.search(query, limit=_MOST, scopes=("episodes",))).episodes
        found = [
            (MemoryRecord(**one.value), hit.relevance)
            for hit in hits
            if hit.relevance >= min_score and (one := note_of(hit.item)) and wanted.fits(one.value)
        ]
        return found[:limit]

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return a record, or None."""
        view = self._access.seen(self._access.graph)
        found = self._access.waited(note(view, record_id))
        return None if found is None else MemoryRecord(**found.value)

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Return the records of a scope, the newest first."""
        return self._there(scope_prefix)[offset : offset + limit]

    def _there(self, scope: str | None) -> list[MemoryRecord]:
        return self._access.waited(self._records(Wanted(scope)))

    async def _records(
        self, wanted: Wanted, older_than: datetime | None = None
    ) -> list[MemoryRecord]:
        there = await notes(self._access.seen(self._access.graph))
        found = [MemoryRecord(**one.value) for one in there if wanted.fits(one.value)]
        found.sort(key=lambda one: one.created_at, reverse=True)
        return [one for one in found if older_than is None or one.created_at < older_than]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Remove the records that are like this, all if nothing is said; return how many."""
        wanted = scope_prefix, categories, record_ids, older_than, metadata_filter
        return self._access.waited(self.adelete(*wanted))

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Remove records on the loop of the graph."""
        self._access.written()
        wanted = Wanted(scope_prefix, categories, record_ids, metadata_filter)
        found = await self._records(wanted, older_than)
        for one in found:
            await drop_note(self._access.graph, one.id)
        return len(found)

    def reset(self, scope_prefix: str | None = None) -> None:
        """Remove the records of a scope, or all."""
        self.delete(scope_prefix)

    def count(self, scope_prefix: str | None = None) -> int:
        """Count the records of a scope."""
        return len(self._there(scope_prefix))

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Count the records of each category."""
        return dict(Counter(name for one in self._there(scope_prefix) for name in one.categories))

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes right below one."""
        return list(self.get_scope_info(parent).child_scopes)

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return how many records a scope has, of which categories and times, and its parts."""
        found, above = self._there(scope), Wanted(scope).path
        below = {one.scope[len(above) + 1 :].split("/")[0] for one in found}
        return ScopeInfo(
            path=above or "/",
            record_count=len(found),
            categories=sorted({name for one in found for name in one.categories}),
            oldest_record=min((one.created_at for one in found), default=None),
            newest_record=max((one.created_at for one in found), default=None),
            child_scopes=sorted(f"{above}/{name}" for name in below if name),
        )
