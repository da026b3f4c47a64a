"""Rows of a group that a search selected so far, and the index over them.

Merged entities and earlier wordings come along. Following a link costs 3 µs, reading a fact 20:
each step follows all links and reads only the most promising facts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from graphrag.engine.counts import Counts
from graphrag.engine.lookup import facts_at_each, merges
from graphrag.engine.scopes import TEXTS
from graphrag.index.group import GroupIndex
from graphrag.index.incidence import Mentions
from graphrag.index.load import assembled, enter_rows, read_rows
from graphrag.index.tables import Rows, scopes_of
from graphrag.search.candidates.limits import Limits
from graphrag.search.fuse import Mask
from graphrag.search.rewind import Past
from graphrag.store.store import Store


@dataclass(slots=True)
class Part:
    """A part of one group, read as it is asked for."""

    store: Store
    group: str
    dimension: int
    counts: Counts
    """Of the whole group."""
    seq: int
    sagas: dict[str, str]
    kin: Mapping[str, set[str]]
    """Entities that are one, now or in the past."""
    rewinds: bool
    """It is to be seen as it was once, so an index of its own is made of it each time."""
    spread: float | None = None
    """Standard deviation of the cosines of the group's passages."""
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

    async def read(self) -> None:
        """Read what is wanted and not there yet, with the ends of facts."""
        fresh = await self._read("relates_to", "passage", "community")
        self.want("entity", (str(end) for row in fresh.get("relates_to", ()) for end in row[2:4]))
        self.want("entity", with_kin(self._wanted["entity"], self.kin))
        self.want("episode", (str(row[2]) for row in fresh.get("passage", ())))
        fresh |= await self._read("entity", "episode")
        if self.rewinds:
            for table, rows in fresh.items():
                self._rows[table].update((str(row[0]), row) for row in rows)
        else:
            enter_rows(self._index, fresh)

    def index(self) -> GroupIndex:
        """Return an index of all that was read so far."""
        if self.rewinds:
            found: dict[str, Rows] = {table: [*rows.values()] for table, rows in self._rows.items()}
            self._index = assembled(self.group, self.dimension, found)
        return self._furnished(self._index)

    def _furnished(self, index: GroupIndex) -> GroupIndex:
        """Tell an index what it needs to know of the whole group, and of what was read last."""
        index.seq, index.sagas, index.passages.spread = self.seq, self.sagas, self.spread
        for table, rows in scopes_of(index).items():
            rows.aside.clear()  # columns that were read before it grew
            if table in self.counts.texts:
                rows.postings.assume(self.counts.texts[table])
        episodes, entities = index.episodes, index.entities
        episodes.sources, episodes.mentions = None, Mentions(self.seq)
        episodes.mentions.enter(
            (episodes.row_of[episode], entities.row_of[entity])
            for episode, entity in self.mentions
            if episode in episodes.row_of and entity in entities.row_of
        )
        return index

    async def _read(self, *tables: str) -> dict[str, Rows]:
        return await read_rows(self.store, {table: self._wanted.pop(table, ()) for table in tables})


Shown = Callable[[GroupIndex], Mask]
"""Gives which facts of an index may be walked along."""
Best = Callable[[Iterable[str]], list[str]]
"""Sorts facts by what they promise."""


@dataclass(slots=True)
class Walk:
    """A walk from some entities."""

    part: Part
    limits: Limits
    best: Best
    shown: Shown
    hops: dict[str, int] = field(default_factory=dict)
    """How many facts lie between the entities and each fact that was met."""
    _reached: set[str] = field(default_factory=set)
    """Entities of which all facts were met, and those at the ends of the last."""

    async def go(self, seeds: set[str], steps: int) -> None:
        """Meet the facts within some steps; what the last step meets is not read."""
        frontier = seeds
        for hop in range(steps):
            frontier = with_kin(frontier, self.part.kin) - self._reached
            if not frontier:
                return
            self._reached |= frontier
            met = [fact for facts in await self._at(frontier) for fact in facts]
            fresh = [fact for fact in dict.fromkeys(met) if fact not in self.hops]
            self.hops.update(dict.fromkeys(fresh, hop))
            if hop + 1 < steps:
                chosen = self.best(fresh)[: self.limits.step]
                self.part.want("relates_to", chosen)
                await self.part.read()
                index = self.part.index()
                mask, row_of = self.shown(index), index.facts.row_of
                for fact in chosen:  # nothing leads along what is over
                    if fact in row_of and not mask[row_of[fact]]:
                        del self.hops[fact]
                frontier = _ends(index, (fact for fact in chosen if fact in self.hops))
        self._reached |= frontier

    async def link(self, facts: Iterable[str]) -> None:
        """Ask for what lies between what was met and the ends of other facts, which are there."""
        ends = _ends(self.part.index(), facts) - self._reached
        for met in await self._at(ends):
            links = [fact for fact in met if fact in self.hops]
            self.part.want("relates_to", self.best(links)[: self.limits.links])

    async def _at(self, entities: set[str]) -> list[list[str]]:
        return await facts_at_each(self.part.store, entities, self.limits.walk)


def _ends(index: GroupIndex, facts: Iterable[str]) -> set[str]:
    """Return the entities that some facts join, of those that are there."""
    row_of, ids = index.facts.row_of, index.entities.ids
    rows = [row_of[fact] for fact in facts if fact in row_of]
    return {ids[row] for end in ("subject", "object") for row in index.facts[end][rows].tolist()}


async def merged(store: Store, group: str, past: Past) -> Mapping[str, set[str]]:
    """Return who speaks through whom, now or then: both ways of every merge, by id."""
    pairs = await merges(store, group)
    then = ((id_, image.get("merged_into")) for id_, image in past.images("entity"))
    kin: dict[str, set[str]] = {}
    for one, other in (*pairs, *then):
        if other is not None:
            kin.setdefault(one, set()).add(other)
            kin.setdefault(other, set()).add(one)
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
