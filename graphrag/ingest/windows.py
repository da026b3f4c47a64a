"""Windows of a stream of episodes, each embedded in one call.

A model embeds 100 texts in the time of a dozen single ones. A window is read, embedded into the
cache, then planned and written one by one. Only extractors that look at nothing but texts may read
ahead: one that is shown entities would see fewer. Episodes that have arrived never wait for more.
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
from typing import Protocol, TypeVar, runtime_checkable

from graphrag.errors import EmbeddingError, GraphRAGError
from graphrag.index.group import GroupIndex
from graphrag.index.texts import entity_text, fact_text
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.plan import passages_of, texts_of
from graphrag.ingest.statements import mentions_of, state
from graphrag.local.embedder import CachedEmbedder
from graphrag.model.extraction import Extraction
from graphrag.model.values import Episode
from graphrag.protocols import Extractor
from graphrag.resolve.mentions import resolve
from graphrag.temporal.moment import utc_now

_LOG = logging.getLogger("graphrag")
MANY = 64
"""Most episodes in a window."""
LONG = 40_000
"""Most characters in a window: about three seconds of embedding on two cores."""


@runtime_checkable
class _Textual(Protocol):
    @property
    def looks_at_graph(self) -> bool: ...


@runtime_checkable
class _Ahead(Protocol):
    async def prepare_texts(self, texts: Sequence[str]) -> None: ...


async def prepare_texts(extractor: Extractor, episodes: Sequence[Episode]) -> None:
    """Let an extractor that can do so begin on several texts together."""
    texts = [episode.content for episode in episodes if episode.source != "json"]
    if isinstance(extractor, _Ahead) and len(texts) > 1:
        try:
            await extractor.prepare_texts(texts)
        except GraphRAGError as error:  # reading says it, of the episode that it concerns
            _LOG.info("%d texts were not prepared together: %s", len(texts), error)


def reads_ahead(extractor: Extractor) -> bool:
    """Tell whether an extractor declares ``looks_at_graph = False``."""
    return isinstance(extractor, _Textual) and not extractor.looks_at_graph


@runtime_checkable
class _Abreast(Protocol):
    @property
    def side_by_side(self) -> int: ...


def side_by_side(extractor: Extractor) -> int:
    """Return how many episodes an extractor reads at a time; 1 unless it says so."""
    return extractor.side_by_side if isinstance(extractor, _Abreast) else 1


async def embed_ahead(ingestion: Ingestion, read: Sequence[tuple[Episode, Extraction]]) -> None:
    """Put the vectors of these episodes, and most of those of what they state, into the cache.

    The names of entities are guessed: whatever resolves otherwise is embedded when it is planned.
    An embedder that fails is asked again for each episode, so that only those fail that must.
    """
    if not isinstance(ingestion.embedder, CachedEmbedder):
        return
    texts: dict[str, None] = {}
    names: dict[str, str] = {}
    for episode, extraction in read:
        index = await ingestion.catalog.group(episode.group_id)
        texts |= dict.fromkeys(texts_of(episode, passages_of(episode)).values())
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

    def name_of(id_: str) -> str:
        created = resolution.created.get(id_)
        return names[created.key] if created else index.entity_name(id_)

    entity_of = resolution.entity_of
    for fact in state(extraction.claims, episode, entity_of, name_of, now=utc_now()):
        if fact.object_id:
            yield fact_text(fact)


T = TypeVar("T")
Stream = Iterable[T] | AsyncIterable[T]

_PATIENCE = 0.05
"""Seconds that a window waits for the next item of a slow stream."""


class END:
    """What comes after the last item."""


_END = END()


async def windows(
    items: Stream[T], *, many: int, size: Callable[[T], int], longest: int
) -> AsyncGenerator[list[T], None]:
    """Yield lists of up to ``many`` items, of about ``longest`` in size, in order.

    If the stream fails, what came before is yielded first and then the error is raised.
    """
    source = stream_of(items)
    coming: asyncio.Task[T | END] | None = None
    window: list[T] = []
    room = longest
    try:
        while True:
            coming = coming or asyncio.create_task(following(source))
            if window:
                await asyncio.wait([coming], timeout=_PATIENCE)
            if window and not coming.done():
                yield window
                window, room = [], longest
            try:
                item = await asyncio.shield(coming)
            except Exception:  # raised again, after what came before it
                if window:
                    yield window
                raise
            coming = None
            if isinstance(item, END):
                break
            window.append(item)
            room -= size(item)
            if len(window) >= many or room <= 0:
                yield window
                window, room = [], longest
        if window:
            yield window
    finally:
        if coming is not None and not coming.done():
            coming.cancel()
            await asyncio.wait([coming])


def stream_of(items: Stream[T]) -> AsyncIterator[T]:
    """Return the items one after the other, whatever holds them."""
    return aiter(items) if isinstance(items, AsyncIterable) else _stream(items)


async def following(source: AsyncIterator[T]) -> T | END:
    """Return the next item, or that there is none."""
    return await anext(source, _END)


async def _stream(items: Iterable[T]) -> AsyncIterator[T]:
    for item in items:
        yield item
