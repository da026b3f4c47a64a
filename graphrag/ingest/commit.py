"""Commits of a group: plan under its lock, write, plan again if another writer was faster.

The event number is the lock between processes. Removed entities keep row and names and return when
a new fact speaks of them.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator
from dataclasses import dataclass, field

from graphrag.errors import PolicyError, TransactionError
from graphrag.index.catalog import Catalog, Locks
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.ingest.policy import FAILED, Policy, broken, refused
from graphrag.store.changes import LIBRARY, ChangeSet, Update
from graphrag.store.connection import outlast
from graphrag.store.log import Streams
from graphrag.store.store import StaleGroupError, Store
from graphrag.temporal.moment import from_micros


def returning(changes: ChangeSet, index: GroupIndex) -> list[str]:
    """Add to a transaction that the removed entities it speaks of are there; return their ids."""
    decided = {
        update.id
        for update in changes.updates
        if update.table == "entity" and "removed_at" in update.after
    }
    back = [
        id_
        for id_ in dict.fromkeys(_spoken_of(changes, index))
        if id_ not in decided and _removed(id_, index) != FOREVER
    ]
    for id_ in back:
        was = from_micros(_removed(id_, index))
        changes.updates.append(Update("entity", id_, {"removed_at": was}, {"removed_at": None}))
    return back


def _spoken_of(changes: ChangeSet, index: GroupIndex) -> Iterator[str]:
    for row in changes.new_rows("mentions"):
        yield from index.heirs.each([row["out"].id])
    for row in changes.new_rows("relates_to"):
        yield from index.heirs.each([row["in"].id, row["out"].id])
    for update in changes.updates:
        if update.table == "relates_to" and "retracted_at" in update.after:
            if update.after["retracted_at"] is None and update.id in index.facts.row_of:
                yield from index.ends_of(index.facts.row_of[update.id])


def _removed(id_: str, index: GroupIndex) -> int:
    row = index.entities.row_of.get(id_)
    return FOREVER if row is None else int(index.entities["removed"][row])


_LOG = logging.getLogger("graphrag")
_REPLANS = 100
"""Tries of a transaction: a fast writer of another process may win many times in a row."""
DENIED = "denied"
"""Kind of the event that stands in the log for a refused transaction."""

Build = Callable[[GroupIndex], Awaitable[ChangeSet]]
"""Work out a transaction against the group as it is now; an empty one writes nothing."""
Enter = Callable[[GroupIndex, int], None]
"""Put what was committed under this event number into the index."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Every write of the library goes through here, whatever planned it."""

    store: Store
    catalog: Catalog
    actor: str = LIBRARY
    """Who writes what names no actor of its own."""
    policy: Policy | None = None
    streams: Streams = field(default_factory=Streams)
    """Who follows what is committed."""
    locks: Locks = field(default_factory=Locks)

    async def commit(self, group: str, build: Build, *, enter: Enter | None = None) -> int:
        """Build and apply one transaction and return its event number, 0 if it is empty.

        ``build`` may be called several times: whenever another writer committed first. Without
        ``enter`` the index reads the new event back, which costs two more round trips. What is
        committed stays written: if it does not get into the index, the group is read anew.

        Raises:
            PolicyError: if the policy or an invariant refused; the log has a ``denied`` event with
                the reason as its note, and nothing else was written.
            TransactionError: if the database refused, or others were faster 100 times; nothing was
                written.
        """
        async with self.locks[group]:
            index = await self.catalog.group(group)
            for _ in range(_REPLANS):
                changes = await build(index)
                if not changes:
                    return 0
                back = returning(changes, index)
                if back and changes.ready is not None:
                    self.store.prepare(changes, after=changes.ready.seq - 1)
                changes, refusal = self.allowed(changes, index)
                try:
                    seq = await self._write(index, changes, None if refusal else enter, back)
                except StaleGroupError:
                    index = await self.catalog.catch_up(group)
                    continue
                if refusal is not None:
                    raise refusal
                return seq
        raise TransactionError(
            f"group {group!r} was changed by other writers {_REPLANS} times meanwhile; nothing was "
            "written, try again"
        )

    def prepare(self, changes: ChangeSet, *, after: int) -> None:
        """Encode a transaction ahead of ``commit``, in which it will be if nobody else writes."""
        changes.actor = changes.actor or self.actor
        self.store.prepare(changes, after=after)

    async def _write(
        self, index: GroupIndex, changes: ChangeSet, enter: Enter | None, back: Collection[str]
    ) -> int:
        """Apply and enter as one: what the engine has begun is not left half known by a cancel."""

        async def write() -> int:
            async with self.catalog.gate(index.group_id).change():
                seq = await self.store.apply(changes, after=index.seq)
                try:
                    await self._enter(index, changes, enter, back, seq)
                except Exception:  # noqa: BLE001 - it is written: the writer must not hear otherwise
                    _LOG.warning(
                        "event %d of group %r is committed, and the group in memory could not be "
                        "brought up to it: it is read from the store when it is asked for again",
                        seq,
                        index.group_id,
                        exc_info=True,
                    )
                    await self.catalog.drop(index.group_id)
            self.streams.committed(index.group_id, seq)
            return seq

        writing = asyncio.create_task(write())
        try:
            await outlast(writing)
        except asyncio.CancelledError:
            if not writing.cancelled():
                writing.exception()  # looked at, so that it is not reported as forgotten
            raise
        return writing.result()

    async def _enter(
        self,
        index: GroupIndex,
        changes: ChangeSet,
        enter: Enter | None,
        back: Collection[str],
        seq: int,
    ) -> None:
        """Bring the group in memory up to what was committed as event ``seq``."""
        group = index.group_id
        if enter is None:
            await self.catalog.catch_up(group)
        else:
            enter(index, seq)
            for id_ in back:
                index.entities.replace(id_, removed=FOREVER)
        self.catalog.changed(group, changes.touched())

    def allowed(
        self, changes: ChangeSet, index: GroupIndex
    ) -> tuple[ChangeSet, PolicyError | None]:
        """Return what is to be written, and the error to raise then.

        Either the changes as they are, by a named actor, or only the event that they were refused.
        """
        changes.actor = changes.actor or self.actor
        reason = broken(changes, index)
        if reason is None and self.policy is not None and changes.kind != FAILED:
            reason = refused(changes, index, self.policy)
        if reason is None:
            return changes, None
        group = changes.group_id
        return (
            ChangeSet(group, DENIED, actor=changes.actor, note=reason),
            PolicyError(f"{reason}; nothing was written to group {group!r}"),
        )
