"""Which episode speaks of which entity: the edges that multi-hop search follows.

Only the ranking of episodes asks for them, so they are not loaded with the group but when they are
first needed, and are then brought up to date from the log of events.
"""

from collections.abc import Iterable

from graphrag.index.incidence import Incidence


class Mentions(Incidence):
    """Rows of episodes and rows of the entities that they speak of."""

    def __init__(self, seq: int) -> None:
        super().__init__()
        self.seq = seq
        """Number of the newest event that is in here."""
        self._known: set[tuple[int, int]] = set()

    def enter(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Add pairs of an episode's and an entity's row."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        self._known.update(new)
        self.add([episode for episode, _ in new], [entity for _, entity in new])
