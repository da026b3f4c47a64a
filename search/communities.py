"""Ranking communities by meaning and by words."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass

from graphrag.index.group import GroupIndex
from graphrag.index.scope import Scope
from graphrag.models import Community
from graphrag.protocols import Matrix
from graphrag.search.fuse import Fused, Method, candidates, fuse
from graphrag.search.question import Question
from graphrag.search.recipe import Recipe
from graphrag.search.relevance import relevance
from graphrag.search.visible import Mask


@dataclass(frozen=True, slots=True)
class Made:
    """Communities of another moment, to be ranked in place of those that are stored."""

    rows: Scope
    values: Mapping[str, Community]
    """Themselves, by id."""

    def on(self, index: GroupIndex) -> GroupIndex:
        """Return a group with these communities, the rest shared."""
        then = copy.copy(index)
        then.communities = self.rows
        return then


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
