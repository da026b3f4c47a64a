"""Marks of what is not whole yet: a group on its way in, and a store that is being copied.

A group that is being written bears the mark that a group has while it is forgotten: nobody reads
it, and what a process leaves that dies meanwhile is erased like any group that is half gone. It is
opened by a last statement. A copied store lists what of it is made, and goes on from there.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class CopyMark:
    """What says of a store that it is an unfinished copy."""

    source: Sequence[str]
    """URL, namespace and database of what is copied."""
    made: Sequence[str]
    """Names of the steps that are done, of those that come after the rows."""


async def copy_mark(store: Store) -> CopyMark | None:
    """Return the mark of a store that is an unfinished copy, None for any other."""
    [marks] = await store.query("SELECT source, made FROM meta:copy;")
    return CopyMark(marks[0]["source"], tuple(marks[0]["made"] or ())) if marks else None


async def begin_copy(store: Store, source: Sequence[str]) -> None:
    """Mark a store as an unfinished copy of which nothing is made."""
    await store.transact("UPSERT meta:copy SET source = $source, made = [];", source=list(source))


async def note_made(store: Store, step: str) -> None:
    """Note a step that is done in the mark of a copy."""
    await store.transact("UPDATE meta:copy SET made += $made;", made=step)


async def note_none_made(store: Store) -> None:
    """Note in the mark of a copy that every step is to be done anew."""
    await store.transact("UPDATE meta:copy SET made = [];")


async def end_copy(store: Store) -> None:
    """Take the mark off: the copy is whole."""
    await store.transact("DELETE meta:copy RETURN NONE;")
