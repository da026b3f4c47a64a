"""Rows of a group that a search selected so far, and the index over them.

What stands around them comes in the same request: the ends of facts, and of episodes the ones
beside them, what they mention, who else speaks of it, and their passages.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphrag.engine.texts import TEXTS
from graphrag.index.entries import Statistics
from graphrag.index.group import GroupIndex
from graphrag.index.incidence import Mentions
from graphrag.index.load import assembled, enter_rows
from graphrag.index.tables import COLUMNS, Rows, scopes_of
from graphrag.search.rewind import Past
from graphrag.store.record import Record
from graphrag.store.store import Store

_DEGREE = 400
"""Facts of an entity that are looked at for ties, and ties that are read."""
_COMMON = 100
"""An entity that more episodes speak of leads to none: it would to all."""
_BESIDE = "SELECT VALUE array::concat(->occurred_after.out, <-occurred_after.in) FROM"
_SURROUNDINGS = f"""
LET $near = array::distinct(array::flatten(({_BESIDE} $texts)));
LET $nearby = array::distinct(array::concat($texts, $near, array::flatten(({_BESIDE} $near))));
LET $spoken = SELECT VALUE [in, out] FROM $nearby->mentions;
LET $of = array::distinct(array::map($spoken, |$pair| $pair[1]));
LET $linked = array::complement(array::slice(array::distinct(array::flatten((SELECT VALUE told
    FROM (SELECT array::slice(<-mentions.in, 0, {_COMMON + 1}) AS told FROM $of)
    WHERE array::len(told) <= {_COMMON}))), 0, $most), $nearby);
LET $spoken = array::concat($spoken, (SELECT VALUE [in, out] FROM $linked->mentions));
LET $texts = array::concat($nearby, $linked);
LET $people = array::concat($people, array::map($spoken, |$pair| $pair[1]));
LET $passages = array::concat($passages,
    (SELECT VALUE {COLUMNS["passage"]} FROM passage
        WHERE episode IN $texts AND id NOT IN $passage));
"""
_READ = """
LET $ends = array::distinct(array::flatten((SELECT VALUE [in, out] FROM $best)));
LET $beside = array::distinct(array::flatten((SELECT VALUE [in, out] FROM $met)));
LET $ties = set::intersect(
    <set>array::flatten((SELECT VALUE array::slice(<->relates_to, 0, {degree}) FROM $ends)),
    <set>array::flatten((SELECT VALUE array::slice(<->relates_to, 0, {degree}) FROM $beside)));
LET $facts = SELECT VALUE {relates_to} FROM array::distinct(
    array::concat($relates_to, $met, array::slice(<array>$ties, 0, {degree})));
LET $communities = SELECT VALUE {community} FROM $community;
LET $passages = SELECT VALUE {passage} FROM $passage;
LET $spoken = [];
LET $texts = array::distinct(array::concat($episode,
    array::map($passages, |$row| type::record('episode', $row[2]))));
LET $people = array::concat($entity, array::flatten(
    array::map($facts, |$row| [type::record('entity', $row[2]), type::record('entity', $row[3])])));
{surroundings}
RETURN [
    (SELECT VALUE {entity} FROM array::complement(array::distinct($people), $known)),
    $facts,
    (SELECT VALUE {episode} FROM array::complement(array::distinct($texts), $read)),
    $passages,
    $communities,
    array::map($spoken, |$pair| [record::id($pair[0]), record::id($pair[1])])
];"""


@dataclass(slots=True)
class Part:
    """A part of one group, read as it is asked for."""

    store: Store
    group: str
    dimension: int
    statistics: Mapping[str, Statistics]
    """Of the whole group, by table; how long its texts are is told by those read."""
    seq: int
    sagas: Mapping[str, str]
    kin: Mapping[str, set[str]]
    """Entities that are one, now or in the past."""
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
        """Begin with nothing."""
        self._index = self._furnished(GroupIndex(self.group, self.dimension))

    def want(self, table: str, ids: Iterable[str]) -> None:
        """Ask for rows; those that do not exist are passed over."""
        ids = set(ids)
        self._wanted[table] |= ids - self.asked[table]
        self.asked[table] |= ids

    async def read(
        self, linked: int = 0, best: Iterable[str] = (), met: Iterable[str] = ()
    ) -> None:
        """Read what is wanted and not there yet, with the ends of facts.

        Args:
            linked: How many episodes that speak of the same may come along with what stands
                around the episodes; 0 for nothing of it.
            best: Facts whose ties to those met are read, too.
            met: Facts at the entities in question.
        """
        self.want("entity", with_kin(self._wanted["entity"], self.kin))
        if not any(self._wanted.values()) and not linked:
            return
        texts = self.asked["episode"] if linked else self._wanted["episode"]
        params: dict[str, Any] = {
            table: [Record(table, id_) for id_ in self._wanted[table]] for table in COLUMNS
        }
        params |= {
            "episode": [Record("episode", id_) for id_ in texts],
            "known": _records("entity", self.asked["entity"] - self._wanted["entity"]),
            "read": _records("episode", self.asked["episode"] - self._wanted["episode"]),
            "most": linked,
            "best": _records("relates_to", best),
            "met": _records("relates_to", met),
        }
        surroundings = _SURROUNDINGS if linked else ""
        sql = _READ.format(**COLUMNS, surroundings=surroundings, degree=_DEGREE)
        *found, spoken = (await self.store.query(sql, **params))[-1]
        fresh: dict[str, Rows] = dict(zip(COLUMNS, found, strict=True))
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


def _records(table: str, ids: Iterable[str]) -> list[Record]:
    return [Record(table, id_) for id_ in ids]


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
