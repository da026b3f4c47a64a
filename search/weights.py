"""How much each method counts in each scope, as chosen on data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FactWeights:
    """Weights of the methods that rank facts; 0 leaves a method out."""

    vector: float = 1.0
    """Meaning: cosine of query and fact."""
    fulltext: float = 1.0
    """Words: BM25."""
    graph: float = 0.5
    """Closeness to the entities that the query names or finds, or to given ones."""
    time: float = 0.5
    """Holding at a time that the question speaks of; counts only if it does."""


@dataclass(frozen=True, slots=True)
class EntityWeights:
    """Weights of the methods that rank entities; 0 leaves a method out."""

    vector: float = 1.0
    """Meaning: cosine of query and name."""
    fulltext: float = 1.0
    """Words: BM25 of the names."""
    graph: float = 0.5
    """Closeness to the entities that the query names or finds, or to given ones."""
    name: float = 1.0
    """Being named in the query, word for word."""
    facts: float = 1.0
    """Being part of a good fact."""


@dataclass(frozen=True, slots=True)
class CommunityWeights:
    """Weights of the methods that rank communities; 0 leaves a method out."""

    vector: float = 1.0
    """Meaning: cosine of the query and the community's name and summary."""
    fulltext: float = 1.0
    """Words: BM25 of the same."""
