"""How much of a group a search may read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds in rows. A row costs 20 to 40 µs."""

    whole: int = 1_000
    """A group of at most so many rows is read whole: that costs no more than choosing from it."""
    widest: int = 2_000
    """Candidates of one method that are read at most, where few are visible."""
    words: int = 200
    """Rows that are looked at to find those that share words with the query."""
    heads: int = 15
    """Rows that are read of each method, however little the others promise of them."""
    near: int = 160
    """Rows nearest by meaning of which it is looked up which words they have, in a small group."""
    nearest: int = 400
    """The most that they may be, in a large one."""
    step: int = 75
    """Facts that each step along the graph reads, those nearest to the query."""
    walked: int = 30
    """Entities that are read where they are only walked from."""
    links: int = 4
    """Facts that are read between one that is proposed and what the walk has met: of those not read
    nobody knows whether they are over."""
    within: int = 20_000
    """Rows that may lie near something, for a search limited to what does: all of them are read."""
    walk: int = 4_000
    """Facts and episodes that links may lead to."""

    def near_of(self, compared: int) -> int:
        """Return how many of so many rows that were compared count as near.

        Of 98,000 facts 160 would leave out one of seven of the first ten, 400 one of forty.
        """
        return min(self.nearest, self.near + compared // 80)


LIMITS = Limits()
