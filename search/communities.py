"""Ranking communities by meaning and by words."""

from graphrag.search.fuse import Fused, Method, candidates, fuse
from graphrag.search.question import Question
from graphrag.search.relevance import relevance


def rank_communities(question: Question) -> list[Fused[int]]:
    """Rank the visible communities."""
    recipe, weights, rows_of = (
        question.recipe,
        question.recipe.communities,
        question.index.communities,
    )
    cosines = rows_of.vectors.compare(question.vector)
    words = rows_of.postings.scores(question.text)
    methods = (
        Method("vector", cosines, recipe.vector * weights.vector),
        Method("fulltext", words, recipe.fulltext * weights.fulltext),
    )
    rows = candidates(methods, question.seen.communities, recipe.pool)
    question.trace.step("communities: candidates", len(rows))
    ranked = fuse(
        methods,
        rows,
        fusion=recipe.fusion,
        k=recipe.rrf_k,
        limit=question.request.wanted,
        relevance=relevance(rows_of, question.text, cosines.at(rows), words[rows]),
    )
    question.trace.step(f"communities: fuse {recipe.fusion}", len(ranked))
    return ranked
