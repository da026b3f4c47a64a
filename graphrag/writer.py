"""One writer of a group at a time: plan under its lock, write, plan again if another was faster."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from graphrag.errors import TransactionError
from graphrag.index.catalog import Catalog
from graphrag.index.group import GroupIndex
from graphrag.store.changes import ChangeSet
from graphrag.store.store import StaleGroupError, Store

_REPLANS = 20

Build = Callable[[GroupIndex], Awaitable[ChangeSet]]
"""Work out a transaction against the group as it is now; an empty one writes nothing."""
Enter = Callable[[GroupIndex, int], None]
"""Put what was committed under this event number into the index."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Every write of the library goes through here, whatever planned it."""

    store: Store
    catalog: Catalog
    locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def commit(self, group: str, build: Build, *, enter: Enter | None = None) -> int:
        """Build and apply one transaction and return its event number, 0 if it is empty.

        ``build`` may be called several times: whenever another writer committed first. Without
        ``enter`` the index reads the new event back, which costs two more round trips.

        Raises:
            TransactionError: if the database refused, or others were faster 20 times; nothing was
                written.
        """
        async with self.locks[group]:
            index = await self.catalog.group(group)
            for _ in range(_REPLANS):
                changes = await build(index)
                if not changes:
                    return 0
                try:
                    seq = await self.store.apply(changes, after=index.seq)
                except StaleGroupError:
                    index = await self.catalog.catch_up(group)
                    continue
                if enter is not None:
                    enter(index, seq)
                else:
                    await self.catalog.catch_up(group)
                return seq
        raise TransactionError(
            f"group {group!r} was changed by other writers {_REPLANS} times meanwhile; nothing was "
            "written, try again"
        )
