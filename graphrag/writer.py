"""One writer of a group at a time: plan under its lock, write, plan again if another was faster."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from graphrag.errors import PolicyError, TransactionError
from graphrag.index.catalog import Catalog
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.invariants import broken
from graphrag.live import Streams
from graphrag.policy import Policy, refused
from graphrag.returning import returning
from graphrag.store.changes import LIBRARY, ChangeSet
from graphrag.store.store import StaleGroupError, Store

_REPLANS = 20
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
    locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def commit(self, group: str, build: Build, *, enter: Enter | None = None) -> int:
        """Build and apply one transaction and return its event number, 0 if it is empty.

        ``build`` may be called several times: whenever another writer committed first. Without
        ``enter`` the index reads the new event back, which costs two more round trips.

        Raises:
            PolicyError: if the policy or an invariant refused; the log has a ``denied`` event with
                the reason as its note, and nothing else was written.
            TransactionError: if the database refused, or others were faster 20 times; nothing was
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
                    seq = await self._write(index, changes, None if refusal else enter)
                except StaleGroupError:
                    index = await self.catalog.catch_up(group)
                    continue
                if refusal is not None:
                    raise refusal
                for id_ in back if enter is not None else ():
                    index.entities.replace(id_, removed=FOREVER)
                self.catalog.changed(group, changes.touched())
                return seq
        raise TransactionError(
            f"group {group!r} was changed by other writers {_REPLANS} times meanwhile; nothing was "
            "written, try again"
        )

    def prepare(self, changes: ChangeSet, *, after: int) -> None:
        """Encode a transaction ahead of ``commit``, in which it will be if nobody else writes."""
        changes.actor = changes.actor or self.actor
        self.store.prepare(changes, after=after)

    async def _write(self, index: GroupIndex, changes: ChangeSet, enter: Enter | None) -> int:
        """Apply and enter as one: what the engine has begun is not left half known by a cancel."""

        async def write() -> int:
            seq = await self.store.apply(changes, after=index.seq)
            if enter is not None:
                enter(index, seq)
            else:
                await self.catalog.catch_up(index.group_id)
            self.streams.committed(index.group_id, seq)
            return seq

        writing = asyncio.create_task(write())
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.wait([writing])
            if not writing.cancelled():
                writing.exception()  # looked at, so that it is not reported as forgotten
            raise

    def allowed(
        self, changes: ChangeSet, index: GroupIndex
    ) -> tuple[ChangeSet, PolicyError | None]:
        """Return what is to be written, and the error to raise then.

        Either the changes as they are, by a named actor, or only the event that they were refused.
        """
        changes.actor = changes.actor or self.actor
        reason = broken(changes, index)
        if reason is None and self.policy is not None:
            reason = refused(changes, index, self.policy)
        if reason is None:
            return changes, None
        group = changes.group_id
        return (
            ChangeSet(group, DENIED, actor=changes.actor, note=reason),
            PolicyError(f"{reason}; nothing was written to group {group!r}"),
        )
