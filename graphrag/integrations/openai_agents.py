"""The graph as a session and as tools of the OpenAI Agents SDK."""

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
    """The history of a conversation, kept as a saga: ``Runner.run(agent, text, session=...)``.

    Messages are read like any text, so their facts are known in every session of the group; calls
    of tools are only kept. ``pop_item`` and ``clear_session`` take back what rested on them alone.
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
        """Take a graph.

        Args:
            session_id: Name of the saga.
            graph: One group for each user: ``graph.group("ann")``.
            user: Name of the user: whom "I" means.
            limit: Items that a run is given at most, the last ones; default: all.
            valid_at: The history up to then.
            known_at: The history as it was kept then; with a moment it is only read.

        Raises:
            TimeError: if a moment cannot be read.
        """
        self.session_id = session_id
        self.session_settings: SessionSettings | None = SessionSettings(limit=limit)
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._user = user

    async def get_items(self, limit: int | None = None) -> "list[TResponseInputItem]":
        """Return the last items, or all, in the order of time."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        turns = await self._access.awaited(kept(self._access.view, self.session_id, limit))
        return [item for _, item in turns]

    async def add_items(self, items: "list[TResponseInputItem]") -> None:
        """Add items at the end.

        Raises:
            InputError: if one cannot be kept, or this reads the past.
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
    """Return tools that search the graph, answer from it and, with ``write``, tell it something."""
    tools = Tools(graph, write=write, limit=limit, max_tokens=max_tokens)
    return [function_tool(tool) for tool in tools.functions]
