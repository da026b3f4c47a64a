"""Read many episodes ahead and embed what is sure to be embedded in one call.

A model embeds a hundred texts in the time of a dozen single ones, and parsing and embedding side by
side fight for the same cores. So a window of episodes is read, embedded at once into the cache, and
then planned and written one by one: planning finds nearly every vector there.

Only what looks at nothing but texts may read ahead: an extractor that sees the entities of the
graph would see fewer of them than if the episodes were added one by one.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from graphrag.embed import CachedEmbedder
from graphrag.extraction import Extraction
from graphrag.index.group import GroupIndex
from graphrag.index.texts import entity_text, fact_text
from graphrag.ingest import Ingestion
from graphrag.models import Episode
from graphrag.plan import passages_of, texts_of
from graphrag.planner import mentions_of
from graphrag.protocols import Extractor
from graphrag.resolve import resolve
from graphrag.statements import state
from graphrag.temporal.moment import utc_now

MANY = 64
"""Most episodes in a window."""
LONG = 40_000
"""Most characters in a window: about three seconds of embedding on two cores."""


@runtime_checkable
class _Textual(Protocol):
    @property
    def looks_at_graph(self) -> bool: ...


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
    """
    if not isinstance(ingestion.embedder, CachedEmbedder):
        return
    texts: dict[str, None] = {}
    names: dict[str, str] = {}
    for episode, extraction in read:
        index = await ingestion.catalog.group(episode.group_id)
        texts |= dict.fromkeys(texts_of(episode, passages_of(episode)).values())
        texts |= dict.fromkeys(_stated(episode, extraction, index, names))
    await ingestion.embedder.embed(list(texts), purpose="document")


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
    for told in state(extraction.claims, episode, entity_of, name_of, now=utc_now()):
        if told.fact.object_id:
            yield fact_text(told.fact)
