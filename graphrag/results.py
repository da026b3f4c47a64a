"""What a search returns, with the reasons for it.

A score alone cannot be argued with. Every result therefore carries one ``Why`` per method that
found it: the method's name, the rank it gave and its own, unfused score.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Why:
    """One method's vote for a result."""

    method: str
    rank: int
    """Place in the method's own ranking, from 1."""
    score: float
    """The method's own score: comparable within the method only."""
