"""Reads of a group from a viewpoint that are no search: lists, counts, lives and differences."""

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
from graphrag.search.within import checked_number
from graphrag.store.log import events_since
from graphrag.temporal.interval import Viewpoint
from graphrag.temporal.moment import Moment, parse_moment, to_micros, utc_now
from graphrag.view.context import MOST, Room

if TYPE_CHECKING:
    from graphrag.analysis.difference import Axis, Changes
    from graphrag.analysis.stats import Stats
    from graphrag.analysis.timeline import Timeline
    from graphrag.search.filters import Filter
    from graphrag.search.results import Quote
    from graphrag.search.rewind import Rewind

_FARTHEST = 1_000_000_000


class Reads(Room):
    """What can be looked up in a group from a viewpoint."""

    @property
    def group_id(self) -> str:
        """Return the name of the group that is read."""
        return self._context.group

    @property
    def viewpoint(self) -> Viewpoint:
        """Return the moments that it is read from."""
        return self._context.viewpoint

    async def entity(self, name: str) -> Entity | None:
        """Return the entity with this name, alias or id, the best connected of several, or None."""
        found = await self.entities(name, limit=1)
        return found[0] if found else None

    async def entities(
        self,
        name: str | None = None,
        *,
        entity_type: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Entity]:
        """Return every entity with this name, alias or id, or of the group, best connected first.

        Args:
            name: A name, an alias or an id; default: any.
            entity_type: Only of this type, such as ``person``; default: any, but values
                (amounts, dates, addresses, states) only if a name is given.
            limit: How many at most.
            offset: How many to leave out before: the length of the pages that were read.

        Raises:
            QueryError: for an impossible limit or offset.
        """
        checked_number("limit", limit, least=1, most=MOST)
        checked_number("offset", offset, least=0, most=_FARTHEST)
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
        limit: int | None = None,
        offset: int = 0,
    ) -> FactList:
        """Return the facts that hold at the viewpoint, by their start, unknown starts first.

        Facts stated from the other end count: ``relation="employs"`` gives those of ``works_at``
        where one is declared the inverse of the other. They come as they are stored.

        Args:
            entity: An entity, its name or its id: only facts about it; default: of all.
            relation: Only facts of this relation, as ``works_at``; one that nobody used has none,
                and a warning if it is nearly one that somebody did.
            limit: How many at most; default: all about an entity, else 100.
            offset: How many to leave out before: the length of the pages that were read.

        Raises:
            QueryError: if there is no such entity, or for an impossible limit or offset.
        """
        if limit is None:
            limit = _FARTHEST if entity is not None else 100
        else:
            checked_number("limit", limit, least=1, most=MOST)
        checked_number("offset", offset, least=0, most=_FARTHEST)
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
        order = np.argsort(starts, kind="stable")[offset : offset + limit]
        found = await self._context.facts([rows[place] for place in order], index, past)
        return FactList(found.values(), entity=known)

    async def episodes(
        self,
        ids: Sequence[str] | None = None,
        *,
        before: Moment | None = None,
        saga: str | None = None,
        where: Filter | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Episode]:
        """Return the episodes with these ids, in the order asked, or all by their time.

        Unknown ids are left out; so is what was added after ``known_at``, or is dated after
        ``valid_at``.

        Args:
            ids: Ids of episodes, or your own keys of them; default: those of the group, the latest
                first.
            before: Only those whose reference time is earlier, if no ids are given: the last
                ``limit`` before a moment.
            saga: Only those of this saga, if no ids are given.
            where: Only those like this, if no ids are given: ``Field.metadata["lang"] == "en"``.
            limit: How many at most, if no ids are given.
            offset: How many to leave out before.

        Raises:
            QueryError: for an impossible limit or offset, or where ids and others are given.
            TimeError: if ``before`` cannot be read.
        """
        checked_number("limit", limit, least=1, most=MOST)
        checked_number("offset", offset, least=0, most=_FARTHEST)
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
            ids = [index.episodes.ids[row] for row in rows[offset : offset + limit]]
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
        """Return where a fact is stated: episodes with the characters that say so, oldest first.

        Empty for a fact that a person entered without any. Episodes that were removed are marked
        (``Quote.removed``); only facts that were retracted with them still name them.

        Raises:
            InputError: if there is no such fact.
        """
        from graphrag.search.results import quotes_of

        id_ = fact if isinstance(fact, str) else fact.id
        found = (await self._context.store.get(Fact, [id_])).get(id_)
        past = await self._context.past()
        known = past.knew("relates_to", id_)
        if found is None or found.group_id != self.group_id or not known:
            raise InputError(f"no fact has the id {id_!r}: pass a fact from a search, or its id")
        return (await quotes_of([past.rewind(found)], self._context.store, past))[0]

    async def timeline(self, entity: Entity | str) -> Timeline:
        """Return the facts about an entity of all times, in order, and what ended each.

        Raises:
            QueryError: if no entity has this name or id.
        """
        from graphrag.analysis.timeline import read_timeline

        index, past, _, [row] = await self._context.places(entity)
        known = (await self._context.entities([row], index, past))[row]
        ever = self._context.ever(index, past)
        return await read_timeline(
            known, index, self._context.store, ever, past, at=self._context.now()
        )

    async def changes(
        self, since: Moment, until: Moment | None = None, *, axis: Axis = "system"
    ) -> Changes:
        """Return what became different between two moments.

        Args:
            since: The earlier moment.
            until: The later one; default: that of the view, or now.
            axis: ``system``: what the graph learned, closed, corrected, retracted or restored.
                ``world``: what began and ended, by what is known at the view.

        Raises:
            QueryError: if the moments are not in order, or for another axis.
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
        """Count what the group holds; all zeros for a group that is not there."""
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
