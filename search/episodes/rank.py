"""Ranking episodes by meaning and by words."""

import numpy as np

from graphrag.search.fuse import Fused, Method, Scores, candidates, fuse
from graphrag.search.question import Question

_LENGTH_PENALTY = 0.5


def rank_episodes(question: Question) -> list[Fused[int]]:
    """Rank the visible episodes."""
    recipe, episodes, weights = question.recipe, question.index.episodes, question.recipe.episodes
    methods = (
        Method("vector", _cosines(question), recipe.vector * weights.vector),
        Method(
            "fulltext", episodes.postings.scores(question.text), recipe.fulltext * weights.fulltext
        ),
    )
    rows = candidates(methods, question.seen.episodes, recipe.pool)
    question.trace.step("episodes: candidates", len(rows))
    ranked = fuse(
        methods, rows, fusion=recipe.fusion, k=recipe.rrf_k, limit=question.request.wanted
    )
    question.trace.step(f"episodes: fuse {recipe.fusion}", len(ranked))
    return ranked


def _cosines(question: Question) -> Scores:
    """Return the cosine of each episode, or of its best passage.

    A long episode has more passages and so more tries; the expected gain of a maximum over n tries,
    ``0.5 sigma sqrt(2 ln n)``, is taken off again.
    """
    index, query = question.index, question.vector
    scores = index.episodes.vectors.scores(query).copy()
    if len(index.passages):
        pieces = index.passages.vectors.scores(query)
        owner = index.passages["episode"]
        np.maximum.at(scores, owner, pieces)
        count = np.bincount(owner, minlength=len(scores))
        penalty = np.sqrt(2 * np.log(np.maximum(count, 1)))
        scores -= (_LENGTH_PENALTY * float(pieces.std()) * penalty).astype(np.float32)
    return scores
