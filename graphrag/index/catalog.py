"""The groups held in memory: each loaded when first asked for, then kept in step.

A group is there as long as somebody uses it, and longer while there is room (``retention.py``). One
that nobody wrote to leaves nothing behind when it is asked for.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from weakref import WeakValueDictionary

from graphrag.errors import QueryError, StoreError
from graphrag.index.checkpoints import Checkpoints, rows_of
from graphrag.index.group import GroupIndex
from graphrag.index.load import load_group, refresh_group
from graphrag.index.retention import Gate, GroupCache, Value, steady
from graphrag.index.tables import COLUMNS
from graphrag.store.log import vouch
from graphrag.store.store import Store

_LOG = logging.getLogger("graphrag")
_MEASURED = 16
"""Commits after which a group that is written to is measured anew."""


class Locks:
    """A lock for each name, there for as long as somebody holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __getitem__(self, name: str) -> asyncio.Lock:
        return self._locks.get(name) or self._locks.setdefault(name, asyncio.Lock())

    def held(self, name: str) -> bool:
        """Tell whether somebody holds the lock of a name."""
        lock = self._locks.get(name)
        return lock is not None and lock.locked()


class Catalog:
    """Group indexes by name."""

    def __init__(self, store: Store, dimension: int, most_bytes: int) -> None:
        """Start empty; ``most_bytes`` is what groups may take in memory that nobody uses."""
        self._store, self._dimension = store, dimension
        self._groups: WeakValueDictionary[str, GroupIndex] = WeakValueDictionary()
        """Every index that is kept or in use, so that there are never two of a group."""
        self.kept = GroupCache(most_bytes, self._leave)
        self._loading = Locks()
        self._gates: WeakValueDictionary[str, Gate] = WeakValueDictionary()
        self._checkpoints = Checkpoints(store, dimension)

    def gate(self, name: str) -> Gate:
        """Return what lets reads of a group see one state of it."""
        return self._gates.get(name) or self._gates.setdefault(name, Gate())

    def steady(
        self, names: Sequence[str], read: Callable[[], Awaitable[Value]]
    ) -> Awaitable[Value]:
        """Return what a read finds in one state of these groups."""

        async def compared() -> Value:
            value = await read()
            for name in names:
                await self.group(name)  # what another process wrote is a change, too
            return value

        once = read if self._store.target.embedded else compared
        return steady([self.gate(name) for name in names], once)

    async def group(self, name: str) -> GroupIndex:
        """Return the group's index, loaded and up to date.

        An embedded store has no other writer; on a server one small query asks for news.
        """
        alone = self._store.target.embedded
        calm = (alone and not self._loading.held(name)) or self.gate(name).held()
        return await self._current(name, calm=calm, alone=alone)

    async def catch_up(self, name: str) -> GroupIndex:
        """Return the group's index after reading the newest events, whoever wrote them."""
        return await self._current(name)

    async def _current(self, name: str, *, calm: bool = False, alone: bool = False) -> GroupIndex:
        self._store.owner.check()
        index = self._groups.get(name)
        if index is None or not calm:
            async with self._loading[name]:
                if (index := self._groups.get(name)) is None:
                    return await self._load(name)
                index = index if alone else await self._refresh(index)
        self._keep(index)
        return index

    def loaded(self, name: str) -> bool:
        """Tell whether the group is in memory."""
        return name in self._groups

    async def reload(self, name: str) -> GroupIndex:
        """Read the group into memory anew, whatever is there of it."""
        async with self.gate(name).change(), self._loading[name]:
            return await self._load(name, anew=True)

    async def drop(self, name: str) -> None:
        """Let go of a group, on file too: whoever asks for it reads the tables."""
        self._forget(name)
        await self._discard(name)

    async def damage(self, name: str) -> list[str]:
        """Return what is wrong with the file of a group, if there is one of this version."""
        return await self._checkpoints.damage(name)

    async def unsave(self, name: str) -> None:
        """Delete the file of a group, before something in it is forgotten."""
        try:
            await self._checkpoints.discard(name, self._groups.get(name))
        except OSError as error:
            raise StoreError(
                f"nothing was forgotten: a file beside the store holds a copy of group {name!r} "
                f"and cannot be deleted ({error}): delete it, and try again"
            ) from None

    def changed(self, name: str, records: Iterable[tuple[str, str]] | None) -> None:
        """Take note of the records of a commit that is in the index; its writer still waits."""
        if (index := self._groups.get(name)) is not None:
            shown = sum(table in COLUMNS for table, _ in records or ())
            self._checkpoints.changed(index, shown)
            self._keep(index)
            if index.seq % _MEASURED == 0:
                self.kept.grown(name)

    async def close(self) -> None:
        """Keep the large groups in files beside the store, and let go of all that is in memory."""
        groups = self.kept.groups()
        self._groups.clear()
        self.kept.clear()
        await self._checkpoints.close(groups)

    async def _load(self, name: str, *, anew: bool = False) -> GroupIndex:
        self._forget(name)
        if since := await self._store.forgotten_since(name):
            raise QueryError(
                f"group {name!r} is being forgotten since {since.isoformat()}, and that did not "
                f"come to its end: group({name!r}).erase.group(confirm={name!r}) finishes it, then "
                "the name is free again"
            )
        index = None if anew else await self._from_file(name)
        if index is None:
            await self._discard(name)
            index = await load_group(self._store, name, self._dimension)
            self._checkpoints.changed(index)
        if index.seq:
            await vouch(self._store, name)
        self._groups[name] = index
        index.derived[Gate] = self.gate(name)  # as long as there are reads to come
        self._keep(index)
        return index

    async def _discard(self, name: str) -> None:
        """Delete the file of a group if that can be done; nobody will believe it."""
        try:
            await self._checkpoints.discard(name, None)
        except OSError as error:
            _LOG.warning("a file beside the store could not be deleted: %s", error)

    async def _from_file(self, name: str) -> GroupIndex | None:
        """Return a group as it was saved, brought up to date; None if it must be read anew."""
        if (index := await self._checkpoints.load(name)) is None:
            return None
        seq, rows = index.seq, rows_of(index)
        if not await refresh_group(self._store, index):
            return None
        self._checkpoints.changed(index, index.seq - seq + rows_of(index) - rows)
        return index

    async def _refresh(self, index: GroupIndex) -> GroupIndex:
        """Take in what is new; whatever was forgotten is left behind with the old index."""
        name, last = index.group_id, await self._store.last_seq(index.group_id)
        if last == index.seq:
            return index
        async with self.gate(name).change():
            fresh = last > index.seq and await refresh_group(self._store, index)
            return index if fresh else await self._load(name, anew=True)

    def _keep(self, index: GroupIndex) -> None:
        """Keep a group for the next one to ask, unless it is one that nobody wrote to."""
        if index.seq or rows_of(index):
            self.kept.use(index.group_id, index)

    def _forget(self, name: str) -> None:
        self._groups.pop(name, None)
        self.kept.take(name)

    def _leave(self, index: GroupIndex) -> None:
        """Save what is let go, if it is worth it; not what is just being brought up to date."""
        name = index.group_id
        if self._groups.get(name) is index and not self._loading.held(name):
            self._checkpoints.leave(index)
