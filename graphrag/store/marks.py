"""Marks of what is not whole yet: a group on its way in, and a store that is being copied.

A group that is being written bears the mark that a group has while it is forgotten: nobody reads
it, and what a process leaves that dies meanwhile is erased like any group that is half gone. It is
opened by a last statement. A copied store lists what of it is made, and goes on from there.
"""

import asyncio
from datetime import datetime

from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.sizes import COUNTED, count_group
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now


async def claim_group(store: Store, group: str, created_at: datetime) -> None:
    """Take a name for a group that is to come, closed to everybody until it is there.

    Raises:
        TransactionError: if somebody made a group of that name in the meantime.
    """
    await store.transact(
        "CREATE $info CONTENT $entry RETURN NONE;",
        info=Record("group_info", group),
        entry={"created_at": created_at, "forgotten_at": utc_now()},
    )


async def discard_group(store: Store, group: str) -> None:
    """Erase what came of a claimed group, even if the caller is being cancelled."""
    erasing = asyncio.create_task(store.erase_group(group))
    while not erasing.done():
        try:
            await asyncio.shield(erasing)
        except asyncio.CancelledError:
            continue


async def open_group(store: Store, group: str) -> None:
    """Let everybody see a claimed group, with its size and its newest event."""
    await store.transact(
        f"{COUNTED}\nUPDATE $info SET forgotten_at = NONE RETURN NONE;",
        **await count_group(group, store.query),
    )


async def write_entry(store: Store, entry: Row) -> None:
    """Give a claimed group this entry in place of its own; without the mark that opens it."""
    await store.transact("UPDATE $id CONTENT $entry RETURN NONE;", id=entry["id"], entry=entry)


async def copy_mark(store: Store) -> tuple[list[str], list[str]] | None:
    """Return what an unfinished copy is of, and which steps are done; None for any other store.

    The source is its URL, namespace and database; steps are those that come after the rows.
    """
    [marks] = await store.query("SELECT source, made FROM meta:copy;")
    return ([*marks[0]["source"]], [*(marks[0]["made"] or ())]) if marks else None


async def mark_copy(store: Store, source: list[str], made: list[str]) -> None:
    """Mark a store as an unfinished copy, of which these steps are done."""
    await store.transact(
        "UPSERT meta:copy SET source = $source, made = $made;", source=source, made=made
    )


async def end_copy(store: Store) -> None:
    """Take the mark off: the copy is whole."""
    await store.transact("DELETE meta:copy RETURN NONE;")
