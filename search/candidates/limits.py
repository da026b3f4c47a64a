"""How much of a group a search may read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds in rows. A row costs 20 to 40 µs."""

    widest: int = 2_000
    """Rows of one method that are proposed at most, where few are visible."""
    words: int = 200
    """Rows that are looked at to find those that share words with the query."""
    heads: int = 15
    """Rows that are read of each method, however little the others promise of them."""
    near: int = 120
    """Facts nearest by meaning that are proposed."""
    huge: int = 50_000
    """Facts of a group from which twice as many rows are proposed, and more of them are read."""
    others: int = 60
    """Rows of other tables that are."""
    facts: int = 200
    """Facts that are read, those that promise most."""
    met: int = 200
    """Facts at the entities in question that are read."""
    linked: int = 400
    """Episodes that are read because they speak of the same as the ones that are proposed."""
    walked: int = 12
    """Entities that are proposed where they are only walked from."""
    within: int = 20_000
    """Rows that may lie near something, for a search limited to what does: all of them are read."""
    walk: int = 4_000
    """Facts and episodes that links may lead to."""

    def near_of(self, table: str, pool: int) -> int:
        """Return how many of the nearest rows of a table are proposed, for a pool of facts."""
        if table == "relates_to":
            return min(self.widest, max(self.near, pool * 2 // 3))
        return min(self.widest, max(self.others, pool // 3))


LIMITS = Limits()
