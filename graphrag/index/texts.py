"""Texts of a group: the words by which rows are found and embedded, and its episodes."""

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, Final

from graphrag.index.arrays import ArrayFile
from graphrag.index.bm25 import PIECE
from graphrag.index.chunks import ChunkIndex, Titles
from graphrag.index.columns import Shared
from graphrag.index.entries import Links
from graphrag.index.scope import EPISODES, ColumnValues, ScopeIndex
from graphrag.index.text_map import TextMap
from graphrag.model.assertion import held_from
from graphrag.model.values import Entity, Episode, Fact, Source
from graphrag.protocols import Embedder, Matrix
from graphrag.store.assertions import name_object
from graphrag.store.engine import Row
from graphrag.temporal.moment import to_micros
from graphrag.text.split import split_passages

# No datetime of Python is in the year 0, so it can stand for "no value".
NEVER: Final = -62_167_219_200_000_000
WORD_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "relates_to": ("subject", "name", "object", "text"),
    "entity": ("name", "aliases"),
    "episode": ("name", "content"),
    "community": ("name", "summary"),
}
"""Columns with the words by which the rows of a table are found."""


def names_text(name: str, aliases: Iterable[str] | None) -> str:
    """Return the words of an entity."""
    return " ".join((name, *(aliases or ())))


def entity_text(entity: Entity) -> str:
    """Return the words by which an entity is found: its names.

    A summary would be found through words that the graph did not know yet at ``known_at``; the
    facts that it is made of are ranked anyway, and lead to the entity.
    """
    return names_text(entity.name, entity.aliases)


def statement_text(subject: str, relation: str, object_: str, text: str) -> str:
    """Return the words of a fact: names first, a sentence may only say "she"."""
    return f"{subject} {relation.replace('_', ' ')} {object_}. {text}"


def fact_text(fact: Fact) -> str:
    """Return the words by which a fact is found."""
    return statement_text(fact.subject, fact.relation, fact.object, fact.text)


def community_text(name: str, summary: str) -> str:
    """Return the words by which a community is found and embedded."""
    return f"{name}. {summary}"


def episode_text(name: str, content: str) -> str:
    """Return what an episode is embedded by: its title, if it has one, and what it says."""
    return f"{name}\n{content}" if name else content


def episode_words(name: str, content: str) -> str:
    """Return the words by which an episode is found: those of its pieces, each with the title."""
    spans = split_passages(content)
    return PIECE.join(episode_text(name, content[start:end]) for start, end in spans)


async def embed_texts(embedder: Embedder, texts: Mapping[str, str]) -> dict[str, Matrix]:
    """Return the vectors of some texts, by their keys; nothing is asked for no texts."""
    if not texts:
        return {}
    rows = await embedder.embed(list(texts.values()), purpose="document")
    return dict(zip(texts, rows, strict=True))


EMBEDDED = ("episode", "passage", "entity", "relates_to", "community")
"""Tables whose rows have a vector."""


def words(table: str, row: Row, episodes: Mapping[str, Row]) -> str:
    """Return the words that a row is embedded by; ``episodes`` are those of its group by id."""
    match table:
        case "episode":
            return episode_text(row["name"], row["content"])
        case "passage":
            episode = episodes[row["episode"]]
            return episode_text(episode["name"], episode["content"][row["start"] : row["end"]])
        case "entity":
            return names_text(row["name"], row.get("aliases"))
        case "relates_to":
            return statement_text(row["subject"], row["name"], row["object"], row["text"])
        case _:
            return community_text(row["name"], row["summary"])


def row_words(table: str, row: Sequence[Any]) -> str:
    """Return the words by which a row that ``tables`` reads is found; of an episode's none."""
    match table:
        case "entity":
            return names_text(row[3], row[4])
        case "relates_to":
            return statement_text(row[5], row[4], row[6], row[7])
        case "community":
            return community_text(row[2], row[3])
    return ""


def row_of_value(value: Entity | Fact | Episode) -> list[Any]:
    """Return the row that ``tables`` would read of a value that was written, without a vector."""
    match value:
        case Entity():
            names = [*map(name_object, value.names)]
            rest = [value.name, value.aliases, value.summary, value.attributes, value.merged_into]
            gone = to_micros(value.removed_at, NEVER)
            return [value.id, None, value.entity_type, *rest, gone, bool(value.endings), names]
        case Fact():
            ends = [value.subject_id, value.object_id, value.relation, value.subject, value.object]
            moments = held_from(value), value.invalid_at, value.retracted_at
            times = [to_micros(moment, NEVER) for moment in moments]
            return [value.id, None, *ends, value.text, *times, value.pending, value.observed]
        case _:
            at, gone = (to_micros(moment, NEVER) for moment in (value.valid_at, value.removed_at))
            stated = [value.content, value.content_hash, at, gone, value.saga, value.name]
            return [value.id, None, *stated, value.source, value.key]


class Episodes(ScopeIndex):
    """Rows that are found by the words of their pieces, and lead to each other by names."""

    postings: ChunkIndex

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension, EPISODES)
        self.postings = ChunkIndex()
        self.titles = Titles()
        self.mentions: Links | None = None
        """Read when a search first follows them (``read_mentions``)."""
        self.sources: Links | None = None
        """Read when something first asks what an episode states (``read_sources``)."""

    def exchange(self, file: ArrayFile, name: str, within: Mapping[str, range]) -> None:
        """Write the rows, or read them."""
        super().exchange(file, name, within)
        self.titles.exchange(file, f"{name}.titles", len(self), self.postings)

    def exchange_links(self, file: ArrayFile, name: str, entities: int, facts: int) -> None:
        """Write the links to so many entities and facts, if there are any, or read them."""
        self.mentions = self._exchanged(file, f"{name}.mentions", self.mentions, entities)
        self.sources = self._exchanged(file, f"{name}.sources", self.sources, facts)

    def _exchanged(
        self, file: ArrayFile, name: str, links: Links | None, others: int
    ) -> Links | None:
        if file.has(f"{name}.seq", links is not None):
            links = Links() if links is None else links
            links.exchange(file, name, len(self), others)
        return links

    def enter(
        self,
        ids: Sequence[str],
        vectors: Matrix,
        texts: Sequence[tuple[str, str, Source]],
        columns: ColumnValues,
    ) -> None:
        """Append rows; ``texts`` are the name, the content and the source of each."""
        self.titles.enter(len(self), [name for name, _, _ in texts])
        words = [episode_words(name, content) for name, content, _ in texts]
        messages = [content if source == "message" else "" for _, content, source in texts]
        columns = {
            **columns,
            "message": [source == "message" for _, _, source in texts],
            "asks": [asks(content) for content in messages],
        }
        self.extend(ids, vectors, words, columns)


_QUESTION = re.compile(r"[?\uff1f\u061f]\W*$")
"""A question mark at the end, at most emoji and quotes after it."""
_END = 40
"""Characters of a text that are looked at for one."""


def asks(message: str) -> bool:
    """Tell whether a message ends with a question."""
    return bool(_QUESTION.search(message[-_END:]))


_KEYED = "#"
"""Before a caller's key, which no hash begins with."""


class EpisodeOrder(Shared):
    """Ids of episodes by time, by content and by the caller's own key."""

    def __init__(self) -> None:
        self._ids = TextMap()
        """Ids by content and moment, or by key."""
        self._order: list[tuple[int, str]] = []

    def exchange(
        self, file: ArrayFile, name: str, episodes: ScopeIndex, rows: Mapping[str, int]
    ) -> None:
        """Write the contents and keys of episodes, by their ``rows``, or read them."""
        self._ids.exchange_ids(file, name, episodes.ids, rows)
        if file.reads:
            timed = zip(episodes["valid"].tolist(), episodes.ids, strict=True)
            self._order = sorted(compress(timed, episodes.alive.values.tolist()))

    def entries(self) -> dict[str, object]:
        """Return everything that is known of times, contents and keys, to be compared."""
        known: dict[str, object] = {here: {*ids} for here, ids in self._ids.items()}
        return known | {"order": [*self._order]}

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
        """Return up to ``count`` episodes up to a reference time, or before one, oldest first."""
        place = bisect_left(self._order, (valid_at + 1, "") if id_ is None else (valid_at, id_))
        return [id_ for _, id_ in self._order[max(0, place - count) : place]]


def _said(content_hash: str, valid_at: int) -> str:
    return f"{content_hash} {valid_at}"
