"""Order by how many episodes speak of something."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from graphrag.errors import QueryError
from graphrag.models import Entity, Fact
from graphrag.search.fuse import Fused
from graphrag.search.question import Question
from graphrag.search.rerank.reranking import Item, reordered
from graphrag.store.record import Record
from graphrag.store.store import Store

_MENTIONS = "SELECT VALUE [record::id(id), <-mentions.in] FROM $ids;"


@dataclass(frozen=True, slots=True)
class EpisodeMentions:
    """Facts by the number of visible episodes that state them, entities by that of mentions.

    The most mentioned come first; of equals, the better. Only the best of the ranking are counted,
    so that what is often said but not asked for stays out. Other scopes keep their order.
    """

    factor: int = 2
    """How many times the wanted hits are counted."""

    name: ClassVar[str] = "episode_mentions"
    judges: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse to count nothing."""
        if self.factor < 1:
            raise QueryError(f"{self}: factor is 1 or more")

    def shortlist(self, limit: int) -> int:
        """Return how many hits are counted to return ``limit``."""
        return self.factor * limit

    async def reread(
        self, hits: list[Fused[int]], items: Sequence[Item], question: Question, store: Store
    ) -> list[Fused[int]]:
        """Return the hits, most mentioned first."""
        told: list[Sequence[str]] = [item.episodes for item in items if isinstance(item, Fact)]
        if entities := [item.id for item in items if isinstance(item, Entity)]:
            told = await _mentions(entities, question, store)
        if not told:
            return hits
        row_of, seen = question.index.episodes.row_of, question.walked.episodes
        counts = [
            float(sum(id_ in row_of and bool(seen[row_of[id_]]) for id_ in episodes))
            for episodes in told
        ]
        return reordered(hits, counts, self.name)


async def _mentions(
    entities: Sequence[str], question: Question, store: Store
) -> list[Sequence[str]]:
    """Return the episodes that mention each entity, or one that speaks through it."""
    families = [question.walked.heirs.family(id_) for id_ in entities]
    ids = [Record("entity", id_) for family in families for id_ in family]
    [pairs] = await store.query(_MENTIONS, ids=ids)
    mentions = {id_: {episode.id for episode in episodes} for id_, episodes in pairs}
    return [sorted(set().union(*(mentions.get(id_, ()) for id_ in family))) for family in families]
