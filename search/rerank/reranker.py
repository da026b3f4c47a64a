"""What a reranker is: a frozen value in a recipe that orders the hits of one scope anew.

There are two kinds. A ``Reranking`` looks at the columns in memory and may order all candidates. A
``Rereading`` needs the items themselves, so it is given only the best of them, as many as its
``shortlist`` says. A recipe applies its rerankers one after another.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from graphrag.model.values import Community, Entity, Episode, Fact
from graphrag.search.fuse import Fused
from graphrag.search.results import Why

if TYPE_CHECKING:
    from graphrag.search.question import Question
    from graphrag.store.store import Store

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

    def rerank(self, hits: list[Fused[int]], scope: str, question: "Question") -> list[Fused[int]]:
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
        self, hits: list[Fused[int]], items: Sequence[Item], question: "Question", store: "Store"
    ) -> list[Fused[int]]:
        """Return the hits, best first; one item each, in their order."""


def reordered(
    hits: Sequence[Fused[int]],
    scores: Sequence[float],
    name: str,
    *,
    relevance: Sequence[float] | None = None,
) -> list[Fused[int]]:
    """Return hits by a new score each, with the reason; of equals, who was before stays before."""
    order = sorted(range(len(hits)), key=lambda at: -scores[at])
    return [
        Fused(
            hits[at].id,
            scores[at],
            partial(_also, hits[at], name, rank, scores[at]),
            hits[at].relevance if relevance is None else relevance[at],
        )
        for rank, at in enumerate(order, start=1)
    ]


def _also(hit: Fused[int], name: str, rank: int, score: float) -> tuple[Why, ...]:
    """Return why a hit is where it is, with what reranked it last."""
    return (*hit.why, Why(name, rank, score))
