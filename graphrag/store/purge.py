"""Erase a whole group for good, in batches, so that its size costs time and not memory.

The group is marked first. From then on it is closed to everybody, and a process that dies before
the end leaves the mark: whoever asks again goes on. The log goes before the rows: another process
sees at its next read that its group is gone.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from graphrag.schema import INDEXES, is_search_table, search_tables
from graphrag.store.connection import Connection
from graphrag.store.record import Record

BATCH = 500
"""Rows of one transaction."""
_LINKS = ("has_member", "relates_to", "mentions")
"""Erased before what they join: a node takes all of its links along, however many they are."""
_APART = ("event", "group_info", "meta")
GUARD = (
    "IF !record::exists($info) OR $info.forgotten_at != NONE "
    "{ THROW 'this group is being forgotten, or was' };"
    "IF !record::exists($event.id) { THROW 'Not enough permissions to write' };"
)
"""The last statements of a write to a server: another process could have made it pointless, and
what a user may not write is left out without an error."""


async def forgotten_since(group: str, connection: Connection) -> datetime | None:
    """Return since when a group is being erased, None if it is not."""
    [moment] = await connection.query("RETURN $info.forgotten_at;", _info(group))
    found: datetime | None = moment
    return found


async def mark(group: str, connection: Connection) -> None:
    """Close a group for good."""
    await connection.transact(
        "UPSERT $info SET created_at = created_at ?? time::now(), "
        "forgotten_at = forgotten_at ?? time::now() RETURN NONE;",
        _info(group),
    )


async def count(group: str, connection: Connection) -> Counter[str]:
    """Return how many rows of a group there are, by table."""
    counted: Counter[str] = Counter()
    for table, source in await _sources(connection):
        sql = f"SELECT count() AS number FROM {source} GROUP ALL;"
        [rows] = await connection.query(sql, {"group": group})
        counted[table] += rows[0]["number"] if rows else 0
    return +counted


async def erase(group: str, connection: Connection) -> Counter[str]:
    """Erase every row of a marked group and return how many there were, by table."""
    await remove_tables(search_tables(group), connection)
    erased: Counter[str] = Counter()
    for table, source in await _sources(connection):
        erased[table] += await empty(source, connection, {"group": group})
    await connection.transact("DELETE $info RETURN NONE;", _info(group))
    return +erased


async def remove_tables(names: Iterable[str], connection: Connection) -> None:
    """Remove tables that follow from others: indexes first, then rows, then the tables.

    A large table, or an index over one, is more than one transaction takes.
    """
    [known] = await connection.query("INFO FOR DB;")
    for table in known["tables"].keys() & {*names}:
        indexes = (f"REMOVE INDEX IF EXISTS {name} ON {table};" for name in INDEXES)
        await connection.transact("".join(indexes), {})
        await empty(table, connection)
        await connection.transact(f"REMOVE TABLE IF EXISTS {table};", {})


async def empty(
    source: str, connection: Connection, params: Mapping[str, Any] = MappingProxyType({})
) -> int:
    """Delete rows, a batch at a time; return how many there were."""
    count = 0
    while True:
        [ids] = await connection.query(f"SELECT VALUE id FROM {source} LIMIT {BATCH};", params)
        if not ids:
            return count
        await connection.transact("DELETE $ids RETURN NONE;", {"ids": ids})
        count += len(ids)


async def _sources(connection: Connection) -> list[tuple[str, str]]:
    """Return each table with where its rows of a group are, the log first."""
    [known] = await connection.query("INFO FOR DB;")
    named = (name for name in known["tables"] if not is_search_table(name))
    rest = sorted({*named} - {*_APART, *_LINKS})
    return [
        ("event", "event:[$group, NONE]..=[$group, ..]"),
        *((table, f"{table} WHERE group_id = $group") for table in (*_LINKS, *rest)),
    ]


def _info(group: str) -> Mapping[str, Any]:
    return {"info": Record("group_info", group)}
