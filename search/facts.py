"""Ranking facts: by meaning, by words, and by closeness to the entities in question."""

import numpy as np

from graphrag.index.hops import edge_distance
from graphrag.search.fuse import Fused, Method, Scores, candidates, fuse
from graphrag.search.near import nearness
from graphrag.search.question import Question
from graphrag.search.relevance import relevance
from graphrag.search.times import overlapping

_UNSAID: Scores = np.empty(0, dtype=np.float32)


def rank_facts(question: Question) -> list[Fused[int]]:
    """Rank the visible facts."""
    recipe, index, seen, trace = question.recipe, question.index, question.seen, question.trace
    weights = recipe.facts
    cosines = index.facts.vectors.scores(question.vector)
    trace.step("facts: vector")
    words = index.facts.postings.scores(question.text)
    trace.step("facts: fulltext")
    times = _UNSAID
    if question.when.said:
        times = overlapping(question.when, seen.valid, seen.invalid).astype(np.float32)
    methods = (
        Method("vector", cosines, recipe.vector * weights.vector),
        Method("fulltext", words, recipe.fulltext * weights.fulltext),
        Method("graph", _closeness(question, cosines), recipe.graph * weights.graph),
        Method("time", times, weights.time if question.when.said else 0.0, finds=False),
    )
    trace.step("facts: graph")
    rows = candidates(methods, seen.facts, recipe.pool)
    trace.step("facts: candidates", len(rows))
    # Entities are ranked by all facts.
    limit = None if question.searches("entities") else question.request.wanted
    ranked = fuse(
        methods,
        rows,
        fusion=recipe.fusion,
        k=recipe.rrf_k,
        limit=limit,
        relevance=relevance(index.facts, question.text, rows, cosines, words),
    )
    trace.step(f"facts: fuse {recipe.fusion}", len(ranked))
    return ranked


def _closeness(question: Question, cosines: Scores) -> Scores:
    """Score facts by hops from the seeds; of those equally far, by answer type and cosine."""
    distance = question.distance
    subject, object_ = question.seen.ends
    # An end that answers is one that the query does not name.
    answers = question.asked & (distance != 0)
    bonus = (answers[subject] | answers[object_]).astype(np.float32)
    return nearness(edge_distance(distance, subject, object_), cosines + bonus)
