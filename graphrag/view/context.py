"""One group from one viewpoint: its columns, what must be undone of them, and what may be seen."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np

from graphrag.errors import QueryError, UnknownGroupError
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.retention import Value
from graphrag.model.attributes import named_at
from graphrag.model.values import DEFAULT_GROUP, Community, Entity, Fact
from graphrag.names.key import name_key
from graphrag.search.near import Rows, bearers
from graphrag.search.rewind import Rewind, read_rewind, read_values
from graphrag.search.visibility import VisibleRows, visible
from graphrag.search.within import DEEPEST
from graphrag.session import Handle, Session
from graphrag.store.store import Store
from graphrag.temporal.interval import NOW, Viewpoint
from graphrag.temporal.moment import Moment, parse_moment, to_micros, utc_now

if TYPE_CHECKING:
    from graphrag.analysis.difference import Axis
    from graphrag.ask.world import World

_LOG = logging.getLogger("graphrag")
_ALIKE = 0.75  # how near a name is to one that was mistyped: work_at to works_at is 0.93
MOST = 10_000  # rows that a read returns at most
Limit: TypeAlias = Annotated[int, range(1, MOST + 1)]
Most: TypeAlias = Annotated[int, range(MOST + 1)]  # a limit, or 0 for none of them
Offset: TypeAlias = Annotated[int, range(1_000_000_001)]
Depth: TypeAlias = Annotated[int, range(1, DEEPEST + 1)]  # facts away that a walk goes


@dataclass(frozen=True, slots=True)
class ViewContext:
    """What every read of a group starts from."""

    handle: Handle
    group: str = DEFAULT_GROUP
    viewpoint: Viewpoint = NOW
    strict: bool = False  # whether a group that nobody wrote to is an error
    _undone: list[tuple[int, Rewind]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @property
    def session(self) -> Session:
        """Return the services of the open graph."""
        return self.handle.session

    @property
    def store(self) -> Store:
        """Return the store that is read."""
        return self.session.store

    async def index(self) -> GroupIndex:
        """Return the columns of the group."""
        return self.known(await self.session.catalog.group(self.group))

    def known(self, index: GroupIndex) -> GroupIndex:
        """Return columns that were read, if the group may be empty or is not."""
        if self.strict and index.seq == 0 and self.group != DEFAULT_GROUP:
            raise UnknownGroupError(self.group)
        return index

    async def past(self) -> Rewind:
        """Return what must be undone to know what was known; read once, until somebody writes."""
        catalog = self.session.catalog
        if self.viewpoint.known_at is None or not catalog.loaded(self.group):
            return await read_rewind(self.store, self.group, self.viewpoint)
        seq = (await catalog.group(self.group)).seq
        if not self._undone or self._undone[0][0] != seq:
            self._undone[:] = [(seq, await read_rewind(self.store, self.group, self.viewpoint))]
        return self._undone[0][1]

    async def scene(self, *, history: bool | None = None) -> tuple[GroupIndex, Rewind, VisibleRows]:
        """Return the columns, what must be undone, and what may be seen.

        ``history`` is as the viewpoint has it, unless it is given.
        """
        index, past = await self.index(), await self.past()
        view = self.viewpoint if history is None else replace(self.viewpoint, history=history)
        return index, past, visible(index, view, past, now=utc_now())

    def ever(self, index: GroupIndex, past: Rewind) -> VisibleRows:
        """Return what there is of all times up to the view's knowledge."""
        return visible(index, replace(self.viewpoint, history=True), past, now=utc_now())

    async def world(self) -> "World":
        """Return the facts of all times up to the view's knowledge, to answer questions on."""
        # Here, not above: opening a graph does not need it.
        from graphrag.ask.world import World

        index, past = await self.index(), await self.past()
        seen, now = self.ever(index, past), to_micros(self.now(), FOREVER)
        closed = self.viewpoint.valid_at is not None
        return World(index, seen, past, self.session.relations, now, closed=closed)

    def relations(self, names: Sequence[str], index: GroupIndex, past: Rewind) -> list[str]:
        """Return the relations that facts are stored under and these names mean.

        A name that is neither used nor declared, but nearly one that is used, gives a warning.
        """
        known = self.session.relations
        meant = known.alike(names, index.relations)
        strange = [
            name
            for name in dict.fromkeys("_".join(name.split()) for name in names)
            if name not in index.relations and known.same(name) == [name] and name not in known
        ]
        if strange:
            facts = self.ever(index, past).facts
            used = [index.relations[code] for code in np.unique(index.facts["relation"][facts])]
            for name in strange:
                if close := get_close_matches(name, used, n=1, cutoff=_ALIKE):
                    what = "no fact of group %r has the relation %r: did you mean %r?"
                    _LOG.warning(what, self.group, name, close[0])
        return meant

    def now(self, axis: "Axis" = "world") -> datetime:
        """Return the moment of the view."""
        moments = (self.viewpoint.valid_at if axis == "world" else None, self.viewpoint.known_at)
        return next((moment for moment in moments if moment is not None), utc_now())

    async def places(
        self, *entities: Entity | str
    ) -> tuple[GroupIndex, Rewind, VisibleRows, list[int]]:
        """Return the scene and the rows of these entities."""
        index, past, seen = await self.scene()
        return index, past, seen, [self.row(entity, index, seen) for entity in entities]

    def row(self, entity: Entity | str, index: GroupIndex, seen: VisibleRows) -> int:
        """Return the row of an entity, by itself, its name or its id."""
        found = bearers(entity.id if isinstance(entity, Entity) else entity, index, seen)
        if not found:
            name = entity.name if isinstance(entity, Entity) else entity
            raise QueryError(f"no entity is called {name!r} in group {self.group!r}: try a search")
        return index.entities.row_of[found[0]]

    async def read(
        self,
        entities: Sequence[int] | Rows,
        facts: Sequence[int] | Rows,
        index: GroupIndex,
        past: Rewind,
    ) -> tuple[dict[int, Entity], dict[int, Fact]]:
        """Return entities and facts of these rows as they were, by row."""
        return await asyncio.gather(
            self.entities(entities, index, past), self.facts(facts, index, past)
        )

    async def entities(
        self, rows: Sequence[int] | Rows, index: GroupIndex, past: Rewind
    ) -> dict[int, Entity]:
        """Return the entities of these rows as they were, by row."""
        ids = {int(row): index.entities.ids[row] for row in rows}
        found = await read_values(self.store, Entity, ids.values())
        return {row: self.named(past.rewind(found[id_])) for row, id_ in ids.items()}

    def named(self, entity: Entity) -> Entity:
        """Return an entity by the name that it had at the moment of world time that is read."""
        return named_at(entity, to_micros(self.now(), FOREVER)) if entity.names else entity

    async def facts(
        self, rows: Sequence[int] | Rows, index: GroupIndex, past: Rewind
    ) -> dict[int, Fact]:
        """Return the facts of these rows as they were, by row."""
        ids = {int(row): index.facts.ids[row] for row in rows}
        then = past.facts(await read_values(self.store, Fact, ids.values()), index)
        return {row: then[id_] for row, id_ in ids.items()}


class Room:
    """Methods of a view that belong together: ``view.audit``, ``view.sagas``."""

    def __init__(self, context: ViewContext) -> None:
        self._context = context


def steady(view: Any, read: Callable[[], Awaitable[Value]]) -> Awaitable[Value]:
    """Let a read see one state of its group from its first to its last await."""
    context: ViewContext = getattr(view, "_context", view)
    return context.session.catalog.steady([context.group], read)


def viewpoint_of(valid_at: Moment | None, known_at: Moment | None, history: bool) -> Viewpoint:
    """Return the viewpoint of these moments."""
    return Viewpoint(
        None if valid_at is None else parse_moment(valid_at, what="valid_at"),
        None if known_at is None else parse_moment(known_at, what="known_at"),
        history,
    )


def community_meant(asked: str, communities: Sequence[Community], group: str) -> Community:
    """Return the community of an id, a name or a part of a name."""
    if not communities:
        raise QueryError(f"group {group!r} has no communities: communities.build() makes them")
    key = name_key(asked)
    ways: tuple[Callable[[Community], bool], ...] = (
        lambda community: community.id == asked,
        lambda community: name_key(community.name) == key,
        lambda community: bool(key) and key in name_key(community.name),
    )
    for fits in ways:
        # A part may be named like what it is a part of: the coarser one is meant, it comes first.
        found = [community for community in communities if fits(community)]
        same = [community for community in found if community.level == found[0].level]
        if len(same) == 1:
            return same[0]
        if same:
            names = "; ".join(repr(community.name) for community in same[:5])
            raise QueryError(f"{asked!r} may mean {len(same)} communities: {names}")
    names = "; ".join(repr(community.name) for community in communities[:5])
    raise QueryError(f"there is no community {asked!r} in group {group!r}; there are {names}")
