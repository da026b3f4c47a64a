"""The rows of a group as they are read into columns: which fields of each table, page by page.

Moments travel as integer microseconds and vectors as bytes: decoding a datetime object costs ten
times as much as an integer, and a cold start is mostly decoding.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any

from graphrag.index.group import GroupIndex
from graphrag.index.scope import Scope
from graphrag.store.record import Record
from graphrag.store.store import Store

# No datetime of Python is in the year 0, so it can stand for "no value".
NEVER = -62_167_219_200_000_000


def _micros(column: str) -> str:
    return f"time::micros({column} ?? d'0000-01-01T00:00:00Z')"


Rows = list[list[Any]]
Page = tuple[str, Rows]
"""A table and some of its rows."""

_PAGE = 2_000
_AHEAD = 3
COLUMNS = {
    "entity": (
        "[record::id(id), embedding, entity_type, name, aliases ?? [], summary, attributes ?? {}, "
        f"merged_into, {_micros('removed_at')}, endings != NONE, names]"
    ),
    "relates_to": (
        "[record::id(id), embedding, record::id(in), record::id(out), name, subject, object, text, "
        f"{_micros('valid_at')}, {_micros('invalid_at')}, {_micros('retracted_at')}, "
        "pending ?? false, observed ?? false]"
    ),
    "episode": (
        "[record::id(id), embedding, content, content_hash, time::micros(valid_at), "
        f"{_micros('removed_at')}, saga, name, source, key]"
    ),
    "passage": "[record::id(id), embedding, episode]",
    "community": "[record::id(id), embedding, name, summary]",
}


async def by_group(store: Store, group: str) -> AsyncIterator[Page]:
    """Read the rows of a group through the index of groups."""
    for table, columns in COLUMNS.items():
        sql = f"SELECT VALUE {columns} FROM {table} WHERE group_id = $group;"
        [rows] = await store.query(sql, group=group)
        yield table, rows


async def at_once(store: Store, group: str) -> list[Page]:
    """Read the rows of a small group in one round trip."""
    sql = "".join(
        f"SELECT VALUE {columns} FROM {table} WHERE group_id = $group;"
        for table, columns in COLUMNS.items()
    )
    return list(zip(COLUMNS, await store.query(sql, group=group), strict=True))


async def pages(store: Store, group: str) -> AsyncIterator[Page]:
    """Read whole tables in the order of their ids, half the cost of reading them by group.

    The engine never waits: each page is asked for when the last has come, up to two ahead.
    """
    tables = deque(COLUMNS)
    after = ""

    async def read(last: asyncio.Task[Page | None] | None) -> Page | None:
        nonlocal after
        if last is not None:
            await last
        if not tables:
            return None
        table = tables[0]
        # A range: ``WHERE id > $after`` reads the table from its beginning each time.
        source = f"type::record('{table}', $after>..) WHERE group_id = $group"
        sql = f"SELECT VALUE {COLUMNS[table]} FROM {source} LIMIT {_PAGE};"
        [rows] = await store.query(sql, after=after, group=group)
        after = rows[-1][0] if len(rows) == _PAGE else ""
        if not after:
            tables.popleft()
        return table, rows

    last: asyncio.Task[Page | None] | None = None
    ahead: deque[asyncio.Task[Page | None]] = deque()
    try:
        while True:
            while len(ahead) < _AHEAD:
                last = asyncio.create_task(read(last))
                ahead.append(last)
            page = await ahead.popleft()
            if page is None:
                return
            yield page
    finally:
        await _give_up(ahead)


async def by_ids(store: Store, table: str, ids: Sequence[str]) -> AsyncIterator[Rows]:
    """Read some rows of a table; the next page is asked for while one is entered."""
    waiting = deque(ids[first : first + _PAGE] for first in range(0, len(ids), _PAGE))
    ahead: deque[asyncio.Task[list[Any]]] = deque()
    sql = f"SELECT VALUE {COLUMNS[table]} FROM $ids;"
    try:
        while waiting or ahead:
            while waiting and len(ahead) < 2:
                some = [Record(table, id_) for id_ in waiting.popleft()]
                ahead.append(asyncio.create_task(store.query(sql, ids=some)))
            [rows] = await ahead.popleft()
            yield rows
    finally:
        await _give_up(ahead)


async def _give_up(tasks: Collection[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def scopes_of(index: GroupIndex) -> dict[str, Scope]:
    """Return the columns of each table."""
    return {
        "entity": index.entities,
        "relates_to": index.facts,
        "episode": index.episodes,
        "passage": index.passages,
        "community": index.communities,
    }
