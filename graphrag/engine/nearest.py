"""The index of the vectors of a group, built anew beside who reads and writes.

An embedded database never takes new vectors into its index: they wait, and each search compares
them one by one, exactly. So after many writes the index is built anew; a server needs none of this.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping

from graphrag.schema import VECTORS, nearest_index, vector_table
from graphrag.store.pages import count_rows
from graphrag.store.record import Record
from graphrag.store.store import Store

FEW = 2_000
"""Vectors that wait before the index is built anew: each costs a search 3 µs."""


class Waiting:
    """How many vectors of each table wait for their index."""

    def __init__(self, few: int = FEW) -> None:
        self._few = few
        self._counts: dict[str, tuple[int, int]] = {}
        """Vectors that wait and vectors that are covered, by table."""
        self._building: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def forget(self, group: str) -> None:
        """Count a group anew, which may have been erased."""
        for table in VECTORS:
            self._counts.pop(vector_table(table, group), None)

    async def add(self, group: str, fresh: Mapping[str, int], method: str, store: Store) -> None:
        """Take note of new vectors by table, and build what too many wait for."""
        async with self._building[group]:
            for table, count in fresh.items():
                name = vector_table(table, group)
                waiting, covered = self._counts.get(name) or await _counted(name, store)
                waiting += count
                if waiting >= max(self._few, covered // 2):
                    covered = await build_nearest(store, table, group, method, few=self._few)
                    waiting = count
                self._counts[name] = waiting, covered


async def _counted(name: str, store: Store) -> tuple[int, int]:
    [known] = await store.query("SELECT VALUE indexed FROM $of;", of=[Record("meta", name)])
    covered = known[0] if known else 0
    return max(0, await count_rows(store, name) - covered), covered


async def build_nearest(
    store: Store, table: str, group: str, method: str, *, few: int = FEW
) -> int:
    """Build the index of the vectors of a group's rows anew; return how many it covers.

    It is one transaction, which any write to the group undoes: a row written meanwhile would be in
    no index. Until it is committed, the old index serves. Few vectors need none: all are compared.
    A server takes in by itself what waits.
    """
    name = vector_table(table, group)
    total = await count_rows(store, name)
    if total >= few and store.target.embedded:
        await store.transact(
            "UPDATE $info SET seq += 1 RETURN NONE; UPDATE $info SET seq -= 1 RETURN NONE;"
            f"{nearest_index(table, group, store.dimension, method)}"
            "UPSERT type::record('meta', $name) SET indexed = $total RETURN NONE;",
            info=[Record("group_info", group)],
            name=name,
            total=total,
        )
    return total
