"""Health of a graph and its queue: checks, repairs and cleanup, each imported when asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.engine.indexes import Built, IndexReport
from graphrag.errors import InputError, UnknownGroupError
from graphrag.health.snapshot import CheckReport, RepairReport
from graphrag.index.group import GroupIndex
from graphrag.ingest.queue import QueueStatus
from graphrag.model.arguments import checked
from graphrag.model.values import DEFAULT_GROUP, Episode
from graphrag.session import Handle
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now

if TYPE_CHECKING:
    from graphrag.analysis.orphans import Cleanup, Kind
    from graphrag.health.repair import Reembedded


@checked(door="graph.health")
class Health:
    """Checking, repairing and tidying: ``graph.health``."""

    def __init__(self, handle: Handle, group: str, *, strict: bool = False) -> None:
        self._handle, self._group, self._strict = handle, group, strict

    async def check(self) -> CheckReport:
        """Check that the group is whole; nothing is written.

        Every record is compared with the event log, with what it points to and with what this
        process holds in memory: a sound graph has no findings.

        Raises:
            QueryError: if nobody wrote to the group, where that is an error.
            StoreError: if other processes write to the group all the while.
        """
        await self._known()
        return await self._check([self._group])

    async def check_all(self) -> CheckReport:
        """Check every group of the store; as ``check``."""
        return await self._check(await self._names())

    async def repair(self) -> RepairReport:
        """Repair what needs no guessing, in a logged event, and report what is left.

        Missing embeddings are computed again, the chain of episodes is linked anew, links and
        passages that lead nowhere are removed, and the memory of this process is read again.

        Raises:
            QueryError: if nobody wrote to the group, where that is an error.
            PolicyError: if the write policy refused a repair.
            StoreError: if other processes write to the group all the while.
        """
        await self._known()
        return await self._repair([self._group])

    async def repair_all(self) -> RepairReport:
        """Repair every group of the store; as ``repair``."""
        return await self._repair(await self._names())

    async def indexes(self) -> IndexReport:
        """Check that every index exists and agrees with its table; nothing is written.

        Raises:
            StoreProfileError: for a store of the process profile, which has no such indexes.
        """
        from graphrag.engine.indexes import check_indexes

        return await check_indexes(self._handle.session.store)

    async def build_indexes(
        self, *, rows: bool = True, on_step: Callable[[Built], None] | None = None
    ) -> list[Built]:
        """Make the indexes anew while nobody writes; a search meanwhile is refused.

        After many writes this also makes searches quicker: what each transaction added lies in a
        page of its own, and all such pages are read.

        Args:
            rows: Derive from the records what the indexes cover, too.
            on_step: Notified of each step when it is done.

        Raises:
            StoreProfileError: for a store of the process profile, which has no such indexes.
        """
        from graphrag.engine.indexes import build

        session = self._handle.session
        return await build(session.store, rows=rows, on_step=on_step)

    async def build_native(self, *, on_step: Callable[[Built], None] | None = None) -> list[Built]:
        """Add tables that SurrealQL can search to a store of the process profile.

        Vectors come under DISKANN or HNSW, words under FULLTEXT, and each transaction keeps them in
        step from now on. Nobody should write meanwhile; a call that was cut short is made again.

        Args:
            on_step: Notified of each step when it is done.
        """
        from graphrag.engine.indexes import build_native

        return await build_native(self._handle.session.store, on_step)

    async def reembed(
        self, *, on_progress: Callable[[Reembedded], None] | None = None
    ) -> Reembedded:
        """Change the embedder of the store to that of this graph, which is not open yet.

        Nothing is extracted again. The old vectors serve until all new ones are there; a call that
        was cut short goes on when it is made again. Nobody should write meanwhile.

        Args:
            on_progress: Called after each 64 vectors.

        Raises:
            InputError: if this graph is open: it has the embedder that the store has already.
            StoreProfileError: for a store of the engine profile: ``log.replay_all`` embeds again.
            EmbeddingError: if the new embedder fails; what it made stays.
        """
        from graphrag.health.repair import reembed_store

        if self._handle.current is not None:
            raise InputError(
                "this graph is open, and so has the embedder of its store: call health.reembed() "
                "of GraphRAG.open(URL, models=Models(embedder=NEW)) before it is entered"
            )
        return await reembed_store(self._handle.target, self._handle.embedder, on_progress)

    async def cleanup(
        self,
        kinds: Sequence[Kind] = ("entities",),
        *,
        dry_run: bool = True,
        reason: str = "",
        actor: str | None = None,
    ) -> Cleanup:
        """Take the orphans out of the reads, and say why each goes or stays.

        Nothing is deleted and no fact is touched. What was taken out comes back once mentioned
        again, and ``log.revert`` of the event brings all of it back. Entities that somebody entered
        for their own sake, or that have attributes, stay.

        Args:
            kinds: ``entities``, and ``episodes`` if texts that state nothing should go as well,
                which are searched otherwise. Each is one transaction with one event.
            dry_run: Write nothing and only say what would be done; the policy is not asked.
            reason: Why, kept with the events.
            actor: Who does this; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: for an unknown kind.
            QueryError: if nobody wrote to the group, where that is an error.
            PolicyError: if the write policy refused; what was done of another kind stays.
        """
        from graphrag.analysis.orphans import Cleanup

        if not kinds:
            raise InputError("kinds are empty: choose from entities, episodes")
        await self._known()
        cleanup = Cleanup(self._group, dry_run=dry_run)
        for kind in sorted(set(kinds)):
            part = await self._cleaned(kind, dry_run, reason, actor)
            cleanup = replace(
                cleanup,
                removed=cleanup.removed + part.removed,
                kept=cleanup.kept + part.kept,
                events=cleanup.events + part.events,
            )
        return cleanup

    async def _cleaned(self, kind: Kind, dry_run: bool, reason: str, actor: str | None) -> Cleanup:
        from graphrag.analysis.orphans import Cleanup, plan_cleanup

        ingestion, group = self._handle.session, self._group
        done = Cleanup(group)

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal done
            changes, done = await plan_cleanup(kind, index, ingestion.store, now=utc_now())
            changes.actor, changes.note = actor or "", reason or None
            return changes

        if dry_run:
            await build(await ingestion.catalog.group(group))
            return done
        seq = await ingestion.writer.commit(group, build)
        events = (await ingestion.store.events(group, after=seq - 1))[:1] if seq else []
        return replace(done, events=tuple(events))

    async def _check(self, groups: Sequence[str]) -> CheckReport:
        from graphrag.health.check import check_groups

        return await check_groups(groups, self._handle.session)

    async def _repair(self, groups: Sequence[str]) -> RepairReport:
        from graphrag.health.repair import repair_groups

        return await repair_groups(groups, self._handle.session)

    async def _known(self) -> None:
        strict = self._strict and self._group != DEFAULT_GROUP
        if strict and self._group not in await self._names():
            raise UnknownGroupError(self._group)

    async def _names(self) -> list[str]:
        from graphrag.health.snapshot import group_names

        return await group_names(self._handle.session.store)


@checked(door="graph.queue")
class QueueControl:
    """The queued episodes of a group: ``graph.queue``."""

    def __init__(self, handle: Handle, group: str) -> None:
        self._handle, self._group = handle, group

    async def status(self) -> QueueStatus:
        """Count the episodes of the group that are pending, done and failed."""
        return await self._handle.queue.status(self._group)

    async def failed(self) -> list[Episode]:
        """Return the episodes whose facts could not be read, with their ``error``."""
        return await self._handle.queue.failed(self._group)

    async def retry(self) -> int:
        """Make the failed episodes of the group pending again and return their number."""
        return await self._handle.queue.retry(self._group)

    async def drain(self) -> None:
        """Return when no queued episode of the group is pending any more.

        Failed ones are not waited for. With ``workers=0`` this is what does the work.

        Raises:
            StoreError: if the store is gone; what is pending stays so.
        """
        await self._handle.queue.drain(self._group)

    async def drain_all(self) -> None:
        """Return when no queued episode of any group is pending any more; as ``drain``."""
        await self._handle.queue.drain(None)
