"""Read a table in pages, in the order of its ids.

Each page is asked for by a range of ids: ``WHERE id > x`` reads the table from its beginning every
time, which at 100,000 rows costs ten times the page. The next page comes while one is worked on.
"""

import asyncio
from collections.abc import AsyncIterator

from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.store import Store

PAGE = 250
"""Rows of one page: written in one transaction, more make it slow in memory, fewer on disk."""


async def read_pages(
    store: Store, table: str, columns: str = "*", *, after: Record | None = None
) -> AsyncIterator[list[Row]]:
    """Yield the rows of a table, those after one if it is given.

    Args:
        store: Where they are.
        table: Its name.
        columns: What to read of each row, the id among it.
        after: The last row that is not wanted.
    """
    reading = asyncio.create_task(_read(store, table, columns, after))
    try:
        while rows := await reading:
            if len(rows) == PAGE:
                reading = asyncio.create_task(_read(store, table, columns, rows[-1]["id"]))
            yield rows
            if len(rows) < PAGE:
                return
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def _read(store: Store, table: str, columns: str, after: Record | None) -> list[Row]:
    params, source = {}, table
    if after is not None:
        params = {"after": list(after.id) if isinstance(after.id, tuple) else after.id}
        source = f"type::record('{table}', $after>..)"
    [rows] = await store.query(f"SELECT {columns} FROM {source} LIMIT {PAGE};", **params)
    found: list[Row] = rows
    return found
