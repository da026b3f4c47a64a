"""Episodes of a batch, read before they are written: in windows, or side by side.

Extractors of texts alone read windows; those that wait for a server (``side_by_side``) have several
episodes under way, delivered in order. Each sees the texts before it, stored or not, and the
entities stored when it began: fewer hints, but names resolve at the write.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

from graphrag.errors import GraphRAGError
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.ingest.windows import (
    END,
    LONG,
    MANY,
    Stream,
    embed_ahead,
    following,
    prepare_texts,
    reads_ahead,
    side_by_side,
    stream_of,
    windows,
)
from graphrag.model.checks import shown
from graphrag.model.extraction import Extraction
from graphrag.model.values import Episode

Key = tuple[str, str, object]
Stops = Callable[[GraphRAGError], bool]
"""Tell whether an error ends the batch."""
Steps = dict[str, float]


@dataclass(frozen=True, slots=True)
class Read:
    """An episode of a batch: read, or known already, or unusable."""

    name: str
    episode: Episode | None = None
    extraction: Extraction | None = None
    known: Episode | None = None
    error: GraphRAGError | None = None
    again: bool = False
    """True if perhaps the same episode comes before it and is not written yet."""

    @property
    def to_read(self) -> Episode | None:
        """Return the episode if it is new and can be used."""
        return self.episode if self.known is None and not self.again else None


async def reads(
    ingestion: Ingestion, episodes: Stream[NewEpisode], group: str, steps: Steps, stops: Stops
) -> AsyncGenerator[Read, None]:
    """Yield the episodes in order; each is taken to be written when the next is asked for.

    Those that name no group are of ``group``.

    If the stream fails, what came before is yielded first and then the error is raised.
    """
    abreast = side_by_side(ingestion.extractor)
    if abreast > 1:
        async with aclosing(
            _side_by_side(ingestion, stream_of(episodes), group, abreast, steps)
        ) as found:
            async for read in found:
                yield read
        return
    many = MANY if reads_ahead(ingestion.extractor) else 1
    async with aclosing(windows(episodes, many=many, size=_size, longest=LONG)) as stream:
        async for window in stream:
            for read in await _window(ingestion, window, group, steps, stops):
                yield read


async def _window(
    ingestion: Ingestion, window: list[NewEpisode], group: str, steps: Steps, stops: Stops
) -> list[Read]:
    """Read a window, up to the first error if that is to stop the batch, and embed it."""
    found: list[Read] = []
    began = time.perf_counter()
    coming: dict[Key, Episode] = {}
    prepared: list[Read] = []
    for new in window:
        read = await _prepared(ingestion, new, group, coming)
        prepared.append(read)
        if read.error is not None and stops(read.error):
            break
        if (episode := read.to_read) is not None:
            coming[_key(episode)] = episode
    await prepare_texts(ingestion.extractor, [*coming.values()])
    before: tuple[Episode, ...] = ()
    for read in prepared:
        read = await _extracted(ingestion, read, before)
        if read.extraction is not None and read.episode is not None:
            before += (read.episode,)
        found.append(read)
        if read.error is not None and stops(read.error):
            break
    steps["extract"] += time.perf_counter() - began
    began = time.perf_counter()
    if len(found) > 1:
        pairs = [(read.episode, read.extraction) for read in found]
        await embed_ahead(ingestion, [(e, x) for e, x in pairs if e is not None and x is not None])
    steps["embed"] += time.perf_counter() - began
    return found


async def _side_by_side(
    ingestion: Ingestion, source: AsyncIterator[NewEpisode], group: str, many: int, steps: Steps
) -> AsyncGenerator[Read, None]:
    waiting: dict[Key, Episode] = {}
    under_way: deque[asyncio.Task[Read]] = deque()
    coming: asyncio.Task[NewEpisode | END] | None = None
    failure: Exception | None = None
    ended = False
    try:
        while True:
            while not ended and len(under_way) < many:
                coming = coming or asyncio.create_task(following(source))
                if under_way:  # what is read is not kept waiting for a slow stream
                    first = asyncio.FIRST_COMPLETED
                    await asyncio.wait([coming, under_way[0]], return_when=first)
                    if not coming.done():
                        break
                try:
                    new = await asyncio.shield(coming)
                except Exception as error:  # noqa: BLE001 - raised below, after what came before it
                    failure, ended = error, True
                    break
                coming = None
                if isinstance(new, END):
                    ended = True
                    break
                read = await _prepared(ingestion, new, group, waiting)
                before = tuple(waiting.values())
                if (episode := read.to_read) is not None:
                    waiting[_key(episode)] = episode
                under_way.append(asyncio.create_task(_extracted(ingestion, read, before)))
            if not under_way:
                break
            began = time.perf_counter()
            read = await under_way[0]
            under_way.popleft()
            steps["extract"] += time.perf_counter() - began
            yield read
            if read.episode is not None and not read.again:
                waiting.pop(_key(read.episode), None)
        if failure is not None:
            raise failure
    finally:
        tasks = [*under_way, *([coming] if coming is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _prepared(
    ingestion: Ingestion, new: NewEpisode, group: str, waiting: dict[Key, Episode]
) -> Read:
    name = _name(new)
    try:
        episode = prepare(new, group)
        known = await ingestion.known(episode)
    except GraphRAGError as error:
        return Read(name, error=error)
    return Read(name, episode, known=known, again=known is None and _comes(episode, waiting))


async def _extracted(ingestion: Ingestion, one: Read, before: tuple[Episode, ...]) -> Read:
    if (episode := one.to_read) is None:
        return one
    try:
        return replace(one, extraction=await ingestion.read(episode, before))
    except GraphRAGError as error:
        return Read(one.name, episode, error=error)


def _comes(episode: Episode, waiting: dict[Key, Episode]) -> bool:
    """Tell whether this may be the same episode as one that is not written yet."""
    keys = {other.key for other in waiting.values() if other.group_id == episode.group_id}
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
