"""Access of frameworks to a graph, async or blocking, and the tools for models.

A graph belongs to one event loop. An async graph is awaited on that loop. A blocking graph has its
own loop in a thread and serves both kinds of calls without blocking the caller's loop.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import wraps
from typing import Any, TypeAlias, TypeVar

from graphrag.errors import InputError
from graphrag.graph import GraphRAG, GroupSet
from graphrag.sync import GraphRAG as BlockingGraphRAG
from graphrag.temporal.moment import Moment
from graphrag.view.view import View

T = TypeVar("T")
Tool = Callable[..., Coroutine[Any, Any, str]]

AnyGraph: TypeAlias = GraphRAG | BlockingGraphRAG
"""``graphrag.GraphRAG``, or its blocking twin ``graphrag.sync.GraphRAG``."""


class Access:
    """The graph of an adapter, and the moments at which it reads."""

    def __init__(
        self, graph: AnyGraph, *, valid_at: Moment | None = None, known_at: Moment | None = None
    ) -> None:
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
        return repr(self._given)

    @property
    def of_the_past(self) -> bool:
        """Tell whether it reads at a fixed moment; it then refuses writes."""
        return self.moments != (None, None)

    @property
    def view(self) -> View:
        """Return the group of the graph as it is read."""
        return self.seen(self.graph)

    def seen(
        self, graph: GraphRAG, *, valid_at: Moment | None = None, known_at: Moment | None = None
    ) -> View:
        """Return a group at moments of the call, else at those that were given before, or now."""
        valid_at = self.moments[0] if valid_at is None else valid_at
        known_at = self.moments[1] if known_at is None else known_at
        if valid_at is None and known_at is None:
            return graph
        return graph.at(valid_at=valid_at, known_at=known_at)

    def groups(self, *names: str) -> GroupSet:
        """Return several groups as they are read, or all."""
        valid_at, known_at = self.moments
        return self.graph.groups(*names).at(valid_at=valid_at, known_at=known_at)

    def written(self) -> None:
        """Refuse a write if this reads the past."""
        if self.of_the_past:
            raise InputError("the past is only read: write through one without valid_at, known_at")

    async def awaited(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work on the loop of the graph, without blocking the loop of the caller."""
        if self._portal is None:
            return await work
        return await asyncio.wrap_future(self._portal.loop.start(work))

    def waited(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work on the loop of the graph and wait for it."""
        if self._portal is None:  # the loop may be the caller's own
            work.close()
            raise InputError(
                "a blocking call needs the blocking graph: from graphrag.sync import GraphRAG"
            )
        return self._portal.wait(work)


def both_ways(work: Callable[..., Coroutine[Any, Any, Any]]) -> tuple[Callable[..., Any], ...]:
    """Return a coroutine method of what keeps an access, as it is called: blocking and awaited."""

    @wraps(work)
    def blocking(owner: Any, /, *given: Any, **named: Any) -> Any:
        return owner._access.waited(work(owner, *given, **named))

    @wraps(work)
    async def awaited(owner: Any, /, *given: Any, **named: Any) -> Any:
        return await owner._access.awaited(work(owner, *given, **named))

    return blocking, awaited


class Tools:
    """Tools for one graph, as functions that a framework wraps in its own type.

    Models read their docstrings. An invalid question or date returns a sentence with the reason, so
    that the model can try again; other errors are raised.
    """

    def __init__(
        self, graph: AnyGraph, *, write: bool = True, limit: int = 10, max_tokens: int = 1000
    ) -> None:
        """Wrap a graph.

        Args:
            graph: The group to read and write: one for each user.
            write: Whether the model may add to the graph.
            limit: Maximum number of hits in each scope.
            max_tokens: Maximum number of tokens of an answer.
        """
        self._access = Access(graph)
        self._write = write
        self._limit = limit
        self._max_tokens = max_tokens

    @property
    def functions(self) -> Sequence[Tool]:
        """Return the tools for the model."""
        reading = self.search_memory, self.ask_memory, self.recall_timeline
        return (*reading, self.remember) if self._write else reading

    def blocking(self, tool: Tool) -> Callable[..., str]:
        """Return a tool as a blocking function, which runs it on the loop of the graph."""

        @wraps(tool)
        def waiting(*given: Any, **named: Any) -> str:
            return self._access.waited(tool(*given, **named))

        return waiting

    async def search_memory(
        self, query: str, valid_at: str | None = None, known_at: str | None = None
    ) -> str:
        """Search the memory for facts and texts, with their dates and numbered sources.

        Args:
            query: A question or a few words.
            valid_at: Return facts that held then, as 2024-05-01; leave out for now.
            known_at: Use only what was known then, as 2024-05-01; leave out for all knowledge.
        """

        async def found(view: View) -> str:
            results = await view.search(query, limit=self._limit, scopes=("facts", "episodes"))
            return str(results.context(max_tokens=self._max_tokens)) or "nothing found"

        return await self._read(found, valid_at, known_at)

    async def ask_memory(
        self, question: str, valid_at: str | None = None, known_at: str | None = None
    ) -> str:
        """Get the exact answer to a question of who, what, where, when, how long or how many.

        Args:
            question: A complete question with the names of the people or things it is about.
            valid_at: Answer as of this moment, as 2024-05-01; leave out for now.
            known_at: Use only what was known then, as 2024-05-01; leave out for all knowledge.
        """
        return await self._read(lambda view: view.ask(question), valid_at, known_at)

    async def recall_timeline(self, entity: str, known_at: str | None = None) -> str:
        """List all known facts about an entity in chronological order, ended ones too.

        Args:
            entity: Name of the person, place or thing.
            known_at: Use only what was known then, as 2024-05-01; leave out for all knowledge.
        """
        return await self._read(lambda view: view.timeline(entity), None, known_at)

    async def remember(self, text: str, said_at: str | None = None) -> str:
        """Store complete sentences with names for later; later facts end earlier ones.

        Args:
            text: The statements, in the original words.
            said_at: When this was said, as 2024-05-01; leave out for now.
        """

        async def kept() -> str:
            added = await self._access.graph.add_episode(
                text, reference_time=said_at, source_description="tool"
            )
            facts = "; ".join(fact.text for fact in added.facts)
            return f"remembered: {facts}" if facts else "remembered"

        try:
            return await self._access.awaited(kept())
        except InputError as error:
            return f"not remembered: {error}"

    async def _read(
        self, read: Callable[[View], Awaitable[object]], valid_at: str | None, known_at: str | None
    ) -> str:
        async def answer() -> str:
            graph = self._access.graph
            # A model leaves an argument out by giving an empty one, too.
            view = self._access.seen(graph, valid_at=valid_at or None, known_at=known_at or None)
            return str(await read(view))

        try:
            return await self._access.awaited(answer())
        except InputError as error:
            return f"cannot be asked: {error}"
