"""Ranking entities: by name, meaning, words, the facts they are part of, and closeness."""

from collections.abc import Iterable

import numpy as np

from graphrag.index.cosines import Cosines
from graphrag.search.fuse import Candidates, Fused, Method, Scores, candidates, fuse, relevance
from graphrag.search.near import Nearness, ties_to
from graphrag.search.question import Question

_TIE_WEIGHT = 2.0
"""What the most shared facts add to a cosine: who meets the seed often comes before who sounds
like the query. The right type adds 1."""


def rank_entities(question: Question, facts: Iterable[Fused[int]]) -> list[Fused[int]]:
    """Rank the visible entities, given the ranking of facts."""
    recipe, index, seen, trace = question.recipe, question.index, question.seen, question.trace
    weights, cosines = recipe.entities, question.entity_cosines
    if cosines is None:
        cosines = index.entities.vectors.compare(question.vector)
    named = np.zeros(len(index.entities), dtype=np.float32)
    named[question.named] = 1.0
    words = index.entities.postings.scores(question.text)
    trace.step("entities: fulltext")
    methods = [
        Method("name", named, weights.name),
        Method("vector", cosines, recipe.vector * weights.vector),
        Method("fulltext", words, recipe.fulltext * weights.fulltext),
        Method("facts", _in_facts(question, facts), weights.facts),
    ]
    if recipe.graph * weights.graph and question.seeds:
        near = _closeness(question, cosines)
        methods.append(Method("graph", near, recipe.graph * weights.graph))
        trace.step("entities: graph")
    rows = candidates(methods, seen.entities, recipe.pool)
    trace.step("entities: candidates", len(rows))
    ranked = fuse(
        methods,
        rows,
        fusion=recipe.fusion,
        k=recipe.rrf_k,
        limit=question.request.wanted,
        relevance=relevance(index.entities, question.text, cosines.at(rows), words[rows]),
    )
    trace.step(f"entities: fuse {recipe.fusion}", len(ranked))
    return ranked


def _in_facts(question: Question, facts: Iterable[Fused[int]]) -> Scores:
    """Score entities by the best fact that they are part of; only asked types, if any is asked."""
    seen, asked = question.seen, question.asked
    ranked = list(facts)
    rows = np.array([fact.id for fact in ranked], dtype=np.intp)
    best = np.array([fact.score for fact in ranked], dtype=np.float32)
    scores = np.zeros(len(asked), dtype=np.float32)
    only = asked.any()
    for ends in seen.ends:
        end = ends[rows]
        allowed = seen.entities[end] & asked[end] if only else seen.entities[end]
        np.maximum.at(scores, end[allowed], best[allowed])
    return scores


def _closeness(question: Question, cosines: Cosines) -> Nearness:
    """Score entities by hops from the seeds; of those equally far, by type, ties and cosine."""
    ties, distance = ties_to(question.seen, question.seeds), question.distance
    most = max(1, int(ties.max(initial=0)))

    def bonus(rows: Candidates) -> Scores:
        return np.asarray(_TIE_WEIGHT * (ties[rows] / most) + question.asked[rows], np.float32)

    reached = np.flatnonzero(distance >= 0)
    return Nearness(reached, distance[reached], distance.__getitem__, cosines, bonus)
