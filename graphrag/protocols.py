"""What can be plugged in: one method each, passed in as objects, no registry and no base class.

A method may be plain instead of ``async``: ``call`` runs it in a thread then, so that one that
computes or waits holds up nobody else.
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
    """Turn texts into vectors, of which the direction counts."""

    @property
    def name(self) -> str:
        """Identify the model; a store refuses to mix vectors of two names."""

    @property
    def dimension(self) -> int:
        """Length of one vector."""

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        """Return one row of ``dimension`` numbers per text, in order.

        Rows are scaled to norm 1 by whoever asks; what is not finite or all zeros is refused.
        """


@dataclass(frozen=True, slots=True)
class Known:
    """An entity of the graph, as far as an extractor needs it."""

    id: str
    name: str
    entity_type: str
    aliases: tuple[str, ...] = ()
    about: str = ""
    """A dozen words that tell it from others of its name."""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact of the graph that holds at the time of the text, as far as an extractor needs it."""

    id: str
    subject: Known
    relation: str
    object: Known
    valid_at: datetime | None = None
    observed: bool = False
    """True if ``valid_at`` is only when it was first seen to hold."""
    invalid_at: datetime | None = None
    planned: bool = False
    """True if it was only stated before it was to begin."""


@dataclass(frozen=True, slots=True)
class ExtractionContext:
    """What an extractor may look at."""

    episode: Episode
    """The one to read; relative dates in it count from its ``valid_at``."""
    previous: tuple[Episode, ...] = ()
    """Up to four episodes before it in its group, oldest first: context, never extracted again."""
    known: tuple[Known, ...] = ()
    """Entities of the graph whose names occur in these episodes, those of the one to read first."""
    facts: tuple[KnownFact, ...] = ()
    """Up to a dozen facts of the entities that the one to read names; none for an extractor that
    does not look at the graph."""
    relations: tuple[str, ...] = ()
    """Names of relations that are in use in the graph, those of these entities first."""
    trusted: bool = True
    """False if what the text says of others than its own speakers is to wait for a person."""


class Extractor(Protocol):
    """Read the mentions and claims of one episode."""

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return what ``context.episode`` states; offsets count in its content."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a language model."""

    role: Literal["system", "user", "assistant"]
    content: str


class LLM(Protocol):
    """Answer messages with a value of a given shape."""

    async def complete(self, messages: Sequence[Message], *, answer: type[Answer]) -> Answer:
        """Return a validated ``answer`` or raise ``ExtractionError``."""


@runtime_checkable
class StreamingLLM(Protocol):
    """A model that gives an answer while it writes it; one that cannot gives it when it is done."""

    def stream(self, messages: Sequence[Message], *, answer: type[Answer]) -> AsyncIterator[Answer]:
        """Give what of the answer has come so far, whole things only; the last is all of it."""


@runtime_checkable
class Connected(Protocol):
    """A model that holds connections: the graph closes them with itself."""

    async def close(self) -> None:
        """Close the connections; a later question opens new ones."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A mention that may mean one of several entities, or a new one."""

    mention: Mention
    candidates: tuple[Entity, ...]
    """Likeliest first."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A claim of the episode and a stored fact at the same entity that may exclude each other."""

    claim: Claim
    fact: Fact


@dataclass(frozen=True, slots=True)
class Case:
    """All that the rules leave open about one episode."""

    episode: Episode
    doubts: tuple[Doubt, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """What an arbiter found; whatever it does not name stays as the rules leave it."""

    entity_of: Mapping[Mention, str] = field(default_factory=dict)
    """Entity id, one of the candidates, for the mentions that mean a known entity."""
    distinct: Mapping[Mention, tuple[str, ...]] = field(default_factory=dict)
    """The candidates, by id, that a mention does not mean: they are not proposed to be one again.
    """
    exclusive: tuple[Conflict, ...] = ()
    """Conflicts whose two sides cannot both hold at one time."""


NO_RULING = Ruling()


class Arbiter(Protocol):
    """Settle what rules cannot: once for an episode, and only if something is open."""

    async def decide(self, case: Case) -> Ruling:
        """Return what is certain; a fact is closed only where the rules of time agree."""


class Reranker(Protocol):
    """Read a query and each text together, and say how well the text answers."""

    async def rank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one score per text, in order, from 0 to 1, comparable across queries."""


Step = Literal["ingest", "extract", "resolve", "judge", "search", "rerank", "answer"]
"""A step of the work that a tracer is told of."""
Figures = Mapping[str, str | int | float | bool]
"""What a step did, by name: counts, and words of our own, never of a text."""
Note = Callable[[Figures], None]


class Tracer(Protocol):
    """Is told when a step of the work begins and ends, and what it did."""

    def span(self, step: Step, *, group: str, text: str = "") -> AbstractContextManager[Note]:
        """Return what is entered around a step; it gives a function that takes figures of it.

        Args:
            step: Which one; one inside another is a part of it.
            group: The group that it is about.
            text: What was told or asked: to be kept only where somebody wants that.
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
