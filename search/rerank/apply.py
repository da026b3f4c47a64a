"""A recipe's rerankers, one after another, and the least relevance that it asks for.

``min_score`` looks at the relevance of the hits: before everything else, or, if a model judges
them, after the last that does. Never at what the rankings are sorted by.
"""

from collections.abc import Mapping

from graphrag.search.fuse import Fused
from graphrag.search.question import Question
from graphrag.search.recipe import Recipe
from graphrag.search.rerank.reranking import Item, Reranking, Rereading
from graphrag.store.store import Store


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
        for place, one in enumerate(recipe.rerank)
        if isinstance(one, Rereading) and one.judges
    ]
    return max(judges, default=-1)


def _relevant(hits: list[Fused[int]], recipe: Recipe) -> list[Fused[int]]:
    return [hit for hit in hits if hit.relevance >= recipe.min_score]
