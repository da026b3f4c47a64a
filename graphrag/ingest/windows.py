"""Windows of a stream, and what is made ready for a window of episodes in one call.

A model embeds 100 texts in the time of a dozen single ones. Episodes that have arrived never wait
for more.
"""

import asyncio
import logging
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Sequence,
)
from typing import TypeVar

from graphrag.errors import EmbeddingError, GraphRAGError
from graphrag.index.group import GroupIndex
from graphrag.index.texts import entity_text, fact_text
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.plan import EpisodeRows
from graphrag.ingest.statements import Named, mentions_of, state
from graphrag.local.embedder import CachedEmbedder
from graphrag.model.extraction import Extraction
from graphrag.model.values import Episode
from graphrag.protocols import Extractor
from graphrag.resolve.mentions import resolve
from graphrag.temporal.moment import utc_now

_LOG = logging.getLogger("graphrag")
T = TypeVar("T")
Stream = Iterable[T] | AsyncIterable[T]
_PATIENCE = 0.05
"""Seconds that a window waits for the next item of a slow stream."""


class _End:
    """What comes after the last item."""


async def windows(
    items: Stream[T], *, many: int, size: Callable[[T], int], longest: int
) -> AsyncGenerator[list[T], None]:
    """Yield lists of up to ``many`` items, of about ``longest`` in size, in order.

    If the stream fails, what came before is yielded first and then the error is raised.
    """
    source = aiter(items) if isinstance(items, AsyncIterable) else _stream(items)
    coming: asyncio.Task[T | _End] | None = None
    window: list[T] = []
    room = longest
    try:
        while True:
            coming = coming or asyncio.create_task(_following(source))
            if window:
                await asyncio.wait([coming], timeout=_PATIENCE)
                if not coming.done():
                    yield window
                    window, room = [], longest
            try:
                item = await coming
            except Exception:  # raised again, after what came before it
                if window:
                    yield window
                raise
            coming = None
            ended = isinstance(item, _End)
            if not isinstance(item, _End):
                window.append(item)
                room -= size(item)
            if window and (ended or len(window) >= many or room <= 0):
                yield window
                window, room = [], longest
            if ended:
                return
    finally:
        if coming is not None and not coming.done():
            coming.cancel()
            await asyncio.wait([coming])


async def _following(source: AsyncIterator[T]) -> T | _End:
    return await anext(source, _End())


async def _stream(items: Iterable[T]) -> AsyncIterator[T]:
    for item in items:
        yield item


async def prepare_texts(extractor: Extractor, episodes: Sequence[Episode]) -> None:
    """Let an extractor that has ``prepare_texts`` begin on several texts together."""
    texts = [episode.content for episode in episodes if episode.source != "json"]
    prepare = getattr(extractor, "prepare_texts", None)
    if prepare is not None and len(texts) > 1:
        try:
            await prepare(texts)
        except GraphRAGError as error:  # reading says it, of the episode that it concerns
            _LOG.info("%d texts were not prepared together: %s", len(texts), error)


async def embed_ahead(ingestion: Ingestion, read: Sequence[tuple[Episode, Extraction]]) -> None:
    """Put the vectors of these episodes, and most of those of what they state, into the cache.

    The names of entities are guessed: whatever resolves otherwise is embedded when it is planned.
    An embedder that fails is asked again for each episode, so that only those fail that must.
    """
    if not isinstance(ingestion.embedder, CachedEmbedder) or len(read) < 2:
        return
    texts: dict[str, None] = {}
    names: dict[str, str] = {}
    for episode, extraction in read:
        index = await ingestion.catalog.group(episode.group_id)
        texts |= dict.fromkeys(EpisodeRows(episode).texts().values())
        texts |= dict.fromkeys(_stated(episode, extraction, index, names))
    try:
        await ingestion.embedder.embed(list(texts), purpose="document")
    except EmbeddingError as error:
        _LOG.info("%d episodes are embedded one by one: %s", len(read), error)


def _stated(
    episode: Episode, extraction: Extraction, index: GroupIndex, names: dict[str, str]
) -> Iterator[str]:
    """Yield the texts of the new entities and of the facts; ``names`` are those of the window."""
    resolution = resolve(mentions_of(extraction), index, created_at=utc_now())
    for entity in resolution.created.values():
        if names.setdefault(entity.key, entity.name) == entity.name:
            yield entity_text(entity)

    def named(id_: str, said: str) -> Named:
        _, name, _ = resolution.named(index, id_, said)
        created = resolution.created.get(id_)
        return id_, names[created.key] if created else name, ""

    facts = state(extraction.claims, episode, resolution.entity_of, named, now=utc_now())
    yield from (fact_text(fact) for fact in facts if fact.object_id)
