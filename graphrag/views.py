"""Reads of a graph as of a viewpoint that are no search: lists, counts, lives and differences."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime

import numpy as np

from graphrag.differences import Axis, Changes, happened_between, learned_between
from graphrag.errors import InputError, QueryError
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.intake import checked_group
from graphrag.models import DEFAULT_GROUP, Entity, Episode, Fact
from graphrag.reading import Reading
from graphrag.search import pipeline
from graphrag.search.visible import Past, Visible, visible
from graphrag.sources import Quote, quotes_of
from graphrag.stats import Stats, count, most_connected
from graphrag.temporal.moment import parse_moment, to_micros, utc_now
from graphrag.temporal.viewpoint import Viewpoint
from graphrag.timeline import Timeline, read_timeline

Moment = datetime | date | str


class Views:
    """What a view of a graph answers beside searching."""

    __slots__ = ()
    _reading: Reading
    viewpoint: Viewpoint

    async def entity(self, name: str, *, group: str = DEFAULT_GROUP) -> Entity | None:
        """Return the entity with this name, alias or id, the best connected of several, or None."""
        found = await self.entities(name, group=group)
        return found[0] if found else None

    async def entities(self, name: str, *, group: str = DEFAULT_GROUP) -> list[Entity]:
        """Return every entity with this name, alias or id, the best connected first."""
        index = await self._group(group)
        past = await pipeline.undone(self._reading.store, group, self.viewpoint)
        seen = visible(index, self.viewpoint, past, now=utc_now())
        if name in index.entities.row_of:
            ids = seen.shown([name], index)
        else:
            ids = seen.named(name, index) or seen.people(name.casefold(), index)
        ids.sort(key=lambda id_: -seen.degree(id_, index))
        found = await self._reading.store.get(Entity, ids)
        return [past.rewind(entity) for entity in found.values()]

    async def facts(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> list[Fact]:
        """Return the facts about an entity that hold at the viewpoint, by their start.

        Raises:
            QueryError: if no entity has this name or id.
        """
        known = entity if isinstance(entity, Entity) else await self.entity(entity, group=group)
        if known is None:
            raise QueryError(f"no entity is called {entity!r} in group {group!r}: try a search")
        index = await self._group(known.group_id)
        past = await pipeline.undone(self._reading.store, known.group_id, self.viewpoint)
        seen = visible(index, self.viewpoint, past, now=utc_now())
        row = index.entities.row_of.get(seen.heirs.of(known.id), -1)
        subject, object_ = seen.ends
        rows = np.flatnonzero(seen.facts & ((subject == row) | (object_ == row)))
        found = await self._reading.store.get(Fact, [index.facts.ids[fact] for fact in rows])
        facts = list(past.facts(found, index).values())
        return sorted(facts, key=lambda fact: (fact.valid_at is not None, fact.valid_at, fact.id))

    async def episodes(self, ids: Iterable[str]) -> list[Episode]:
        """Return the episodes with these ids, in the order asked; unknown ids are left out.

        Those that were told after ``known_at``, or are dated after ``valid_at``, are unknown.
        """
        found = (await self._reading.store.get(Episode, ids)).values()
        pasts = {group: await self._past(group) for group in {one.group_id for one in found}}
        then = [
            pasts[one.group_id].rewind(one)
            for one in found
            if pasts[one.group_id].before.get(f"episode:{one.id}", {}) is not None
        ]
        latest = self.viewpoint.valid_at
        return [one for one in then if latest is None or one.valid_at <= latest]

    async def groups(self) -> list[str]:
        """Return the names of the groups in this store."""
        if self.viewpoint.known_at is None:
            return await self._reading.store.groups()
        [names] = await self._reading.store.query(
            "SELECT VALUE record::id(id) FROM group_info WHERE created_at <= $moment;",
            moment=self.viewpoint.known_at,
        )
        return sorted(names)

    async def stats(self, *, group: str = DEFAULT_GROUP) -> Stats:
        """Count what a group holds; all zeros for a group that is not there."""
        index, past, ever = await self._view(checked_group(group), history=True)
        seen = visible(index, replace(self.viewpoint, history=False), past, now=utc_now())
        events = index.seq
        if self.viewpoint.known_at is not None:
            events -= len(await self._reading.store.events_since(group, self.viewpoint.known_at))
        return count(index, seen, ever, events=events, at=self._now())

    async def most_connected(
        self, limit: int = 10, *, group: str = DEFAULT_GROUP
    ) -> list[tuple[Entity, int]]:
        """Return the entities with the most facts, with their number; concepts are left out.

        Facts of all times count; with ``valid_at``, those that held then.
        """
        history = self.viewpoint.valid_at is None
        index, past, seen = await self._view(checked_group(group), history=history)
        found = await most_connected(index, self._reading.store, seen, limit=limit)
        return [(past.rewind(entity), degree) for entity, degree in found]

    async def sources(self, fact: Fact | str) -> list[Quote]:
        """Return where a fact is stated: episodes with the characters that say so, oldest first.

        Empty for a fact that a person entered without any.

        Raises:
            InputError: if there is no such fact.
        """
        id_ = fact if isinstance(fact, str) else fact.id
        found = (await self._reading.store.get(Fact, [id_])).get(id_)
        past = None if found is None else await self._past(found.group_id)
        if found is None or past is None or past.before.get(f"relates_to:{id_}", {}) is None:
            raise InputError(f"there is no fact {id_!r}: search, or facts(entity), shows them")
        return (await quotes_of([past.rewind(found)], self._reading.store))[0]

    async def timeline(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> Timeline:
        """Return the facts about an entity of all times, in order, and what ended each.

        Raises:
            QueryError: if no entity has this name or id.
        """
        known = entity if isinstance(entity, Entity) else await self.entity(entity, group=group)
        if known is None:
            raise QueryError(f"no entity is called {entity!r} in group {group!r}: try a search")
        index, past, seen = await self._view(known.group_id, history=True)
        return await read_timeline(known, index, self._reading.store, seen, past, at=self._now())

    async def changes(
        self,
        since: Moment,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        group: str = DEFAULT_GROUP,
    ) -> Changes:
        """Return what became different between two moments.

        Args:
            since: The earlier moment.
            until: The later one; default: that of the view, or now.
            axis: ``system``: what the graph learned, closed, corrected, retracted or restored.
                ``world``: what began and ended, by what is known at the view.
            group: The graph inside the store.

        Raises:
            QueryError: if the moments are not in order, or for another axis.
            TimeError: if a moment cannot be read.
        """
        if axis not in ("system", "world"):
            raise QueryError(f"axis {axis!r}: choose 'system' or 'world'")
        first = parse_moment(since, what="since")
        last = self._now(axis) if until is None else parse_moment(until, what="until")
        if last < first:
            raise QueryError(f"since {first.isoformat()} is after until {last.isoformat()}")
        if axis == "world":
            return happened_between(await self._turning(group, first, last), first, last)
        index = await self._reading.catalog.group(checked_group(group))
        last = min(last, self.viewpoint.known_at or last)
        events = await self._reading.store.events_since(group, first)
        return await learned_between(index, self._reading.store, events, first, last)

    async def _turning(self, group: str, since: datetime, until: datetime) -> list[Fact]:
        """Return the facts that begin or end in a stretch of world time."""
        index, past, seen = await self._view(checked_group(group), history=True)
        start, end = (to_micros(moment, FOREVER) for moment in (since, until))
        turning = np.zeros(len(index.facts), dtype=np.bool_)
        for moments in (seen.valid, seen.invalid):
            turning |= (start <= moments) & (moments < end)
        rows = np.flatnonzero(turning & seen.facts & (seen.retracted == FOREVER))
        found = await self._reading.store.get(Fact, [index.facts.ids[row] for row in rows])
        return list(past.facts(found, index).values())

    def _now(self, axis: Axis = "world") -> datetime:
        """Return the moment of the view."""
        moments = (self.viewpoint.valid_at if axis == "world" else None, self.viewpoint.known_at)
        return next((moment for moment in moments if moment is not None), utc_now())

    async def _past(self, group: str) -> Past:
        return await pipeline.undone(self._reading.store, group, self.viewpoint)

    async def _view(
        self, group: str, *, history: bool | None = None
    ) -> tuple[GroupIndex, Past, Visible]:
        index = await self._reading.catalog.group(group)
        past = await self._past(group)
        view = self.viewpoint if history is None else replace(self.viewpoint, history=history)
        return index, past, visible(index, view, past, now=utc_now())

    async def _group(self, name: str) -> GroupIndex:
        return await self._there(await self._reading.catalog.group(name))

    async def _there(self, index: GroupIndex) -> GroupIndex:
        name = index.group_id
        # A group that nobody wrote to is most often a misspelt one; the default may be empty.
        if index.seq == 0 and name != DEFAULT_GROUP:
            known = ", ".join(map(repr, await self._reading.store.groups())) or "none yet"
            raise QueryError(f"there is no group {name!r}; groups in this store: {known}")
        return index
