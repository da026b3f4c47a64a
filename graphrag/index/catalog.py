"""The groups held in memory: each loaded when first asked for, then kept in step."""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from datetime import datetime
from weakref import WeakKeyDictionary

from graphrag.errors import QueryError
from graphrag.index.checkpoints import Checkpoints, rows_of
from graphrag.index.group import GroupIndex
from graphrag.index.load import load_group, refresh_group
from graphrag.index.tables import COLUMNS
from graphrag.store.store import Store
from graphrag.store.vouch import vouch

_PARTS = 8
"""Groups of which what searches read is kept (engine profile)."""
Stamp = tuple[int, datetime | None]
"""Number and time of the newest event of a group: another history has other times."""


class Catalog:
    """Group indexes by name."""

    def __init__(self, store: Store, dimension: int) -> None:
        self._store = store
        self._dimension = dimension
        self._groups: dict[str, GroupIndex] = {}
        self._loading: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._checkpoints = Checkpoints(store, dimension)
        self._parts: OrderedDict[str, tuple[Stamp, GroupIndex]] = OrderedDict()
        self._lent: WeakKeyDictionary[GroupIndex, tuple[Stamp, GroupIndex]] = WeakKeyDictionary()

    async def group(self, name: str) -> GroupIndex:
        """Return the group's index, loaded and up to date.

        An embedded store has no other writer; on a server one small query asks for news.

        Raises:
            QueryError: if the group is being forgotten.
        """
        async with self._loading[name]:
            index = self._groups.get(name)
            if index is None:
                return await self._load(name)
            if not self._store.target.embedded:
                return await self._refresh(index)
            return index

    async def catch_up(self, name: str) -> GroupIndex:
        """Return the group's index after reading the newest events, whoever wrote them."""
        index = await self.group(name)
        async with self._loading[name]:
            return await self._refresh(index)

    def loaded(self, name: str) -> bool:
        """Tell whether the group is in memory."""
        return name in self._groups

    async def reload(self, name: str) -> GroupIndex:
        """Read the group into memory anew, whatever is there of it."""
        async with self._loading[name]:
            return await self._load(name, anew=True)

    def lend(self, name: str, stamp: Stamp) -> GroupIndex | None:
        """Return what searches have read of a group that stands there, to one of them only."""
        kept, index = self._parts.pop(name, (None, None))
        if index is None or kept != stamp:
            return None
        self._lent[index] = stamp, index
        return index

    def lent(self, index: GroupIndex, stamp: Stamp, rows: GroupIndex) -> None:
        """Note what a search ranks by, and what of it can be kept: read at which event."""
        self._lent[index] = stamp, rows

    def keep(self, index: GroupIndex, *, most: int) -> None:
        """Keep what a search has read, if that is not too much, for the next one."""
        stamp, rows = self._lent.pop(index, (None, index))
        if stamp is not None and rows_of(rows) <= most:
            self._parts[rows.group_id] = stamp, rows
            while len(self._parts) > _PARTS:
                self._parts.popitem(last=False)

    async def drop(self, name: str) -> None:
        """Let go of a group, on file too: whoever asks for it reads the tables."""
        self._groups.pop(name, None)
        self._parts.pop(name, None)
        await self.unsave(name)

    async def unsave(self, name: str) -> None:
        """Delete the file of a group, before something in it is forgotten."""
        await self._checkpoints.discard(name)

    def changed(self, name: str, records: Iterable[tuple[str, str]] | None) -> None:
        """Take note of the records of a commit that is in the index; its writer still waits."""
        if (index := self._groups.get(name)) is not None:
            shown = sum(table in COLUMNS for table, _ in records or ())
            self._checkpoints.changed(index, shown)

    async def save(self) -> None:
        """Keep the large groups in files beside the store: the next opening reads those."""
        await self._checkpoints.close(list(self._groups.values()))

    async def _load(self, name: str, *, anew: bool = False) -> GroupIndex:
        self._groups.pop(name, None)
        if since := await self._store.forgotten_since(name):
            raise QueryError(
                f"group {name!r} is being forgotten since {since.isoformat()}, and that did not "
                f"come to its end: forget(group={name!r}) finishes it, then the name is free again"
            )
        index = None if anew else await self._from_file(name)
        if index is None:
            await self.unsave(name)
            index = await load_group(self._store, name, self._dimension)
            self._checkpoints.changed(index)
        await vouch(self._store, name)
        self._groups[name] = index
        return index

    async def _from_file(self, name: str) -> GroupIndex | None:
        """Return a group as it was saved, brought up to date; None if it must be read anew."""
        index = await self._checkpoints.load(name)
        if index is None:
            return None
        seq, rows = index.seq, rows_of(index)
        if not await refresh_group(self._store, index):
            return None
        self._checkpoints.changed(index, index.seq - seq + rows_of(index) - rows)
        return index

    async def _refresh(self, index: GroupIndex) -> GroupIndex:
        """Take in what is new; whatever was forgotten is left behind with the old index."""
        last = await self._store.last_seq(index.group_id)
        if last < index.seq or (last > index.seq and not await refresh_group(self._store, index)):
            return await self._load(index.group_id, anew=True)
        return index
