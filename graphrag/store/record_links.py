"""Columns that hold ids of other records: links in the database, ids in the library and its log."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from graphrag.store.connection import Connection
from graphrag.store.engine import Row
from graphrag.store.record import Record

_LOG = logging.getLogger("graphrag")
_LINKS: Mapping[str, Mapping[str, str]] = {
    "relates_to": dict.fromkeys(("invalidated_by", "derived_from", "rivals"), "relates_to"),
    "entity": dict.fromkeys(("merged_into", "distinct_from"), "entity"),
    "passage": {"episode": "episode"},
    "community": {"parent": "community"},
}
"""The table that a column of a table links to; the sources of a fact link to episodes beside."""
_COLUMNS = frozenset(column for columns in _LINKS.values() for column in columns)
_PAGE = 250
"""Rows of one transaction."""
_STRICT = (
    "DEFINE FIELD OVERWRITE sources.*.episode ON relates_to TYPE record<episode>;"
    "DEFINE FIELD OVERWRITE episode ON passage TYPE record<episode> "
    "COMMENT 'the episode that it is a piece of';"
    "DEFINE FIELD OVERWRITE parent ON community TYPE option<record<community>> "
    "COMMENT 'the community of the next level that it is part of';"
)


def linked(table: str, row: Mapping[str, Any]) -> Row:
    """Return a row, or some columns of one, with links as the database has them."""
    found = dict(row)
    for column, goal in _LINKS.get(table, {}).items():
        if (item := row.get(column)) is not None:
            found[column] = _link(goal, item)
    if sources := row.get("sources"):
        episodes = (_link("episode", span["episode"]) for span in sources)
        found["sources"] = [
            {**span, "episode": link} for span, link in zip(sources, episodes, strict=True)
        ]
    return found


def unlinked(row: Row) -> Row:
    """Return a row as the library has it, with ids instead of links; the row itself is changed."""
    for column in _COLUMNS & row.keys():
        row[column] = _id(row[column])
    for span in row.get("sources") or ():
        span["episode"] = _id(span["episode"])
    return row


async def finish_links(connection: Connection) -> None:
    """Rewrite the links of a store of an earlier version, which were strings.

    A process that died meanwhile is followed by the next one, where it stopped.
    """
    [mark] = await connection.query("SELECT * FROM meta:unlinked;")
    if mark:
        _LOG.warning("%s is from an earlier version: links are rewritten", connection.target.url)
        for table in _LINKS:
            await _rewrite(connection, table, mark[0].get("after", {}).get(table, ""))
        await _lead_to_episodes(connection)
    await connection.transact(f"{_STRICT}DELETE meta:unlinked RETURN NONE;", {})


async def _rewrite(connection: Connection, table: str, after: str) -> None:
    columns = ", ".join(("id", *_LINKS[table], *(["sources"] if table == "relates_to" else [])))
    page = f"SELECT {columns} FROM type::record('{table}', $after>..) LIMIT {_PAGE};"
    while True:
        [rows] = await connection.query(page, {"after": after})
        if not rows:
            return
        after = rows[-1]["id"].id
        changed = [row for row in rows if any(row.get(name) for name in row.keys() - {"id"})]
        await connection.transact(
            "FOR $row IN $rows { UPDATE $row.id MERGE $row.set RETURN NONE };"
            f"UPDATE meta:unlinked SET after.{table} = $after;",
            {
                "rows": [{"id": row["id"], "set": _links_of(table, row)} for row in changed],
                "after": after,
            },
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


def _links_of(table: str, row: Row) -> Row:
    links = linked(table, row).items()
    return {name: item for name, item in links if name != "id" and item is not None}


def _link(table: str, item: Any) -> Any:
    if isinstance(item, str):
        return Record(table, item)
    return item if isinstance(item, Record) else [_link(table, part) for part in item]


def _id(item: Any) -> Any:
    if isinstance(item, Iterable) and not isinstance(item, str):
        return [_id(part) for part in item]
    return item.id if isinstance(item, Record) else item
