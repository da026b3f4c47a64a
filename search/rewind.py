"""Columns of a group as of a past moment: under masks alone, later words would still count."""

import asyncio
import copy
from collections import defaultdict
from collections.abc import ItemsView, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from graphrag.index.group import GroupIndex
from graphrag.index.incidence import Mentions
from graphrag.index.merged import Heirs
from graphrag.index.retention import Slot, disturbed
from graphrag.index.scope import Scope
from graphrag.index.tables import scopes_of
from graphrag.index.texts import entity_text, fact_text
from graphrag.model.assertion import stored_by
from graphrag.model.attributes import names_of
from graphrag.model.values import Community, Entity, Episode, Event, Fact, Saga
from graphrag.protocols import Embedder
from graphrag.store import links
from graphrag.store.links import Pair
from graphrag.store.log import events_since
from graphrag.store.rows import TABLES, imaged
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint

_FACT_WORDS = frozenset({"text", "subject", "object", "name"})
_ENTITY_WORDS = frozenset({"name", "aliases", "names"})
_LAST: Final = Slot[tuple[int, GroupIndex]]()
"""The copy of each group that was made last, with the number of the newest event that it has."""
_PAGE = 200
"""Values that are made of rows in one go: 8 ms."""
Value = TypeVar("Value", Fact, Entity, Episode, Community, Saga)

_NAME_OF = {"name": "relation", "in": "subject_id", "out": "object_id"}
Image = Mapping[str, Any]


@dataclass(frozen=True)
class Past:
    """What has changed since a moment of system time: each record as it was then."""

    new: Mapping[str, Set[str]]
    """By table the ids of records that did not exist yet."""
    old: Mapping[str, Mapping[str, Image]]
    """By table and id the changed fields of those that did."""
    upto: int = 0
    """Number of the newest event of then; 0 for none, or if nothing was undone."""

    @classmethod
    def undoing(cls, events: Iterable[Event]) -> "Past":
        """Collect the images that lead back to before these events, given oldest first."""
        back = _Undoing()
        for event in events:
            back.take(event)
        return back.past()

    @classmethod
    def joint(cls, pasts: Sequence["Past"]) -> "Past":
        """Return what has changed in several groups."""
        tables = {table for past in pasts for table in (*past.new, *past.old)}
        return cls(
            {table: {id_ for past in pasts for id_ in past.later(table)} for table in tables},
            {table: {k: v for past in pasts for k, v in past.images(table)} for table in tables},
        )

    def __len__(self) -> int:
        """Count the records that have changed."""
        return sum(map(len, (*self.new.values(), *self.old.values())))

    def later(self, table: str) -> Set[str]:
        """Return the ids of a table that were not there yet."""
        return self.new.get(table, frozenset())

    def knew(self, table: str, id_: str) -> bool:
        """Tell whether a record that is there now, or was since, was there then."""
        return id_ not in self.later(table)

    def images(self, table: str) -> ItemsView[str, Image]:
        """Return the changed records of a table that were there then: ids and changed fields."""
        return self.old.get(table, {}).items()

    def image(self, table: str, id_: str) -> Image:
        """Return the fields of a record that were different then."""
        return self.old.get(table, {}).get(id_, {})

    def rows_later(self, table: str, scope: Scope) -> NDArray[np.intp]:
        """Return the rows that were not there yet; kept until a row changes."""
        kept = self._rows.get(table)
        if kept is None or kept[0]() is not scope or kept[1] != scope.version:
            kept = ref(scope), scope.version, scope.ids.rows(self.later(table))
            self._rows[table] = kept
        return kept[2]

    @cached_property
    def _rows(self) -> dict[str, tuple["ref[Scope]", int, NDArray[np.intp]]]:
        return {}

    def heirs(self, index: GroupIndex) -> Heirs:
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
        if not image:
            return value
        names: Mapping[str, str] = _NAME_OF if isinstance(value, Fact) else {}
        changed = {
            names.get(column, column): imaged(column, item, value.id)
            for column, item in image.items()
            if names.get(column, column) in type(value).__slots__
        }
        return replace(value, **changed)


class _Undoing:
    """A past that events, oldest first, lead back to: of each no more than that is kept."""

    def __init__(self) -> None:
        self._new: defaultdict[str, set[str]] = defaultdict(set)
        self._old: defaultdict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
        self._upto: int | None = None

    def take(self, event: Event) -> None:
        """Go back to before an event, too."""
        self._upto = event.seq - 1 if self._upto is None else self._upto
        for change in event.changes:
            table, _, id_ = change.record.partition(":")
            new, old = self._new[table], self._old[table]
            if change.before is not None and id_ not in new:
                # The oldest change of a field holds its value back then.
                old[id_] = {**change.before, **old.get(id_, {})}
            elif id_ not in old:
                new.add(id_)

    def past(self) -> Past:
        """Return it."""
        return Past(dict(self._new), dict(self._old), self._upto or 0)


NOTHING_UNDONE = Past({}, {})


async def index_then(
    index: GroupIndex, past: Past, store: Store, embedder: Embedder, *, mentions: bool
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
    """Return a group whose rows may be changed apart from those of this one."""
    then = copy.copy(index)
    then.facts, then.entities = index.facts.share(), index.entities.share()
    then.episodes, then.passages = index.episodes.share(), index.passages.share()
    then.communities = index.communities.share()
    then.episodes.mentions = then.episodes.sources = None
    return then


def _remove(then: GroupIndex, past: Past) -> None:
    """Take out what was not there."""
    for table, rows in scopes_of(then).items():
        if rows is then.passages:  # they go with their episodes, below
            continue
        rows.leave(past.later(table))
    episodes, passages = then.episodes, then.passages
    passages.alive[:] = episodes.alive.values[passages["episode"]]
    episodes.titles = episodes.titles.of_rows(episodes.alive.values)


async def _reword(then: GroupIndex, past: Past, store: Store, embedder: Embedder) -> None:
    """Let facts and entities be found by their words and types of then."""
    reworded = _changed(past, "relates_to", _FACT_WORDS, then.facts)
    facts = past.rewound(await store.get(Fact, reworded))
    if facts:
        texts = [fact_text(fact) for fact in facts.values()]
        vectors = await embedder.embed(texts, purpose="document")
        for id_, text, vector in zip(facts, texts, vectors, strict=True):
            then.facts.replace(id_, vector=vector, text=text)
    renamed = _changed(past, "entity", _ENTITY_WORDS | {"entity_type"}, then.entities)
    entities = past.rewound(await store.get(Entity, renamed))
    if entities:
        then.names = then.names.share()
    for entity in entities.values():
        type_ = then.type_code(entity.entity_type)
        then.entities.replace(entity.id, text=entity_text(entity), type=type_)
        then.names.enter(entity.id, entity.entity_type, names_of(entity), entity.attributes)


async def _mentions(then: GroupIndex, index: GroupIndex, past: Past, store: Store) -> Mentions:
    """Return which episode spoke of which entity: as now, but for what changed since."""
    # Here, not above: opening a graph does not need it.
    from graphrag.index.read_lazy import read_mentions

    rows, others = then.episodes.row_of, then.entities.row_of

    def pairs(ids: Iterable[Pair]) -> list[tuple[int, int]]:
        return [
            (rows[episode], others[entity])
            for episode, entity in ids
            if episode in rows and entity in others
        ]

    if then.is_part:
        found, now = Mentions(then.seq), await links.mentions(store, then.group_id, rows)
    else:
        await read_mentions(store, index)
        assert index.episodes.mentions is not None
        later = await links.mentioned_by(store, past.later("mentions"))
        alive = then.episodes.alive.values, then.entities.alive.values
        found, now = index.episodes.mentions.among(*alive, pairs(later)), {}
    found.enter(pairs(mentions_then(now, past).values()))
    return found


def mentions_then(now: Mapping[str, Pair], past: Past) -> dict[str, Pair]:
    """Return those of some mentions, by id, that were there then, and any taken back since."""
    then = {id_: pair for id_, pair in now.items() if id_ not in past.later("mentions")}
    for id_, image in past.images("mentions"):
        if {"in", "out"} <= image.keys():
            episode, entity = (str(image[end]).partition(":")[2] for end in ("in", "out"))
            then[id_] = (episode, entity)
    return then


def _changed(past: Past, table: str, columns: frozenset[str], rows: Scope) -> list[str]:
    """Return the rows of which some of these columns were different."""
    images = past.images(table)
    return [id_ for id_, image in images if id_ in rows.row_of and columns & image.keys()]


async def undone(store: Store, group: str, viewpoint: Viewpoint) -> Past:
    """Return what must be undone to see the group as it was known at the viewpoint."""
    if viewpoint.known_at is None:
        return NOTHING_UNDONE
    back = _Undoing()
    async for event in events_since(store, group, viewpoint.known_at):
        back.take(event)
    return back.past()


async def read_values(store: Store, kind: type[Value], ids: Iterable[str]) -> dict[str, Value]:
    """Return values by id, page after page, so that others have their turn between two."""
    wanted = list(dict.fromkeys(ids))
    found: dict[str, Value] = {}
    for first in range(0, len(wanted), _PAGE):
        found |= await store.get(kind, wanted[first : first + _PAGE])
        await asyncio.sleep(0)  # rows in memory are read without waiting
    return found
