"""The past of the graph: who did what, and taking it back.

What takes back is imported when it is asked for: most programs never do.
"""

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from graphrag.errors import InputError
from graphrag.events import Log
from graphrag.facade.opened import Moment, Opened
from graphrag.history.forgotten import WHOLE, Forgotten, Texts, Whole, checked
from graphrag.history.trail import about, records_of
from graphrag.index.group import GroupIndex
from graphrag.ingest import Ingestion
from graphrag.intake import checked_group
from graphrag.merge import entity_id
from graphrag.models import DEFAULT_GROUP, Entity, Episode, Event, Fact
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import parse_moment, utc_now

if TYPE_CHECKING:
    from graphrag.history.replay import Replayed


class Openable(Protocol):
    """Another graph, open or not."""

    _ingestion: Ingestion | None

    def _open(self) -> Ingestion: ...

    async def __aenter__(self) -> object:
        """Open it."""

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""


class History(Opened):
    """The event log, and what follows from it.

    Where an argument is a fact, an entity or an episode, its id does as well.
    """

    async def log(
        self,
        *,
        group: str = DEFAULT_GROUP,
        after: int = 0,
        fact: Fact | str | None = None,
        entity: Entity | str | None = None,
    ) -> Log:
        """Return every committed change of a group with a number above ``after``, oldest first.

        With ``fact`` or ``entity`` only the events that changed it; those of an entity are also
        the events that changed a fact about it or mention it.

        Raises:
            InputError: if both are given.
        """
        if fact is not None and entity is not None:
            raise InputError("the log is asked for a fact or for an entity: give one of the two")
        for one in (fact, entity):
            group = one.group_id if isinstance(one, Fact | Entity) else group
        ingestion = self._open()
        events = await ingestion.store.events(checked_group(group), after=after)
        if fact is not None:
            return Log(about(events, {f"relates_to:{_id(fact)}"}))
        if entity is not None:
            return Log(about(events, records_of(_id(entity), await ingestion.catalog.group(group))))
        return Log(events)

    async def remove_episode(
        self, episode: Episode | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Take an episode out, with all that rests on it alone, and return the event.

        Its facts are retracted unless another episode or a person states them, too; what it had
        closed holds again; entities that nothing else speaks of leave the reads. Nothing is
        deleted: earlier moments show it, and the same episode may be added again.

        Raises:
            InputError: if there is no such episode, or it was removed before.
            PolicyError: if the write policy refused; in every case nothing was written.
        """
        ingestion = self._open()
        id_ = _id(episode)
        from graphrag.history.withdraw import stored_episode, withdraw

        group = (await stored_episode(id_, ingestion.store)).group_id

        async def build(index: GroupIndex) -> ChangeSet:
            changes = await withdraw(id_, index, ingestion, now=utc_now())
            changes.actor, changes.note = actor or "", reason or None
            return changes

        seq = await ingestion.writer.commit(group, build)
        return (await ingestion.store.events(group, after=seq - 1))[0]

    async def revert(
        self,
        event: Event | int,
        *,
        group: str = DEFAULT_GROUP,
        force: bool = False,
        reason: str = "",
        actor: str | None = None,
    ) -> Event:
        """Undo an event by a new one, which is returned and can itself be reverted.

        What the event changed becomes what it was; facts that it brought are retracted, its
        episodes are removed, and entities that nothing else speaks of with them.

        Args:
            event: An event of the log, or its number in ``group``.
            group: The graph inside the store, if a number is given.
            force: Restore even fields that a later event has changed.
            reason: Why, kept with the event.
            actor: Who says so; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if there is no such event, it cannot be undone, is undone already, or a
                later event changed the same fields.
            PolicyError: if the write policy refused; in every case nothing was written.
        """
        ingestion = self._open()
        number = event if isinstance(event, int) else event.seq
        group = checked_group(group) if isinstance(event, int) else event.group_id
        found = await ingestion.store.events(group, after=number - 1)
        if not found or found[0].seq != number:
            raise InputError(f"group {group!r} has no event {number}: log() shows them all")
        undone = found[0]

        from graphrag.history.revert import revert

        async def build(index: GroupIndex) -> ChangeSet:
            changes = await revert(undone, index, ingestion, force=force, now=utc_now())
            changes.actor, changes.note = actor or "", reason or None
            return changes

        seq = await ingestion.writer.commit(group, build)
        undo = (await ingestion.store.events(group, after=seq - 1))[0]
        if any(change.record.startswith("episode:") for change in undo.changes):
            await self._queue_of().resume()  # it may wait again to be read
        return undo

    async def forget(
        self,
        entity: Entity | str | Whole = WHOLE,
        *,
        group: str | None = None,
        episodes: Texts = "erase",
        actor: str | None = None,
        dry_run: bool = False,
    ) -> Forgotten:
        """Erase an entity, or a whole group, for good. The only thing that deletes.

        Of an entity goes all that was told of it: its facts, the episodes that mention it, state
        something of it or have one of its names in their text, every fact and entity that nothing
        else speaks of, and the communities until they are built again. What an erased fact had
        closed holds again, as far as the rules leave room. What stays loses the names, in the log
        as well: events keep number, kind and time. It is one transaction, and cannot be reverted.

        A whole group goes with its log and its name, in many small transactions, however large it
        is. If that is cut short the group is closed: ``forget(group=...)`` again finishes it.

        Answers that a language model's cache keeps, and backups, are yours to delete.

        Args:
            entity: An entity, its id or its name; left out, the whole group is forgotten.
            group: The graph inside the store; default for an entity: its own, or ``default``.
            episodes: ``keep`` lets every text stay as it was said: it is still found by its
                words, and no longer leads to the entity.
            actor: Who says so; default: the one given to ``GraphRAG.open``.
            dry_run: Erase nothing and only count what would go; the policy is not asked.

        Raises:
            InputError: if there is no such entity, a name means several, or nothing is named.
            QueryError: if there is no such group.
            PolicyError: if the write policy refused; in every case nothing was written.
        """
        checked(entity, group, episodes)
        ingestion = self._open()
        if isinstance(entity, Whole):
            from graphrag.history.forget_group import forget_group

            group = checked_group(group or "")
            return await forget_group(group, ingestion, actor or "", dry_run=dry_run)
        group = (
            entity.group_id if isinstance(entity, Entity) else checked_group(group or DEFAULT_GROUP)
        )
        from graphrag.history.forget import counted, forget

        records: Mapping[str, int] = {}

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal records
            id_ = entity_id(entity, index)
            changes = await forget(id_, index, ingestion, episodes, now=utc_now())
            changes.actor = actor or ""
            records = counted(changes)
            if not dry_run:
                await ingestion.catalog.unsave(group)
            return changes

        if dry_run:
            await build(await ingestion.catalog.group(group))
            return Forgotten(group, records)
        seq = await ingestion.writer.commit(group, build)
        [event] = (await ingestion.store.events(group, after=seq - 1))[:1]
        return Forgotten(group, records, event)

    async def replay(
        self, into: Openable, *, group: str | None = None, until: Moment | None = None
    ) -> "Replayed":
        """Make the graph anew from its log in another store, and return what was made.

        The other graph has the same records, events and past as this one. Vectors are copied, or
        embedded again where the embedder is another: a replay is how to change the embedder. What
        somebody changed in the tables behind the log's back is left behind.

        Args:
            into: A graph whose store has none of these groups, as ``GraphRAG.open`` returned it;
                it is opened for the replay and closed again, unless it is open. Its policy is not
                asked.
            group: The graph inside the store; default: all of them.
            until: System time: only what was told until then.

        Raises:
            InputError: if there is no such group, or the other store has it.
            StoreError: if a log is not whole; ``check()`` says where.
        """
        from graphrag.history.replay import replay_groups

        source = self._open()
        moment = None if until is None else parse_moment(until, what="until")
        if into._ingestion is not None:
            return await replay_groups(source, into._ingestion, group, moment)
        async with into:
            return await replay_groups(source, into._open(), group, moment)


def _id(one: Fact | Entity | Episode | str) -> str:
    return one if isinstance(one, str) else one.id
