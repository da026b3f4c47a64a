"""Erase a whole group for good, in batches, so that its size costs time and not memory.

The group is marked first. From then on it is closed to everybody, and a process that dies before
the end leaves the mark: whoever asks again goes on. The log goes before the rows: another process
sees at its next read that its group is gone.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from graphrag.store.connection import Connection
from graphrag.store.record import Record

BATCH = 500
"""Rows of one transaction."""
_FIELD = "{table} WHERE group_id = $group"
_RANGE = "{table}:[$group, NONE]..=[$group, ..]"
_LINKS = ("has_member", "relates_to", "mentions")
"""Erased before what they join: a node takes all of its links along, however many they are."""
_APART = ("event", "group_info", "meta")
GUARD = (
    "IF !record::exists($info) OR $info.forgotten_at != NONE "
    "{ THROW 'this group is being forgotten, or was' };"
)
"""The last statement of a write that another process could have made pointless."""


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
    erased: Counter[str] = Counter()
    for table, source in await _sources(connection):
        sql = f"SELECT VALUE id FROM {source} LIMIT {BATCH};"
        while True:
            [ids] = await connection.query(sql, {"group": group})
            if not ids:
                break
            await connection.transact("DELETE $ids RETURN NONE;", {"ids": ids})
            erased[table] += len(ids)
    await connection.transact("DELETE $info RETURN NONE;", _info(group))
    return erased


async def _sources(connection: Connection) -> list[tuple[str, str]]:
    """Return each table with where its rows of a group are, the log first."""
    [known] = await connection.query("INFO FOR DB;")
    rest = sorted(known["tables"].keys() - {*_APART, *_LINKS})
    return [
        ("event", _RANGE.format(table="event")),
        *((table, _FIELD.format(table=table)) for table in (*_LINKS, *rest)),
        # Derived rows have the group in their id instead.
        *((table, _RANGE.format(table=table)) for table in rest),
    ]


def _info(group: str) -> Mapping[str, Any]:
    return {"info": Record("group_info", group)}
