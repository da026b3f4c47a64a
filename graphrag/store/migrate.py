"""What a store remembers of itself: its schema, its profile, its embedder, whether it is a copy."""

import logging
import shutil
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from graphrag.errors import EmbedderMismatchError, StoreError, StoreProfileError, StoreVersionError
from graphrag.protocols import Matrix
from graphrag.schema import Profile, newest, oldest, pending
from graphrag.store.connection import Connection
from graphrag.store.engine import Row
from graphrag.store.record import LINKS, Record, linked
from graphrag.store.rows import vector_bytes
from graphrag.store.target import Target

if TYPE_CHECKING:
    from graphrag.store.store import Store

_LOG = logging.getLogger("graphrag")
_PAGE = 250
_KEPT = ("columns", "rows")
"""Folders beside a store with what was read from it."""
_STRICT = (
    "DEFINE FIELD OVERWRITE sources.*.episode ON relates_to TYPE record<episode>;"
    "DEFINE FIELD OVERWRITE episode ON passage TYPE record<episode> "
    "COMMENT 'the episode that it is a piece of';"
    "DEFINE FIELD OVERWRITE parent ON community TYPE option<record<community>> "
    "COMMENT 'the community of the next level that it is part of';"
)


async def migrate(
    connection: Connection, embedder: str, dimension: int, *, copying: bool
) -> tuple[Profile, bool]:
    """Apply pending migrations, check who wrote the store; return profile and ``native``."""
    target = connection.target
    await connection.prepare()
    [rows] = await connection.query("SELECT * FROM meta;")
    meta = {row["id"].id: row for row in rows}
    applied = frozenset(meta.get("schema", {}).get("applied", ()))
    if applied and max(applied) > newest():
        raise StoreVersionError(
            f"the store at {target.url} has schema {max(applied)}, this version knows "
            f"{newest()}: upgrade surreal-graphrag"
        )
    if applied and min(applied) < oldest():
        raise StoreVersionError(
            f"the store at {target.url} was made by surreal-graphrag 0.1, which was never "
            "published: this version cannot read it, add its episodes to a new store"
        )
    known = meta.get("embedder", {"name": embedder, "dimension": dimension})
    if (known["name"], known["dimension"]) != (embedder, dimension):
        raise _mismatch(target.url, {"embedder": known, **meta}, embedder, dimension)
    if "copy" in meta and not copying:
        raise StoreError(
            f"the store at {target.url} is an unfinished copy of {meta['copy']['source'][0]}: "
            "start 'surreal-graphrag copy' again, which goes on where it stopped"
        )
    profile: Profile = meta.get("profile", {}).get("name", target.profile or "process")
    if target.profile not in (None, profile):
        raise StoreProfileError(
            f"the store at {target.url} has profile {profile!r}, not {target.profile!r}: open it "
            "without a profile, or make one of the other with "
            f"'surreal-graphrag copy {target.url} NEW --profile {target.profile}'"
        )
    for migration in pending(applied, profile):
        applied |= {migration.number}
        await connection.transact(
            migration.statements(dimension=dimension)
            + "UPSERT meta:schema SET applied = $applied;"
            + "UPSERT meta:embedder SET name = $name, dimension = $dimension;"
            + "UPSERT meta:profile SET name = $profile;",
            {"applied": sorted(applied), "profile": profile}
            | {"name": embedder, "dimension": dimension},
        )
    await finish_links(connection)
    return profile, bool(meta.get("profile", {}).get("native"))


async def finish_links(connection: Connection) -> None:
    """Rewrite the links of a store of an earlier version, which were strings; go on with it."""
    [mark] = await connection.query("SELECT * FROM meta:unlinked;")
    if not mark:
        return
    [known] = await connection.query("SELECT VALUE id FROM event LIMIT 1;")
    if known:
        _LOG.warning("%s is from an earlier version: links are rewritten", connection.target.url)
        for table in LINKS:
            await _rewrite(connection, table, mark[0].get("after", {}).get(table, ""))
        await _lead_to_episodes(connection)
    await connection.transact(f"{_STRICT}DELETE meta:unlinked RETURN NONE;", {})


async def _rewrite(connection: Connection, table: str, after: str) -> None:
    columns = ", ".join(("id", *LINKS[table], *(["sources"] if table == "relates_to" else [])))
    page = f"SELECT {columns} FROM type::record('{table}', $after>..) LIMIT {_PAGE};"
    while rows := (await connection.query(page, {"after": after}))[0]:
        after = rows[-1]["id"].id
        links = [
            {name: item for name, item in linked(table, row).items() if item is not None}
            for row in rows
            if any(row.get(name) for name in row.keys() - {"id"})
        ]
        await connection.transact(
            "FOR $row IN $rows { UPDATE $row.id MERGE $row.set RETURN NONE };"
            f"UPDATE meta:unlinked SET after.{table} = $after;",
            {"rows": [{"id": row.pop("id"), "set": row} for row in links], "after": after},
        )


async def _lead_to_episodes(connection: Connection) -> None:
    """Have links from sagas to their episodes."""
    sagas, episodes = await connection.query(
        "SELECT id, group_id, name FROM saga;"
        "SELECT id, group_id, saga, valid_at FROM episode WHERE saga != NONE;"
    )
    known = {(row["group_id"], row["name"]): row["id"] for row in sagas}
    links = [
        {
            "id": Record("has_episode", row["id"].id),
            "in": known[row["group_id"], row["saga"]],
            "out": row["id"],
            "group_id": row["group_id"],
            "valid_at": row["valid_at"],
        }
        for row in episodes
        if (row["group_id"], row["saga"]) in known
    ]
    for start in range(0, len(links), _PAGE):
        await connection.transact(
            "INSERT RELATION INTO has_episode $links "
            "ON DUPLICATE KEY UPDATE valid_at = $input.valid_at RETURN NONE;",
            {"links": links[start : start + _PAGE]},
        )


async def copy_mark(store: "Store") -> tuple[list[str], list[str]] | None:
    """Return URL, namespace and database of which this is an unfinished copy, and steps done."""
    [marks] = await store.query("SELECT source, made FROM meta:copy;")
    return ([*marks[0]["source"]], [*(marks[0]["made"] or ())]) if marks else None


async def mark_copy(store: "Store", source: list[str], made: list[str]) -> None:
    """Mark a store as an unfinished copy, of which these steps are done."""
    await store.transact(
        "UPSERT meta:copy SET source = $source, made = $made;", source=source, made=made
    )


async def end_copy(store: "Store") -> None:
    """Take the mark off: the copy is whole."""
    await store.transact("DELETE meta:copy RETURN NONE;")


# Vectors of another embedder are staged until all are there, and then take the place of the old
# ones. A mark says so before the first vector moves, and whoever opens the store next finishes it.


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


async def embedder_of(target: Target) -> tuple[str, int]:
    """Return the name and the dimension of the embedder that a store was built with."""
    embedder: list[tuple[str, int]] = []
    if target.path is None or target.path.exists():
        connection = Connection(target)
        await connection.open()
        try:
            [info] = await connection.query("INFO FOR DB;")
            if "meta" in info["tables"]:
                [embedder] = await connection.query(
                    "SELECT VALUE [name, dimension] FROM meta:embedder;"
                )
        finally:
            await connection.close()
    if not embedder:
        raise StoreError(f"there is no graph at {target.url}")
    name, dimension = embedder[0]
    return str(name), int(dimension)


def _mismatch(
    url: str, meta: Mapping[str, Row], name: str, dimension: int
) -> EmbedderMismatchError:
    """Return what is wrong with opening a store with another model, and what to do."""
    known, wanted = meta["embedder"], (name, dimension)
    change = meta.get("revector")
    begun = change is not None and (change["name"], change["dimension"]) == wanted
    how = (
        "its vectors are being made anew with this one, and not all are there: start "
        "'surreal-graphrag index embed' or health.reembed() again, which goes on; until then open "
        "it with the old one"
        if begun
        else "open it with that embedder; 'surreal-graphrag index embed' or health.reembed() "
        "makes the vectors anew with another one, without reading the episodes again, and "
        "log.replay_all(GraphRAG.open(NEW, models=Models(embedder=...))) a new store with them"
    )
    return EmbedderMismatchError(
        f"the store at {url} was built with embedder {known['name']!r} "
        f"({known['dimension']} dimensions), not {name!r} ({dimension}): {how}"
    )
