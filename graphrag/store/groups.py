"""Groups: how large each is, and how one is written as a whole or erased for good.

Counting costs 6 µs a row even through an index. So each transaction adds what it inserts to the
entry of its group; the few that hide or show rows (a merge, a removal, a review) count just those.

A group is erased in batches, so that its size costs time and not memory. It is marked first: from
then on it is closed to everybody, and whoever asks again goes on after a process that died. The log
goes before the rows: another process sees at its next read that its group is gone. A group that is
being written as a whole bears the same mark.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphrag.display.lists import Group, Groups
from graphrag.schema import INDEXES, is_search_table, search_tables
from graphrag.store.changes import ChangeSet
from graphrag.store.connection import outlast
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.temporal.moment import utc_now

if TYPE_CHECKING:
    from graphrag.store.store import Store

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


def stated(changes: ChangeSet, seq: int, at: datetime) -> tuple[str, dict[str, Any]]:
    """Return a change set as event number ``seq``, with the size of its group after it."""
    if first := seq == 1:
        entry = {"id": Record("group_info", changes.group_id), "created_at": at}
        changes.insert_row("group_info", entry)
    sql, params = changes.statements(seq, at)
    shown: dict[str, list[Record]] = defaultdict(list)
    """Rows that may be counted before or after and not both."""
    for update in changes.updates:
        if not update.after.keys().isdisjoint(_COUNTED.get(update.table, ("", {}))[1]):
            shown[update.table].append(Record(update.table, update.id))
    for table, row in changes.deletes:
        if table in _COUNTED:
            shown[table].append(row["id"])
    before, after = list[str](), list[str]()
    for table, (name, held) in _COUNTED.items():
        apart = {record.id for record in shown[table]}
        new = (row for row in changes.new_rows(table) if row["id"].id not in apart)
        added = sum(all(row.get(name, item) == item for name, item in held.items()) for row in new)
        if not (added or first or shown[table]):
            continue
        params[f"sized_{name}"] = added
        change = f"$sized_{name}"
        if shown[table]:
            params[f"shown_{name}"] = shown[table]
            count = f"count(SELECT VALUE id FROM $shown_{name} WHERE {_HOLDING[table]})"
            before.append(f"LET $were_{name} = {count};")
            change += f" + {count} - $were_{name}"
        known = "0" if first else name
        after.append(f"{name} = IF {known} IS NONE {{ NONE }} ELSE {{ {known} + {change} }}")
    params["sized"] = Record("group_info", changes.group_id)
    after += ["seq = $event.seq", "changed_at = $event.at"]
    sized = f"UPDATE $sized SET {', '.join(after)} RETURN NONE;"
    return "\n".join([*before, sql, sized]), params


async def read_sizes(store: "Store") -> Groups:
    """Return all groups by name, with what they hold."""
    [rows] = await store.query("SELECT * FROM group_info;")
    return Groups([await _read(row, store) for row in sorted(rows, key=lambda row: row["id"].id)])


async def read_size(group: str, store: "Store") -> Group | None:
    """Return one group, None if there is none of this name."""
    entry = await read_entry(group, store)
    return None if entry is None else await _read(entry, store)


async def read_entry(group: str, store: "Store") -> Row | None:
    """Return the row by which a group is listed, None if there is none of this name."""
    [rows] = await store.query("SELECT * FROM $info;", info=[Record("group_info", group)])
    return next(iter(rows), None)


async def newest(group: str, store: "Store") -> tuple[int, datetime | None]:
    """Return number and time of a group's newest event; 0 and None for none, or while erased."""
    entry = await read_entry(group, store) or {}
    if entry.get("forgotten_at") is not None:
        return 0, None
    if entry.get("seq") is not None:
        return entry["seq"], entry["changed_at"]
    return await _newest(group, store) or (0, None)


async def count_anew(group: str, store: "Store") -> None:
    """Note the size and the newest event of a group that was written past ``apply``."""
    counts: dict[str, Any] = await _count(group, store)
    if newest := await _newest(group, store):
        counts |= dict(zip(("seq", "changed_at"), newest, strict=True))
    sql, info = "UPDATE $info MERGE $counts RETURN NONE;", Record("group_info", group)
    await store.transact(sql, info=info, counts=counts)


async def _read(row: Row, store: "Store") -> Group:
    name = row["id"].id
    counts: dict[str, int] = {field: row[field] for field, _ in _COUNTED.values() if field in row}
    if len(counts) < len(_COUNTED):
        counts = await _count(name, store)
    changed = row.get("changed_at")
    if changed is None:
        _, changed = await _newest(name, store) or (0, row["created_at"])
    return Group(name=name, created_at=row["created_at"], changed_at=changed, **counts)


async def _newest(group: str, store: "Store") -> tuple[int, datetime] | None:
    [rows] = await store.query(
        "SELECT VALUE [seq, at] FROM event:[$group, NONE]..=[$group, ..] "
        "ORDER BY seq DESC LIMIT 1;",
        group=group,
    )
    return (rows[0][0], rows[0][1]) if rows else None


async def _count(group: str, store: "Store") -> dict[str, int]:
    sql = "".join(
        f"SELECT count() AS n FROM {table} WHERE group_id = $group AND {held} GROUP ALL;"
        for table, held in _HOLDING.items()
    )
    counts = await store.query(sql, group=group)
    names = (name for name, _ in _COUNTED.values())
    return {name: rows[0]["n"] if rows else 0 for name, rows in zip(names, counts, strict=True)}


async def is_written(event: Row, store: "Store") -> bool:
    """Tell whether it was this event that took its number, before a server was lost."""
    [ids] = await store.query(
        "SELECT VALUE id FROM $id WHERE at = $at AND changes = $changes;",
        **{name: event[name] for name in ("id", "at", "changes")},
    )
    return bool(ids)


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


async def claim_group(store: "Store", group: str, created_at: datetime) -> None:
    """Take a name for a group that is to come, closed to everybody until it is there."""
    await store.transact(
        "CREATE $info CONTENT $entry RETURN NONE;",
        info=Record("group_info", group),
        entry={"created_at": created_at, "forgotten_at": utc_now()},
    )


async def discard_group(store: "Store", group: str) -> None:
    """Erase what came of a claimed group, even if the caller is being cancelled."""
    erasing = asyncio.create_task(store.erase_group(group))
    with suppress(asyncio.CancelledError):  # which the caller raises
        await outlast(erasing)
    erasing.result()


async def open_group(store: "Store", group: str) -> None:
    """Let everybody see a claimed group, with its size and its newest event."""
    await count_anew(group, store)
    sql = "UPDATE $info SET forgotten_at = NONE RETURN NONE;"
    await store.transact(sql, info=Record("group_info", group))


async def write_entry(store: "Store", entry: Row) -> None:
    """Give a claimed group this entry in place of its own; without the mark that opens it."""
    await store.transact("UPDATE $id CONTENT $entry RETURN NONE;", id=entry["id"], entry=entry)


async def mark(group: str, store: "Store") -> None:
    """Close a group for good."""
    await store.transact(
        "UPSERT $info SET created_at = created_at ?? time::now(), "
        "forgotten_at = forgotten_at ?? time::now() RETURN NONE;",
        info=Record("group_info", group),
    )


async def count(group: str, store: "Store") -> Counter[str]:
    """Return how many rows of a group there are, by table."""
    counted: Counter[str] = Counter()
    for table, source in await _sources(store):
        sql = f"SELECT count() AS number FROM {source} GROUP ALL;"
        [rows] = await store.query(sql, group=group)
        counted[table] += rows[0]["number"] if rows else 0
    return +counted


async def erase(group: str, store: "Store") -> Counter[str]:
    """Erase every row of a marked group and return how many there were, by table."""
    await remove_tables(search_tables(group), store)
    erased: Counter[str] = Counter()
    for table, source in await _sources(store):
        erased[table] += await empty(source, store, group)
    await store.transact("DELETE $info RETURN NONE;", info=Record("group_info", group))
    return +erased


async def remove_tables(names: Iterable[str], store: "Store") -> None:
    """Remove derived tables in pieces: a large one, or an index, is too much for a transaction."""
    [known] = await store.query("INFO FOR DB;")
    for table in known["tables"].keys() & {*names}:
        indexes = (f"REMOVE INDEX IF EXISTS {name} ON {table};" for name in INDEXES)
        await store.transact("".join(indexes))
        await empty(table, store)
        await store.transact(f"REMOVE TABLE IF EXISTS {table};")


async def empty(source: str, store: "Store", group: str = "") -> int:
    """Delete rows, a batch at a time; return how many there were."""
    count, sql = 0, f"SELECT VALUE id FROM {source} LIMIT {BATCH};"
    while ids := (await store.query(sql, group=group))[0]:
        await store.transact("DELETE $ids RETURN NONE;", ids=ids)
        count += len(ids)
    return count


async def _sources(store: "Store") -> list[tuple[str, str]]:
    """Return each table with where its rows of a group are, the log first."""
    [known] = await store.query("INFO FOR DB;")
    named = (name for name in known["tables"] if not is_search_table(name))
    rest = sorted({*named} - {*_APART, *_LINKS})
    return [
        ("event", "event:[$group, NONE]..=[$group, ..]"),
        *((table, f"{table} WHERE group_id = $group") for table in (*_LINKS, *rest)),
    ]
