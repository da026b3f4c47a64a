"""Fusion of several methods' scores into one ranking, and relevance that compares across queries.

Every method scores all candidates exactly, so a ranking depends on the candidates only. Score
fusion is the convex combination of Bruch, Gai and Ingber (TOIS 2023), which keeps margins;
reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009) looks at ranks only.

Fused scores mean nothing outside one search. ``relevance`` is the mean of the cosine (0 if
negative) and the idf-weighted share of the query's words that the text holds.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Generic, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from graphrag.errors import InputError
from graphrag.index.cosines import top
from graphrag.index.scope import Scope as Rows
from graphrag.search.results import Why

Id = TypeVar("Id", str, int)
Scores = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Candidates = npt.NDArray[np.intp]
"""Row numbers, ascending."""
Fusion = Literal["scores", "rrf"]
_DIGITS = 6
"""Decimals of a score of 32 bits: the next one depends on which rows are worked out together."""


class Scored(Protocol):
    """Scores of the rows of a scope that are worked out where they are asked for."""

    def at(self, rows: Candidates, /) -> Scores:
        """Return the exact scores of some rows."""

    def top(
        self, k: int, mask: Mask | None = None, floor: float | None = None
    ) -> tuple[Candidates, Scores]:
        """Return rows and exact scores of the ``k`` best that are allowed and above the floor."""


def scores_at(
    scores: npt.NDArray[np.floating] | Scored, rows: Candidates
) -> npt.NDArray[np.floating]:
    """Return the scores of some rows."""
    return scores[rows] if isinstance(scores, np.ndarray) else scores.at(rows)


@dataclass(frozen=True, slots=True)
class Method:
    """What one method says of every row of a scope."""

    name: str
    scores: npt.NDArray[np.floating] | Scored
    """0 or less, or NaN: the method did not find the row."""
    weight: float = 1.0
    """How much the method counts; 0 leaves it out."""
    finds: bool = True
    """False: it only scores what other methods found."""

    def __post_init__(self) -> None:
        """Refuse what cannot be fused."""
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise InputError(f"method {self.name}: weight {self.weight} is not 0 or more")

    def at(self, rows: Candidates) -> npt.NDArray[np.float64]:
        """Return the scores of some rows, 0 for what was not found."""
        given = scores_at(self.scores, rows)
        return np.where(given > 0, given, 0.0).astype(np.float64)

    def top(self, pool: int, mask: Mask) -> Candidates:
        """Return the best rows that were found."""
        if isinstance(self.scores, np.ndarray):
            return top(self.scores, pool, mask, 0.0)[0]
        return self.scores.top(pool, mask, 0.0)[0]


class Fused(Generic[Id]):
    """One item of a ranking."""

    __slots__ = ("_why", "id", "relevance", "score")

    def __init__(
        self,
        id: Id,
        score: float,
        why: tuple[Why, ...] | Callable[[], tuple[Why, ...]],
        relevance: float = 0.0,
    ) -> None:
        self.id: Id = id
        self.score = score
        """What it is ranked by: comparable inside this ranking only."""
        self.relevance = relevance
        """How much of the query it answers, from 0 to 1: comparable across queries."""
        self._why = why

    @property
    def why(self) -> tuple[Why, ...]:
        """Return the methods that found it, best rank first, then what reranked it.

        Put into words when somebody asks, which is after the best have been chosen.
        """
        if not isinstance(self._why, tuple):
            self._why = self._why()
        return self._why

    def __eq__(self, other: object) -> bool:
        """Compare the ids, scores, reasons and relevance."""
        return isinstance(other, Fused) and (self.id, self.score, self.why, self.relevance) == (
            other.id,
            other.score,
            other.why,
            other.relevance,
        )

    def __repr__(self) -> str:
        """Show the id, score, reasons and relevance."""
        return f"Fused({self.id!r}, {self.score}, {self.why}, {self.relevance})"


def candidates(methods: Sequence[Method], mask: Mask, pool: int) -> Candidates:
    """Return the best ``pool`` rows of each method that counts, together."""
    finding = [method for method in methods if method.weight and method.finds]
    found = [method.top(pool, mask) for method in finding]
    return np.unique(np.concatenate((*found, np.empty(0, dtype=np.intp))))


def fuse(
    methods: Sequence[Method],
    rows: Candidates,
    *,
    fusion: Fusion = "scores",
    k: int = 60,
    limit: int | None = None,
    relevance: npt.NDArray[np.floating] | None = None,
) -> list[Fused[int]]:
    """Rank candidates by all methods, best first; of equals the lower row comes first.

    ``scores`` is the weighted mean of each method's scores as shares of its best, from 0 to 1.
    ``rrf`` is the sum of ``weight / (k + rank)`` over the methods that found the row; a larger
    ``k`` flattens the difference between the first ranks.

    Args:
        methods: Those of weight 0 are left out.
        rows: Rows to rank, ascending; what no method found comes last, with score 0.
        fusion: How.
        k: Rank constant; 60 is the paper's.
        limit: How many to return; default: all.
        relevance: One per candidate, passed on.
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
    totals = shares.sum(axis=0)
    order = np.argsort(-totals, kind="stable")[:limit]
    shares_of = np.zeros(len(rows)) if relevance is None else relevance
    return [
        Fused(row, total, partial(reasons.of, at), share)
        for row, total, at, share in zip(
            rows[order].tolist(),
            totals[order].tolist(),
            order.tolist(),
            shares_of[order].astype(np.float64).tolist(),
            strict=True,
        )
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
        ranks = (np.searchsorted(np.sort(line), line) for line in worse)
        return 1 + np.stack([*ranks])

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
    share = np.clip(words.astype(np.float64) / whole, 0, 1)
    return (meaning + share) / 2
