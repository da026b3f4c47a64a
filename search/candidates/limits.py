"""How much of a group a search may read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds in rows. Inside them the ranking is that of the whole group."""

    whole: int = 1_000
    """A group of at most so many rows is read whole: that costs no more than choosing from it."""
    scan: int = 2_000
    """Of a table in which a group has at most so many rows, all vectors are compared."""
    nearest: int = 4_000
    """Neighbours that are asked of an HNSW index at most."""
    largest_scan: int = 20_000
    """If those are not enough, a group with at most so many rows has its vectors compared."""
    within: int = 20_000
    """Rows that may lie near something, for a search limited to what does: all of them are read."""
    words: int = 1_000
    """Rows that are read to find those that share words with the query; of words that more have,
    only where two of them meet."""
    walk: int = 4_000
    """Facts that a walk along the graph meets at most, the nearest first."""
    spare: int = 2
    """How many times the candidates are read that a ranking asks for: some may not be visible."""
    kept: int = 10_000
    """Rows of a group that stay in memory for the next search, until the group changes."""


LIMITS = Limits()
