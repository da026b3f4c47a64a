"""Health of a graph and its queue: checks, repairs and cleanup, each imported on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.engine.indexes import Built, IndexReport, build, build_native, check_indexes
from graphrag.errors import InputError, UnknownGroupError
from graphrag.health.snapshot import CheckReport, RepairReport, group_names
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
    """Checks, repairs and cleanup: ``graph.health``."""

    def __init__(self, handle: Handle, group: str, *, strict: bool = False) -> None:
        self._handle, self._group, self._strict = handle, group, strict

    async def check(self) -> CheckReport:
        """Check the consistency of the group; nothing is written.

        Compares every record with the event log, the records that it refers to, and the index in
        the memory of this process. The report of a sound graph has no findings.

        Raises:
            QueryError: if the group does not exist and was opened with ``strict=True``.
            StoreError: if other processes keep writing to the group.
        """
        await self._known()
        return await self._check([self._group])

    async def check_all(self) -> CheckReport:
        """Check every group of the store: see ``check``."""
        return await self._check(await self._names())

    async def repair(self) -> RepairReport:
        """Repair defects that have one possible repair, and report the remaining ones.

        Missing embeddings are computed, the chain of episodes is linked again, links and passages
        without a target are removed, and the memory of this process is reloaded.

        Raises:
            QueryError: if the group does not exist and was opened with ``strict=True``.
            PolicyError: if the write policy refused a repair.
            StoreError: if other processes keep writing to the group.
        """
        await self._known()
        return await self._repair([self._group])

    async def repair_all(self) -> RepairReport:
        """Repair every group of the store: see ``repair``."""
        return await self._repair(await self._names())

    async def indexes(self) -> IndexReport:
        """Check that every index exists and agrees with its table; nothing is written.

        Raises:
            StoreProfileError: if the store has the process profile, which has no such indexes.
        """
        return await check_indexes(self._handle.session.store)

    async def build_indexes(
        self, *, rows: bool = True, on_step: Callable[[Built], None] | None = None
    ) -> list[Built]:
        """Rebuild the indexes while nobody writes; searches are refused meanwhile.

        After many writes this also makes searches faster: it joins pages of single transactions.

        Args:
            rows: Whether to derive the indexed rows from the records again, too.
            on_step: Called after each step.

        Raises:
            StoreProfileError: if the store has the process profile, which has no such indexes.
        """
        session = self._handle.session
        return await build(session.store, rows=rows, on_step=on_step)

    async def build_native(self, *, on_step: Callable[[Built], None] | None = None) -> list[Built]:
        """Add tables that SurrealQL can search to a store of the process profile.

        Vectors get a DISKANN or HNSW index, words a FULLTEXT index; later transactions keep them up
        to date. Do not write meanwhile. After an interruption call the method again.

        Args:
            on_step: Called after each step.
        """
        return await build_native(self._handle.session.store, on_step)

    async def reembed(
        self, *, on_progress: Callable[[Reembedded], None] | None = None
    ) -> Reembedded:
        """Change the embedder of the store to that of this graph, which must not be open.

        Nothing is extracted again. The old vectors stay in use until all new ones are computed.
        After an interruption call the method again to continue. Do not write meanwhile.

        Args:
            on_progress: Called after each 64 vectors.

        Raises:
            InputError: if this graph is open: it then has the embedder of the store.
            StoreProfileError: if the store has the engine profile; use ``log.replay_all``.
            EmbeddingError: if the new embedder fails; vectors computed so far are kept.
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
        """Remove orphans from the reads, and give the reason why each is removed or kept.

        Nothing is deleted and no fact changes. A removed item returns when it is mentioned again,
        and ``log.revert`` restores all. Entities that a person entered directly, or that have
        attributes, are kept.

        Args:
            kinds: ``entities``, and optionally ``episodes`` (texts that state nothing, which
                searches otherwise find). Each kind is one transaction with one event.
            dry_run: Whether to only report the changes; the policy is not applied.
            reason: The reason, stored with the events.
            actor: Name for the log; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if a kind is unknown.
            QueryError: if the group does not exist and was opened with ``strict=True``.
            PolicyError: if the write policy refused; another kind may be done already.
        """
        from graphrag.analysis.orphans import Cleanup, plan_cleanup

        if not kinds:
            raise InputError("kinds are empty: choose from entities, episodes")
        await self._known()
        ingestion, group = self._handle.session, self._group
        done: list[Cleanup] = []
        for kind in sorted(set(kinds)):
            planned = Cleanup(group)

            async def build(index: GroupIndex, kind: Kind = kind) -> ChangeSet:
                nonlocal planned
                changes, planned = await plan_cleanup(kind, index, ingestion.store, now=utc_now())
                changes.actor, changes.note = actor or "", reason or None
                return changes

            if dry_run:
                await build(await ingestion.catalog.group(group))
            elif seq := await ingestion.writer.commit(group, build):
                events = await ingestion.store.events(group, after=seq - 1, limit=1)
                planned = replace(planned, events=tuple(events))
            done.append(planned)
        removed, kept, written = (
            tuple(item for part in done for item in getattr(part, name))
            for name in ("removed", "kept", "events")
        )
        return Cleanup(group, removed, kept, written, dry_run)

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
        return await group_names(self._handle.session.store)


@checked(door="graph.queue")
class QueueControl:
    """Queue of episodes that wait for extraction: ``graph.queue``."""

    def __init__(self, handle: Handle, group: str) -> None:
        self._handle, self._group = handle, group

    async def status(self) -> QueueStatus:
        """Return the numbers of pending, done and failed episodes of the group."""
        return await self._handle.queue.status(self._group)

    async def failed(self) -> list[Episode]:
        """Return the episodes whose extraction failed, each with its ``error``."""
        return await self._handle.queue.failed(self._group)

    async def retry(self) -> int:
        """Mark the failed episodes of the group as pending, and return their number."""
        return await self._handle.queue.retry(self._group)

    async def drain(self) -> None:
        """Wait until no episode of the group is pending.

        Failed episodes are not retried. With ``workers=0`` this call does the extraction.

        Raises:
            StoreError: if the store is not available; pending episodes stay pending.
        """
        await self._handle.queue.drain(self._group)

    async def drain_all(self) -> None:
        """Wait until no episode of any group is pending: see ``drain``."""
        await self._handle.queue.drain(None)
