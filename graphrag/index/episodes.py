"""The episodes of a group as rows: words by piece, titles, and what they speak of and state.

The episodes of a group in the order of their reference times, and by what they say.

Which episode speaks of which entity, and which states which fact.

Only some reads ask for these links, so they are not loaded with the group but when they are first
needed, and are then brought up to date from the log of events.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from graphrag.index.chunks import Pieces
from graphrag.index.columns import boxed
from graphrag.index.incidence import Incidence
from graphrag.index.scope import EPISODES, Array, Scope
from graphrag.index.texts import episode_words
from graphrag.index.titles import Titles, asks, is_users
from graphrag.model.values import Source
from graphrag.protocols import Matrix


class Links(Incidence):
    """Rows of episodes on the left, rows of what they tell on the right, as of one event."""

    def __init__(self, seq: int) -> None:
        super().__init__()
        self.seq = seq
        """Number of the newest event that is in here."""

    def enter(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Add pairs of an episode's and another row, whether they are there already or not."""
        flat = np.fromiter(chain.from_iterable(pairs), dtype=np.int64)
        new = np.unique(_keys(flat[::2], flat[1::2]))
        known = _keys(*self.of_left(np.unique(new >> 32)))
        new = np.setdiff1d(new, known, assume_unique=True)
        self.add(new >> 32, new & 0xFFFFFFFF)


class Mentions(Links):
    """Episodes and the entities that they speak of: the edges that multi-hop search follows."""


class Sources(Links):
    """Episodes and the facts that they state."""


def _keys(episodes: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(episodes << 32 | others, dtype=np.int64)


class Episodes(Scope):
    """Rows that are found by the words of their pieces, and lead to each other by names."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension, EPISODES)
        self.postings = self.pieces = Pieces()
        self.titles = Titles()
        self.mentions: Mentions | None = None
        """Read when a search first follows them (``read_mentions``)."""
        self.sources: Sources | None = None
        """Read when something first asks what an episode states (``read_sources``)."""

    @property
    def nbytes(self) -> int:
        """Return about how many bytes of memory these are."""
        links = (self.titles, self.mentions, self.sources)
        return super().nbytes + sum(one.nbytes for one in links if one is not None)

    def enter(
        self,
        ids: Sequence[str],
        vectors: Matrix,
        said: Sequence[tuple[str, str, Source]],
        columns: Mapping[str, Sequence[object] | Array],
    ) -> None:
        """Append rows; ``said`` is the name, the content and the source of each."""
        self.titles.enter(len(self), [name for name, _, _ in said])
        words = [episode_words(name, content) for name, content, _ in said]
        told = [content if source == "message" else "" for _, content, source in said]
        voices = {
            "message": [source == "message" for _, _, source in said],
            "asks": [asks(content) for content in told],
            "own": [is_users(content) for content in told],
        }
        self.extend(ids, vectors, words, {**columns, **voices})


_HASH_BYTES = 270
"""Of a hash and a moment, with the ids of the episodes: usually of one."""
_KEY_BYTES = 80
_TIME_BYTES = 64


class Timeline:
    """Ids of episodes by time, by content and by the caller's own key."""

    def __init__(self) -> None:
        self._by_hash: dict[tuple[str, int], tuple[str, ...]] = {}
        self._by_key: dict[str, str] = {}
        self._order: list[tuple[int, str]] = []

    @property
    def nbytes(self) -> int:
        """Return about how many bytes of memory these are."""
        keys = boxed(self._by_hash, _HASH_BYTES) + boxed(self._by_key, _KEY_BYTES)
        return keys + boxed(self._order, _TIME_BYTES)

    def enter(
        self, id_: str, content_hash: str, valid_at: int, key: str | None, *, stands: bool = True
    ) -> None:
        """Make an episode findable by its time and, if it stands, by content and key."""
        self.stand(id_, content_hash, valid_at, key, stands=stands)
        insort(self._order, (valid_at, id_))

    def stand(
        self, id_: str, content_hash: str, valid_at: int, key: str | None, *, stands: bool
    ) -> None:
        """Find an episode by content and key, or no longer: a removed one may be told again."""
        here = content_hash, valid_at
        ids = [one for one in self._by_hash.get(here, ()) if one != id_]
        if stands:
            ids.append(id_)
            if key is not None:
                self._by_key[key] = id_
        elif key is not None and self._by_key.get(key) == id_:
            del self._by_key[key]
        if ids:
            self._by_hash[here] = tuple(ids)
        else:
            self._by_hash.pop(here, None)

    def known(self, content_hash: str, valid_at: int) -> tuple[str, ...]:
        """Return the ids of the episodes with this content and reference time."""
        return self._by_hash.get((content_hash, valid_at), ())

    def keyed(self, key: str) -> str | None:
        """Return the id of the episode with this key, if any."""
        return self._by_key.get(key)

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
