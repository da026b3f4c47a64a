"""Protocols of the pluggable parts: objects with one method, without registry or base class.

A method may be synchronous: ``call`` then runs it in a thread, off the event loop.
"""

import asyncio
import inspect
import logging
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import Entity, Episode, Fact

if TYPE_CHECKING:  # a graph without a language model or an ontology needs none of it
    from pydantic import BaseModel

Matrix = npt.NDArray[np.float32]
Answer = TypeVar("Answer", bound="BaseModel")
Value = TypeVar("Value")
_LOG = logging.getLogger("graphrag")
_TURN = 0.01  # seconds after which other tasks run


async def call(
    method: Callable[[], Awaitable[Value]], *, alone: AbstractContextManager[object] | None = None
) -> Value:
    """Return what a plugged-in method gives, whether or not it is ``async``.

    Args:
        method: The method with its arguments, as a ``functools.partial``.
        alone: Entered around a plain method, in its thread.
    """
    if inspect.iscoroutinefunction(method):
        return await method()

    def run() -> object:
        with alone or nullcontext():
            return method()

    given = await asyncio.to_thread(run)
    # A plain method may hand on what an ``async`` one returned.
    return cast("Value", await given if inspect.isawaitable(given) else given)


async def in_turns(items: Iterable[Value]) -> AsyncIterator[Value]:
    """Yield items; other tasks run between two whenever the work on them has taken a turn."""
    since = perf_counter()
    for item in items:
        yield item
        if perf_counter() - since > _TURN:
            await asyncio.sleep(0)
            since = perf_counter()


class Embedder(Protocol):
    """Model that turns texts into vectors; only their direction matters."""

    @property
    def name(self) -> str:
        """Return the name of the model; a store refuses vectors of another name."""

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        """Return one vector of ``dimension`` numbers per text, in order.

        The caller scales them to length 1. Vectors with zeros only or non-finite numbers are
        refused.
        """


@dataclass(frozen=True, slots=True)
class Known:
    """A stored entity, reduced to the fields that an extractor needs."""

    id: str
    name: str
    entity_type: str
    aliases: tuple[str, ...] = ()
    about: str = ""
    """About twelve words that distinguish it from others of the same name."""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A stored fact that holds at the time of the text, reduced to the needs of an extractor."""

    id: str
    subject: Known
    relation: str
    object: Known
    valid_at: datetime | None = None
    observed: bool = False
    """True if ``valid_at`` is the first time it was observed, not a stated start."""
    invalid_at: datetime | None = None
    planned: bool = False
    """True if it was only stated before it was to begin."""


@dataclass(frozen=True, slots=True)
class ExtractionContext:
    """Input of an extractor: the episode, and related entities and facts of the graph."""

    episode: Episode
    """The episode to extract from; relative dates count from its ``valid_at``."""
    previous: tuple[Episode, ...] = ()
    """Up to four earlier episodes of the group, oldest first: context only, never extracted
    again."""
    known: tuple[Known, ...] = ()
    """Stored entities whose names occur in these episodes, those of ``episode`` first."""
    facts: tuple[KnownFact, ...] = ()
    """Up to twelve facts about the entities that ``episode`` names; empty for an extractor that
    does not use the graph."""
    relations: tuple[str, ...] = ()
    """Names of relations used in the graph, those of these entities first."""
    trusted: bool = True
    """False if facts about anyone but the speakers of the text must wait for review."""


class Extractor(Protocol):
    """Extractor of the mentions and claims of one episode."""

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return the extraction of ``context.episode``; offsets refer to its content."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat with a language model."""

    role: Literal["system", "user", "assistant"]
    content: str


class LLM(Protocol):
    """Language model that answers messages with a value of a given type."""

    async def complete(self, messages: Sequence[Message], *, answer: type[Answer]) -> Answer:
        """Return a validated ``answer`` or raise ``ExtractionError``."""


@runtime_checkable
class StreamingLLM(Protocol):
    """Language model that can stream an answer; one that cannot yields only the complete one."""

    def stream(self, messages: Sequence[Message], *, answer: type[Answer]) -> AsyncIterator[Answer]:
        """Yield the answer so far, with complete elements only; the last one is complete."""


@runtime_checkable
class Connected(Protocol):
    """Model that holds connections, which the graph closes when it is closed."""

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A mention that may mean one of several stored entities, or a new one."""

    mention: Mention
    candidates: tuple[Entity, ...]
    """Stored entities, most likely first."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A claim of the episode and a stored fact about the same entity that may conflict."""

    claim: Claim
    fact: Fact


@dataclass(frozen=True, slots=True)
class Case:
    """All open points of one episode that the rules do not decide."""

    episode: Episode
    doubts: tuple[Doubt, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """Decisions of an arbiter; points that it leaves out are decided by the rules."""

    entity_of: Mapping[Mention, str] = field(default_factory=dict)
    """For mentions of a known entity, the id of that candidate."""
    distinct: Mapping[Mention, tuple[str, ...]] = field(default_factory=dict)
    """Ids of candidates that a mention does not mean; they are not proposed for a merge again."""
    exclusive: tuple[Conflict, ...] = ()
    """Conflicts whose claim and fact cannot hold at the same time."""


NO_RULING = Ruling()


class Arbiter(Protocol):
    """Arbiter of the points that rules leave open; called at most once for an episode."""

    async def decide(self, case: Case) -> Ruling:
        """Return the decisions that are certain; a fact is closed only if the dates allow it."""


class Reranker(Protocol):
    """Reranker that scores how well each text answers a query."""

    async def rank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one score per text, in order, from 0 to 1, comparable across queries."""


Step = Literal["ingest", "extract", "resolve", "judge", "search", "rerank", "answer"]
"""Name of a step that a tracer receives."""
Figures = Mapping[str, str | int | float | bool]
"""Figures of a step by name: counts and fixed words, never contents of a text."""
Note = Callable[[Figures], None]


class Tracer(Protocol):
    """Receiver of the start, end and figures of each step, for tracing."""

    def span(self, step: Step, *, group: str, text: str = "") -> AbstractContextManager[Note]:
        """Return a context manager for a step; it yields a function that accepts the figures.

        Args:
            step: Name of the step; a nested step is part of the outer one.
            group: Name of the group.
            text: The text or question of the step; store it only if the user wants that.
        """


def _ignore(figures: Figures) -> None:
    """Take figures that nobody asked for."""


_UNTRACED: Final = nullcontext[Note](_ignore)


def traced(
    tracer: Tracer | None, step: Step, *, group: str, text: str = ""
) -> AbstractContextManager[Note]:
    """Return the span of a step, or nothing at the cost of a call if nobody traces.

    A tracer that fails is written to the log of the program and fails nothing else.
    """
    return _UNTRACED if tracer is None else _traced(tracer, step, group, text)


@contextmanager
def _traced(tracer: Tracer, step: Step, group: str, text: str) -> Iterator[Note]:
    span = ExitStack()
    note: Note = _ignore
    with _kept_from(step):
        note = span.enter_context(tracer.span(step, group=group, text=text))

    def noted(figures: Figures) -> None:
        with _kept_from(step):
            note(figures)

    try:
        yield noted
    except BaseException as error:
        with _kept_from(step, error):
            span.__exit__(type(error), error, error.__traceback__)
        raise
    with _kept_from(step):
        span.close()


@contextmanager
def _kept_from(step: Step, known: BaseException | None = None) -> Iterator[None]:
    """Write what a tracer raises to the log; a span made by a generator raises what it is given."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - of the tracer: the step goes on
        if error is not known:
            _LOG.exception("the tracer failed at a step: %s", step)
