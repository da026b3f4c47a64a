"""The index of the vectors of a group, built anew beside who reads and writes.

An embedded database never takes new vectors into its index: they wait, and each search compares
them one by one, exactly. So after many writes the index is built anew; a server needs none of this.
"""

import asyncio
from collections.abc import Callable, Mapping

from graphrag.errors import StoreIndexError
from graphrag.schema import NEAREST, VECTORS, nearest_index, vector_table
from graphrag.store.pages import count_rows
from graphrag.store.record import Record
from graphrag.store.store import Store

FEW = 5_000
"""Vectors that wait, 3 µs a search each, before the index is built anew."""
_PAUSE = 0.1
"""Seconds between two looks at how far an index is."""
OnPage = Callable[[str, int, int, int], None]
"""Called with what is made, how many rows came now, are there, and will be."""


class Waiting:
    """How many vectors of each table wait for their index."""

    def __init__(self, few: int = FEW) -> None:
        self._few = few
        self._counts: dict[str, tuple[int, int]] = {}
        """Vectors that wait and vectors that are covered, by table."""

    def forget(self, group: str) -> None:
        """Count a group anew, which may have been erased."""
        for table in VECTORS:
            self._counts.pop(vector_table(table, group), None)

    async def add(self, group: str, fresh: Mapping[str, int], method: str, store: Store) -> None:
        """Take note of new vectors by table, and build what too many wait for."""
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
    store: Store,
    table: str,
    group: str,
    method: str,
    on_page: OnPage | None = None,
    *,
    few: int = FEW,
) -> int:
    """Build the index of the vectors of a group's rows anew; return how many it covers.

    The old one serves until the new one is ready. Few vectors need none: all are compared.
    """
    name = vector_table(table, group)
    total = await count_rows(store, name)
    [info] = await store.query(f"INFO FOR TABLE {name};")
    old = [index for index in NEAREST if index in info["indexes"]]
    if total < few and len(old) == 1:
        return total
    for index in old[1:]:  # of a process that died
        await store.transact(f"REMOVE INDEX {index} ON {name};")
    new = NEAREST[1] if old[:1] == [NEAREST[0]] else NEAREST[0]
    await store.transact(nearest_index(table, group, store.dimension, method, new))
    before = 0
    while True:
        [info] = await store.query(f"INFO FOR INDEX {new} ON {name};")
        building = info.get("building", {"status": "ready"})
        if building["status"] == "error":
            raise StoreIndexError(f"the index {new} of {name} cannot be built: {building}")
        ready = building["status"] == "ready"
        there = total if ready else min(total, int(building.get("initial") or 0))
        if on_page is not None and total and (ready or there > before):
            on_page(f"{table}_vectors", there - before, there, total)
        if ready:
            break
        before = there
        await asyncio.sleep(_PAUSE)
    await store.transact(
        "".join(f"REMOVE INDEX IF EXISTS {index} ON {name};" for index in old[:1])
        + "UPSERT type::record('meta', $name) SET indexed = $total;",
        name=name,
        total=total,
    )
    return total
