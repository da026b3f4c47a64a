"""What a reranker is: a frozen value that orders the hits of one scope anew."""

from typing import TYPE_CHECKING, Protocol

from graphrag.search.fuse import Fused

if TYPE_CHECKING:
    from graphrag.search.question import Question


class Reranking(Protocol):
    """Order the candidates of one scope anew, by what the columns say."""

    @property
    def name(self) -> str:
        """Return what ``Hit.why`` calls it."""

    def rerank(self, hits: list[Fused[int]], scope: str, question: "Question") -> list[Fused[int]]:
        """Return the hits, best first, each with a new score and one more ``why``."""
