"""Fields of each table that are read into columns, page by page, tolerant of damaged rows.

Moments travel as integer microseconds and vectors as bytes: decoding a datetime costs ten times an
integer. A row without a vector is found by words alone, a dangling link is left out; both are
logged, and ``health`` finds and repairs them.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.index.scope import Scope
from graphrag.index.vectors import from_bytes, norms_of
from graphrag.protocols import Matrix
from graphrag.store.record import Record
from graphrag.store.store import Store

_LOG = logging.getLogger("graphrag")
# No datetime of Python is in the year 0, so it can stand for "no value".
NEVER = -62_167_219_200_000_000


def _micros(column: str) -> str:
    return f"time::micros({column} ?? d'0000-01-01T00:00:00Z')"


_START = "(IF closed_as = 'past' { invalid_at } ELSE { valid_at })"
"""What merely was holds at no moment: it begins where it is over."""
Rows = list[list[Any]]
Page = tuple[str, Rows]
"""A table and some of its rows."""

_PAGE = 2_000
COLUMNS = {
    "entity": (
        "[record::id(id), embedding, entity_type, name, aliases ?? [], summary, attributes ?? {}, "
        f"merged_into, {_micros('removed_at')}, endings != NONE, names]"
    ),
    "relates_to": (
        "[record::id(id), embedding, record::id(in), record::id(out), name, subject, object, text, "
        f"{_micros(_START)}, "
        f"{_micros('invalid_at')}, {_micros('retracted_at')}, "
        "pending ?? false, observed ?? false]"
    ),
    "episode": (
        "[record::id(id), embedding, content, content_hash, time::micros(valid_at), "
        f"{_micros('removed_at')}, saga, name, source, key]"
    ),
    "passage": "[record::id(id), embedding, record::id(episode)]",
    "community": "[record::id(id), embedding, name, summary]",
}


async def by_group(store: Store, group: str) -> list[Page]:
    """Read the rows of a group through the index of groups, in one round trip."""
    sql = "".join(
        f"SELECT VALUE {columns} FROM {table} WHERE group_id = $group;"
        for table, columns in COLUMNS.items()
    )
    return list(zip(COLUMNS, await store.query(sql, group=group), strict=True))


async def pages(store: Store, group: str) -> AsyncIterator[Page]:
    """Read whole tables in the order of their ids, half the cost of reading them by group."""
    for table, columns in COLUMNS.items():
        after = ""
        while True:
            # A range: ``WHERE id > $after`` reads the table from its beginning each time.
            source = f"type::record('{table}', $after>..) WHERE group_id = $group"
            sql = f"SELECT VALUE {columns} FROM {source} LIMIT {_PAGE};"
            [rows] = await store.query(sql, after=after, group=group)
            yield table, rows
            if len(rows) < _PAGE:
                break
            after = rows[-1][0]


async def by_ids(store: Store, table: str, ids: Sequence[str]) -> AsyncIterator[Page]:
    """Read some rows of a table, page by page."""
    sql = f"SELECT VALUE {COLUMNS[table]} FROM $ids;"
    for first in range(0, len(ids), _PAGE):
        some = [Record(table, id_) for id_ in ids[first : first + _PAGE]]
        [rows] = await store.query(sql, ids=some)
        yield table, rows


async def ahead(pages: AsyncIterator[Page]) -> AsyncIterator[Page]:
    """Yield pages, each asked for while the one before is used: the engine never waits."""
    asked = asyncio.ensure_future(anext(pages, None))
    try:
        while (page := await asked) is not None:
            asked = asyncio.ensure_future(anext(pages, None))
            yield page
    finally:
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)


def scopes_of(index: GroupIndex) -> dict[str, Scope]:
    """Return the columns of each table."""
    return {
        "entity": index.entities,
        "relates_to": index.facts,
        "episode": index.episodes,
        "passage": index.passages,
        "community": index.communities,
    }


def tied(index: GroupIndex, table: str, rows: Rows) -> Rows:
    """Return the rows without those that lead to a record that is not there."""
    if table == "relates_to":
        known = index.entities.row_of
        left = [row for row in rows if row[2] in known and row[3] in known]
    elif table == "passage":
        left = [row for row in rows if row[2] in index.episodes.row_of]
    else:
        return rows
    if len(left) < len(rows):
        _LOG.warning(
            "group %r: %d rows of %s lead nowhere and are left out; health.check() names them",
            index.group_id,
            len(rows) - len(left),
            table,
        )
    return left


def readable(index: GroupIndex, table: str, rows: Rows) -> tuple[Matrix, list[str]]:
    """Return the vectors of rows, and the ids of those whose vector is to be left blank."""
    dimension = index.entities.vectors.dimension
    blobs = [row[1] for row in rows]
    stand_in = np.ones(dimension, "<f4").tobytes()
    size = len(stand_in)
    bad = {
        place
        for place, blob in enumerate(blobs)
        if not isinstance(blob, bytes) or len(blob) != size
    }
    vectors = _with(blobs, bad, stand_in, dimension)
    with np.errstate(over="ignore", invalid="ignore"):
        norms = norms_of(vectors)
    if pointless := np.flatnonzero(~(np.isfinite(norms) & (norms > 0))).tolist():
        bad.update(pointless)
        vectors = _with(blobs, bad, stand_in, dimension)
    if bad:
        _LOG.warning(
            "group %r: %d rows of %s have no usable vector and are found by their words alone; "
            "health.repair() embeds them anew",
            index.group_id,
            len(bad),
            table,
        )
    return vectors, [rows[place][0] for place in sorted(bad)]


def _with(blobs: list[Any], bad: set[int], stand_in: bytes, dimension: int) -> Matrix:
    if not bad:
        return from_bytes(blobs, dimension)
    sound = [stand_in if place in bad else blob for place, blob in enumerate(blobs)]
    return from_bytes(sound, dimension)
