"""Candidates of one scope by meaning, by words and by closeness in the graph."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from graphrag.index.group import GroupIndex
from graphrag.index.hops import edge_distance, hops
from graphrag.index.scope import Scope as Rows
from graphrag.index.topk import top
from graphrag.protocols import Matrix
from graphrag.search.fuse import Fused, Ranking
from graphrag.search.recipe import Recipe
from graphrag.search.visible import Mask, Visible

Scores = npt.NDArray[np.float32]

_LENGTH_PENALTY = 0.5
_TIE_WEIGHT = 2.0
"""What the most shared facts add to a cosine: who meets the seed often comes before who sounds
like the query. The right type adds 1."""


def by_vector(rows: Rows, scores: Scores, mask: Mask, recipe: Recipe) -> Ranking[int]:
    """Rank rows by cosine."""
    return _ranking("vector", scores, mask, recipe.pool, recipe.vector, floor=0.0)


def by_words(rows: Rows, query: str, mask: Mask, recipe: Recipe) -> Ranking[int]:
    """Rank rows by BM25."""
    scores = rows.postings.scores(query)
    return _ranking("fulltext", scores, mask, recipe.pool, recipe.fulltext, floor=0.0)


def fact_closeness(
    seen: Visible,
    distance: npt.NDArray[np.int8],
    asked: Mask,
    relevance: Scores,
    recipe: Recipe,
) -> Ranking[int]:
    """Rank facts by hops from the seeds; of those equally far, by answer type and cosine.

    ``asked`` marks the entities of the type that the query asks for.
    """
    subject, object_ = seen.ends
    far = edge_distance(distance, subject, object_)
    # An end that answers is one that the query does not name.
    answers = asked & (distance != 0)
    bonus = (answers[subject] | answers[object_]).astype(np.float32)
    return _near(far, relevance + bonus, seen.facts, recipe)


def entity_closeness(
    distance: npt.NDArray[np.int8],
    ties: npt.NDArray[np.int64],
    asked: Mask,
    relevance: Scores,
    mask: Mask,
    recipe: Recipe,
) -> Ranking[int]:
    """Rank entities by hops from the seeds; of those equally far, by type, ties and cosine."""
    strength = ties / max(1, int(ties.max(initial=0)))
    bonus = (_TIE_WEIGHT * strength + asked).astype(np.float32)
    return _near(distance, relevance + bonus, mask, recipe)


def in_facts(
    seen: Visible, facts: Iterable[Fused[int]], asked: Mask, recipe: Recipe
) -> Ranking[int]:
    """Rank entities by the best fact that they are part of; only asked types, if any is asked."""
    allowed = seen.entities & asked if asked.any() else seen.entities
    subject, object_ = seen.ends
    best: dict[int, float] = {}
    for fact in facts:
        for end in (subject[fact.id], object_[fact.id]):
            if allowed[end]:
                best.setdefault(int(end), fact.score)
    return Ranking("facts", list(best)[: recipe.pool], list(best.values())[: recipe.pool])


def of_types(index: GroupIndex, types: frozenset[str]) -> Mask:
    """Mark the entities that have one of these types."""
    codes = [index.type_code(type_) for type_ in types]
    return np.isin(index.entities["type"], codes)


def ties_to(seen: Visible, seeds: list[int]) -> npt.NDArray[np.int64]:
    """Count, for every entity, the visible facts that link it to a seed."""
    subject, object_ = seen.ends
    is_seed = np.zeros(len(seen.entities), dtype=np.bool_)
    is_seed[seeds] = True
    others = (object_[seen.facts & is_seed[subject]], subject[seen.facts & is_seed[object_]])
    return np.bincount(np.concatenate(others), minlength=len(seen.entities))


def distances(seen: Visible, seeds: list[int], recipe: Recipe) -> npt.NDArray[np.int8]:
    """Return the hops of every entity from the nearest seed, along visible facts only."""
    return hops(
        *seen.ends,
        len(seen.entities),
        seeds,
        depth=recipe.depth,
        alive=seen.facts,
    )


def episode_scores(index: GroupIndex, query: Matrix) -> Scores:
    """Return the cosine of each episode, or of its best passage.

    A long episode has more passages and so more tries; the expected gain of a maximum over n tries,
    ``0.5 sigma sqrt(2 ln n)``, is taken off again.
    """
    scores = index.episodes.vectors.scores(query).copy()
    if len(index.passages):
        pieces = index.passages.vectors.scores(query)
        owner = index.passages["episode"]
        np.maximum.at(scores, owner, pieces)
        count = np.bincount(owner, minlength=len(scores))
        penalty = np.sqrt(2 * np.log(np.maximum(count, 1)))
        scores -= (_LENGTH_PENALTY * float(pieces.std()) * penalty).astype(np.float32)
    return scores


def _near(
    distance: npt.NDArray[np.int8], relevance: Scores, mask: Mask, recipe: Recipe
) -> Ranking[int]:
    # A tenth of this orders the equally near and, within three hops, never outweighs a hop.
    reached = mask & (distance >= 0)
    scores = (1.0 + 0.1 * relevance) / (1.0 + np.maximum(distance, 0))
    return _ranking(
        "graph", scores.astype(np.float32), reached, recipe.pool, recipe.graph, floor=0.0
    )


def _ranking(
    method: str, scores: Scores, mask: Mask, pool: int, weight: float, *, floor: float
) -> Ranking[int]:
    rows, values = top(scores, pool, mask, floor)
    return Ranking(method, rows.tolist(), values.tolist(), weight)
