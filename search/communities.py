"""Ranking communities by meaning and by words."""

from graphrag.index.scope import Scope
from graphrag.protocols import Matrix
from graphrag.search.fuse import Fused, Method, candidates, fuse
from graphrag.search.question import Question
from graphrag.search.recipe import Recipe
from graphrag.search.relevance import relevance
from graphrag.search.visible import Mask


def rank_communities(question: Question) -> list[Fused[int]]:
    """Rank the visible communities."""
    ranked = rank_rows(
        question.index.communities,
        question.seen.communities,
        question.vector,
        question.text,
        question.recipe,
        limit=question.request.wanted,
    )
    question.trace.step(f"communities: fuse {question.recipe.fusion}", len(ranked))
    return ranked


def rank_rows(
    rows_of: Scope,
    seen: Mask,
    vector: Matrix,
    text: str,
    recipe: Recipe,
    *,
    limit: int | None = None,
) -> list[Fused[int]]:
    """Rank communities by a question, given as its vector and its words."""
    weights = recipe.communities
    cosines = rows_of.vectors.compare(vector)
    words = rows_of.postings.scores(text)
    methods = (
        Method("vector", cosines, recipe.vector * weights.vector),
        Method("fulltext", words, recipe.fulltext * weights.fulltext),
    )
    rows = candidates(methods, seen, recipe.pool)
    return fuse(
        methods,
        rows,
        fusion=recipe.fusion,
        k=recipe.rrf_k,
        limit=limit,
        relevance=relevance(rows_of, text, cosines.at(rows), words[rows]),
    )
