"""A graph behind doors: what its tools and its routes share."""

import asyncio
import logging
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from graphrag.errors import GraphRAGError
from graphrag.graph import GraphRAG
from graphrag.serve.call import Call
from graphrag.serve.grants import Grant, Tokens
from graphrag.serve.items import Output
from graphrag.serve.metrics import Metrics
from graphrag.serve.quota import Quota
from graphrag.serve.verb_table import Verb

T = TypeVar("T")
_LOG = logging.getLogger("graphrag")


class OverloadedError(GraphRAGError):
    """A call took longer than a server works on one, and was ended."""


class UnexpectedError(GraphRAGError):
    """A call failed in a way that nobody foresaw; its words may be anybody's, and are not said."""


@dataclass(frozen=True, slots=True)
class Service:
    """An open graph, who may ask it, how much, and what was counted."""

    graph: GraphRAG
    tokens: Tokens = field(default_factory=Tokens)
    quota: Quota = field(default_factory=Quota)
    metrics: Metrics = field(default_factory=Metrics)
    turns: asyncio.Semaphore = field(init=False)
    """Of those who read."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server is told to stop: streams end, and nobody is sent here any more."""

    def __post_init__(self) -> None:
        """Make as many turns as reads may be worked on at a time."""
        object.__setattr__(self, "turns", asyncio.Semaphore(self.quota.reads))

    def call(self, grant: Grant, group: str | None = None) -> Call:
        """Return what a caller may work with.

        Raises:
            PolicyError: if the group is not one of the caller's.
            InputError: if it is no name of a group.
        """
        graph = self.graph.group(grant.group(group, self.graph.group_id))
        return Call(graph, grant, self.stopping, self.quota.last_seconds)

    async def in_graph(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine returns that has to run in the loop of the graph.

        The server listens in a loop of its own: whatever holds the graph's, it answers.
        """
        loop = self.graph.handle.loop
        if loop is None or loop is asyncio.get_running_loop():
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))

    async def prepare(self) -> None:
        """Read the group that is served and lay it out, so that who comes first need not wait."""
        try:
            await self.graph.export.atlas()
        except GraphRAGError as error:  # told to whoever asks, too
            _LOG.warning("group %r could not be prepared: %s", self.graph.group_id, error)

    async def answer(self, verb: Verb[Any, Any], given: Mapping[str, Any], call: Call) -> Output:
        """Run a verb, count it, and log what nobody expected, without what it was about.

        Raises:
            GraphRAGError: the library's own sentence about what cannot be done.
        """
        began, outcome = time.perf_counter(), "failed"
        self.metrics.running += 1
        try:
            if verb.writes:
                output: Output = await self.in_graph(verb.answer(call, given))
            else:
                output = await self._read(verb, given, call)
            outcome = "done"
            return output
        except GraphRAGError:
            outcome = "refused"
            raise
        except Exception as error:  # its text may hold what was asked: only its type is told
            what = f"{verb.name} failed: unexpected {type(error).__name__}"
            _LOG.error("%s", what)
            raise UnexpectedError(what) from error
        finally:
            self.metrics.running -= 1
            self.metrics.called(verb.name, outcome, time.perf_counter() - began)

    async def _read(self, verb: Verb[Any, Any], given: Mapping[str, Any], call: Call) -> Output:
        """Run a verb that reads, when it is its turn, until it takes too long or nobody waits.

        Raises:
            OverloadedError: if it took too long, or the client has gone.
        """
        seconds = self.quota.read_seconds
        try:
            async with asyncio.timeout(seconds) as limit, self.turns:
                limit.reschedule(asyncio.get_running_loop().time() + seconds)
                working = asyncio.ensure_future(self.in_graph(verb.answer(call, given)))
                leaving = asyncio.ensure_future(call.gone()) if call.gone else None
                try:
                    await asyncio.wait(
                        {working, leaving} if leaving else {working},
                        return_when=asyncio.FIRST_COMPLETED,
                    )
                    if not working.done():
                        raise OverloadedError(f"{verb.name} was ended: nobody waits for it")
                    output: Output = working.result()
                    return output
                finally:
                    working.cancel()
                    if leaving:
                        leaving.cancel()
        except TimeoutError:
            raise OverloadedError(
                f"{verb.name} took more than {seconds:g} s and was ended: ask for less at once, "
                "such as a shorter time, fewer hits or a narrower question"
            ) from None
