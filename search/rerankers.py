"""Rerankers: variety, graph distance, episode mentions, recency, cross-encoder.

Variety is maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998), greedy as published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from graphrag.display.cards import lifetime
from graphrag.errors import QueryError
from graphrag.index.group import BEGINNING
from graphrag.model.values import Entity, Episode, Fact
from graphrag.protocols import Reranker, call, traced
from graphrag.search.fuse import Fused, Item, reordered
from graphrag.store.links import episodes_on
from graphrag.temporal.moment import to_micros

if TYPE_CHECKING:
    from graphrag.search.question import Question
    from graphrag.store.store import Store


Array = npt.NDArray[np.floating]
_MICRO = timedelta(microseconds=1)
_SHORTLIST = 2  # times the wanted hits: half of them can be others than before


@dataclass(frozen=True, slots=True)
class NodeDistance:
    """Reranker by distance: facts and entities by hops from the nearest center.

    Only the requested hits are reordered, so that proximity alone brings in no other item. Ties
    keep their order. Centers are those of the search, else the entities that the query names, else
    the best found ones. The nearer end of a fact counts. The score is ``1 / (1 + hops)``, or 0
    without a path. Other scopes keep their order.
    """

    name: ClassVar[str] = "node_distance"
    walks: ClassVar[bool] = True

    def rerank(self, hits: list[Fused], scope: str, question: Question) -> list[Fused]:
        """Return the hits, nearest first."""
        if scope not in ("facts", "entities") or question.walk is None:
            return hits
        hits = hits[: question.request.limit]
        rows = np.array([hit.id for hit in hits], dtype=np.intp)
        subject, object_ = question.walked.ends
        ends = (subject[rows], object_[rows]) if scope == "facts" else (rows, rows)
        far = question.walk.of(*ends).tolist()
        scores = [1 / (1 + steps) if steps >= 0 else 0.0 for steps in far]
        return reordered(hits, scores, self.name)


@dataclass(frozen=True, slots=True)
class EpisodeMentions:
    """Reranker by mentions: facts by the episodes that state them, entities by their mentions.

    Ties keep their order. Only the top of the ranking is counted, so that frequent but irrelevant
    items stay out. Other scopes keep their order.
    """

    factor: int = _SHORTLIST
    """Number of counted hits as a multiple of the limit."""

    name: ClassVar[str] = "episode_mentions"
    judges: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.factor < 1:
            raise QueryError(f"{self}: factor is 1 or more")

    def shortlist(self, limit: int) -> int:
        """Return the number of hits to count for ``limit`` results."""
        return self.factor * limit

    async def reread(
        self, hits: list[Fused], items: Sequence[Item], question: Question, store: Store
    ) -> list[Fused]:
        """Return the hits, most mentioned first."""
        sources: list[Sequence[str]] = [item.episodes for item in items if isinstance(item, Fact)]
        if entities := [item.id for item in items if isinstance(item, Entity)]:
            sources = await _mentions(entities, question, store)
        if not sources:
            return hits
        row_of, seen = question.index.episodes.row_of, question.walked.episodes
        counts = [
            float(sum(id_ in row_of and bool(seen[row_of[id_]]) for id_ in episodes))
            for episodes in sources
        ]
        return reordered(hits, counts, self.name)


async def _mentions(
    entities: Sequence[str], question: Question, store: Store
) -> list[Sequence[str]]:
    """Return the episodes that mention each entity, or one that speaks through it."""
    families = [question.walked.heirs.family(id_) for id_ in entities]
    mentions = await episodes_on(store, (id_ for family in families for id_ in family))
    return [sorted(set().union(*(mentions.get(id_, ()) for id_ in family))) for family in families]


@dataclass(frozen=True, slots=True)
class Recency:
    """Reranker by age: the score is halved for every ``half_life`` of age.

    Only the requested hits are reordered, so that recency alone brings in no other item. Age is
    measured in world time, back from the moment of the view: from the start of a fact, the
    reference time of an episode, the newest visible fact about an entity. Future facts have age 0;
    facts without a known start have an age of one half-life. Communities keep their order.
    """

    half_life: timedelta = timedelta(days=365)

    name: ClassVar[str] = "recency"
    walks: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.half_life <= timedelta(0):
            raise QueryError(f"{self}: half_life is longer than nothing")

    def rerank(self, hits: list[Fused], scope: str, question: Question) -> list[Fused]:
        """Return the hits ordered by their scores, each halved for every ``half_life`` of age."""
        if scope == "communities":
            return hits
        hits = hits[: question.request.limit]
        rows = [hit.id for hit in hits]
        if scope == "entities":
            starts = _newest(question, np.array(rows, dtype=np.intp))
        else:
            starts = question.rows(scope)["valid"][rows]
        now = to_micros(question.now, BEGINNING)
        halvings = np.maximum(now - starts.astype(np.float64), 0.0) / (self.half_life / _MICRO)
        halvings[starts == BEGINNING] = 1.0
        scores = [hit.score * 0.5**age for hit, age in zip(hits, halvings.tolist(), strict=True)]
        return reordered(hits, scores, self.name)


def _newest(question: Question, entities: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Return the start of the newest visible fact of some entities."""
    seen, starts = question.walked, question.index.facts["valid"]
    facts = seen.facts_at(entities)
    if facts is None:
        wanted = np.zeros(len(seen.entities), dtype=np.bool_)
        wanted[entities] = True
        facts = np.flatnonzero(np.logical_or(*map(wanted.take, seen.ends)))
    facts = facts[seen.facts[facts]]
    newest = np.full(len(seen.entities), BEGINNING, dtype=np.int64)
    for end in seen.ends:
        np.maximum.at(newest, end[facts], starts[facts])
    return newest[entities]


@dataclass(frozen=True, slots=True)
class MMR:
    """Reranker for diversity (maximal marginal relevance): relevant, but unlike earlier hits.

    The best hit comes first. Each further one has the highest ``balance * relevance - (1 - balance)
    * similarity``: the relevance is its score divided by the best score, the similarity its highest
    cosine with an earlier pick, at least 0.
    """

    balance: float = 0.5
    """1: relevance only, the order does not change; 0: dissimilarity only, after the first."""

    name: ClassVar[str] = "mmr"
    walks: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0 <= self.balance <= 1:
            raise QueryError(f"{self}: balance is 0 to 1")

    def rerank(self, hits: list[Fused], scope: str, question: Question) -> list[Fused]:
        """Return the requested number of hits."""
        hits = hits[: _SHORTLIST * question.request.limit]
        vectors = question.rows(scope).vectors.rows([hit.id for hit in hits])
        scores = np.array([hit.score for hit in hits])
        most = scores.max(initial=0.0) or 1.0
        picks, values = greedy(scores / most, vectors, self.balance, question.request.limit)
        return reordered([hits[pick] for pick in picks], values, self.name)


def greedy(
    relevance: Array, vectors: Array, balance: float, count: int
) -> tuple[list[int], list[float]]:
    """Return the places of the picks in order, and what each was worth when it was picked.

    ``vectors`` are unit vectors, one row each; of equals the earlier place is picked.
    """
    worth = balance * relevance.astype(np.float64)
    # Opposites are as different as strangers; so no pick is worth more than the one before it.
    nearest = np.zeros(len(worth))
    picks, values = list[int](), list[float]()
    for _ in range(min(count, len(worth))):
        marginal = worth - (1 - balance) * nearest
        marginal[picks] = -np.inf
        pick = int(np.argmax(marginal))
        picks.append(pick)
        values.append(float(marginal[pick]))
        nearest = np.maximum(nearest, vectors @ vectors[pick])
    return picks, values


@dataclass(frozen=True, slots=True)
class CrossEncoder:
    """Reranker that scores the best hits with a model; the scores become their relevance."""

    model: Reranker | None = None
    """The model; default: the reranker that the graph was opened with."""
    least: int = 20
    """Minimum number of hits to score."""

    name: ClassVar[str] = "cross_encoder"
    judges: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.least < 1:
            raise QueryError(f"{self}: least is 1 or more")

    def shortlist(self, limit: int) -> int:
        """Return the number of hits to score for ``limit`` results."""
        return max(self.least, 2 * limit)

    async def reread(
        self, hits: list[Fused], items: Sequence[Item], question: Question, store: Store
    ) -> list[Fused]:
        """Return the hits, best first."""
        model = self.model or question.reranker
        if model is None:
            raise QueryError(
                "the recipe reranks with a cross-encoder and there is none: open the graph with "
                "reranker=..., such as CrossEncoderReranker('cross-encoder/ms-marco-MiniLM-L6-v2')"
            )
        if not items:
            return hits
        texts = [*map(text_of, items)]
        try:
            with traced(question.trace.tracer, "rerank", group=question.index.group_id) as note:
                note({"texts": len(texts)})
                given = await call(partial(model.rank, question.text, texts))
            scores = [float(score) for score in given]
        except (TypeError, ValueError) as error:
            raise QueryError(f"{model!r} gave no scores for {len(texts)} texts: {error}") from error
        if len(scores) != len(items) or not all(0 <= score <= 1 for score in scores):
            raise QueryError(
                f"{model!r} must give one score from 0 to 1 a text: got {len(scores)} for "
                f"{len(items)} texts, {scores[:5]}"
            )
        return reordered(hits, scores, self.name, relevance=scores)


def text_of(item: Item) -> str:
    """Return what a reranker reads of an item."""
    if isinstance(item, Fact):
        return f"{item.text} ({lifetime(item)})"
    if isinstance(item, Episode):
        return f"{item.name}\n{item.content}" if item.name else item.content
    if isinstance(item, Entity):
        return f"{', '.join((item.name, *item.aliases))} ({item.entity_type}). {item.summary}"
    return f"{item.name}. {item.summary}"
