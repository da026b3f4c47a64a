"""Memory service for Google's ADK: one group for each user of each app."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from typing_extensions import override

from graphrag.errors import MissingExtraError
from graphrag.graph import GraphRAG
from graphrag.integrations.access import Access, AnyGraph
from graphrag.integrations.recall import SCOPES, Recalled, Turn, keep_new, recall, take_back
from graphrag.model.values import DEFAULT_GROUP
from graphrag.search.recipe import Scope
from graphrag.temporal.moment import Moment

try:
    from google.adk.memory import BaseMemoryService
    from google.adk.memory.base_memory_service import SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.genai.types import Content, Part
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.google_adk", "google-adk") from error

if TYPE_CHECKING:
    from google.adk.events import Event
    from google.adk.sessions import Session

_GIVEN = "memories"  # the saga of what was given without a session


class GraphMemoryService(BaseMemoryService):
    """Memory service that stores events as dated episodes and returns facts and episodes.

    In the events of a user, "I" means the id of that user.
    """

    def __init__(
        self,
        graph: AnyGraph,
        *,
        limit: int = 10,
        scopes: Sequence[Scope] = SCOPES,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> None:
        """Wrap a graph whose groups are the users; with a moment it is read-only."""
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._limit = limit
        self._scopes = scopes

    def group(self, app_name: str, user_id: str) -> GraphRAG:
        """Return the graph of one user of an app."""
        graph = self._access.graph
        above = () if graph.group_id == DEFAULT_GROUP else (graph.group_id,)
        names = (quote(name, safe=" @.:+-_") for name in (app_name, user_id))
        return graph.group("/".join((*above, *names)))

    @override
    async def add_session_to_memory(self, session: "Session") -> None:
        await self.add_events_to_memory(
            app_name=session.app_name,
            user_id=session.user_id,
            events=session.events,
            session_id=session.id,
        )

    @override
    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: "Sequence[Event]",
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        own = custom_metadata or {}
        turns = [
            _turn(user_id, event, datetime.fromtimestamp(event.timestamp, UTC), own)
            for event in events
        ]
        await self._keep(self.group(app_name, user_id), session_id or _GIVEN, turns)

    @override
    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        own = custom_metadata or {}
        turns = [
            _turn(user_id, memory, memory.timestamp, {**memory.custom_metadata, **own})
            for memory in memories
        ]
        await self._keep(self.group(app_name, user_id), _GIVEN, turns)

    async def _keep(self, graph: GraphRAG, saga: str, turns: Sequence[Turn]) -> None:
        self._access.written()
        await self._access.awaited(keep_new(graph, saga, turns))

    @override
    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        if not query.strip():
            return SearchMemoryResponse()
        view = self._access.seen(self.group(app_name, user_id))
        work = recall(view, query, limit=self._limit, scopes=self._scopes)
        return SearchMemoryResponse(memories=list(map(_entry, await self._access.awaited(work))))

    @override
    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        self._access.written()
        if memory_id:
            await self._access.awaited(take_back(self.group(app_name, user_id), memory_id))


def _turn(
    user: str, given: "Event | MemoryEntry", said_at: Moment | None, own: Mapping[str, object]
) -> Turn:
    parts = (given.content.parts if given.content else None) or ()
    text = "\n".join(part.text for part in parts if part.text and not part.thought)
    role = given.author or "user"
    return Turn(text, role, user if role == "user" else None, said_at, given.id or None, dict(own))


def _entry(hit: Recalled) -> MemoryEntry:
    return MemoryEntry(
        id=hit.id,
        content=Content(role="user", parts=[Part(text=hit.text)]),
        author=hit.metadata.get("source"),
        timestamp=hit.metadata["valid_from"],
        custom_metadata={"relevance": hit.score, **hit.metadata},
    )
