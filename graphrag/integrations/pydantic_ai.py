"""Toolset for pydantic-ai, backed by the graph."""

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
    """Tools that search the graph, answer from it and, with ``write``, add to it."""

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
        """Wrap a graph.

        Args:
            graph: The group to read and write, unless ``group_of`` names another.
            group_of: Returns the name of the group for the ``deps`` of a run, such as its user.
            write: Whether the model may add to the graph.
            limit: Maximum number of hits in each scope.
            max_tokens: Maximum number of tokens of an answer.
            id: Id of the toolset, for durable runs.
        """
        tools = Tools(graph, write=write, limit=limit, max_tokens=max_tokens)
        super().__init__(list(tools.functions), id=id)
        self._graph, self._group_of = graph, group_of
        self._alike = partial(GraphToolset, write=write, limit=limit, max_tokens=max_tokens, id=id)

    async def for_run(self, ctx: RunContext[Any]) -> AbstractToolset[Any]:
        """Return the toolset for the group of a run."""
        if self._group_of is None:
            return self
        return self._alike(self._graph.group(self._group_of(ctx.deps)))
