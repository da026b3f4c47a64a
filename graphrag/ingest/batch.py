"""Many episodes in a stream: read ahead, written one by one.

Extractors of texts alone read windows of episodes: one that is shown entities would see fewer.
Those that wait for a server (``side_by_side``) have several episodes under way, delivered in order.
Texts that share a name, a speaker or a saga are read in order, each when the one before is written;
the others side by side. Planning happens in order.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence, Sized
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from graphrag.errors import (
    BudgetExceededError,
    EmbeddingError,
    ExtractionError,
    GraphRAGError,
    InputError,
    PolicyError,
    TransactionError,
)
from graphrag.ingest.episode_intake import add_episode, add_known, keep_unread
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.intake import NewEpisode, Stream, known, prepare, windows
from graphrag.ingest.read_episode import embed_ahead, prepare_texts, read
from graphrag.ingest.reports import Added, BatchReport, Failed, Progress
from graphrag.model.checks import shown
from graphrag.model.extraction import Extraction
from graphrag.model.values import Episode
from graphrag.resolve.spot import ReadingOrder, looks_at_graph

Episodes = Stream[NewEpisode]
OnError = Literal["stop", "skip"]
Key = tuple[str, str, object]

_OF_ONE = (InputError, EmbeddingError, ExtractionError, PolicyError, TransactionError)
"""Errors that say something of one episode; any other ends a batch."""
_MANY = 64
"""Most episodes in a window."""
_LONG = 40_000
"""Most characters in a window: about three seconds of embedding on two cores."""


async def add_all(
    ingestion: Ingestion,
    episodes: Episodes,
    group: str,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    on_error: OnError = "stop",
) -> BatchReport:
    """Add episodes in order, each in its own transaction; ``group`` is for those that name none.

    What was committed before an error stays; adding the same episodes again continues there.
    """
    if on_error not in ("stop", "skip"):
        raise InputError(f"on_error is 'stop' or 'skip', not {on_error!r}")
    report = BatchReport()
    started = time.perf_counter()
    total = len(episodes) if isinstance(episodes, Sized) else None

    def stops(error: GraphRAGError) -> bool:
        of_one = isinstance(error, _OF_ONE) and not isinstance(error, BudgetExceededError)
        return on_error == "stop" or not of_one

    reader = _ReadAhead(ingestion, group, report.steps, stops)
    async with aclosing(reader.read(episodes)) as arrivals:
        async for arrival in arrivals:
            result = await _write(ingestion, arrival)
            report.seconds = time.perf_counter() - started
            if isinstance(result, Added):
                report.count(result)
            elif stops(result):
                raise result
            else:
                report.failed.append(Failed(report.done + 1, arrival.name, result))
                if (unread := arrival.known or arrival.episode) is not None:
                    report.charge(ingestion.spent_on(unread.id, failed=True))
            if on_progress is not None:
                last, failed = result if isinstance(result, Added) else None, len(report.failed)
                on_progress(Progress(report.done, total, last, failed, report.seconds))
    report.seconds = time.perf_counter() - started
    return report


@dataclass(frozen=True, slots=True)
class Arrival:
    """An episode of a batch: read, or known already, or unusable."""

    name: str
    episode: Episode | None = None
    extraction: Extraction | None = None
    known: Episode | None = None
    error: GraphRAGError | None = None
    again: bool = False
    """True if perhaps the same episode comes before it and is not written yet."""
    written: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def to_read(self) -> Episode | None:
        """Return the episode if it is new and can be used."""
        return self.episode if self.known is None and not self.again else None


async def _write(ingestion: Ingestion, arrival: Arrival) -> Added | GraphRAGError:
    episode, error = arrival.episode, arrival.error
    if error is not None:
        if episode is not None:
            await keep_unread(ingestion, episode, error)
        return error
    assert episode is not None, "it is an episode, or there is an error"
    try:
        stored = await known(ingestion, episode) if arrival.again else arrival.known
        if stored is not None:
            return await add_known(ingestion, stored, episode)
        return await add_episode(ingestion, episode, arrival.extraction)
    except GraphRAGError as failure:
        return failure


@dataclass(slots=True)
class _ReadAhead:
    """Reads ahead of what is being written."""

    ingestion: Ingestion
    group: str
    """Of the episodes that name none."""
    steps: dict[str, float]
    stops: Callable[[GraphRAGError], bool]

    async def read(self, episodes: Episodes) -> AsyncGenerator[Arrival, None]:
        """Yield the episodes in order; each is taken to be written when the next is asked for.

        If the stream fails, what came before is yielded first and then the error is raised.
        """
        extractor = self.ingestion.extractor
        abreast = max(1, int(getattr(extractor, "side_by_side", 1)))
        many = 1 if abreast > 1 or looks_at_graph(extractor) else _MANY
        source = windows(episodes, many=many, size=_size, longest=_LONG)
        waiting: dict[Key, Arrival] = {}
        order = ReadingOrder() if abreast > 1 and looks_at_graph(extractor) else None
        slots, tasks = asyncio.Semaphore(abreast), set[asyncio.Task[Any]]()
        started: asyncio.Queue[asyncio.Task[list[Arrival]] | None] = asyncio.Queue()

        async def produce() -> None:
            try:
                await slots.acquire()
                async for window in source:
                    unwritten = [*waiting.values()]
                    before = [*filter(None, (other.to_read for other in unwritten))]
                    arrivals = await self._prepared(window, waiting)
                    awaited = _awaited(arrivals, unwritten, order) if order else []
                    task = asyncio.create_task(self._window(arrivals, before, awaited))
                    tasks.add(task)
                    started.put_nowait(task)
                    await slots.acquire()
            finally:
                started.put_nowait(None)

        # In a task of its own: what is read is not kept waiting for a slow stream.
        producer = asyncio.create_task(produce())
        tasks.add(producer)
        try:
            while (task := await started.get()) is not None:
                began, embedded = time.perf_counter(), self.steps["embed"]
                arrivals = await task
                tasks.discard(task)
                embedded -= self.steps["embed"]
                self.steps["extract"] += time.perf_counter() - began + embedded
                for arrival in arrivals:
                    yield arrival
                    if arrival.episode is not None and not arrival.again:
                        waiting.pop(_key(arrival.episode), None)
                    arrival.written.set()
                slots.release()
            await producer
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await source.aclose()

    async def _prepared(
        self, window: Sequence[NewEpisode], waiting: dict[Key, Arrival]
    ) -> list[Arrival]:
        """Return a window to be read, up to the first error if that is to stop the batch."""
        arrivals: list[Arrival] = []
        for new in window:
            name = _name(new)
            try:
                episode = prepare(new, self.group)
                stored = await known(self.ingestion, episode)
            except GraphRAGError as error:
                arrivals.append(Arrival(name, error=error))
                if self.stops(error):
                    break
            else:
                again = _comes(episode, waiting)
                arrivals.append(Arrival(name, episode, known=stored, again=again))
                if not again:
                    waiting[_key(episode)] = arrivals[-1]
        return arrivals

    async def _window(
        self, prepared: Sequence[Arrival], before: list[Episode], awaited: Sequence[Arrival]
    ) -> list[Arrival]:
        """Read a window, up to the first error if that is to stop the batch, and embed it.

        That begins when the ``awaited`` texts are written.
        """
        for arrival in awaited:
            await arrival.written.wait()
        ingestion, arrivals = self.ingestion, list[Arrival]()
        new = [episode for arrival in prepared if (episode := arrival.to_read) is not None]
        await prepare_texts(ingestion.extractor, new)
        for arrival in prepared:
            if (episode := arrival.to_read) is not None:
                try:
                    arrival = replace(arrival, extraction=await read(ingestion, episode, before))
                    before.append(episode)
                except GraphRAGError as error:
                    arrival = replace(arrival, episode=episode, error=error)
            arrivals.append(arrival)
            if arrival.error is not None and self.stops(arrival.error):
                break
        began = time.perf_counter()
        pairs = ((arrival.episode, arrival.extraction) for arrival in arrivals)
        await embed_ahead(ingestion, [(e, x) for e, x in pairs if e is not None and x is not None])
        self.steps["embed"] += time.perf_counter() - began
        return arrivals


def _awaited(
    arrivals: Sequence[Arrival], unwritten: Sequence[Arrival], order: ReadingOrder
) -> list[Arrival]:
    """Return the earlier texts that are written before new ones are read."""
    new = [*filter(None, (arrival.to_read for arrival in arrivals))]
    order.enter(new, filter(None, (arrival.to_read for arrival in unwritten)))
    return [
        arrival
        for arrival in unwritten
        if (text := arrival.to_read) and any(order.depends_on(episode, text) for episode in new)
    ]


def _comes(episode: Episode, waiting: dict[Key, Arrival]) -> bool:
    """Tell whether this may be the same episode as one that is not written yet."""
    others = (arrival.episode for arrival in waiting.values() if arrival.episode is not None)
    keys = {other.key for other in others if other.group_id == episode.group_id}
    return _key(episode) in waiting or episode.key in keys - {None}


def _name(new: NewEpisode) -> str:
    if not isinstance(new, NewEpisode):
        return shown(new)
    if isinstance(new.name, str) and new.name:
        return new.name
    return new.content[:60] if isinstance(new.content, str) else shown(new.content)


def _key(episode: Episode) -> Key:
    return episode.group_id, episode.content_hash, episode.valid_at


def _size(new: NewEpisode) -> int:
    content = new.content if isinstance(new, NewEpisode) else None
    return len(content) if isinstance(content, str) else 1000
