"""Rankings of facts, entities and communities: meaning, words, names, closeness and time."""

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.index.cosines import Cosines
from graphrag.index.edges import edge_distance, edges_reached
from graphrag.index.group import GroupIndex
from graphrag.index.scope import ScopeIndex as Rows
from graphrag.model.values import Community
from graphrag.protocols import Matrix
from graphrag.search.fuse import (
    Candidates,
    Fused,
    Mask,
    Method,
    Scored,
    Scores,
    candidates,
    fuse,
    relevance,
    scores_at,
)
from graphrag.search.near import Distances, Nearness
from graphrag.search.question import Question
from graphrag.search.recipe import Recipe, Scope
from graphrag.search.visibility import overlapping
from graphrag.text.tokens import tokenize

_BEGINNING = 2
"""Letters that a word and its stem share; a term of a script without spaces has no more."""


def rank_facts(question: Question) -> list[Fused]:
    """Rank the visible facts."""
    recipe, index, seen, trace = question.recipe, question.index, question.seen, question.trace
    weights, when = recipe.facts, question.when
    words = index.facts.postings.scores(question.text)
    trace.step("facts: fulltext")
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
        methods.append(Method("graph", _near_facts(question, reached, distance, cosines), weight))
        trace.step("facts: graph")
    if when.said:
        fits = overlapping(when, seen.valid, seen.invalid).astype(np.float32)
        methods.append(Method("time", fits, weights.time, finds=False))
        trace.step("facts: time", int(fits.sum()) if trace.on else None)
    if weights.relation and (named := _named_relations(question)) is not None:
        methods.append(Method("relation", named, weights.relation, finds=False))
        trace.step("facts: relation", int((named > 0).sum()) if trace.on else None)
    # Entities are ranked by all facts.
    limit = None if question.searches("entities") else question.request.wanted
    return fused(question, "facts", methods, seen.facts, cosines, words, limit)


def rank_entities(question: Question, facts: Sequence[Fused]) -> list[Fused]:
    """Rank the visible entities, given the ranking of facts."""
    recipe, index, trace = question.recipe, question.index, question.trace
    weights, cosines = recipe.entities, question.entity_cosines
    assert cosines is not None
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
        near = _near_entities(question, cosines)
        methods.append(Method("graph", near, recipe.graph * weights.graph))
        trace.step("entities: graph")
    limit = question.request.wanted
    return fused(question, "entities", methods, question.seen.entities, cosines, words, limit)


def fused(
    question: Question,
    scope: Scope,
    methods: Sequence[Method],
    seen: Mask,
    cosines: Scored,
    words: Scores,
    limit: int | None,
) -> list[Fused]:
    """Rank the best rows of each method that may be seen."""
    recipe, trace = question.recipe, question.trace
    rows = candidates(methods, seen, recipe.pool_of(scope))
    trace.step(f"{scope}: candidates", len(rows))
    share = relevance(question.rows(scope), question.text, scores_at(cosines, rows), words[rows])
    ranked = fuse(methods, rows, fusion=recipe.fusion, k=recipe.rrf_k, limit=limit, relevance=share)
    trace.step(f"{scope}: fuse {recipe.fusion}", len(ranked))
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
    """
    facts = question.index.facts.postings.texts
    at_seeds = int(np.count_nonzero(distance == 0))
    return math.log1p(facts / max(1, at_seeds)) / math.log1p(max(1, facts))


def _near_facts(
    question: Question, reached: Candidates, distance: Distances, cosines: Cosines
) -> Nearness:
    """Score facts by hops from the seeds; of those equally far, by answer type and cosine."""
    subject, object_ = question.seen.ends
    # An end that answers is one that the query does not name.
    answers = question.asked & (question.distance != 0)

    def far(rows: Candidates) -> Distances:
        return edge_distance(question.distance, subject[rows], object_[rows])

    def bonus(rows: Candidates) -> Scores:
        return np.asarray(answers[subject[rows]] | answers[object_[rows]], np.float32)

    return Nearness(reached, distance, far, cosines, bonus)


def _in_facts(question: Question, facts: Sequence[Fused]) -> Scores:
    """Score entities by the best fact that they are part of; only asked types, if any is asked."""
    seen, asked = question.seen, question.asked
    rows = np.array([fact.id for fact in facts], dtype=np.intp)
    best = np.array([fact.score for fact in facts], dtype=np.float32)
    scores = np.zeros(len(asked), dtype=np.float32)
    fit = seen.entities & asked if asked.any() else seen.entities
    for ends in seen.ends:
        end = ends[rows]
        np.maximum.at(scores, end[fit[end]], best[fit[end]])
    return scores


def _near_entities(question: Question, cosines: Cosines) -> Nearness:
    """Score entities by hops from the seeds; of those equally far, by type and cosine."""
    asked, distance = question.asked.astype(np.float32), question.distance
    reached = np.flatnonzero(distance >= 0)
    return Nearness(reached, distance[reached], distance.__getitem__, cosines, asked.__getitem__)


@dataclass(frozen=True, slots=True)
class Made:
    """Communities of another moment, to be ranked in place of those that are stored."""

    rows: Rows
    values: Mapping[str, Community]

    def on(self, index: GroupIndex) -> GroupIndex:
        """Return a group with these communities, the rest shared."""
        then = copy.copy(index)
        then.communities = self.rows
        return then


def rank_communities(question: Question) -> list[Fused]:
    """Rank the visible communities."""
    recipe, limit = question.recipe, question.request.wanted
    rows, seen = question.index.communities, question.seen.communities
    ranked = rank_rows(rows, seen, question.vector, question.text, recipe, limit=limit)
    question.trace.step(f"communities: fuse {recipe.fusion}", len(ranked))
    return ranked


def rank_rows(
    rows_of: Rows,
    seen: Mask,
    vector: Matrix,
    text: str,
    recipe: Recipe,
    *,
    limit: int | None = None,
) -> list[Fused]:
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
    share = relevance(rows_of, text, cosines[places], words[places])
    ranked = fuse(
        methods, places, fusion=recipe.fusion, k=recipe.rrf_k, limit=limit, relevance=share
    )
    for hit in ranked:
        hit.id = int(by_id[hit.id])
    return ranked
