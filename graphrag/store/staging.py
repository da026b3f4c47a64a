"""Staging of what is not whole yet: a coming group, a copied store, vectors of another model.

A group that is being written bears the mark that a group has while it is forgotten: nobody reads
it, and what a process leaves that dies meanwhile is erased like any group that is half gone. It is
opened by a last statement. A copied store lists what of it is made, and goes on from there.

New vectors are made beside the old ones, which serve until all are there. Putting them in place
takes seconds, in pages; the mark says that all are there before the first of them moves, and
whoever opens the store next finishes what was begun.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphrag.store.engine import Row
from graphrag.store.groups import COUNTED, count_group
from graphrag.store.pages import read_pages
from graphrag.store.record import Record
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


@dataclass(frozen=True, slots=True)
class Staged:
    """One vector that waits for the others."""

    table: str
    id: str
    words: str
    """Hash of the words that it was made of."""
    vector: bytes


async def begin(store: Store, name: str, dimension: int) -> None:
    """Note to which model a store changes; what was made for another one goes."""
    await store.transact("DEFINE TABLE IF NOT EXISTS staged_vector SCHEMALESS;")
    [known] = await store.query("SELECT name, dimension FROM meta:revector;")
    if known and (known[0]["name"], known[0]["dimension"]) != (name, dimension):
        await store.transact("DELETE staged_vector RETURN NONE;")
    await store.transact(
        "UPSERT meta:revector SET name = $name, dimension = $dimension, whole = false;",
        name=name,
        dimension=dimension,
    )


async def pages(store: Store, table: str) -> AsyncIterator[tuple[list[Row], Mapping[str, str]]]:
    """Yield the rows of a table without vectors, and the hashes of what is staged of them."""
    async for rows in read_pages(store, table, "* OMIT embedding"):
        [found] = await store.query(
            "SELECT key, words FROM $staged;",
            staged=[_record(table, row["id"].id) for row in rows],
        )
        yield rows, {row["key"]: row["words"] for row in found}


async def episodes_of(store: Store, ids: Sequence[str]) -> dict[str, Row]:
    """Return episodes without their vectors, by id."""
    [rows] = await store.query(
        "SELECT id, name, content FROM $records;",
        records=[Record("episode", id_) for id_ in dict.fromkeys(ids)],
    )
    return {row["id"].id: row for row in rows}


async def stage(store: Store, vectors: Sequence[Staged]) -> None:
    """Keep some vectors until all are there."""
    rows = [
        {
            "id": _record(staged.table, staged.id),
            "of": Record(staged.table, staged.id),
            "key": staged.id,
            "words": staged.words,
            "embedding": staged.vector,
        }
        for staged in vectors
    ]
    await store.transact(
        "INSERT INTO staged_vector $rows ON DUPLICATE KEY UPDATE "
        "words = $input.words, embedding = $input.embedding RETURN NONE;",
        rows=rows,
    )


async def mark_whole(store: Store) -> None:
    """Note that all vectors are there."""
    await store.transact("UPDATE meta:revector SET whole = true;")


def _record(table: str, id_: str) -> Record:
    return Record("staged_vector", f"{table}:{id_}")
