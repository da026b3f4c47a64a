"""History of a group: its event log, and how to revert, replay or erase.

The modules that undo changes are imported on demand: most programs never use them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable
from typing import TYPE_CHECKING

from graphrag.display.lists import Log
from graphrag.edit.editor import Door, id_of, stored_event
from graphrag.errors import InputError, QueryError
from graphrag.model.arguments import checked
from graphrag.model.values import Change, Entity, Episode, Event, Fact
from graphrag.session import Openable, opened
from graphrag.store.store import Store
from graphrag.temporal.moment import Moment, parse_moment, utc_now

if TYPE_CHECKING:
    from graphrag.history.replay import Replayed

_PAGE = 1000
"""Events that are looked through at a time for those of a record."""


@checked(door="graph.log")
class EventLog(Door):
    """Event log of a group, with revert, removal and replay: ``graph.log``.

    Facts, entities, episodes and events may be given by id or number. Each write is one transaction
    with one event, which stores the ``reason`` and the ``actor`` (default: the one given to
    ``GraphRAG.open``). ``PolicyError`` is raised if the write policy refuses. After any error
    nothing was written.
    """

    async def events(
        self,
        *,
        after: int | None = None,
        limit: int | None = None,
        fact: Fact | str | None = None,
        entity: Entity | str | None = None,
    ) -> Log:
        """Return the events of the group, oldest first.

        With ``fact`` or ``entity``, only the events that changed it; for an entity also those that
        changed a fact about it or mention it.

        Args:
            after: Only events with a higher number.
            limit: Maximum number: the newest events, or with ``after`` the next ones. Default: all.
            fact: A fact, or its id.
            entity: An entity, or its id.

        Raises:
            InputError: if both are given, or the limit is out of range.
        """
        if fact is not None and entity is not None:
            raise InputError("the log is asked for a fact or for an entity: give one of the two")
        if limit is not None and limit < 1:
            raise InputError(f"limit is {limit}: ask for one event at least")
        ingestion, group = self._handle.session, self._group
        records: set[str] | None = None
        if fact is not None:
            records = {f"relates_to:{id_of(fact)}"}
        elif entity is not None:
            index = await ingestion.catalog.group(group)  # with all that were merged into it
            records = {f"entity:{id_}" for id_ in index.heirs.family(id_of(entity))}
            records |= {f"relates_to:{id_}" for id_ in index.facts_of(id_of(entity))}
        if limit is None:
            events = await ingestion.store.events(group, after=after or 0)
            return Log(events if records is None else _about(events, records))
        matching: list[Event] = []
        size = limit if records is None else max(limit, _PAGE)
        async for page in _pages(ingestion.store, group, after, size):
            part = page if records is None else _about(page, records)
            matching = [*part, *matching] if after is None else [*matching, *part]
            if len(matching) >= limit:
                break
        return Log(matching[-limit:] if after is None else matching[:limit])

    async def remove_episode(
        self, episode: Episode | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Remove an episode with the facts that only it states, and return the event.

        A fact that another episode or a person also states stays. Facts that the episode had closed
        hold again, and entities without other mentions disappear from reads. Nothing is deleted:
        earlier moments still show it, and the episode may be added again.

        Raises:
            InputError: if the episode does not exist or is removed already.
        """
        ingestion = self._handle.session
        from graphrag.history.removal import withdraw

        return await self._write(
            lambda index: withdraw(episode, index, ingestion, now=utc_now()),
            reason=reason,
            actor=actor,
        )

    async def remove_source(
        self, source: str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Remove everything that one source stated, in one transaction; return the event.

        Its episodes are removed as by ``remove_episode``, and facts that tables or calls stated in
        its name are retracted. Exceptions stay: facts that a person confirmed, attributes that its
        tables set, and what others said of an entity by a name only it knew. ``revert`` undoes the
        removal. ``source`` is the ``source_description`` of episodes and the ``source`` of facts.

        Raises:
            InputError: if no valid data is from this source.
        """
        ingestion = self._handle.session
        from graphrag.history.removal import withdraw_source

        return await self._write(
            lambda index: withdraw_source(source, index, ingestion, now=utc_now()),
            reason=reason,
            actor=actor,
        )

    async def revert(
        self, event: Event | int, *, force: bool = False, reason: str = "", actor: str | None = None
    ) -> Event:
        """Undo an event with a new event, which is returned and can be reverted, too.

        Changed fields get their earlier values back. Facts and episodes that the event added are
        retracted or removed, with entities that nothing else mentions. With ``force``, fields that
        a later event changed are restored, too.

        Raises:
            InputError: if the event does not exist, cannot be undone or is undone already, or a
                later event changed the same fields and ``force`` is not set.
        """
        ingestion = self._handle.session
        undone = await stored_event(event, self._group, ingestion.store)

        from graphrag.history.revert import revert

        undo = await self._write(
            lambda index: revert(undone, index, ingestion, force=force, now=utc_now()),
            reason=reason,
            actor=actor,
        )
        if any(change.record.startswith("episode:") for change in undo.changes):
            await self._handle.queue.resume()  # it may wait again to be read
        return undo

    def follow(self, *, after: int | None = None) -> AsyncIterator[Event]:
        """Yield new events: ``async for event in graph.log.follow():``.

        Yields each event when it is committed, until the graph is closed. Searches in the loop
        already see its changes, and a slow reader misses no event. Events of other processes arrive
        from a server within half a second.

        Args:
            after: Start after the event with this number; 0 yields the whole log first. Default:
                only new events.

        Raises:
            QueryError: if there is no event with this number.
        """
        if after is not None and after < 0:
            raise QueryError(f"after is the number of an event, or 0, not {after}")
        session, group = self._handle.session, self._group
        writer = session.writer
        return writer.streams.open(group, session.store, writer.locks[group], after=after)

    async def replay(self, into: Openable, *, until: Moment | None = None) -> Replayed:
        """Rebuild the group from its log in another store, and return a report.

        The other graph has the same records, events and past. Vectors are copied, or computed again
        if it has another embedder: this is how to change the embedder. Changes of the tables that
        bypassed the log are not replayed.

        Args:
            into: A graph whose store does not have the group, as returned by ``GraphRAG.open``. If
                it is not open, it is opened for the replay and closed again. Its policy is not
                applied.
            until: System time: replay only the events until then.

        Raises:
            InputError: if the group does not exist, or the other store has it.
            StoreError: if the log is incomplete; ``health.check()`` gives the place.
        """
        return await self._replay(into, self._group, until)

    async def replay_all(self, into: Openable, *, until: Moment | None = None) -> Replayed:
        """Rebuild every group of the store from its log in another store: see ``replay``."""
        return await self._replay(into, None, until)

    async def _replay(self, into: Openable, group: str | None, until: Moment | None) -> Replayed:
        from graphrag.history.replay import replay_groups

        source = self._handle.session
        moment = None if until is None else parse_moment(until, what="until")
        async with opened(into) as target:
            return await replay_groups(source, target, group, moment)


async def _pages(
    store: Store, group: str, after: int | None, size: int
) -> AsyncIterator[list[Event]]:
    """Yield pages of the log: from an event on, or without one from the newest backwards."""
    if after is not None:
        while page := await store.events(group, after=after, limit=size):
            yield page
            after = page[-1].seq
        return
    last = await store.last_seq(group)
    while last > 0:  # numbers have no gaps
        first = max(0, last - size)
        yield await store.events(group, after=first, limit=last - first)
        last = first


def _about(events: Iterable[Event], records: Collection[str]) -> list[Event]:
    """Return the events that changed one of these records, given as ``table:id``, or tied to it."""

    def concerns(change: Change) -> bool:
        image = change.after or change.before or {}
        tied = change.record.startswith(("mentions:", "relates_to:"))
        ends = (image.get("in"), image.get("out")) if tied else ()
        return change.record in records or any(end in records for end in ends)

    return [event for event in events if any(map(concerns, event.changes))]
