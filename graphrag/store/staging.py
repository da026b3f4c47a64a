"""Vectors of another embedder, staged until all are there and take the place of the old ones.

A mark says so before the first vector moves, and whoever opens the store next finishes what was
begun.
"""

import shutil
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from graphrag.protocols import Matrix
from graphrag.store.connection import Connection
from graphrag.store.record import Record
from graphrag.store.rows import vector_bytes

if TYPE_CHECKING:
    from graphrag.store.store import Store

_PAGE = 250
_KEPT = ("columns", "rows")
"""Folders beside a store with what was read from it."""


async def begin_vectors(store: "Store", name: str, dimension: int) -> None:
    """Note to which model a store changes; what was made for another one goes.

    New vectors are made beside the old ones, which serve until all are there.
    """
    await store.transact("DEFINE TABLE IF NOT EXISTS staged_vector SCHEMALESS;")
    [known] = await store.query("SELECT name, dimension FROM meta:revector;")
    if known and (known[0]["name"], known[0]["dimension"]) != (name, dimension):
        await store.transact("DELETE staged_vector RETURN NONE;")
    sql = "UPSERT meta:revector SET name = $name, dimension = $dimension, whole = false;"
    await store.transact(sql, name=name, dimension=dimension)


async def staged_words(store: "Store", table: str, ids: Iterable[str]) -> dict[str, str]:
    """Return the hashes of the words of which vectors are staged, by the ids of their rows."""
    [rows] = await store.query(
        "SELECT VALUE [key, words] FROM $staged;", staged=[_record(table, id_) for id_ in ids]
    )
    return dict(rows)


async def stage_vectors(
    store: "Store", table: str, words: Mapping[str, str], vectors: Mapping[str, Matrix]
) -> None:
    """Keep vectors by the ids of their rows, with hashes of their words, until all are there."""
    rows = [
        {
            "id": _record(table, id_),
            "of": Record(table, id_),
            "key": id_,
            "words": words[id_],
            "embedding": vector_bytes(vector),
        }
        for id_, vector in vectors.items()
    ]
    await store.transact(
        "INSERT INTO staged_vector $rows ON DUPLICATE KEY UPDATE "
        "words = $input.words, embedding = $input.embedding RETURN NONE;",
        rows=rows,
    )


async def end_vectors(store: "Store") -> None:
    """Note that all vectors are there."""
    await store.transact("UPDATE meta:revector SET whole = true;")


def _record(table: str, id_: str) -> Record:
    return Record("staged_vector", f"{table}:{id_}")


async def finish_vectors(connection: Connection) -> None:
    """Put the vectors of another model in place if all of them are there; nothing otherwise."""
    await connection.prepare()
    [marks] = await connection.query("SELECT * FROM meta:revector;")
    if not marks or not marks[0]["whole"]:
        return
    mark = marks[0]
    if (path := connection.target.path) is not None:
        for name in _KEPT:
            shutil.rmtree(path / name, ignore_errors=True)
    page = f"SELECT * FROM staged_vector LIMIT {_PAGE};"
    while rows := (await connection.query(page))[0]:
        await connection.transact(
            "FOR $row IN $rows { UPDATE $row.of SET embedding = $row.embedding RETURN NONE; "
            "DELETE $row.id RETURN NONE; };",
            {"rows": [{name: row[name] for name in ("id", "of", "embedding")} for row in rows]},
        )
    await connection.transact(
        "UPSERT meta:embedder SET name = $name, dimension = $dimension; DELETE meta:revector;",
        {"name": mark["name"], "dimension": mark["dimension"]},
    )
    await connection.query("REMOVE TABLE IF EXISTS staged_vector;")
