"""Ranking communities by meaning and by words."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.index.scope import Scope
from graphrag.model.values import Community
from graphrag.protocols import Matrix
from graphrag.search.fuse import Fused, Method, candidates, fuse, relevance
from graphrag.search.question import Question
from graphrag.search.request import Recipe
from graphrag.search.visibility import Mask


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
    """Rank communities by a question, given as its vector and its words; of equals by their ids.

    Their rows are where they were written last, which is another order in memory than in the
    tables: so they are ranked in the order of their ids. There are few of them.
    """
    weights = recipe.communities
    by_id = np.array(sorted(range(len(rows_of)), key=rows_of.ids.__getitem__), dtype=np.intp)
    cosines = rows_of.vectors.compare(vector).at(by_id)
    words = rows_of.postings.scores(text)[by_id]
    methods = (
        Method("vector", cosines, recipe.vector * weights.vector),
        Method("fulltext", words, recipe.fulltext * weights.fulltext),
    )
    places = candidates(methods, seen[by_id], recipe.pool)
    ranked = fuse(
        methods,
        places,
        fusion=recipe.fusion,
        k=recipe.rrf_k,
        limit=limit,
        relevance=relevance(rows_of, text, cosines[places], words[places]),
    )
    for fused in ranked:
        fused.id = int(by_id[fused.id])
    return ranked
