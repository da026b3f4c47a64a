"""Read a group from the store into columns, and keep it fresh.

Moments travel as integer microseconds and vectors as bytes: decoding a datetime object costs ten
times as much as an integer, and a cold start is mostly decoding.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import numpy as np

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.vectors import from_bytes
from graphrag.models import Entity, Fact
from graphrag.protocols import Matrix
from graphrag.store.record import Record
from graphrag.store.store import Store


def _micros(column: str) -> str:
    return f"IF {column} IS NONE {{ NONE }} ELSE {{ time::micros({column}) }}"


_PAGE = 20_000
_COLUMNS = {
    "entity": "[record::id(id), embedding, entity_type, name, aliases, summary]",
    "relates_to": (
        "[record::id(id), embedding, record::id(in), record::id(out), name, subject, object, fact, "
        f"{_micros('valid_at')}, {_micros('invalid_at')}, {_micros('retracted_at')}]"
    ),
    "episode": "[record::id(id), embedding, content, content_hash, time::micros(valid_at)]",
    "passage": "[record::id(id), embedding, episode]",
}


async def load_group(store: Store, group: str, dimension: int) -> GroupIndex:
    """Read every row of a group; about 30 µs a fact."""
    index = GroupIndex(group, dimension)
    # The event number first: a commit of another process during the load is then seen as news.
    index.seq = await store.last_seq(group)
    alone = await store.groups() == [group]
    for table in _COLUMNS:
        pages = _pages(store, table) if alone else _by_group(store, table, group)
        async for rows in pages:
            _fill(index, table, rows)
    return index


async def refresh_group(store: Store, index: GroupIndex) -> None:
    """Take in what others committed to the group since the index was last in step."""
    events = await store.events(index.group_id, after=index.seq)
    touched: dict[str, set[str]] = defaultdict(set)
    for event in events:
        for change in event.changes:
            table, _, id_ = change.record.partition(":")
            touched[table].add(id_)
    for table, columns in _COLUMNS.items():
        known = _scope_rows(index, table)
        fresh = [Record(table, id_) for id_ in sorted(touched[table] - known)]
        if fresh:
            [rows] = await store.query(f"SELECT VALUE {columns} FROM $ids;", ids=fresh)
            _fill(index, table, rows)
        touched[table] &= known
    for entity in (await store.get(Entity, touched["entity"])).values():
        index.change_entity(entity)
    for fact in (await store.get(Fact, touched["relates_to"])).values():
        index.change_fact(fact)
    if events:
        index.seq = events[-1].seq


async def _by_group(store: Store, table: str, group: str) -> AsyncIterator[list[list[Any]]]:
    sql = f"SELECT VALUE {_COLUMNS[table]} FROM {table} WHERE group_id = $group;"
    [rows] = await store.query(sql, group=group)
    yield rows


async def _pages(store: Store, table: str) -> AsyncIterator[list[list[Any]]]:
    """Read a whole table in the order of its ids, half the cost of reading it by group.

    The next page is asked for before the last is handed out, so that the engine reads it while the
    columns of the last are built.
    """

    def ask(after: str) -> asyncio.Task[list[list[list[Any]]]]:
        sql = f"SELECT VALUE {_COLUMNS[table]} FROM {table} WHERE id > $after LIMIT {_PAGE};"
        return asyncio.create_task(store.query(sql, after=Record(table, after)))

    waiting = ask("")
    while True:
        [rows] = await waiting
        more = len(rows) == _PAGE
        if more:
            waiting = ask(rows[-1][0])
            await asyncio.sleep(0)  # let the request leave before the columns take the thread
        yield rows
        if not more:
            return


def _scope_rows(index: GroupIndex, table: str) -> set[str]:
    scopes = {
        "entity": index.entities,
        "relates_to": index.facts,
        "episode": index.episodes,
        "passage": index.passages,
    }
    return set(scopes[table].row_of)


def _fill(index: GroupIndex, table: str, rows: list[list[Any]]) -> None:
    if not rows:
        return
    vectors: Matrix = from_bytes([row[1] for row in rows], index.entities.vectors.dimension)
    ids = [row[0] for row in rows]
    if table == "entity":
        texts = [" ".join((row[3], *row[4], row[5])) for row in rows]
        index.entities.extend(ids, vectors, texts, {})
        for id_, _, kind, name, aliases, _ in rows:
            index.register_entity(id_, kind, (name, *aliases))
    elif table == "relates_to":
        row_of = index.entities.row_of
        index.facts.extend(
            ids,
            vectors,
            [f"{row[5]} {row[4].replace('_', ' ')} {row[6]}. {row[7]}" for row in rows],
            {
                "subject": [row_of[row[2]] for row in rows],
                "object": [row_of[row[3]] for row in rows],
                "relation": [index.relation_code(row[4]) for row in rows],
                "valid": [BEGINNING if row[8] is None else row[8] for row in rows],
                "invalid": [FOREVER if row[9] is None else row[9] for row in rows],
                "retracted": [FOREVER if row[10] is None else row[10] for row in rows],
            },
        )
    elif table == "episode":
        times = np.array([row[4] for row in rows], dtype=np.int64)
        index.episodes.extend(ids, vectors, [row[2] for row in rows], {"valid": times})
        for id_, _, _, content_hash, valid_at in rows:
            index.register_episode(id_, content_hash, valid_at)
    elif table == "passage":
        index.add_passages(ids, [row[2] for row in rows], vectors)
