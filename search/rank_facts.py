"""Ranking facts: by meaning, by words, by closeness to the entities in question, and by time."""

import math

import numpy as np

from graphrag.index.cosines import Cosines
from graphrag.index.hops import edge_distance, edges_reached
from graphrag.search.fuse import (
    Candidates,
    Fused,
    Mask,
    Method,
    Scores,
    candidates,
    fuse,
    relevance,
)
from graphrag.search.near import Distances, Nearness
from graphrag.search.question import Question
from graphrag.search.visibility import overlapping
from graphrag.text.tokens import tokenize

_BEGINNING = 2
"""Letters that a word and its stem share; a term of a script without spaces has no more."""


def rank_facts(question: Question) -> list[Fused[int]]:
    """Rank the visible facts."""
    recipe, index, seen, trace = question.recipe, question.index, question.seen, question.trace
    weights, when = recipe.facts, question.when
    words = index.facts.postings.scores(question.text)
    trace.step("facts: fulltext")
    cosines = question.fact_cosines
    if cosines is None:
        cosines = index.facts.vectors.compare(question.vector)
    methods = [
        Method("vector", cosines, recipe.vector * weights.vector),
        Method("fulltext", words, recipe.fulltext * weights.fulltext),
    ]
    if recipe.graph * weights.graph and question.seeds:
        walked = question.walked
        reached, distance = edges_reached(
            question.distance, *seen.ends, walked.facts, walked.facts_at
        )
        weight = recipe.graph * weights.graph * _telling(distance, question)
        near = _closeness(question, reached, distance, cosines)
        methods.append(Method("graph", near, weight))
        trace.step("facts: graph")
    if when.said:
        fits = overlapping(when, seen.valid, seen.invalid).astype(np.float32)
        methods.append(Method("time", fits, weights.time, finds=False))
        trace.step("facts: time", int(fits.sum()) if trace.on else None)
    if weights.relation and (named := _named_relations(question)) is not None:
        methods.append(Method("relation", named, weights.relation, finds=False))
        trace.step("facts: relation", int((named > 0).sum()) if trace.on else None)
    rows = candidates(methods, seen.facts, recipe.pool_of("facts"))
    trace.step("facts: candidates", len(rows))
    ranked = fuse(
        methods,
        rows,
        fusion=recipe.fusion,
        k=recipe.rrf_k,
        # Entities are ranked by all of them.
        limit=None if question.searches("entities") else question.request.wanted,
        relevance=relevance(index.facts, question.text, cosines.at(rows), words[rows]),
    )
    trace.step(f"facts: fuse {recipe.fusion}", len(ranked))
    return ranked


def _named_relations(question: Question) -> Scores | None:
    """Return which share of its relation's words the question has, for each fact; None if none.

    Words of the entities that the question names are theirs.
    """
    index = question.index
    names = " ".join(index.entity_name(index.entities.ids[row]) for row in question.named)
    asked = {*tokenize(question.text)} - {*tokenize(names)}
    # Stems begin as their words do: of a thousand relations few need to be taken apart.
    begun = {term[:_BEGINNING] for term in asked}
    shares = np.zeros(len(index.relations), dtype=np.float32)
    for code, name in enumerate(index.relations):
        parts = name.casefold().split("_")
        if any(part[:_BEGINNING] in begun for part in parts):
            words = {*tokenize(" ".join(parts))}
            shares[code] = len(words & asked) / max(1, len(words))
    return shares.take(index.facts["relation"]) if shares.any() else None


def _telling(distance: Distances, question: Question) -> float:
    """Return how much it says to be at the seeds, from 0 to 1, as the rarity of a word does.

    Little, if every fact is: a question about the one who keeps the diary. The size of the group is
    that of its postings, because the index may hold a part of it only.

    Args:
        distance: The hops of every visible fact that was reached.
        question: What is asked.
    """
    facts = question.index.facts.postings.texts
    at_seeds = int(np.count_nonzero(distance == 0))
    return math.log1p(facts / max(1, at_seeds)) / math.log1p(max(1, facts))


def _closeness(
    question: Question, reached: Candidates, distance: Distances, cosines: Cosines
) -> Nearness:
    """Score facts by hops from the seeds; of those equally far, by answer type and cosine."""
    subject, object_ = question.seen.ends
    # An end that answers is one that the query does not name.
    answers = question.asked & (question.distance != 0)

    def far(rows: Candidates) -> Distances:
        return edge_distance(question.distance, subject[rows], object_[rows])

    def bonus(rows: Candidates) -> Scores:
        answering: Mask = answers[subject[rows]] | answers[object_[rows]]
        return answering.astype(np.float32)

    return Nearness(reached, distance, far, cosines, bonus)
