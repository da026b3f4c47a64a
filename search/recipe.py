"""How a search ranks: which methods, how much each counts. Frozen values, passed in."""

from dataclasses import dataclass, field
from typing import Literal

from graphrag.errors import QueryError

Scope = Literal["facts", "entities", "episodes"]

SCOPES: tuple[Scope, ...] = ("facts", "entities", "episodes")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Weights and depths of one search; a weight of 0 leaves a method out.

    Raises ``QueryError`` for weights below 0 or all 0, or for a depth or pool out of range.
    """

    vector: float = 1.0
    """Weight of meaning: cosine of query and item."""
    fulltext: float = 1.0
    """Weight of words: BM25."""
    graph: float = 0.5
    """Weight of closeness to the entities that the query names or finds."""
    pool: int = 60
    """How many candidates each method contributes, 1 to 10,000."""
    rrf_k: int = 60
    """Rank constant of reciprocal rank fusion, 1 or more; larger flattens the first ranks."""
    seeds: int = 3
    """How many found entities the graph walk starts from when the query names none."""
    depth: int = 2
    """How many hops the graph walk goes, 1 to 3."""

    def __post_init__(self) -> None:
        """Refuse values that cannot mean anything."""
        if min(self.vector, self.fulltext, self.graph) < 0 or not any(
            (self.vector, self.fulltext, self.graph)
        ):
            raise QueryError(f"{self}: weights are 0 or more, and at least one is above 0")
        if not (1 <= self.pool <= 10_000 and 1 <= self.depth <= 3 and self.rrf_k >= 1):
            raise QueryError(f"{self}: pool is 1 to 10000, depth 1 to 3, rrf_k at least 1")


@dataclass(frozen=True, slots=True)
class Request:
    """One search, checked."""

    query: str
    group: str
    limit: int = 10
    scopes: tuple[Scope, ...] = SCOPES
    recipe: Recipe = field(default_factory=Recipe)

    def __post_init__(self) -> None:
        """Refuse what cannot be searched.

        Raises:
            QueryError: naming the argument and what would be right.
        """
        if not isinstance(self.query, str) or not self.query.strip():
            raise QueryError("the query is empty: ask with at least one word")
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or self.limit < 1:
            raise QueryError(f"limit {self.limit!r}: ask for at least 1 hit")
        if self.limit > 1000:
            raise QueryError(f"limit {self.limit}: at most 1000 hits a scope")
        unknown = [scope for scope in self.scopes if scope not in SCOPES]
        if unknown or not self.scopes:
            raise QueryError(f"scopes {self.scopes!r}: choose from {', '.join(SCOPES)}")
