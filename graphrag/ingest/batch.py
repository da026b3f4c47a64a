"""Many episodes in a stream: read ahead, written one by one.

With the rules the graph is the same as if they were added one by one: reading looks at the texts of
the episodes before, stored or not; planning happens in order, against everything written before.
What a model reads side by side may differ in the hints it was shown (``reads``).
"""

import time
from collections import defaultdict
from collections.abc import Callable, Sized
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal

from graphrag.errors import (
    BudgetExceededError,
    EmbeddingError,
    ExtractionError,
    GraphRAGError,
    InputError,
    PolicyError,
    TransactionError,
)
from graphrag.ingest.adding import Added
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.intake import NewEpisode
from graphrag.ingest.read_ahead import Read, reads
from graphrag.ingest.unread import add_known, keep_unread, read_and_add
from graphrag.ingest.windows import Stream

_NAME = 40
"""Characters of a text that stand for its name."""
Episodes = Stream[NewEpisode]
OnError = Literal["stop", "skip"]

_OF_ONE = (InputError, EmbeddingError, ExtractionError, PolicyError, TransactionError)
"""Errors that say something of one episode; any other ends a batch."""


def checked_on_error(on_error: str) -> None:
    """Say what may be done about errors, if this may not.

    Raises:
        InputError: if it is neither.
    """
    if on_error not in ("stop", "skip"):
        raise InputError(f"on_error is 'stop' or 'skip', not {on_error!r}")


@dataclass(frozen=True, slots=True)
class Failed:
    """An episode of a batch that is not in the graph."""

    number: int
    """Its place in the input, from 1; 0 for a file that could not be read."""
    name: str
    """Its name, or how its content starts."""
    error: GraphRAGError


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is, after an episode."""

    done: int
    """Episodes that were added, found in the graph, or skipped."""
    total: int | None
    """None when the input is a stream of unknown length."""
    last: Added | None
    """What the episode did; None if it failed."""
    failed: int = 0
    """Episodes skipped so far."""
    seconds: float = 0.0
    """Since the batch began."""

    @property
    def eta(self) -> float | None:
        """Return the seconds that the rest will take at the pace so far; None if unknown."""
        if self.total is None or not self.done:
            return None
        return self.seconds / self.done * (self.total - self.done)


@dataclass(slots=True)
class BatchReport:
    """What a batch did."""

    added: int = 0
    unchanged: int = 0
    """Episodes that the graph already had."""
    entities: int = 0
    facts: int = 0
    """New facts, as ``entities`` are new entities."""
    changed: int = 0
    """Older facts that were closed, corrected or confirmed."""
    violations: int = 0
    """How often something did not fit the ontology; the log of ``graphrag`` names each case."""
    waiting: int = 0
    """New facts that wait for a person, see ``edit.pending``."""
    dropped: list[str] = field(default_factory=list)
    """What was read and not believed, in words, with the episode's name."""
    adjusted: list[str] = field(default_factory=list)
    """What was believed otherwise than it was read, or waits for a person, in words."""
    closed: list[str] = field(default_factory=list)
    """What ended or was taken back, in words."""
    failed: list[Failed] = field(default_factory=list)
    """Episodes that were skipped, with their errors; only with ``on_error="skip"``."""
    seconds: float = 0.0
    steps: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Seconds by step."""

    @property
    def done(self) -> int:
        """Return the number of episodes that were dealt with."""
        return self.added + self.unchanged + len(self.failed)

    def count(self, added: Added) -> None:
        """Count one episode."""
        self.added += added.new
        self.unchanged += not added.new
        self.entities += len(added.entities)
        self.facts += len(added.facts)
        self.changed += len(added.changed)
        self.violations += len(added.violations)
        self.waiting += sum(fact.pending for fact in added.facts)
        name = added.episode.name or added.episode.content[:_NAME]
        for kept, words in (
            (self.dropped, added.dropped),
            (self.adjusted, added.adjusted),
            (self.closed, added.closed),
        ):
            kept += (f"{name}: {one}" for one in words)
        for step, seconds in added.seconds.items():
            self.steps[step] += seconds


async def add_all(
    ingestion: Ingestion,
    episodes: Episodes,
    group: str,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    on_error: OnError = "stop",
) -> BatchReport:
    """Add episodes in order, each in its own transaction, and return what happened.

    Those that name no group are of ``group``.

    What was committed before an error or a crash stays; adding the same episodes again continues
    where it stopped.
    """
    checked_on_error(on_error)
    report = BatchReport()
    started = time.perf_counter()
    total = len(episodes) if isinstance(episodes, Sized) else None

    def stops(error: GraphRAGError) -> bool:
        return on_error == "stop" or not _of_one(error)

    async with aclosing(reads(ingestion, episodes, group, report.steps, stops)) as stream:
        async for one in stream:
            result = await _write(ingestion, one)
            report.seconds = time.perf_counter() - started
            if isinstance(result, Added):
                report.count(result)
            elif stops(result):
                raise result
            else:
                report.failed.append(Failed(report.done + 1, one.name, result))
            if on_progress is not None:
                last = result if isinstance(result, Added) else None
                failed = len(report.failed)
                on_progress(Progress(report.done, total, last, failed, report.seconds))
    report.seconds = time.perf_counter() - started
    return report


async def _write(ingestion: Ingestion, one: Read) -> Added | GraphRAGError:
    if one.error is not None:
        if one.episode is not None:
            await keep_unread(ingestion, one.episode, one.error)
        return one.error
    assert one.episode is not None
    try:
        known = one.known
        if known is None and one.extraction is None:
            known = await ingestion.known(one.episode)
        if known is not None:
            return await add_known(ingestion, known, one.episode)
        return await read_and_add(ingestion, one.episode, one.extraction)
    except GraphRAGError as error:
        return error


def _of_one(error: GraphRAGError) -> bool:
    return isinstance(error, _OF_ONE) and not isinstance(error, BudgetExceededError)
