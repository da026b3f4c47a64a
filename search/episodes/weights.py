"""How much each method counts for episodes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EpisodeWeights:
    """Weights of the methods that rank episodes; 0 leaves a method out."""

    vector: float = 1.0
    """Meaning: cosine of the query and the episode, or its best passage."""
    fulltext: float = 1.0
    """Words: BM25."""
