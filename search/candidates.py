"""Part of a group that a search selected: its rows so far, the index over them, and their bounds.

What stands around them comes in the same request: the ends of facts, and of episodes the ones
beside them, what they mention, who else speaks of it, and their passages. A search limited to a
small part or to a saga reads that part whole, because nothing that an index selects from the group
need lie in it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphrag.engine.lookup import Reading, called, fact_ends_at, facts_at, read_part
from graphrag.errors import QueryError
from graphrag.index.bm25 import Statistics
from graphrag.index.entries import Links
from graphrag.index.group import GroupIndex
from graphrag.index.load import assembled, enter_rows
from graphrag.index.tables import Rows, source_episodes
from graphrag.index.texts import WORD_COLUMNS
from graphrag.search.filters import Compare, Every, Filter
from graphrag.search.request import Request
from graphrag.search.rewind import Rewind, mention_rows
from graphrag.search.within import Within
from graphrag.store import links
from graphrag.store.store import Store


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
        self._index = self._furnished(GroupIndex(self.group, self.dimension))

    def want(self, table: str, ids: Iterable[str]) -> None:
        """Ask for rows; those that do not exist are passed over."""
        ids = set(ids)
        self._wanted[table] |= ids - self.asked[table]
        self.asked[table] |= ids

    async def read(self, linked: int = 0, met: Iterable[str] = ()) -> None:
        """Read what is wanted and not there yet; the arguments are those of a ``Reading``."""
        self.want("entity", with_kin(self._wanted["entity"], self.kin))
        if not any(self._wanted.values()) and not linked:
            return
        wanted = dict(self._wanted)
        if linked:
            wanted["episode"] = self.asked["episode"]
        known = {table: self.asked[table] - self._wanted[table] for table in ("entity", "episode")}
        reading = Reading(wanted, self.at, known, linked, met)
        fresh, spoken = await read_part(self.store, reading)
        self.mentions += map(tuple, spoken)
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
            rows: dict[str, Rows] = {table: [*rows.values()] for table, rows in self._rows.items()}
            self._index = assembled(self.group, self.dimension, rows)
        return self._furnished(self._index)

    def _furnished(self, index: GroupIndex) -> GroupIndex:
        """Tell an index what it needs to know of the whole group, and of what was read last."""
        index.seq, index.sagas, index.passages.spread = self.seq, {**self.sagas}, self.spread
        for table, rows in index.scopes.items():
            rows.aside.clear()  # columns that were read before it grew
            if table in self.statistics:
                rows.postings.assumed = None
                own = rows.postings.statistics(())
                whole, read = self.statistics[table], max(1, len(rows.row_of))
                texts = max(own.texts, round(own.texts / read * whole.texts))
                terms = round(own.terms / max(1, own.texts) * texts)
                rows.postings.assumed = Statistics(texts, terms, whole.frequencies)
        index.episodes.sources, index.episodes.mentions = None, Links(self.seq)
        index.episodes.mentions.enter(mention_rows({*self.mentions}, index))
        return index


def kin_of(merged: Iterable[tuple[str, str]], past: Rewind) -> Mapping[str, set[str]]:
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
    family, waiting = set[str](), list(ids)
    while waiting:
        if (id_ := waiting.pop()) not in family:
            family.add(id_)
            waiting.extend(kin.get(id_, ()))
    return family


def reworded(past: Rewind) -> dict[str, set[str]]:
    """Return the rows that went by other words, and so had other vectors, in the past."""
    return {
        table: {id_ for id_, image in past.images(table) if not image.keys().isdisjoint(columns)}
        for table, columns in WORD_COLUMNS.items()
    }


async def surround(part: Part, request: Request) -> bool:
    """Ask for all that lies in the part that is searched; False if that is all or too much."""
    within = request.within
    if isinstance(within, Within):
        await _near(within, part, episodes=request.asks_near_episodes)
        return True
    if within is None or len(within) > LIMITS.walk:
        return False
    part.want("relates_to", within.facts)
    part.want("entity", within.entities)
    part.want("episode", within.episodes)
    return True


async def _near(within: Within, part: Part, *, episodes: bool) -> None:
    """Ask for what the steps may lead to, visible or not, and for who speaks of it."""
    begun = await called(part.store, part.group, within.names, LIMITS.words)
    frontier, reached, met = begun, set[str](), set[str]()
    for _ in range(within.hops):
        frontier = with_kin(frontier, part.kin) - reached
        if not frontier or len(met) >= LIMITS.within:
            break
        reached |= frontier
        edges = await fact_ends_at(part.store, frontier, 2 * LIMITS.within, within.relations)
        met.update(fact for fact, *_ in edges)
        frontier = {end for _, *ends in edges for end in ends}
    if episodes:
        part.mentions = await links.mentions_of(part.store, sorted(reached), LIMITS.within)
    if max(len(met), len(part.mentions)) >= LIMITS.within:
        raise QueryError(
            f"{LIMITS.within} facts or mentions lie within {within.hops} hops of "
            f"{', '.join(map(repr, within.names))}, or more: take fewer hops, or some relations"
        )
    part.want("entity", begun)
    if within.relations is not None and len(begun) > 1:
        # Which of them is meant is decided by all facts about each.
        part.want("relates_to", await facts_at(part.store, begun, LIMITS.within))
    part.want("relates_to", met)
    part.want("episode", (episode for episode, _ in part.mentions))


def bound(where: Filter | None) -> bool:
    """Tell whether whatever fits a filter is of a saga that it names."""
    match where:
        case Compare(field="saga", op="==" | "in"):
            return True
        case Every(parts):
            return any(map(bound, parts))
    return False


async def want_sagas(part: Part, request: Request, past: Rewind) -> None:
    """Ask for what the episodes of the sagas in the filter tell of, now or in the past."""
    episodes = await links.saga_episodes(part.store, part.group, sorted(request.sagas))
    images = past.images("episode")
    episodes |= {id_ for id_, image in images if image.get("saga") in request.sagas}
    mentions = await links.mentioned_in(part.store, sorted(episodes))
    for _, image in past.images("mentions"):  # taken back since
        episode, entity = (str(image.get(end)).partition(":")[2] for end in ("in", "out"))
        if episode in episodes:
            mentions.append((episode, entity))
    part.mentions += mentions
    part.want("episode", episodes)
    if bound(request.where):
        part.want("relates_to", await links.facts_on(part.store, sorted(episodes)))
        images = past.images("relates_to")
        then = (id_ for id_, image in images if not episodes.isdisjoint(source_episodes(image)))
        part.want("relates_to", then)
        part.want("entity", (entity for _, entity in mentions))
