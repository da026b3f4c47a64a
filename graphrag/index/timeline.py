"""The episodes of a group in the order of their reference times, and by what they say."""

from bisect import bisect_left, insort


class Timeline:
    """Ids of episodes by time and by content."""

    def __init__(self) -> None:
        self._by_hash: dict[tuple[str, int], str] = {}
        self._order: list[tuple[int, str]] = []

    def enter(self, id_: str, content_hash: str, valid_at: int, *, stands: bool = True) -> None:
        """Make an episode findable by its time and, if it stands, by its content."""
        self.stand(id_, content_hash, valid_at, stands=stands)
        insort(self._order, (valid_at, id_))

    def stand(self, id_: str, content_hash: str, valid_at: int, *, stands: bool) -> None:
        """Find an episode by its content, or no longer: a removed one may be told again."""
        if stands:
            self._by_hash[content_hash, valid_at] = id_
        elif self._by_hash.get((content_hash, valid_at)) == id_:
            del self._by_hash[content_hash, valid_at]

    def known(self, content_hash: str, valid_at: int) -> str | None:
        """Return the id of the episode with this content and reference time, if any."""
        return self._by_hash.get((content_hash, valid_at))

    def around(self, valid_at: int, id_: str) -> tuple[str | None, str | None]:
        """Return the episodes just before and just after a new one, by reference time."""
        place = bisect_left(self._order, (valid_at, id_))
        before = self._order[place - 1][1] if place else None
        after = self._order[place][1] if place < len(self._order) else None
        return before, after

    def latest_before(self, valid_at: int, count: int, id_: str | None = None) -> list[str]:
        """Return up to ``count`` episodes up to this reference time, oldest first.

        With ``id_``, an episode that is in here, only those before it.
        """
        place = bisect_left(self._order, (valid_at + 1, "") if id_ is None else (valid_at, id_))
        return [id_ for _, id_ in self._order[max(0, place - count) : place]]
