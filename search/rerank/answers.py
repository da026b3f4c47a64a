"""The reranker that lists the facts first that answer the question of a search."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graphrag.search.fuse import Fused
from graphrag.search.results import Why

if TYPE_CHECKING:
    from graphrag.search.question import Question


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
