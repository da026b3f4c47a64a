"""Lookups in a group from a viewpoint: lists, counts, timelines and differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from graphrag.display.lists import FactList
from graphrag.errors import InputError, QueryError
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.model.values import VALUE, Entity, Episode, Fact
from graphrag.search.near import bearers
from graphrag.search.visibility import visible
from graphrag.store.log import events_since
from graphrag.temporal.interval import Viewpoint
from graphrag.temporal.moment import Moment, parse_moment, to_micros, utc_now
from graphrag.view.context import Limit, Offset, Room

if TYPE_CHECKING:
    from graphrag.analysis.difference import Axis, Changes
    from graphrag.analysis.stats import Stats
    from graphrag.analysis.timeline import Timeline
    from graphrag.search.filters import Filter
    from graphrag.search.results import Quote
    from graphrag.search.rewind import Rewind


class Reads(Room):
    """Lookups in a group from a viewpoint."""

    @property
    def group_id(self) -> str:
        """Return the name of the group."""
        return self._context.group

    @property
    def viewpoint(self) -> Viewpoint:
        """Return the viewpoint of the reads."""
        return self._context.viewpoint

    async def entity(self, name: str) -> Entity | None:
        """Return the best connected entity with this name, alias or id, or None."""
        found = await self.entities(name, limit=1)
        return found[0] if found else None

    async def entities(
        self,
        name: str | None = None,
        *,
        entity_type: str | None = None,
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> list[Entity]:
        """Return the entities with this name, alias or id, or all, best connected first.

        Args:
            name: A name, an alias or an id; default: any.
            entity_type: Only this type, such as ``person``; default: all, but values (amounts,
                dates, addresses, states) only if a name is given.
            limit: Maximum number of entities.
            offset: Number of results to skip, for paging.

        Raises:
            QueryError: if the limit or offset is out of range.
        """
        index, past, seen = await self._context.scene()
        if name is None:
            from graphrag.analysis.stats import degrees

            rows = np.flatnonzero(seen.entities)
            rows = rows[np.argsort(-degrees(index, seen)[rows], kind="stable")]
        else:
            row_of = index.entities.row_of
            rows = np.array([row_of[id_] for id_ in bearers(name, index, seen)], np.intp)
        if entity_type is not None:
            rows = rows[past.of_types((entity_type,), index)[rows]]
        elif name is None:
            rows = rows[~past.of_types((VALUE,), index)[rows]]
        page = rows[offset : offset + limit].tolist()
        found = await self._context.store.get(Entity, [index.entities.ids[row] for row in page])
        return [self._context.named(past.rewind(entity)) for entity in found.values()]

    async def facts(
        self,
        entity: Entity | str | None = None,
        *,
        relation: str | None = None,
        limit: Limit | None = None,
        offset: Offset = 0,
    ) -> FactList:
        """Return the facts that hold at the viewpoint by their start, unknown starts first.

        Inverse relations are included: ``relation="employs"`` returns facts of ``works_at`` if one
        is declared the inverse of the other. Facts are returned as stored.

        Args:
            entity: An entity, its name or its id: only facts about it; default: all.
            relation: Only facts of this relation, such as ``works_at``. An unused relation returns
                no facts, with a warning if it resembles a used one.
            limit: Maximum number; default: all about an entity, else 100.
            offset: Number of results to skip, for paging.

        Raises:
            QueryError: if the entity does not exist, or the limit or offset is out of range.
        """
        if limit is None and entity is None:
            limit = 100
        index, past, seen = await self._context.scene()
        wanted = seen.facts
        known: Entity | None = None
        if entity is not None:
            row = self._context.row(entity, index, seen)
            known = (await self._context.entities([row], index, past))[row]
            wanted = wanted & ((seen.ends[0] == row) | (seen.ends[1] == row))
        if relation is not None:
            names = self._context.relations([relation], index, past)
            codes = [index.relation_code(name) for name in names]
            wanted = wanted & np.isin(index.facts["relation"], codes)
        rows = np.flatnonzero(wanted).tolist()
        rows.sort(key=index.facts.ids.__getitem__)  # nearly so already: then the sort is linear
        starts = seen.valid[rows]
        # In the columns a former fact begins where it ends: whether its start is known is read.
        empty = np.flatnonzero(starts == seen.invalid[rows])
        former = await self._context.facts([rows[place] for place in empty], index, past)
        starts[empty[[fact.valid_at is None for fact in former.values()]]] = BEGINNING
        order = np.argsort(starts, kind="stable")[offset:][:limit]
        found = await self._context.facts([rows[place] for place in order], index, past)
        return FactList(found.values(), entity=known)

    async def episodes(
        self,
        ids: Sequence[str] | None = None,
        *,
        before: Moment | None = None,
        saga: str | None = None,
        where: Filter | None = None,
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> list[Episode]:
        """Return the episodes with these ids in the given order, or all by reference time.

        Unknown ids are left out, as are episodes added after ``known_at`` or dated after
        ``valid_at``.

        Args:
            ids: Ids or your own keys of episodes; default: all of the group, latest first.
            before: Without ids: only episodes with an earlier reference time, the last ``limit``.
            saga: Without ids: only episodes of this saga.
            where: Without ids: a filter such as ``Field.metadata["lang"] == "en"``.
            limit: Without ids: maximum number of episodes.
            offset: Number of episodes to skip, for paging.

        Raises:
            QueryError: if the limit or offset is out of range, or ids are given with others.
            TimeError: if ``before`` cannot be read.
        """
        if ids is not None and any(given is not None for given in (before, saga, where)):
            raise QueryError("ids name the episodes: leave out before, saga and where")
        if where is not None and "episodes" not in where.scopes():
            raise QueryError(f"where {where!r} says nothing of episodes")
        past, store = await self._context.past(), self._context.store
        if ids is None:
            # Here, not above: opening a graph does without the order of episodes.
            from graphrag.sagas.order import in_order, mask_of
            from graphrag.search.masks import narrowed, prepare

            index, past, seen = await self._context.scene()
            if where is not None:
                await prepare(where, index, store)
                seen = narrowed(where, index, seen, past)
            mask = seen.episodes if saga is None else mask_of(saga, index, seen, past)
            if before is not None:
                latest = to_micros(parse_moment(before, what="before"), FOREVER)
                mask = mask & (index.episodes["valid"] < latest)
            if (until := self.viewpoint.valid_at) is not None:
                mask = mask & (index.episodes["valid"] <= to_micros(until, FOREVER))
            rows = in_order(np.flatnonzero(mask), index)[::-1]
            ids = [index.episodes.ids[row] for row in rows[offset : offset + limit].tolist()]
        else:
            ids = await self._ids(ids, past)
        then = [
            past.rewind(episode)
            for episode in (await store.get(Episode, ids)).values()
            if episode.group_id == self.group_id and past.knew("episode", episode.id)
        ]
        moment = self.viewpoint.valid_at
        return [episode for episode in then if moment is None or episode.valid_at <= moment]

    async def sources(self, fact: Fact | str) -> list[Quote]:
        """Return the quotes that state a fact: episodes with character ranges, oldest first.

        Empty for a fact that a person entered without an episode. Removed episodes are marked
        (``Quote.removed``); only facts retracted with them still refer to them.

        Raises:
            InputError: if the fact does not exist.
        """
        from graphrag.search.results import quotes_of

        id_ = fact if isinstance(fact, str) else fact.id
        found = (await self._context.store.get(Fact, [id_])).get(id_)
        past = await self._context.past()
        if found is None or found.group_id != self.group_id or not past.knew("relates_to", id_):
            raise InputError(f"no fact has the id {id_!r}: pass a fact from a search, or its id")
        return (await quotes_of([past.rewind(found)], self._context.store, past))[0]

    async def timeline(self, entity: Entity | str) -> Timeline:
        """Return all facts about an entity in chronological order, with what ended an ended one.

        Raises:
            QueryError: if no entity has this name or id.
        """
        from graphrag.analysis.timeline import read_timeline

        index, past, _, [row] = await self._context.places(entity)
        known = (await self._context.entities([row], index, past))[row]
        ever = self._context.ever(index, past)
        now = self._context.now()
        return await read_timeline(known, index, self._context.store, ever, past, now)

    async def changes(
        self, since: Moment, until: Moment | None = None, *, axis: Axis = "system"
    ) -> Changes:
        """Return the differences between two moments.

        Args:
            since: The earlier moment.
            until: The later one; default: that of the view, or now.
            axis: ``system``: facts that were learned, closed, corrected, retracted or restored in
                the graph. ``world``: facts that began or ended, according to the view.

        Raises:
            QueryError: if the moments are in the wrong order or the axis is unknown.
            TimeError: if a moment cannot be read.
        """
        from graphrag.analysis.difference import happened_between, learned_between

        first = parse_moment(since, what="since")
        last = self._context.now(axis) if until is None else parse_moment(until, what="until")
        if last < first:
            raise QueryError(f"since {first.isoformat()} is after until {last.isoformat()}")
        if axis == "world":
            return happened_between(await self._turning(first, last), first, last)
        store, last = self._context.store, min(last, self.viewpoint.known_at or last)
        events = [event async for event in events_since(store, self.group_id, first)]
        return await learned_between(await self._context.index(), store, events, first, last)

    async def stats(self) -> Stats:
        """Return counts of the group; all zeros if it does not exist."""
        from graphrag.analysis.stats import count

        index, past, ever = await self._context.scene(history=True)
        seen = visible(index, replace(self.viewpoint, history=False), past, now=utc_now())
        return count(index, past, seen, ever, at=self._context.now())

    async def _ids(self, names: Sequence[str], past: Rewind) -> list[str]:
        """Return ids of episodes, given those or the caller's keys of the moment."""
        stored = await self._context.store.get(Episode, names)
        # A removed one may have been replaced under its id.
        keys = {name for name in names if name not in stored or stored[name].removed_at}
        if not keys:
            return list(names)
        index = await self._context.index()
        holders = {key: index.timeline.keyed(key) for key in keys}
        found = {key: id_ for key, id_ in holders.items() if id_ and past.knew("episode", id_)}
        since = [id_ for id_, image in past.images("episode") if not image.get("removed_at", 1)]
        for episode in (await self._context.store.get(Episode, since)).values():
            if episode.key and episode.key in keys:
                found[episode.key] = episode.id
        return [found.get(name, name) for name in names]

    async def _turning(self, since: datetime, until: datetime) -> list[Fact]:
        index, past, seen = await self._context.scene(history=True)
        start, end = (to_micros(moment, FOREVER) for moment in (since, until))
        turning = np.zeros(len(index.facts), dtype=np.bool_)
        for moments in (seen.valid, seen.invalid):
            turning |= (start <= moments) & (moments < end)
        rows = np.flatnonzero(turning & seen.facts & (seen.retracted == FOREVER))
        return list((await self._context.facts(rows, index, past)).values())
