"""Cross-encoder reranking, the chain of a recipe's rerankers, and ``min_score``.

``min_score`` is applied to relevance, before all rerankers or after the last that judges relevance
by a model; never to what the rankings are sorted by.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from graphrag.display.cards import lifetime
from graphrag.errors import QueryError
from graphrag.model.values import Entity, Episode, Fact
from graphrag.protocols import Reranker, call, traced
from graphrag.search.fuse import Fused
from graphrag.search.question import Question
from graphrag.search.request import Recipe
from graphrag.search.rerank.reranker import Item, Reranking, Rereading, reordered
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
        texts = [*map(text_of, items)]
        tracer = question.trace.tracer
        try:
            with traced(tracer, "rerank", group=question.index.group_id) as note:
                note({"texts": len(texts)})
                given = await call(partial(model.rank, question.text, texts))
            scores = [float(one) for one in given]
        except (TypeError, ValueError) as error:
            raise QueryError(f"{model!r} gave no scores for {len(texts)} texts: {error}") from error
        if len(scores) != len(items) or not all(0 <= score <= 1 for score in scores):
            raise QueryError(
                f"{model!r} must give one score from 0 to 1 a text: got {len(scores)} for "
                f"{len(items)} texts, {scores[:5]}"
            )
        return reordered(hits, scores, self.name, relevance=scores)


def text_of(item: Item) -> str:
    """Return what a reranker reads of an item."""
    if isinstance(item, Fact):
        return f"{item.text} ({lifetime(item)})"
    if isinstance(item, Episode):
        return f"{item.name}\n{item.content}" if item.name else item.content
    if isinstance(item, Entity):
        return f"{', '.join((item.name, *item.aliases))} ({item.entity_type}). {item.summary}"
    return f"{item.name}. {item.summary}"


def rerank(hits: list[Fused[int]], scope: str, question: Question) -> list[Fused[int]]:
    """Apply what looks at columns; return what is wanted, or what is to be read to choose it."""
    recipe, limit = question.recipe, question.request.limit
    last_judge = _last_judge(recipe)
    if last_judge < 0:
        hits = _relevant(hits, recipe)
    for reranker in recipe.rerank:
        if isinstance(reranker, Rereading):
            return hits[: max(limit, reranker.shortlist(limit))]
        hits = reranker.rerank(hits, scope, question)
        question.trace.step(f"{scope}: {reranker.name}", len(hits))
    return hits[:limit]


async def reread(
    hits: list[Fused[int]],
    items: Mapping[str, Item],
    scope: str,
    question: Question,
    store: Store,
) -> list[Fused[int]]:
    """Apply what reads the items, and all that comes after it; return what is wanted."""
    recipe, ids = question.recipe, question.rows(scope).ids
    hits = [hit for hit in hits if ids[hit.id] in items]
    last_judge, reading = _last_judge(recipe), False
    for place, reranker in enumerate(recipe.rerank):
        reading = reading or isinstance(reranker, Rereading)
        if not reading or not hits:
            continue
        if isinstance(reranker, Reranking):
            hits = reranker.rerank(hits, scope, question)
        else:
            given = [items[ids[hit.id]] for hit in hits]
            hits = await reranker.reread(hits, given, question, store)
        if place == last_judge:
            hits = _relevant(hits, recipe)
        question.trace.step(f"{scope}: {reranker.name}", len(hits))
    return hits[: question.request.limit]


def _last_judge(recipe: Recipe) -> int:
    """Return the place of the last reranker that sets the relevance, -1 for none."""
    judges = [
        place
        for place, rereading in enumerate(recipe.rerank)
        if isinstance(rereading, Rereading) and rereading.judges
    ]
    return max(judges, default=-1)


def _relevant(hits: list[Fused[int]], recipe: Recipe) -> list[Fused[int]]:
    return [hit for hit in hits if hit.relevance >= recipe.min_score]
