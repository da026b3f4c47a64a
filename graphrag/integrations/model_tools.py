"""What a model may do with a graph, as functions that any framework turns into tools.

Their docstrings are what the model reads. A question or a date that cannot be used comes back as a
sentence that says why, so that the model can try again; whatever else fails rises.
"""

import functools
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from graphrag.errors import InputError
from graphrag.integrations.access import Access, AnyGraph
from graphrag.view.view import View

Tool = Callable[..., Coroutine[Any, Any, str]]


class Tools:
    """The tools of one graph: ``reading`` asks it, ``all`` may also tell it something."""

    def __init__(self, graph: AnyGraph, *, limit: int = 10, max_tokens: int = 1000) -> None:
        """Take a graph.

        Args:
            graph: The group that is asked and told: one for each user.
            limit: Hits of each scope of a search.
            max_tokens: What a tool may answer at most.
        """
        self._access = Access(graph)
        self._limit = limit
        self._max_tokens = max_tokens

    @property
    def reading(self) -> Sequence[Tool]:
        """Return the tools that change nothing."""
        return self.search_memory, self.ask_memory, self.recall_timeline

    @property
    def all(self) -> Sequence[Tool]:
        """Return all tools."""
        return *self.reading, self.remember

    def blocking(self, tool: Tool) -> Callable[..., str]:
        """Return a tool as a function that waits for its answer, on the loop of the graph."""

        @functools.wraps(tool)
        def waiting(*given: Any, **named: Any) -> str:
            return self._access.waited(tool(*given, **named))

        return waiting

    async def search_memory(
        self, query: str, valid_at: str | None = None, known_at: str | None = None
    ) -> str:
        """Search the memory for facts and texts, with their dates and numbered sources.

        Args:
            query: What to look for: a question or a few words.
            valid_at: What was true then, as 2024-05-01; leave out for now.
            known_at: What was known then, as 2024-05-01; leave out for all that is known.
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
            question: A whole question that names whom or what it is about.
            valid_at: Look from this moment, as 2024-05-01; leave out for now.
            known_at: By what was known then, as 2024-05-01; leave out for all that is known.
        """

        async def answered(view: View) -> str:
            return str(await view.ask(question))

        return await self._read(answered, valid_at, known_at)

    async def recall_timeline(self, entity: str, known_at: str | None = None) -> str:
        """List everything known of a person, place or thing in order of time, ended or not.

        Args:
            entity: Its name.
            known_at: By what was known then, as 2024-05-01; leave out for all that is known.
        """

        async def told(view: View) -> str:
            return str(await view.timeline(entity))

        return await self._read(told, None, known_at)

    async def remember(self, text: str, said_at: str | None = None) -> str:
        """Keep something for later, in whole sentences with names; later facts end earlier ones.

        Args:
            text: What is to be remembered, as it was said.
            said_at: When it was said, as 2024-05-01; leave out for now.
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
        self,
        read: Callable[[View], Awaitable[str]],
        valid_at: str | None,
        known_at: str | None,
    ) -> str:
        async def answer() -> str:
            graph = self._access.graph
            # A model leaves an argument out by giving an empty one, too.
            return await read(
                self._access.seen(graph, valid_at=valid_at or None, known_at=known_at or None)
            )

        try:
            return await self._access.awaited(answer())
        except InputError as error:
            return f"cannot be asked: {error}"
