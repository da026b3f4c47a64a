"""Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998), greedy as they define it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphrag.errors import QueryError
from graphrag.search.fuse import Fused
from graphrag.search.question import Question
from graphrag.search.rerank.reranking import reordered

Array = npt.NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class MMR:
    """Pick hits one by one: relevant, and unlike those picked before.

    Each pick is the candidate with the highest ``balance * relevance - (1 - balance) * similarity``
    where the relevance is its score as a share of the best score, and the similarity its highest
    cosine with a hit picked before, 0 or more. The best hit always comes first.
    """

    balance: float = 0.5
    """1: relevance only, the order stays; 0: after the first, only what is unlike the others."""

    name: ClassVar[str] = "mmr"
    walks: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        if not 0 <= self.balance <= 1:
            raise QueryError(f"{self}: balance is 0 to 1")

    def rerank(self, hits: list[Fused[int]], scope: str, question: Question) -> list[Fused[int]]:
        """Return as many hits as are wanted."""
        vectors = question.rows(scope).vectors.rows([hit.id for hit in hits])
        scores = np.array([hit.score for hit in hits])
        best = scores.max(initial=0.0)
        picks, values = greedy(
            scores / best if best > 0 else scores, vectors, self.balance, question.request.limit
        )
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
    picks: list[int] = []
    values: list[float] = []
    for _ in range(min(count, len(worth))):
        marginal = worth - (1 - balance) * nearest
        marginal[picks] = -np.inf
        pick = int(np.argmax(marginal))
        picks.append(pick)
        values.append(float(marginal[pick]))
        nearest = np.maximum(nearest, vectors @ vectors[pick])
    return picks, values
