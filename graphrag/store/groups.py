"""Groups: how large each is, and how one is erased for good.

Counting costs 6 µs a row even through an index, 6 seconds for a million. So each transaction adds
what it inserts to the entry of its group; the few that hide or show rows (a merge, a removal, a
review) count just those before and after.

A group is erased in batches, so that its size costs time and not memory. It is marked first: from
then on it is closed to everybody, and a process that dies before the end leaves the mark, so that
whoever asks again goes on. The log goes before the rows: another process sees at its next read that
its group is gone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from graphrag.display.lists import Group, Groups
from graphrag.schema import INDEXES, is_search_table, search_tables
from graphrag.store.changes import ChangeSet, Query
from graphrag.store.connection import Connection
from graphrag.store.engine import Row
from graphrag.store.record import Record

_COUNTED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "episode": ("episodes", {"removed_at": None}),
    "entity": ("entities", {"removed_at": None, "merged_into": None}),
    "relates_to": ("facts", {"pending": None}),
}
"""The field that counts the rows of a table, and what these hold."""
_HOLDING = {
    table: " AND ".join(
        f"{column} IS NONE" if value is None else f"{column} = {str(value).lower()}"
        for column, value in held.items()
    )
    for table, (_, held) in _COUNTED.items()
}


def sized(
    changes: ChangeSet, sql: str, params: Mapping[str, Any], *, first: bool
) -> tuple[str, dict[str, Any]]:
    """Return the statements of a transaction with those that keep the size of its group.

    Args:
        changes: What is written.
        sql: The statements that write it.
        params: Theirs.
        first: It makes the group.
    """
    shown: dict[str, list[Record]] = defaultdict(list)
    """Rows that may be counted before or after and not both."""
    for update in changes.updates:
        if update.table in _COUNTED and not update.after.keys().isdisjoint(_held(update.table)):
            shown[update.table].append(Record(update.table, update.id))
    for table, row in changes.deletes:
        if table in _COUNTED:
            shown[table].append(row["id"])
    before: list[str] = []
    after: list[str] = []
    more: dict[str, Any] = {}
    for table, (name, held) in _COUNTED.items():
        apart = {record.id for record in shown[table]}
        added = sum(
            _fits(row, held) for row in changes.new_rows(table) if row["id"].id not in apart
        )
        if not (added or first or shown[table]):
            continue
        more[f"sized_{name}"] = added
        change = f"$sized_{name}"
        if shown[table]:
            more[f"shown_{name}"] = shown[table]
            count = f"count(SELECT VALUE id FROM $shown_{name} WHERE {_HOLDING[table]})"
            before.append(f"LET $were_{name} = {count};")
            change += f" + {count} - $were_{name}"
        known = "0" if first else name
        after.append(f"{name} = IF {known} IS NONE {{ NONE }} ELSE {{ {known} + {change} }}")
    more["sized"] = Record("group_info", changes.group_id)
    after += ["seq = $event.seq", "changed_at = $event.at"]
    after = [f"UPDATE $sized SET {', '.join(after)} RETURN NONE;"]
    return "\n".join([*before, sql, *after]), {**params, **more}


async def read_sizes(query: Query) -> Groups:
    """Return all groups by name."""
    [rows] = await query("SELECT * FROM group_info;")
    return Groups([await _read(row, query) for row in sorted(rows, key=lambda row: row["id"].id)])


async def read_size(group: str, query: Query) -> Group | None:
    """Return one group, None if there is none of this name."""
    entry = await read_entry(group, query)
    return None if entry is None else await _read(entry, query)


async def read_entry(group: str, query: Query) -> Row | None:
    """Return the row by which a group is listed, None if there is none of this name."""
    [rows] = await query("SELECT * FROM $info;", info=[Record("group_info", group)])
    entry: Row | None = rows[0] if rows else None
    return entry


async def newest(group: str, query: Query) -> tuple[int, datetime | None]:
    """Return number and time of the newest event of a group.

    0 and None if it has none, or is being forgotten.
    """
    [known] = await query(
        "SELECT seq, changed_at, forgotten_at FROM $info;", info=[Record("group_info", group)]
    )
    if known and known[0].get("forgotten_at") is not None:
        return 0, None
    if known and known[0].get("seq") is not None:
        return known[0]["seq"], known[0]["changed_at"]
    return await _newest(group, query) or (0, None)


async def count_group(group: str, query: Query) -> dict[str, Any]:
    """Count a group that was written otherwise; return the parameters of ``COUNTED``."""
    counts: dict[str, Any] = await _count(group, query)
    if newest := await _newest(group, query):
        counts |= dict(zip(("seq", "changed_at"), newest, strict=True))
    return {"info": Record("group_info", group), "counts": counts}


COUNTED = "UPDATE $info MERGE $counts RETURN NONE;"


async def _read(row: Row, query: Query) -> Group:
    name = row["id"].id
    counts: dict[str, int] = {field: row[field] for field, _ in _COUNTED.values() if field in row}
    if len(counts) < len(_COUNTED):
        counts = await _count(name, query)
    changed = row.get("changed_at")
    if changed is None:
        newest = await _newest(name, query)
        changed = row["created_at"] if newest is None else newest[1]
    return Group(name=name, created_at=row["created_at"], changed_at=changed, **counts)


async def _newest(group: str, query: Query) -> tuple[int, datetime] | None:
    """Return number and time of the newest event, from the log."""
    [found] = await query(
        "SELECT VALUE [seq, at] FROM event:[$group, NONE]..=[$group, ..] "
        "ORDER BY seq DESC LIMIT 1;",
        group=group,
    )
    return (found[0][0], found[0][1]) if found else None


async def _count(group: str, query: Query) -> dict[str, int]:
    found = await query(
        "".join(
            f"SELECT count() AS n FROM {table} WHERE group_id = $group AND {held} GROUP ALL;"
            for table, held in _HOLDING.items()
        ),
        group=group,
    )
    names = (name for name, _ in _COUNTED.values())
    return {name: rows[0]["n"] if rows else 0 for name, rows in zip(names, found, strict=True)}


def _held(table: str) -> Mapping[str, Any]:
    return _COUNTED[table][1]


def _fits(row: Row, held: Mapping[str, Any]) -> bool:
    return all(row.get(column, value) == value for column, value in held.items())


def stated(changes: ChangeSet, seq: int, at: datetime) -> tuple[str, dict[str, Any]]:
    """Return a change set as event number ``seq``, with the size of its group after it."""
    if seq == 1:
        changes.insert_row(
            "group_info", {"id": Record("group_info", changes.group_id), "created_at": at}
        )
    return sized(changes, *changes.statements(seq, at), first=seq == 1)


async def is_written(event: Row, query: Query) -> bool:
    """Tell whether it was this event that took its number, before a server was lost."""
    [found] = await query(
        "SELECT VALUE id FROM $id WHERE at = $at AND changes = $changes;",
        **{name: event[name] for name in ("id", "at", "changes")},
    )
    return bool(found)


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
