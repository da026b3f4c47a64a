"""Score fusion of several ranking methods, relevance, and the protocols of rerankers.

Every method scores all candidates exactly, so a ranking depends on the candidates only. Score
fusion is the convex combination of Bruch, Gai and Ingber (TOIS 2023), which keeps margins;
reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009) looks at ranks only.

Fused scores are comparable only within one search. ``relevance`` is the mean of the cosine (0 if
negative) and the idf-weighted share of the query's words in the text.

A ``Reranking`` uses the columns in memory and may reorder all candidates. A ``Rereading`` needs the
items themselves, and so gets only the best: ``shortlist`` gives their number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from graphrag.index.cosines import Cosines, top
from graphrag.index.scope import ScopeIndex as Rows
from graphrag.model.values import Community, Entity, Episode, Fact
from graphrag.search.results import Why

if TYPE_CHECKING:
    from graphrag.search.near import Nearness
    from graphrag.search.question import Question
    from graphrag.store.store import Store

Scores = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Candidates = npt.NDArray[np.intp]
"""Row numbers, ascending."""
Fusion = Literal["scores", "rrf"]
Scored: TypeAlias = "Cosines | Nearness"
"""Scores of the rows of a scope that are worked out where they are asked for."""
_DIGITS = 6
"""Decimals of a score of 32 bits: the next one depends on which rows are worked out together."""


def scores_at(
    scores: "npt.NDArray[np.floating] | Scored", rows: Candidates
) -> npt.NDArray[np.floating]:
    """Return the scores of some rows."""
    return scores[rows] if isinstance(scores, np.ndarray) else scores.at(rows)


@dataclass(frozen=True, slots=True)
class Method:
    """What one method says of every row of a scope."""

    name: str
    scores: "npt.NDArray[np.floating] | Scored"
    """0 or less, or NaN: the method did not find the row."""
    weight: float = 1.0
    finds: bool = True
    """False: it only scores what other methods found."""

    def at(self, rows: Candidates) -> npt.NDArray[np.float64]:
        """Return the scores of some rows, 0 for what was not found."""
        given = scores_at(self.scores, rows)
        return np.where(given > 0, given, 0.0).astype(np.float64)

    def top(self, pool: int, mask: Mask) -> Candidates:
        """Return the best rows that were found."""
        if isinstance(self.scores, np.ndarray):
            return top(self.scores, pool, mask, 0.0)[0]
        return self.scores.top(pool, mask, 0.0)[0]


@dataclass(slots=True)
class Fused:
    """One item of a ranking."""

    id: int
    score: float
    """What it is ranked by: comparable inside this ranking only."""
    reasons: tuple[Why, ...] | Callable[[], tuple[Why, ...]] = field(repr=False, compare=False)
    """What found it, or what tells: few are asked about, after the best have been chosen."""
    relevance: float = 0.0
    """How much of the query it answers, from 0 to 1: comparable across queries."""

    @property
    def why(self) -> tuple[Why, ...]:
        """Return the methods that found it, best rank first, then what reranked it."""
        if not isinstance(self.reasons, tuple):
            self.reasons = self.reasons()
        return self.reasons


def candidates(methods: Sequence[Method], mask: Mask, pool: int) -> Candidates:
    """Return the best ``pool`` rows of each method that counts, together."""
    best = [method.top(pool, mask) for method in methods if method.weight and method.finds]
    return np.unique(np.concatenate((*best, np.empty(0, dtype=np.intp))))


def fuse(
    methods: Sequence[Method],
    rows: Candidates,
    *,
    fusion: Fusion = "scores",
    k: int = 60,
    limit: int | None = None,
    relevance: npt.NDArray[np.floating] | None = None,
) -> list[Fused]:
    """Rank candidates by all methods, best first; of equals the lower row comes first.

    ``scores`` is the weighted mean of each method's scores as shares of its best, from 0 to 1.
    ``rrf`` is the sum of ``weight / (k + rank)`` over the methods that found the row; a larger
    ``k`` flattens the difference between the first ranks, and 60 is the paper's. Methods of weight
    0 are left out; rows that no method found come last, with score 0.
    """
    heard = [method for method in methods if method.weight]
    if not len(rows) or not heard:
        return []
    scores = np.stack([method.at(rows) for method in heard])
    reasons = Reasons([method.name for method in heard], scores)
    weights = np.array([method.weight for method in heard])[:, np.newaxis]
    if fusion == "rrf":
        shares = np.where(scores > 0, weights / (k + reasons.places), 0.0)
    else:
        best = scores.max(axis=1, keepdims=True)
        shares = weights / weights.sum() * (scores / np.where(best > 0, best, 1.0))
    answers = np.zeros(len(rows)) if relevance is None else relevance
    return best_of(rows, shares.sum(axis=0), answers, reasons, limit)


def best_of(
    rows: Candidates,
    scores: npt.NDArray[np.floating],
    relevance: npt.NDArray[np.floating],
    reasons: "Reasons",
    limit: int | None,
) -> list[Fused]:
    """Return the rows with the highest scores, best first; of equals the lower row comes first."""
    order = np.argsort(-scores, kind="stable")[:limit]
    columns = rows[order], scores[order], order, relevance[order].astype(np.float64)
    return [
        Fused(row, score, partial(reasons.of, at), share)
        for row, score, at, share in zip(*(column.tolist() for column in columns), strict=True)
    ]


class Reasons:
    """What each method says of each candidate, put into words for those that are asked about."""

    def __init__(
        self,
        names: Sequence[str],
        scores: npt.NDArray[np.float64],
        found: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        """Take one line for each method; it found what scores above 0, if nothing else is said."""
        self._names = names
        self._scores = scores
        self._found = scores > 0 if found is None else found

    @cached_property
    def places(self) -> npt.NDArray[np.int64]:
        """Return the rank of each candidate by each method, from 1; equals have the same."""
        worse = np.round(-self._scores, _DIGITS)
        return 1 + np.stack([np.searchsorted(np.sort(line), line) for line in worse])

    def of(self, at: int) -> tuple[Why, ...]:
        """Return the methods that found a candidate, best rank first."""
        places, scores = self.places[:, at].tolist(), self._scores[:, at].tolist()
        ranked = sorted(zip(places, self._names, scores, self._found[:, at].tolist(), strict=True))
        return tuple(Why(name, place, score) for place, name, score, found in ranked if found)


def relevance(scope: Rows, query: str, cosines: Scores, words: Scores) -> npt.NDArray[np.float64]:
    """Return the relevance of each candidate, from 0 to 1, given its cosine and BM25 score."""
    meaning = np.clip(cosines.astype(np.float64), 0, 1)
    whole = scope.postings.whole(query)
    if whole == 0:
        return meaning
    return (meaning + np.clip(words.astype(np.float64) / whole, 0, 1)) / 2


Item = Fact | Entity | Episode | Community


@runtime_checkable
class Reranking(Protocol):
    """Order candidates anew by what the columns say."""

    @property
    def name(self) -> str:
        """Return what ``Hit.why`` calls it."""

    @property
    def walks(self) -> bool:
        """Tell whether it counts from ``question.seeds``."""

    def rerank(self, hits: list[Fused], scope: str, question: "Question") -> list[Fused]:
        """Return the hits, best first."""


@runtime_checkable
class Rereading(Protocol):
    """Order the best hits anew by what they are."""

    @property
    def name(self) -> str:
        """Return what ``Hit.why`` calls it."""

    @property
    def judges(self) -> bool:
        """Tell whether it sets ``relevance``: ``min_score`` then looks at that."""

    def shortlist(self, limit: int) -> int:
        """Return how many hits it wants to see to return ``limit`` of them."""

    async def reread(
        self, hits: list[Fused], items: Sequence[Item], question: "Question", store: "Store"
    ) -> list[Fused]:
        """Return the hits, best first; one item each, in their order."""


def reordered(
    hits: Sequence[Fused],
    scores: Sequence[float],
    name: str,
    *,
    relevance: Sequence[float] | None = None,
) -> list[Fused]:
    """Return hits by a new score each, with the reason; of equals, who was before stays before."""
    order = sorted(range(len(hits)), key=lambda at: -scores[at])
    judged = [hit.relevance for hit in hits] if relevance is None else relevance
    return [
        Fused(hits[at].id, scores[at], partial(_also, hits[at], name, rank, scores[at]), judged[at])
        for rank, at in enumerate(order, start=1)
    ]


def _also(hit: Fused, name: str, rank: int, score: float) -> tuple[Why, ...]:
    return (*hit.why, Why(name, rank, score))


@dataclass(frozen=True, slots=True)
class AnswersFirst:
    """Reranker that puts the facts that answer the question exactly before all others.

    ``Recipe(rerank=())`` disables it.
    """

    ids: tuple[str, ...] = ()
    """Ids of those facts; a search of one group sets them from the result of ``ask``."""

    name: ClassVar[str] = "answer"
    walks: ClassVar[bool] = False

    def rerank(self, hits: list[Fused], scope: str, question: "Question") -> list[Fused]:
        """Return the hits, with the answering facts first even if no method found them."""
        if scope != "facts":
            return hits
        row_of, seen = question.index.facts.row_of, question.seen.facts
        rows = [row_of[id_] for id_ in self.ids if id_ in row_of]
        rows = [row for row in rows if row < len(seen) and seen[row]]
        if rows == [hit.id for hit in hits[: len(rows)]]:
            return hits
        best = max((hit.score for hit in hits), default=0.0)
        known = {hit.id: hit for hit in hits}
        first = []
        for place, row in enumerate(rows, 1):
            hit = known.get(row) or Fused(row, 0.0, (), 1.0)
            why = (*hit.why, Why(self.name, place, best))
            first.append(Fused(row, best + len(rows) - place, why, hit.relevance))
        return [*first, *(hit for hit in hits if hit.id not in rows)]
