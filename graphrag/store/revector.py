"""Vectors of another model, made beside the old ones and put in their place when all are there.

Until then the old ones serve, and what was made stays, so that a process that was killed goes on.
Putting them in place is a matter of seconds, in pages; the mark says that all are there before the
first of them moves, and whoever opens the store next finishes what was begun.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from graphrag.store.engine import Row
from graphrag.store.pages import read_pages
from graphrag.store.record import Record
from graphrag.store.store import Store


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
