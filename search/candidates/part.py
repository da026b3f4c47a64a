"""The rows of a group that were chosen so far, and the index that they make.

A part of a group in the order of its ids, as a group that was loaded is.

Of equals the row that comes first ranks first, and what was read search by search lies in whatever
order it came. So what is ranked is a copy of the rows in order: arrays only, nothing is read anew.
Of the facts, which are the most by far, only those are copied that this search asked for.

Some texts of postings, as rows in another order, for reading only.
"""

import copy
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from graphrag.engine.counts import Counts
from graphrag.index.bm25 import Postings
from graphrag.index.columns import Column
from graphrag.index.endpoints import Touching
from graphrag.index.entries import Entries
from graphrag.index.group import GroupIndex
from graphrag.index.incidence import Mentions
from graphrag.index.load import assembled, enter_rows, read_rows
from graphrag.index.scope import Scope
from graphrag.index.tables import Rows, scopes_of
from graphrag.index.vectors import Vectors
from graphrag.search.candidates.name_lookup import with_kin
from graphrag.store.store import Store


class Reordered(Postings):
    """Postings whose rows are some of others, moved; these may only ever have grown.

    The entries of a term are picked from the words of all rows when a query asks for it: sorting
    all terms, after every few rows that are read, would take longer than the search.
    """

    def __init__(self, texts: Postings, order: NDArray[np.intp]) -> None:
        vars(self).update({**vars(texts), "_entries": {}, "_waiting": []})
        self._lengths = Column(np.int32, texts._lengths.values[order])
        self._place = np.full(len(texts._lengths.values), -1, dtype=np.int32)
        self._place[order] = np.arange(len(order), dtype=np.int32)

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._lengths.values)

    def _of_term(self, number: int) -> Entries:
        entries = self._entries.get(number)
        if entries is None:
            places = np.flatnonzero(self._words.values == number)
            rows = np.searchsorted(self._starts.values, places, side="right") - 1
            rows, counts = np.unique(rows, return_counts=True)
            moved = self._place[rows]
            here = moved >= 0
            entries = Entries(moved[here], counts[here].astype(np.float32))
            self._entries[number] = entries
        return entries


Order = npt.NDArray[np.intp]


def in_order(index: GroupIndex, facts: Collection[str]) -> GroupIndex:
    """Return an index of the same rows, but of these facts only; it is for reading only."""
    ordered = copy.copy(index)
    ordered.entities, entities = _sorted(index.entities, index.entities.ids)
    ordered.facts, _ = _sorted(index.facts, index.facts.row_of.keys() & facts)
    ordered.communities, _ = _sorted(index.communities, index.communities.ids)
    place = np.empty_like(entities)
    place[entities] = np.arange(len(entities))
    for side in ("subject", "object"):
        ends = ordered.facts.columns[side]
        ends[:] = place[ends.values]
    ordered.heirs = index.heirs.moved()
    ordered.touching = Touching(ordered.facts)
    return ordered


def _sorted(rows: Scope, ids: Iterable[str]) -> tuple[Scope, Order]:
    found = copy.copy(rows)
    found.ids = sorted(ids)
    order: Order = np.array([rows.row_of[id_] for id_ in found.ids], dtype=np.intp)
    found.row_of = {id_: row for row, id_ in enumerate(found.ids)}
    found.alive = Column(np.bool_, rows.alive.values[order])
    found.vectors = Vectors.of(rows.vectors.rows(order))
    found.postings = Reordered(rows.postings, order)
    found.columns = {
        name: Column(column.dtype.type, column.values[order])
        for name, column in rows.columns.items()
    }
    found.aside = {}
    return found, order


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
    spread: float | None
    """Standard deviation of the cosines of the group's passages."""
    rewinds: bool
    """What was read is to be seen as it was once, so an index is made of it each time."""
    growing: GroupIndex
    """What was read so far, by the last search too, in the order of reading."""
    spoken: list[tuple[str, str]] = field(default_factory=list)
    """Episodes and the entities that they speak of, as far as that decides what is near."""
    asked: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Everything that this search asked for, by table."""
    _wanted: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _rows: dict[str, dict[str, list[object]]] = field(default_factory=lambda: defaultdict(dict))

    def __post_init__(self) -> None:
        """Tell what was read before of the group as it is now."""
        self._furnish(self.growing)

    def want(self, table: str, ids: Iterable[str]) -> None:
        """Ask for rows; those that do not exist are passed over."""
        ids = set(ids)
        self._wanted[table] |= ids
        self.asked[table] |= ids

    async def read(self) -> None:
        """Read what is wanted and not there yet, with the ends of facts."""
        fresh = await self._read(("relates_to", "passage", "community"))
        ends = (str(end) for row in fresh.get("relates_to", ()) for end in row[2:4])
        self.want("entity", ends)
        self.want("episode", (str(row[2]) for row in fresh.get("passage", ())))
        self._wanted["entity"] = with_kin(self._wanted["entity"], self.kin)
        fresh |= await self._read(("entity", "episode"))
        enter_rows(self.growing, fresh, words=not self.rewinds)
        self._link(self.growing, self.spoken)

    def assembled(self, mentions: Sequence[tuple[str, str]] = ()) -> GroupIndex:
        """Return an index of all that was read.

        Args:
            mentions: Episodes and the entities that they speak of.
        """
        if not self.rewinds:
            ordered = in_order(self.growing, self.asked["relates_to"])
            ordered.episodes.sources = None  # they point at facts in their former order
            self._link(ordered, (*self.spoken, *mentions))
            return ordered
        found: dict[str, Rows] = {table: [*rows.values()] for table, rows in self._rows.items()}
        index = assembled(self.group, self.dimension, found)
        self._furnish(index)
        self._link(index, (*self.spoken, *mentions))
        return index

    def _link(self, index: GroupIndex, mentions: Iterable[tuple[str, str]]) -> None:
        episodes, entities = index.episodes, index.entities
        episodes.mentions = Mentions(self.seq)
        episodes.mentions.enter(
            (episodes.row_of[episode], entities.row_of[entity])
            for episode, entity in mentions
            if episode in episodes.row_of and entity in entities.row_of
        )

    def _furnish(self, index: GroupIndex) -> None:
        """Tell an index what it needs to know of the whole group."""
        index.seq = self.seq
        index.sagas = self.sagas
        index.passages.spread = self.spread
        index.episodes.sources = None
        for table, rows in scopes_of(index).items():
            rows.aside.clear()
            if table in self.counts.texts:
                rows.postings.assume(self.counts.texts[table])

    async def _read(self, tables: Iterable[str]) -> dict[str, Rows]:
        scopes = scopes_of(self.growing)
        missing = {
            table: {id_ for id_ in self._wanted.pop(table, ()) if id_ not in scopes[table].row_of}
            for table in tables
        }
        fresh = await read_rows(self.store, missing)
        if self.rewinds:
            for table, rows in fresh.items():
                self._rows[table].update((row[0], row) for row in rows)
        return fresh
