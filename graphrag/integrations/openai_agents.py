"""Session and tools for the OpenAI Agents SDK, backed by the graph."""

from typing import TYPE_CHECKING, Any

from graphrag.errors import MissingExtraError
from graphrag.integrations.access import Access, AnyGraph, Tools
from graphrag.integrations.recall import Turn, drop, keep, kept
from graphrag.model.values import JSON
from graphrag.temporal.moment import Moment

try:
    from agents import FunctionTool, SessionSettings, function_tool
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.openai_agents", "openai-agents") from error

if TYPE_CHECKING:
    from agents import TResponseInputItem


class GraphSession:
    """Session that stores the conversation as a saga: ``Runner.run(agent, text, session=...)``.

    Facts are extracted from messages, and every session of the group finds them. Tool calls are
    only stored. ``pop_item`` and ``clear_session`` retract the facts that only they stated.
    """

    def __init__(
        self,
        session_id: str,
        graph: AnyGraph,
        *,
        user: str | None = None,
        limit: int | None = None,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> None:
        """Wrap a graph.

        Args:
            session_id: Name of the saga.
            graph: One group for each user: ``graph.group("ann")``.
            user: Name of the user, whom "I" means.
            limit: Maximum number of items for a run, the last ones; default: all.
            valid_at: Show the history up to this moment.
            known_at: Show the history as stored then. With either moment, the session is read-only.

        Raises:
            TimeError: if a moment cannot be read.
        """
        self.session_id = session_id
        self.session_settings: SessionSettings | None = SessionSettings(limit=limit)
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._user = user

    async def get_items(self, limit: int | None = None) -> "list[TResponseInputItem]":
        """Return the last items, or all, in chronological order."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        turns = await self._access.awaited(kept(self._access.view, self.session_id, limit))
        return [item for _, item in turns]

    async def add_items(self, items: "list[TResponseInputItem]") -> None:
        """Add items at the end.

        Raises:
            InputError: if an item cannot be stored, or the session reads the past.
        """
        self._access.written()
        turns = [self._turn(item) for item in items]
        await self._access.awaited(keep(self._access.graph, self.session_id, turns))

    async def pop_item(self) -> "TResponseInputItem | None":
        """Remove the last item and return it; None if there is none."""
        self._access.written()
        return await self._access.awaited(self._popped())

    async def _popped(self) -> JSON:
        graph = self._access.graph
        for episode, item in await kept(graph, self.session_id, 1):
            await graph.log.remove_episode(episode, reason="popped")
            return item
        return None

    async def clear_session(self) -> None:
        """Remove all items."""
        self._access.written()
        await self._access.awaited(drop(self._access.graph, self.session_id))

    def _turn(self, item: "TResponseInputItem") -> Turn:
        given: dict[str, Any] = dict(item)
        role = str(given.get("role") or given.get("type"))
        text = _text(given.get("content")) if "role" in given else ""
        # What nobody said, such as a call, is kept without its words: they are not to be read.
        label = " ".join(str(given[key]) for key in ("type", "role", "name") if given.get(key))
        return Turn(text or label, role, self._user if role == "user" else None, item=given)


def _text(content: JSON) -> str:
    if isinstance(content, str):
        return content.strip()
    parts = (part.get("text") for part in content or () if isinstance(part, dict))
    return "\n".join(text for text in parts if text).strip()


def memory_tools(
    graph: AnyGraph, *, write: bool = True, limit: int = 10, max_tokens: int = 1000
) -> list[FunctionTool]:
    """Return tools that search the graph, answer from it and, with ``write``, add to it."""
    tools = Tools(graph, write=write, limit=limit, max_tokens=max_tokens)
    return [function_tool(tool) for tool in tools.functions]
