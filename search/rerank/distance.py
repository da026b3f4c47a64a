"""Order by closeness to given entities: true hops along the facts that may be seen."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphrag.search.fuse import Fused
from graphrag.search.question import Question
from graphrag.search.rerank.reranking import reordered


@dataclass(frozen=True, slots=True)
class NodeDistance:
    """Facts and entities by hops from the nearest center; of equally near ones the better first.

    Centers are those of the search, else the entities that the query names, else the best found. A
    fact is as near as its nearer end. The score is ``1 / (1 + hops)``, 0 for what no path leads to.
    Other scopes keep their order.
    """

    name: ClassVar[str] = "node_distance"
    walks: ClassVar[bool] = True

    def rerank(self, hits: list[Fused[int]], scope: str, question: Question) -> list[Fused[int]]:
        """Return the hits, nearest first."""
        if scope not in ("facts", "entities") or question.walk is None:
            return hits
        rows = np.array([hit.id for hit in hits], dtype=np.intp)
        subject, object_ = question.walked.ends
        ends = (subject[rows], object_[rows]) if scope == "facts" else (rows, rows)
        # Whatever comes after this may ask how far the others are.
        last = question.recipe.rerank == (self,)
        far = question.walk.of(*ends, enough=question.request.limit if last else None)
        scores = [1 / (1 + steps) if steps >= 0 else 0.0 for steps in far.tolist()]
        return reordered(hits, scores, self.name)
