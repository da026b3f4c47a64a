"""A graph behind doors: what its tools and its routes share, and what it counts.

Counts are in the text format of Prometheus, by a writer of its own: the format is a page long, and
a registry of the process would mix the counts of two graphs. No label names a group, a token or
anything that was said.
"""

import asyncio
import logging
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, TypeVar

from graphrag.errors import GraphRAGError
from graphrag.graph import GraphRAG
from graphrag.serve.grants import Call, Grant, Quota, Tokens
from graphrag.serve.items import Output
from graphrag.serve.verb_table import Verb

T = TypeVar("T")
_LOG = logging.getLogger("graphrag")
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds; the buckets that Prometheus has by default."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class OverloadedError(GraphRAGError):
    """A call took longer than the server allows, and was cancelled."""


class UnexpectedError(GraphRAGError):
    """A call failed unexpectedly; the message, which may quote anybody, is withheld."""


@dataclass(slots=True)
class Metrics:
    """Counts since the server started."""

    answers: Counter[int] = field(default_factory=Counter)  # HTTP answers by status
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Calls by verb and outcome, as tools and by REST."""
    durations: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Calls by verb and number of the bucket of how long they took."""
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))  # by verb
    running: int = 0  # calls in progress
    streams: int = 0

    def called(self, verb: str, outcome: str, seconds: float) -> None:
        """Count a call of a verb."""
        self.calls[verb, outcome] += 1
        self.durations[verb, bisect_left(_BOUNDS, seconds)] += 1
        self.seconds[verb] += seconds

    def text(self) -> str:
        """Return everything as Prometheus reads it."""
        lines: list[str] = []
        for name, kind, what, samples in self._families():
            lines += [f"# HELP graphrag_{name} {what}", f"# TYPE graphrag_{name} {kind}"]
            lines += [f"graphrag_{name}{sample}" for sample in samples]
        return "".join(f"{line}\n" for line in lines)

    def _families(self) -> Iterator[tuple[str, str, str, Iterable[str]]]:
        known = version("surreal-graphrag")
        yield "build_info", "gauge", "The version of the library.", [f'{{version="{known}"}} 1']
        answers = (f'{{status="{status}"}} {n}' for status, n in sorted(self.answers.items()))
        yield "http_answers_total", "counter", "Answers over HTTP, by status.", answers
        calls = (
            f'{{verb="{verb}",outcome="{outcome}"}} {n}'
            for (verb, outcome), n in sorted(self.calls.items())
        )
        yield "calls_total", "counter", "Calls of a verb, as tools and by REST.", calls
        yield "call_seconds", "histogram", "How long calls of a verb took.", self._histograms()
        yield "calls_running", "gauge", "Calls that are worked on.", [f" {self.running}"]
        yield "streams_open", "gauge", "Open streams of events.", [f" {self.streams}"]

    def _histograms(self) -> Iterator[str]:
        for verb, seconds in sorted(self.seconds.items()):
            below = 0
            for number, bound in enumerate((*_BOUNDS, "+Inf")):
                below += self.durations[verb, number]
                yield f'_bucket{{verb="{verb}",le="{bound}"}} {below}'
            yield f'_sum{{verb="{verb}"}} {seconds:.6f}'
            yield f'_count{{verb="{verb}"}} {below}'


@dataclass(frozen=True, slots=True)
class Service:
    """An open graph, who may ask it, how much, and what was counted."""

    graph: GraphRAG
    tokens: Tokens = field(default_factory=Tokens)
    quota: Quota = field(default_factory=Quota)
    metrics: Metrics = field(default_factory=Metrics)
    turns: asyncio.Semaphore = field(init=False)  # of those who read
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server is told to stop: streams end, and nobody is sent here any more."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", asyncio.Semaphore(self.quota.reads))

    def call(self, grant: Grant, group: str | None = None) -> Call:
        """Return the context of a request, bound to a group that the caller may use."""
        graph = self.graph.group(grant.group(group, self.graph.group_id))
        return Call(graph, grant, self.stopping, self.quota.last_seconds)

    async def in_graph(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the graph's event loop; the server listens in its own."""
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
        """Run a verb and count it; failures are raised as a ``GraphRAGError`` that may be shown."""
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
        """Run a verb that reads, when it is its turn, until it takes too long or nobody waits."""
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
                        raise OverloadedError(f"{verb.name} was cancelled: the client disconnected")
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
