"""A graph of either kind, reached awaited or blocking, as a framework happens to call.

A graph lives on one event loop. The async one is awaited on that loop; the blocking one has a loop
of its own in a thread, so it serves both: blocking calls wait, awaited ones do not block theirs.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeAlias, TypeVar

from graphrag.errors import InputError
from graphrag.graph import GraphRAG
from graphrag.sync import GraphRAG as BlockingGraphRAG
from graphrag.temporal.moment import Moment
from graphrag.view.groups import GroupSet
from graphrag.view.view import View

T = TypeVar("T")

AnyGraph: TypeAlias = GraphRAG | BlockingGraphRAG
"""``graphrag.GraphRAG``, or its blocking twin ``graphrag.sync.GraphRAG``."""


class Access:
    """What an adapter keeps of the graph that it was given, and the moments it reads at."""

    def __init__(
        self, graph: AnyGraph, *, valid_at: Moment | None = None, known_at: Moment | None = None
    ) -> None:
        """Take a graph.

        Raises:
            InputError: if it is none.
            TimeError: if a moment cannot be read.
        """
        if not isinstance(graph, GraphRAG | BlockingGraphRAG):
            raise InputError(f"{graph!r} is no graph: pass what GraphRAG.open(...) gave")
        self.graph = graph._twin if isinstance(graph, BlockingGraphRAG) else graph
        """The graph as it is awaited on its own loop."""
        self._portal = graph._portal if isinstance(graph, BlockingGraphRAG) else None
        self._given = graph
        self.moments = valid_at, known_at
        """World time and system time that it reads at, None for now."""
        self.seen(self.graph)

    def __repr__(self) -> str:
        """Show the graph."""
        return repr(self._given)

    @property
    def both_ways(self) -> bool:
        """Tell whether it can be called blocking, too."""
        return self._portal is not None

    @property
    def of_the_past(self) -> bool:
        """Tell whether it reads at a moment of its own: then nothing is written through it."""
        return self.moments != (None, None)

    def seen(
        self,
        graph: GraphRAG,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> View:
        """Return a group as it is read: at moments of the call, else at those given before, or now.

        Raises:
            TimeError: if a moment cannot be read.
        """
        valid_at = self.moments[0] if valid_at is None else valid_at
        known_at = self.moments[1] if known_at is None else known_at
        if valid_at is None and known_at is None:
            return graph
        return graph.at(valid_at=valid_at, known_at=known_at)

    def groups(self, *names: str) -> GroupSet:
        """Return several groups as they are read, to search them as one, or all, to list them."""
        valid_at, known_at = self.moments
        return self.graph.groups(*names).at(valid_at=valid_at, known_at=known_at)

    def written(self) -> None:
        """Let a write pass.

        Raises:
            InputError: if this reads the past.
        """
        if self.of_the_past:
            raise InputError("the past is only read: write through one without valid_at, known_at")

    async def awaited(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work on the loop of the graph, without blocking the loop of the caller."""
        if self._portal is None:
            return await work
        return await asyncio.wrap_future(self._portal.loop.start(work))

    def waited(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work on the loop of the graph and wait for it.

        Raises:
            InputError: if the graph is the async one, whose loop may be the caller's own.
        """
        if self._portal is None:
            work.close()
            raise InputError(
                "a blocking call needs the blocking graph: from graphrag.sync import GraphRAG"
            )
        return self._portal.wait(work)
