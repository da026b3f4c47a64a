"""The episodes of a group in the order of their reference times, and by what they say."""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from itertools import compress

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.chunks import ChunkIndex
from graphrag.index.columns import Shared
from graphrag.index.filed import FiledIds, TextMap
from graphrag.index.incidence import Mentions, Sources
from graphrag.index.scope import EPISODES, Array, Scope
from graphrag.index.texts import episode_words
from graphrag.index.titles import Titles, asks, is_users
from graphrag.model.values import Source
from graphrag.protocols import Matrix


class Episodes(Scope):
    """Rows that are found by the words of their pieces, and lead to each other by names."""

    postings: ChunkIndex

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension, EPISODES)
        self.postings = ChunkIndex()
        self.titles = Titles()
        self.mentions: Mentions | None = None
        """Read when a search first follows them (``read_mentions``)."""
        self.sources: Sources | None = None
        """Read when something first asks what an episode states (``read_sources``)."""

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the rows be written, and the links that were read."""
        super().save(out, name)
        self.titles.save(out, f"{name}.titles")
        for kind, links in (("mentions", self.mentions), ("sources", self.sources)):
            if links is not None:
                links.save(out, f"{name}.{kind}")

    def load(self, arrays: ArrayReader, name: str, within: Mapping[str, range]) -> None:
        """Take over rows."""
        super().load(arrays, name, within)
        self.titles.load(arrays, f"{name}.titles", len(self), len(self.postings))

    def load_links(self, arrays: ArrayReader, name: str, entities: int, facts: int) -> None:
        """Take over the links to so many entities and facts, if they were read."""
        if f"{name}.mentions.seq" in arrays:
            self.mentions = Mentions(0)
            self.mentions.load(arrays, f"{name}.mentions", len(self), entities)
        if f"{name}.sources.seq" in arrays:
            self.sources = Sources(0)
            self.sources.load(arrays, f"{name}.sources", len(self), facts)

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
        messages = [content if source == "message" else "" for _, content, source in said]
        voices = {
            "message": [source == "message" for _, _, source in said],
            "asks": [asks(content) for content in messages],
            "own": [is_users(content) for content in messages],
            "figures": [is_users(text) and any(map(str.isdigit, text)) for text in messages],
        }
        self.extend(ids, vectors, words, {**columns, **voices})


_KEYED = "#"
"""Before a caller's key, which no hash begins with."""


class Timeline(Shared):
    """Ids of episodes by time, by content and by the caller's own key."""

    def __init__(self) -> None:
        self._ids = TextMap()
        """Ids by content and moment, or by key."""
        self._order: list[tuple[int, str]] = []

    def save(self, out: ArrayWriter, name: str, rows: Mapping[str, int]) -> None:
        """Let the contents and keys be written, by the rows of episodes."""
        self._ids.save_ids(out, name, rows)

    def load(self, arrays: ArrayReader, name: str, episodes: Scope) -> None:
        """Take over the times, contents and keys of episodes."""
        self._ids.take(FiledIds(arrays, name, episodes.ids))
        timed = zip(episodes["valid"].tolist(), episodes.ids, strict=True)
        self._order = sorted(compress(timed, episodes.alive.values.tolist()))

    def entries(self) -> dict[str, object]:
        """Return everything that is known of times, contents and keys, to be compared."""
        found: dict[str, object] = {here: {*ids} for here, ids in self._ids.items()}
        return found | {"order": [*self._order]}

    def enter(
        self, id_: str, content_hash: str, valid_at: int, key: str | None, *, stands: bool = True
    ) -> None:
        """Make an episode findable by its time and, if it stands, by content and key."""
        self.stand(id_, content_hash, valid_at, key, stands=stands)
        insort(self._order, (valid_at, id_))

    def stand(
        self, id_: str, content_hash: str, valid_at: int, key: str | None, *, stands: bool
    ) -> None:
        """Find an episode by content and key, or no longer: a removed one may be added again."""
        here, own = _said(content_hash, valid_at), None if key is None else _KEYED + key
        self._ids.discard(here, id_)
        if stands:
            self._ids.add(here, id_)
            if own is not None:
                self._ids[own] = (id_,)
        elif own is not None:
            self._ids.discard(own, id_)

    def known(self, content_hash: str, valid_at: int) -> tuple[str, ...]:
        """Return the ids of the episodes with this content and reference time."""
        return self._ids.find(_said(content_hash, valid_at))

    def keyed(self, key: str) -> str | None:
        """Return the id of the episode with this key, if any."""
        return next(iter(self._ids.find(_KEYED + key)), None)

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


def _said(content_hash: str, valid_at: int) -> str:
    return f"{content_hash} {valid_at}"
