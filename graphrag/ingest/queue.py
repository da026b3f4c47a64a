"""Queue of episodes that are stored at once and extracted later by workers in this process.

The state of the queue is in the store: an episode is ``pending`` until one transaction writes its
facts and marks it ``done``, or records why it ``failed``. This module only holds the order of work:
one episode of a group at a time, by reference time.
"""

import asyncio
import heapq
import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.errors import StoreError, TransactionError
from graphrag.index.catalog import Locks
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.policy import FAILED
from graphrag.ingest.reports import Added
from graphrag.model.values import Episode
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import to_micros

_LOG = logging.getLogger("graphrag")
WORKER = "graphrag-worker"
"""Name of the tasks of the workers."""


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """Number of episodes of a group by state, without removed ones."""

    group: str
    pending: int = 0
    done: int = 0
    failed: int = 0
    oldest_pending: datetime | None = None
    """When the pending episode that has waited longest was added."""
    dropped: int = 0
    """Number of extracted items that were rejected since the graph was opened."""
    adjusted: int = 0
    """Number of extracted items that were stored with changes or wait for review."""
    notes: tuple[str, ...] = ()
    """The latest rejected and changed items, in words."""


class Queue:
    """The pending episodes of an open graph and the tasks that finish them."""

    def __init__(self, ingestion: Ingestion, *, workers: int) -> None:
        self._ingestion = ingestion
        self._workers = workers
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        """By group: reference time and id, a heap."""
        self._reading = Locks()
        """By group: held while one of its episodes is read."""

    async def resume(self) -> None:
        """Take up what a former process left pending."""
        [rows] = await self._ingestion.store.query(
            "SELECT VALUE [group_id, time::micros(valid_at), record::id(id)] FROM episode "
            "WHERE status = 'pending' AND removed_at IS NONE AND group_id NOT IN "
            "(SELECT VALUE record::id(id) FROM group_info WHERE forgotten_at IS NOT NONE);"
        )
        self._take(rows)

    async def put(self, episode: Episode) -> Added:
        """Store an episode as pending, with its vectors; searchable when this returns."""
        from graphrag.ingest.episode_intake import put_unread

        group, episode = episode.group_id, replace(episode, status="pending")
        known = await put_unread(self._ingestion, episode, "queue_episode")
        if known is not None:
            return Added(known, new=False)
        self._take([(group, to_micros(episode.valid_at, BEGINNING), episode.id)])
        return Added(episode, new=True)

    async def retry(self, group: str) -> int:
        """Make the failed episodes of a group pending again and return their number."""
        failed: list[Episode] = []

        async def build(_: GroupIndex) -> ChangeSet:
            nonlocal failed
            failed = await self.failed(group)
            changes = ChangeSet(group, "retry_episodes")
            for episode in failed:
                changes.change(episode, replace(episode, status="pending", error=None))
            return changes

        await self._ingestion.writer.commit(group, build, enter=_step)
        times = [to_micros(episode.valid_at, BEGINNING) for episode in failed]
        self._take([(group, at, episode.id) for at, episode in zip(times, failed, strict=True)])
        return len(failed)

    async def failed(self, group: str) -> list[Episode]:
        """Return the failed episodes of a group, by reference time."""
        [ids] = await self._ingestion.store.query(
            "SELECT VALUE record::id(id) FROM episode "
            "WHERE status = 'failed' AND group_id = $group AND removed_at IS NONE;",
            group=group,
        )
        episodes = (await self._ingestion.store.get(Episode, ids)).values()
        return sorted(episodes, key=lambda episode: (episode.valid_at, episode.id))

    async def status(self, group: str) -> QueueStatus:
        """Count the episodes of a group by state."""
        # Not between a commit and its entry into the index: what is done can be read.
        async with self._ingestion.writer.locks[group]:
            [rows] = await self._ingestion.store.query(
                "SELECT status, count() AS number, time::min(created_at) AS oldest FROM episode "
                "WHERE group_id = $group AND removed_at IS NONE GROUP BY status;",
                group=group,
            )
        counts = {row["status"]: row["number"] for row in rows}
        oldest = {row["status"]: row["oldest"] for row in rows}
        pending, done, failed = (counts.get(state, 0) for state in ("pending", "done", "failed"))
        losses = self._ingestion.losses
        lost, notes = losses.counts.get(group, Counter()), losses.notes.get(group, ())
        return QueueStatus(
            group, pending, done, failed, oldest.get("pending"), **lost, notes=tuple(notes)
        )

    async def drain(self, group: str | None) -> None:
        """Return when nothing of a group, or of any, is pending; help the workers until then."""
        while names := [name for name in self._waiting if group in (None, name)]:
            for name in names:
                await self._next(name)

    async def close(self) -> None:
        """Stop the workers; what they were reading stays pending."""
        self._workers = 0
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- work ----------------------------------------------------------------------------------

    def _take(self, rows: Sequence[Sequence[str | int]]) -> None:
        for group, at, id_ in rows:
            heapq.heappush(self._waiting[str(group)], (int(at), str(id_)))
        groups = sum(map(bool, self._waiting.values()))
        while len(self._tasks) < min(self._workers, groups):
            self._tasks.add(asyncio.create_task(self._work(), name=WORKER))

    async def _work(self) -> None:
        """Read what waits, of groups that nobody else works on."""
        try:
            while free := [
                name for name, ids in self._waiting.items() if ids and not self._reading.held(name)
            ]:
                await self._next(free[0])
        except StoreError as error:
            _LOG.warning("the queue rests until the graph is opened again: %s", error)
        finally:
            # At once, not in a callback: whoever queues next must see that nobody is at work.
            if (task := asyncio.current_task()) is not None:
                self._tasks.discard(task)

    async def _next(self, group: str) -> None:
        """Read the first episode of a group, after the one that is being read, if there is any."""
        async with self._reading[group]:
            waiting = self._waiting.get(group)
            if not waiting:
                return
            at, id_ = heapq.heappop(waiting)
            try:
                await self._finish(id_)
            except BaseException:
                heapq.heappush(waiting, (at, id_))
                raise
            finally:
                if not waiting:
                    del self._waiting[group]

    async def _finish(self, id_: str) -> None:
        # Imported here: a graph that is only read reads no episode.
        from graphrag.ingest.episode_intake import add_episode, described

        episode = await self._pending(id_)
        if episode is None:
            return
        done = replace(episode, status="done", error=None)
        try:
            await add_episode(self._ingestion, done, waited=True)
        except Exception as error:  # whatever it is: the episode is noted as failed
            if isinstance(error, StoreError) and not isinstance(error, TransactionError):
                raise
            _LOG.warning("episode %r failed: %s", episode.name or id_, type(error).__name__)
            await self._fail(episode, described(error))

    async def _pending(self, id_: str) -> Episode | None:
        stored = (await self._ingestion.store.get(Episode, [id_])).get(id_)
        waits = stored is not None and stored.status == "pending" and stored.removed_at is None
        return stored if waits else None

    async def _fail(self, episode: Episode, reason: str) -> None:
        async def build(_: GroupIndex) -> ChangeSet:
            changes = ChangeSet(episode.group_id, FAILED, note=reason)
            if (stored := await self._pending(episode.id)) is not None:
                changes.change(stored, replace(stored, status="failed", error=reason))
            return changes

        await self._ingestion.writer.commit(episode.group_id, build, enter=_step)


def _step(index: GroupIndex, seq: int) -> None:
    index.seq = seq
