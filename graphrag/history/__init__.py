"""History of a group: its log, and how it is reverted, replayed or erased.

What takes back is imported when it is asked for: most programs never do.
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
    """The log of a group, and what follows from it: ``graph.log``.

    Where an argument is a fact, an entity, an episode or an event, its id or number does as well.
    Each write is one transaction with one event, which keeps the ``reason`` and the ``actor``, by
    default the one given to ``GraphRAG.open``. A ``PolicyError`` is the write policy's refusal;
    whatever is raised, nothing was written.
    """

    async def events(
        self,
        *,
        after: int | None = None,
        limit: int | None = None,
        fact: Fact | str | None = None,
        entity: Entity | str | None = None,
    ) -> Log:
        """Return the committed changes of a group, oldest first.

        With ``fact`` or ``entity`` only the events that changed it; those of an entity are also
        the events that changed a fact about it or mention it.

        Args:
            after: Only events with a number above this one.
            limit: How many at most: the newest, or with ``after`` the next ones. Default: all.
            fact: A fact, or its id.
            entity: An entity, or its id.

        Raises:
            InputError: if both are given, or for an impossible limit.
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
        """Take an episode out, with all that rests on it alone, and return the event.

        Its facts are retracted unless another episode or a person states them, too; what it had
        closed holds again; entities that nothing else speaks of leave the reads. Nothing is
        deleted: earlier moments show it, and the same episode may be added again.

        Raises:
            InputError: if there is no such episode, or it was removed before.
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
        """Take back everything that one source said, in one transaction; return the event.

        Its episodes are removed as ``remove_episode`` does it, and what tables or calls stated in
        its name is retracted: the graph is then as if it had never been heard, but for what a
        person confirmed, for attributes that its tables gave, and for what others said of a name
        by which only it knew an entity: that stays with the entity. ``revert`` brings it back.
        ``source`` is what its episodes have as ``source_description``, its facts as ``source``.

        Raises:
            InputError: if nothing that stands is from this source.
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
        """Undo an event by writing a new one, which is returned and can itself be reverted.

        Changed fields get their earlier values back, facts that the event added are retracted, and
        its episodes are removed, with the entities that nothing else mentions. With ``force``,
        fields that a later event has changed are restored, too.

        Raises:
            InputError: if there is no such event, it cannot be undone or already has been, or a
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
        """Follow what is committed: ``async for event in graph.log.follow():``.

        Gives every event from now on, as it is committed, until the graph is closed. A search in
        the body of the loop sees what the event brought. A slow reader misses nothing. Other
        processes' events come from a server within half a second.

        Args:
            after: From this event on, by its number; 0 gives the whole log first. Default: from
                the next one on.

        Raises:
            QueryError: if there is no event of this number.
        """
        if after is not None and after < 0:
            raise QueryError(f"after is the number of an event, or 0, not {after}")
        session, group = self._handle.session, self._group
        writer = session.writer
        return writer.streams.open(group, session.store, writer.locks[group], after=after)

    async def replay(self, into: Openable, *, until: Moment | None = None) -> Replayed:
        """Make the group anew from its log in another store, and return what was made.

        The other graph has the same records, events and past as this one. Vectors are copied, or
        embedded again where the embedder is another: a replay is how to change the embedder. What
        somebody changed in the tables behind the log's back is left behind.

        Args:
            into: A graph whose store has no such group, as ``GraphRAG.open`` returned it; it is
                opened for the replay and closed again, unless it is open. Its policy is not asked.
            until: System time: only what was added until then.

        Raises:
            InputError: if there is no such group, or the other store has it.
            StoreError: if the log is not whole; ``health.check()`` says where.
        """
        return await self._replay(into, self._group, until)

    async def replay_all(self, into: Openable, *, until: Moment | None = None) -> Replayed:
        """Make every group of the store anew from its log in another store; as ``replay``."""
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
