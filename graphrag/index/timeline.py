"""The episodes of a group in the order of their reference times, and by what they say."""

from bisect import bisect_left, insort


class Timeline:
    """Ids of episodes by time and by content."""

    def __init__(self) -> None:
        self._by_hash: dict[tuple[str, int], str] = {}
        self._order: list[tuple[int, str]] = []

    def enter(self, id_: str, content_hash: str, valid_at: int) -> None:
        """Make an episode findable by its content and by its time."""
        self._by_hash[content_hash, valid_at] = id_
        insort(self._order, (valid_at, id_))

    def known(self, content_hash: str, valid_at: int) -> str | None:
        """Return the id of the episode with this content and reference time, if any."""
        return self._by_hash.get((content_hash, valid_at))

    def around(self, valid_at: int, id_: str) -> tuple[str | None, str | None]:
        """Return the episodes just before and just after a new one, by reference time."""
        place = bisect_left(self._order, (valid_at, id_))
        before = self._order[place - 1][1] if place else None
        after = self._order[place][1] if place < len(self._order) else None
        return before, after

    def latest_before(self, valid_at: int, count: int) -> list[str]:
        """Return up to ``count`` episodes up to this reference time, oldest first."""
        place = bisect_left(self._order, (valid_at + 1, ""))
        return [id_ for _, id_ in self._order[max(0, place - count) : place]]
