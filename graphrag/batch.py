"""Many episodes in a stream: read ahead while writing, progress after each."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Sized
from dataclasses import dataclass, field

from graphrag.ingest import Added, Ingestion
from graphrag.intake import NewEpisode, prepare
from graphrag.models import Episode

Episodes = Iterable[NewEpisode] | AsyncIterable[NewEpisode]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is, after an episode."""

    done: int
    total: int | None
    """None when the input is a stream of unknown length."""
    last: Added


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
    seconds: float = 0.0
    steps: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Seconds by step; ``extract`` runs beside the others, so they add up to more."""


async def add_all(
    ingestion: Ingestion,
    episodes: Episodes,
    *,
    on_progress: Callable[[Progress], None] | None = None,
) -> BatchReport:
    """Add episodes in order, each in its own transaction, and return what happened.

    While one episode is embedded and written, the next is extracted. What was committed before an
    error or a crash stays; adding the same episodes again continues where it stopped.
    """
    report = BatchReport()
    started = time.perf_counter()
    total = len(episodes) if isinstance(episodes, Sized) else None
    async for added in _pipeline(ingestion, episodes, report):
        report.added += added.new
        report.unchanged += not added.new
        report.entities += len(added.entities)
        report.facts += len(added.facts)
        report.changed += len(added.changed)
        report.violations += len(added.violations)
        for step, seconds in added.seconds.items():
            report.steps[step] += seconds
        report.seconds = time.perf_counter() - started
        if on_progress is not None:
            on_progress(Progress(report.added + report.unchanged, total, added))
    return report


async def _pipeline(
    ingestion: Ingestion, episodes: Episodes, report: BatchReport
) -> AsyncIterator[Added]:
    writing: asyncio.Task[Added] | None = None
    pending: Episode | None = None
    try:
        async for new in _stream(episodes):
            episode = prepare(new)
            known = await ingestion.known(episode)
            if known is None:
                began = time.perf_counter()
                waiting = (pending,) if pending is not None else ()
                extraction = await ingestion.read(episode, waiting)
                report.steps["extract"] += time.perf_counter() - began
            if writing is not None:
                yield await writing
                writing = pending = None
            if known is not None:
                yield Added(known, new=False)
            else:
                pending = episode
                writing = asyncio.create_task(ingestion.add(episode, extraction))
        if writing is not None:
            yield await writing
            writing = None
    finally:
        # An error while reading the next episode must not lose the one being written.
        if writing is not None:
            await asyncio.wait([writing])


async def _stream(episodes: Episodes) -> AsyncIterator[NewEpisode]:
    if isinstance(episodes, AsyncIterable):
        async for episode in episodes:
            yield episode
    else:
        for episode in episodes:
            yield episode
