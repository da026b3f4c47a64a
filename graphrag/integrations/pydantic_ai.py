"""The graph as a toolset of pydantic-ai."""

from collections.abc import Callable
from functools import partial
from typing import Any

from graphrag.errors import MissingExtraError
from graphrag.integrations.access import AnyGraph, Tools

try:
    from pydantic_ai import RunContext
    from pydantic_ai.toolsets import AbstractToolset, FunctionToolset
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.pydantic_ai", "pydantic-ai") from error


class GraphToolset(FunctionToolset[Any]):
    """Tools that search the graph, answer from it and, with ``write``, tell it something."""

    def __init__(
        self,
        graph: AnyGraph,
        *,
        group_of: Callable[[Any], str] | None = None,
        write: bool = True,
        limit: int = 10,
        max_tokens: int = 1000,
        id: str | None = None,
    ) -> None:
        """Take a graph.

        Args:
            graph: The group that is asked and told, if ``group_of`` names no other.
            group_of: The name of the group for the ``deps`` of a run, such as that of its user.
            write: Whether the model may tell the graph something.
            limit: Hits of each scope of a search.
            max_tokens: What a tool may answer at most.
            id: Of the toolset, for durable runs.
        """
        tools = Tools(graph, write=write, limit=limit, max_tokens=max_tokens)
        super().__init__(list(tools.functions), id=id)
        self._graph, self._group_of = graph, group_of
        self._alike = partial(GraphToolset, write=write, limit=limit, max_tokens=max_tokens, id=id)

    async def for_run(self, ctx: RunContext[Any]) -> AbstractToolset[Any]:
        """Return the toolset of the group of a run."""
        if self._group_of is None:
            return self
        return self._alike(self._graph.group(self._group_of(ctx.deps)))
