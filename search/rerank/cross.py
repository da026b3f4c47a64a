"""Order by a model that reads the query and each text together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from graphrag.cards import lifetime
from graphrag.errors import QueryError
from graphrag.models import Entity, Episode, Fact
from graphrag.protocols import Reranker
from graphrag.search.fuse import Fused
from graphrag.search.question import Question
from graphrag.search.rerank.reranking import Item, reordered
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True)
class CrossEncoder:
    """Let a ``Reranker`` score the best hits; its scores, 0 to 1, become their relevance."""

    model: Reranker | None = None
    """Default: the one that the graph was opened with."""
    least: int = 20
    """How many hits it reads at least."""

    name: ClassVar[str] = "cross_encoder"
    judges: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a shortlist of nothing."""
        if self.least < 1:
            raise QueryError(f"{self}: least is 1 or more")

    def shortlist(self, limit: int) -> int:
        """Return how many hits are read to return ``limit``."""
        return max(self.least, 2 * limit)

    async def reread(
        self, hits: list[Fused[int]], items: Sequence[Item], question: Question, store: Store
    ) -> list[Fused[int]]:
        """Return the hits, best first.

        Raises:
            QueryError: if there is no model, or it does not give one score from 0 to 1 each.
        """
        model = self.model or question.reranker
        if model is None:
            raise QueryError(
                "the recipe reranks with a cross-encoder and there is none: open the graph with "
                "reranker=..., such as CrossEncoderReranker('cross-encoder/ms-marco-MiniLM-L6-v2')"
            )
        if not items:
            return hits
        scores = [float(one) for one in await model.rank(question.text, [*map(text_of, items)])]
        if len(scores) != len(items) or not all(0 <= score <= 1 for score in scores):
            raise QueryError(
                f"{model!r} must give one score from 0 to 1 a text: got {len(scores)} for "
                f"{len(items)} texts, {scores[:5]}"
            )
        return reordered(hits, scores, self.name, relevance=scores)


def text_of(item: Item) -> str:
    """Return what a reranker reads of an item."""
    if isinstance(item, Fact):
        return f"{item.fact} ({lifetime(item)})"
    if isinstance(item, Episode):
        return f"{item.name}\n{item.content}" if item.name else item.content
    if isinstance(item, Entity):
        return f"{', '.join((item.name, *item.aliases))} ({item.entity_type}). {item.summary}"
    return f"{item.name}. {item.summary}"
