"""What a reranker is: a frozen value in a recipe that orders the hits of one scope anew.

``AnswersFirst``, which every recipe has that names no other, is here, too.

There are two kinds. A ``Reranking`` looks at the columns in memory and may order all candidates. A
``Rereading`` needs the items themselves, so it is given only the best of them, as many as its
``shortlist`` says. A recipe applies its rerankers one after another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

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


@dataclass(frozen=True, slots=True)
class AnswersFirst:
    """The facts that answer a question before all others, if they may be seen.

    A search without it, ``Recipe(rerank=())``, ranks them as any other fact.
    """

    ids: tuple[str, ...] = ()
    """Of the facts; a search of one group sets them, by what ``ask`` makes of its question."""

    name: ClassVar[str] = "answer"
    walks: ClassVar[bool] = False

    def rerank(self, hits: list[Fused[int]], scope: str, question: "Question") -> list[Fused[int]]:
        """Return the hits with those that answer first, found or not."""
        if scope != "facts":
            return hits
        row_of, seen = question.index.facts.row_of, question.seen.facts
        rows = [row_of[id_] for id_ in self.ids if id_ in row_of]
        rows = [row for row in rows if row < len(seen) and seen[row]]
        if rows == [hit.id for hit in hits[: len(rows)]]:
            return hits
        best = max((hit.score for hit in hits), default=0.0)
        known = {hit.id: hit for hit in hits}
        new = [
            Fused(
                row,
                best + len(rows) - place,
                (*(known[row].why if row in known else ()), Why(self.name, place, best)),
                known[row].relevance if row in known else 1.0,
            )
            for place, row in enumerate(rows, 1)
        ]
        return [*new, *(hit for hit in hits if hit.id not in rows)]
