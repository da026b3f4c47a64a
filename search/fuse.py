"""Several rankings into one, with each ranking's reasons kept.

Reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009) looks at ranks only, so scores of
different kinds need no common scale, and it is hard to beat without data to tune on; it also throws
away by how much the first beat the second. The convex combination (Bruch, Gai and Ingber, TOIS
2023) keeps that, at the price of depending on each list's range.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from graphrag.errors import InputError
from graphrag.results import Why

Id = TypeVar("Id", str, int)


# No slots on the generic values: with them, ``Ranking[str](...)`` is a TypeError on Python 3.11.
@dataclass(frozen=True)
class Ranking(Generic[Id]):
    """What one method found, best first."""

    method: str
    items: Sequence[Id]
    """Ids, each once."""
    scores: Sequence[float]
    """The method's own score of each item."""
    weight: float = 1.0
    """How much the method counts; 0 leaves it out."""

    def __post_init__(self) -> None:
        """Refuse what cannot be fused."""
        if len(self.items) != len(self.scores):
            raise InputError(
                f"ranking {self.method}: {len(self.items)} items but {len(self.scores)} scores"
            )
        if len(set(self.items)) != len(self.items):
            raise InputError(f"ranking {self.method}: an item occurs twice")
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise InputError(f"ranking {self.method}: weight {self.weight} is not 0 or more")


@dataclass(frozen=True)
class Fused(Generic[Id]):
    """One item after fusion."""

    id: Id
    score: float
    why: tuple[Why, ...]
    """The rankings that hold it, best rank first."""


def reciprocal_rank_fusion(rankings: Iterable[Ranking[Id]], *, k: float = 60) -> list[Fused[Id]]:
    """Score each item by the sum of ``weight / (k + rank)`` over the rankings that hold it.

    A larger ``k`` flattens the difference between the first ranks; 60 is the paper's.
    """
    return _fuse(
        rankings,
        lambda ranking: [ranking.weight / (k + rank + 1) for rank in range(len(ranking.items))],
    )


def convex_combination(rankings: Iterable[Ranking[Id]]) -> list[Fused[Id]]:
    """Score each item by the weighted mean of its scores, each list scaled to 0 to 1.

    An item that a list does not hold counts as that list's worst; a list whose scores are all
    equal says only that its items were found, so they count as its best.
    """
    kept = [ranking for ranking in rankings if ranking.weight]
    total = math.fsum(ranking.weight for ranking in kept)
    return _fuse(
        kept,
        lambda ranking: [ranking.weight / total * share for share in _scaled(ranking.scores)],
    )


def _scaled(scores: Sequence[float]) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    if low == high:
        return [1.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]


def _fuse(
    rankings: Iterable[Ranking[Id]], shares: Callable[[Ranking[Id]], list[float]]
) -> list[Fused[Id]]:
    votes: dict[Id, list[tuple[float, Why]]] = {}
    for ranking in rankings:
        if not ranking.weight:
            continue
        held = zip(ranking.items, ranking.scores, shares(ranking), strict=True)
        for rank, (item, score, share) in enumerate(held, start=1):
            votes.setdefault(item, []).append((share, Why(ranking.method, rank, score)))
    fused = [
        # fsum rounds once, so the order of the rankings cannot decide a tie.
        Fused(
            item,
            math.fsum(share for share, _ in cast),
            tuple(
                sorted((why for _, why in cast), key=lambda why: (why.rank, why.method, why.score))
            ),
        )
        for item, cast in votes.items()
    ]
    return sorted(fused, key=lambda hit: (-hit.score, hit.id))
