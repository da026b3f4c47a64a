"""Columns of a group as of a past moment: under masks alone, later words would still count."""

import asyncio
import copy
from collections.abc import ItemsView, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from graphrag.index.edges import MergedIds
from graphrag.index.entries import Links
from graphrag.index.group import GroupIndex
from graphrag.index.retention import Slot, disturbed
from graphrag.index.scope import ScopeIndex
from graphrag.index.tables import read_mentions
from graphrag.index.texts import entity_text, fact_text
from graphrag.model.assertion import stored_by
from graphrag.model.attributes import names_of
from graphrag.model.values import Community, Entity, Episode, Event, Fact, Saga
from graphrag.protocols import Embedder
from graphrag.store import links
from graphrag.store.links import Pair
from graphrag.store.log import events_since
from graphrag.store.rows import TABLES, with_columns
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint

_FACT_WORDS = frozenset({"text", "subject", "object", "name"})
_ENTITY_WORDS = frozenset({"name", "aliases", "names", "entity_type"})
_LAST: Final = Slot[tuple[int, GroupIndex]]()
"""The copy of each group that was made last, with the number of the newest event that it has."""
_PAGE = 200
"""Values that are made of rows in one go: 8 ms."""
Value = TypeVar("Value", Fact, Entity, Episode, Community, Saga)

_UNKNOWN = -1
Image = Mapping[str, Any]


@dataclass(eq=False)
class Rewind:
    """What has changed since a moment of system time: each record as it was then."""

    new: dict[str, set[str]] = field(default_factory=dict)
    """By table the ids of records that did not exist yet."""
    old: dict[str, dict[str, Image]] = field(default_factory=dict)
    """By table and id the changed fields of those that did."""
    upto: int = 0
    """Number of the newest event of then; 0 for none, -1 if no event was undone."""

    @classmethod
    def undoing(cls, events: Iterable[Event]) -> "Rewind":
        """Collect the images that lead back to before these events, given oldest first."""
        past = cls(upto=_UNKNOWN)
        for event in events:
            past._undo(event)
        return past

    def _undo(self, event: Event) -> None:
        """Go back to before an event, too; of each record only what leads back is kept."""
        if self.upto == _UNKNOWN:
            self.upto = event.seq - 1
        for change in event.changes:
            table, _, id_ = change.record.partition(":")
            new, old = self.new.setdefault(table, set()), self.old.setdefault(table, {})
            if change.before is not None and id_ not in new:
                # The oldest change of a field holds its value back then.
                old[id_] = {**change.before, **old.get(id_, {})}
            elif id_ not in old:
                new.add(id_)

    @classmethod
    def joint(cls, pasts: Sequence["Rewind"]) -> "Rewind":
        """Return what has changed in several groups."""
        tables = {table for past in pasts for table in (*past.new, *past.old)}
        return cls(
            {table: {id_ for past in pasts for id_ in past.later(table)} for table in tables},
            {table: {k: v for past in pasts for k, v in past.images(table)} for table in tables},
        )

    def __len__(self) -> int:
        return sum(map(len, (*self.new.values(), *self.old.values())))

    def later(self, table: str) -> AbstractSet[str]:
        """Return the ids of a table that were not there yet."""
        return self.new.get(table, set())

    def knew(self, table: str, id_: str) -> bool:
        """Tell whether a record that is there now, or was since, was there then."""
        return id_ not in self.later(table)

    def images(self, table: str) -> ItemsView[str, Image]:
        """Return the changed records of a table that were there then: ids and changed fields."""
        return self.old.get(table, {}).items()

    def image(self, table: str, id_: str) -> Image:
        """Return the fields of a record that were different then."""
        return self.old.get(table, {}).get(id_, {})

    def rows_later(self, table: str, scope: ScopeIndex) -> NDArray[np.intp]:
        """Return the rows that were not there yet; kept until a row changes."""
        kept = self._rows.get(table)
        if kept is None or kept[0]() is not scope or kept[1] != scope.version:
            kept = ref(scope), scope.version, scope.ids.rows(self.later(table))
            self._rows[table] = kept
        return kept[2]

    @cached_property
    def _rows(self) -> dict[str, tuple["ref[ScopeIndex]", int, NDArray[np.intp]]]:
        return {}

    def heirs(self, index: GroupIndex) -> MergedIds:
        """Return who spoke through whom."""
        return index.heirs.before(self.later("entity"), self.old.get("entity", {}))

    def name(self, id_: str, index: GroupIndex) -> str:
        """Return the name that an entity had then."""
        image, names = self.image("entity", id_), index.names.names[id_]
        return str(image.get("name", stored_by(names) if "names" in image else names[0]))

    def type_of(self, id_: str, index: GroupIndex) -> str:
        """Return the type that an entity had then."""
        return str(self.image("entity", id_).get("entity_type", index.entity_type(id_)))

    def types(self, index: GroupIndex) -> NDArray[np.int32]:
        """Return the code of the type that each entity had then."""
        types = index.entities["type"].copy()
        for id_, image in self.images("entity"):
            if "entity_type" in image and id_ in index.entities.row_of:
                types[index.entities.row_of[id_]] = index.type_code(str(image["entity_type"]))
        return types

    def of_types(self, wanted: Iterable[str], index: GroupIndex) -> NDArray[np.bool_]:
        """Return which entities had one of these types then."""
        types = self.types(index)  # enters types that no entity has any more
        known = index.types
        return np.isin(types, [known.index(name) for name in wanted if name in known])

    def facts(self, facts: Mapping[str, Fact], index: GroupIndex) -> dict[str, Fact]:
        """Return facts as they were then, about the entities that their ends spoke through."""
        rewound = {id_: self.rewind(fact) for id_, fact in facts.items()}
        return self.heirs(index).follow(rewound, lambda id_: self.name(id_, index))

    def rewound(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return values as they were then."""
        return {id_: self.rewind(value) for id_, value in values.items()}

    def rewind(self, value: Value) -> Value:
        """Return a value as it was then."""
        image = self.image(TABLES[type(value)], value.id)
        return with_columns(value, image) if image else value


NO_REWIND: Final = Rewind()


async def rewound_index(
    index: GroupIndex, past: Rewind, store: Store, embedder: Embedder, *, mentions: bool
) -> GroupIndex:
    """Return a group as it was before what is undone; itself if nothing is.

    With ``mentions`` it has those of then, which following links asks for.
    """
    if not past:
        return index
    upto, then = _LAST.get(index) or (-1, index)
    if upto != past.upto:
        then = _shared(index)
        then.heirs = copy.deepcopy(past.heirs(index))
        _remove(then, past)
        await _reword(then, past, store, embedder)
        then.upto = past.upto
        _LAST.set(index, (past.upto, then))
    if mentions and then.episodes.mentions is None:
        found = await _mentions(then, index, past, store)
        then.episodes.mentions = None if disturbed() else found  # others may have these columns
    return then


def _shared(index: GroupIndex) -> GroupIndex:
    then = copy.copy(index)
    then.facts, then.entities = index.facts.share(), index.entities.share()
    then.episodes, then.passages = index.episodes.share(), index.passages.share()
    then.communities = index.communities.share()
    then.episodes.mentions = then.episodes.sources = None
    return then


def _remove(then: GroupIndex, past: Rewind) -> None:
    for table, rows in then.scopes.items():
        if rows is not then.passages:  # they go with their episodes, below
            rows.leave(past.later(table))
    episodes, passages = then.episodes, then.passages
    passages.alive[:] = episodes.alive.values[passages["episode"]]
    episodes.titles = episodes.titles.of_rows(episodes.alive.values)


async def _reword(then: GroupIndex, past: Rewind, store: Store, embedder: Embedder) -> None:
    """Let facts and entities be found by their words and types of then."""
    reworded = _changed(past, "relates_to", _FACT_WORDS, then.facts)
    if facts := past.rewound(await store.get(Fact, reworded)):
        texts = [fact_text(fact) for fact in facts.values()]
        vectors = await embedder.embed(texts, purpose="document")
        for id_, text, vector in zip(facts, texts, vectors, strict=True):
            then.facts.replace(id_, vector=vector, text=text)
    renamed = _changed(past, "entity", _ENTITY_WORDS, then.entities)
    if entities := past.rewound(await store.get(Entity, renamed)):
        then.names = then.names.share()
    for entity in entities.values():
        type_ = then.type_code(entity.entity_type)
        then.entities.replace(entity.id, text=entity_text(entity), type=type_)
        then.names.enter(entity.id, entity.entity_type, names_of(entity), entity.attributes)


async def _mentions(then: GroupIndex, index: GroupIndex, past: Rewind, store: Store) -> Links:
    """Return which episode spoke of which entity: as now, but for what changed since."""
    if then.is_part:
        now = await links.mentions(store, then.group_id, then.episodes.row_of)
        found = Links(then.seq)
    else:
        await read_mentions(store, index)
        assert index.episodes.mentions is not None
        later = await links.mentioned_by(store, past.later("mentions"))
        alive = then.episodes.alive.values, then.entities.alive.values
        found, now = index.episodes.mentions.among(*alive, mention_rows(later, then)), {}
    found.enter(mention_rows(rewound_mentions(now, past).values(), then))
    return found


def mention_rows(mentions: Iterable[Pair], index: GroupIndex) -> list[tuple[int, int]]:
    """Return the rows of episodes and the entities that they speak of, if both are there."""
    rows, others = index.episodes.row_of, index.entities.row_of
    known = ((rows.get(episode), others.get(entity)) for episode, entity in mentions)
    return [(row, other) for row, other in known if row is not None and other is not None]


def rewound_mentions(now: Mapping[str, Pair], past: Rewind) -> dict[str, Pair]:
    """Return those of some mentions, by id, that were there then, and any taken back since."""
    then = {id_: pair for id_, pair in now.items() if id_ not in past.later("mentions")}
    for id_, image in past.images("mentions"):
        if {"in", "out"} <= image.keys():
            episode, entity = (str(image[end]).partition(":")[2] for end in ("in", "out"))
            then[id_] = (episode, entity)
    return then


def _changed(past: Rewind, table: str, columns: frozenset[str], rows: ScopeIndex) -> list[str]:
    """Return the rows of which some of these columns were different."""
    images = past.images(table)
    return [id_ for id_, image in images if id_ in rows.row_of and columns & image.keys()]


async def read_rewind(store: Store, group: str, viewpoint: Viewpoint) -> Rewind:
    """Return what must be undone to see the group as it was known at the viewpoint."""
    if viewpoint.known_at is None:
        return NO_REWIND
    past = Rewind(upto=_UNKNOWN)
    async for event in events_since(store, group, viewpoint.known_at):
        past._undo(event)
    return past


async def read_values(store: Store, kind: type[Value], ids: Iterable[str]) -> dict[str, Value]:
    """Return values by id, page after page, so that others have their turn between two."""
    wanted = list(dict.fromkeys(ids))
    found: dict[str, Value] = {}
    for first in range(0, len(wanted), _PAGE):
        found |= await store.get(kind, wanted[first : first + _PAGE])
        await asyncio.sleep(0)  # rows in memory are read without waiting
    return found
