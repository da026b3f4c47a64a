"""The groups held in memory: each loaded when first asked for, then kept in step."""

import asyncio
from collections import defaultdict

from graphrag.index.group import GroupIndex
from graphrag.index.load import load_group, refresh_group
from graphrag.store.store import Store


class Catalog:
    """Group indexes by name."""

    def __init__(self, store: Store, dimension: int) -> None:
        self._store = store
        self._dimension = dimension
        self._groups: dict[str, GroupIndex] = {}
        self._loading: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def group(self, name: str) -> GroupIndex:
        """Return the group's index, loaded and up to date.

        An embedded store has no other writer; on a server one small query asks for news.
        """
        async with self._loading[name]:
            index = self._groups.get(name)
            if index is None:
                index = await load_group(self._store, name, self._dimension)
                self._groups[name] = index
            elif not self._store.target.embedded:
                await self._refresh(index)
            return index

    async def catch_up(self, name: str) -> GroupIndex:
        """Return the group's index after reading the newest events, whoever wrote them."""
        index = await self.group(name)
        async with self._loading[name]:
            await self._refresh(index)
        return index

    def loaded(self, name: str) -> bool:
        """Tell whether the group is in memory."""
        return name in self._groups

    async def reload(self, name: str) -> GroupIndex:
        """Read the group into memory anew, whatever is there of it."""
        async with self._loading[name]:
            self._groups[name] = index = await load_group(self._store, name, self._dimension)
            return index

    async def _refresh(self, index: GroupIndex) -> None:
        if await self._store.last_seq(index.group_id) > index.seq:
            await refresh_group(self._store, index)
