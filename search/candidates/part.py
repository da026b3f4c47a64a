"""Rows of a group that a search selected so far, and the index over them.

What stands around them comes in the same request: the ends of facts, and of episodes the ones
beside them, what they mention, who else speaks of it, and their passages.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphrag.engine.lookup import Reading, read_part
from graphrag.engine.rows import TEXTS
from graphrag.index.entries import Statistics
from graphrag.index.group import GroupIndex
from graphrag.index.incidence import Mentions
from graphrag.index.load import assembled, enter_rows
from graphrag.index.tables import NEVER, Rows, scopes_of
from graphrag.search.rewind import Past
from graphrag.store.store import Store


@dataclass(slots=True)
class Part:
    """A part of one group, read as it is asked for."""

    store: Store
    group: str
    dimension: int
    statistics: Mapping[str, Statistics]
    """Of the whole group, by table; how long its texts are, those read say."""
    seq: int
    sagas: Mapping[str, str]
    kin: Mapping[str, set[str]]
    """Entities that are one, now or in the past."""
    at: datetime
    """The moment that is looked from."""
    rewinds: bool
    """It is to be seen as it was once, so an index of its own is made of it each time."""
    unread_end: bytes | None = None
    """Vector of the ends of facts that are not read; None if all are. Merged ones always are."""
    spread: float | None = None
    """Standard deviation of the cosines of the passages that are near."""
    mentions: list[tuple[str, str]] = field(default_factory=list)
    """Episodes and the entities that they speak of, as far as that is known."""
    asked: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Everything that was asked for, by table."""
    _wanted: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _rows: dict[str, dict[str, list[object]]] = field(default_factory=lambda: defaultdict(dict))
    _index: GroupIndex = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing."""
        self._index = self._furnished(GroupIndex(self.group, self.dimension))

    def want(self, table: str, ids: Iterable[str]) -> None:
        """Ask for rows; those that do not exist are passed over."""
        ids = set(ids)
        self._wanted[table] |= ids - self.asked[table]
        self.asked[table] |= ids

    def _stand_in(self, fresh: dict[str, Rows], vector: bytes) -> None:
        """Enter the ends of facts that were not read by id and name alone."""
        ends = {str(row[2 + end]): row[5 + end] for row in fresh["relates_to"] for end in (0, 1)}
        there = {str(row[0]) for row in fresh["entity"]} | self.asked["entity"]
        fresh["entity"] += [
            [id_, vector, "", name, [], "", {}, None, NEVER, False, None]
            for id_, name in ends.items()
            if id_ not in there
        ]

    async def read(self, linked: int = 0, met: Iterable[str] = ()) -> None:
        """Read what is wanted and not there yet; the arguments are those of a ``Reading``."""
        self.want("entity", with_kin(self._wanted["entity"], self.kin))
        if not any(self._wanted.values()) and not linked:
            return
        wanted = dict(self._wanted)
        if linked:
            wanted["episode"] = self.asked["episode"]
        known = {table: self.asked[table] - self._wanted[table] for table in ("entity", "episode")}
        ends = None if self.unread_end is None else self.kin.keys()
        reading = Reading(wanted, self.at, known, linked, met, ends)
        fresh, spoken = await read_part(self.store, reading)
        if self.unread_end is not None:
            self._stand_in(fresh, self.unread_end)
        self.mentions += [(episode, entity) for episode, entity in spoken]
        self._wanted.clear()
        for table, rows in fresh.items():
            self.asked[table].update(str(row[0]) for row in rows)
        if self.rewinds:
            for table, rows in fresh.items():
                self._rows[table].update((str(row[0]), row) for row in rows)
        else:
            enter_rows(self._index, fresh)
        self.want("entity", with_kin((str(row[0]) for row in fresh["entity"]), self.kin))
        if self._wanted["entity"]:  # who speaks through an end of a fact
            await self.read()

    def index(self) -> GroupIndex:
        """Return an index of all that was read so far."""
        if self.rewinds:
            found: dict[str, Rows] = {table: [*rows.values()] for table, rows in self._rows.items()}
            self._index = assembled(self.group, self.dimension, found)
        return self._furnished(self._index)

    def _furnished(self, index: GroupIndex) -> GroupIndex:
        """Tell an index what it needs to know of the whole group, and of what was read last."""
        index.seq, index.sagas, index.passages.spread = self.seq, {**self.sagas}, self.spread
        for table, rows in scopes_of(index).items():
            rows.aside.clear()  # columns that were read before it grew
            if table in self.statistics:
                rows.postings.assume(None)
                own = rows.postings.statistics(())
                whole, read = self.statistics[table], max(1, len(rows.row_of))
                texts = max(own.texts, round(own.texts / read * whole.texts))
                terms = round(own.terms / max(1, own.texts) * texts)
                rows.postings.assume(Statistics(texts, terms, whole.frequencies))
        episodes, entities = index.episodes, index.entities
        episodes.sources, episodes.mentions = None, Mentions(self.seq)
        episodes.mentions.enter(
            (episodes.row_of[episode], entities.row_of[entity])
            for episode, entity in {*self.mentions}
            if episode in episodes.row_of and entity in entities.row_of
        )
        return index


def kin_of(merged: Iterable[tuple[str, str]], past: Past) -> Mapping[str, set[str]]:
    """Return who speaks through whom, now or then: both ways of every merge, by id."""
    then = ((id_, image.get("merged_into")) for id_, image in past.images("entity"))
    kin: dict[str, set[str]] = {}
    for entity, heir in (*merged, *then):
        if heir is not None:
            kin.setdefault(entity, set()).add(heir)
            kin.setdefault(heir, set()).add(entity)
    return kin


def with_kin(ids: Iterable[str], kin: Mapping[str, set[str]]) -> set[str]:
    """Return these entities and all that are, or were, one with them."""
    found: set[str] = set()
    waiting = list(ids)
    while waiting:
        id_ = waiting.pop()
        if id_ not in found:
            found.add(id_)
            waiting.extend(kin.get(id_, ()))
    return found


def reworded(past: Past) -> dict[str, set[str]]:
    """Return the rows that went by other words, and so had other vectors, in the past."""
    found: dict[str, set[str]] = defaultdict(set)
    for table, text in TEXTS.items():
        for id_, image in past.images(table):
            if not image.keys().isdisjoint(text.columns):
                found[table].add(id_)
    return found
