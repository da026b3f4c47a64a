"""Order by closeness to given entities: true hops along the facts that may be seen."""

from dataclasses import dataclass
from typing import ClassVar

from graphrag.index.hops import edge_distance, hops
from graphrag.search.fuse import Fused
from graphrag.search.question import Question
from graphrag.search.rerank.reranking import reordered

_FARTHEST = 127


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
        if scope not in ("facts", "entities") or not question.seeds:
            return hits
        seen = question.walked
        subject, object_ = seen.ends
        distance = hops(
            subject,
            object_,
            len(seen.entities),
            question.seeds,
            depth=_FARTHEST,
            alive=seen.facts,
        )
        rows = [hit.id for hit in hits]
        if scope == "facts":
            far = edge_distance(distance, subject[rows], object_[rows])
        else:
            far = distance[rows]
        scores = [1 / (1 + steps) if steps >= 0 else 0.0 for steps in far.tolist()]
        return reordered(hits, scores, self.name)
