"""Do the indexes of the engine profile exist, and do they agree with the tables?

Counts are compared for every group; of each table some rows, spread over all of it, are looked up
by what they hold.
"""

import random
from collections import Counter

import numpy as np

from graphrag.engine.lookup import with_words
from graphrag.engine.rebuild import IndexReport, IndexState, cells_of, count_rows, engine_only
from graphrag.engine.scopes import TEXTS, VECTORS, terms_of
from graphrag.engine.vector_pages import nearest
from graphrag.schema import engine_indexes
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.store import Store

SAMPLE = 25
_NEIGHBOURS = 10
_LEAST_RECALL = 0.9
_ENOUGH = 10_000
"""Rows with the same words as a sampled one, among which it is looked for."""


async def check(store: Store) -> IndexReport:
    """Return the state of every index, and what is wrong.

    Raises:
        StoreProfileError: for a store of the process profile, which has no such indexes.
    """
    engine_only(store)
    states: list[IndexState] = []
    findings: list[str] = []
    for table in VECTORS:
        [ids] = await store.query(f"SELECT VALUE record::id(id) FROM {table};")
        chosen = random.Random(0).sample(sorted(ids), min(SAMPLE, len(ids)))
        sample = await _sample(store, table, chosen)
        findings += await _counted(store, table)
        looks = [await _vectors(store, table, {*ids}, sample)]
        if table in TEXTS:
            looks.append(await _words(store, table, len(ids), sample))
        for state, wrong in looks:
            states.append(state)
            findings += wrong
    for state in states:
        if not state.there:
            findings.append(f"the index {state.name} is missing")
        elif state.recall < _LEAST_RECALL:
            findings.append(
                f"the index {state.name} found {state.found} of {state.sampled} rows of "
                f"{state.table}"
            )
    return IndexReport(tuple(states), tuple(findings))


async def _sample(store: Store, table: str, ids: list[str]) -> list[Row]:
    columns = {"id", "group_id", "embedding", *(TEXTS[table].columns if table in TEXTS else ())}
    [rows] = await store.query(
        f"SELECT {', '.join(sorted(columns))} FROM $ids;", ids=[Record(table, id_) for id_ in ids]
    )
    return list(rows)


async def _counted(store: Store, table: str) -> list[str]:
    """Compare the numbers of rows: in the table, and counted by group."""
    [groups, counts] = await store.query(
        f"SELECT group_id, count() AS rows FROM {table} GROUP BY group_id;"
        "SELECT VALUE [record::id(id), rows] FROM row_count;"
    )
    expected = {row["group_id"]: row["rows"] for row in groups}
    counted = {key[0]: rows for key, rows in counts if key[1] == table}
    return [
        f"group {group!r} has {expected.get(group, 0)} rows in {table}, "
        f"{counted.get(group, 0)} are counted"
        for group in sorted(expected.keys() | counted.keys())
        if expected.get(group, 0) != counted.get(group, 0)
    ]


async def _vectors(
    store: Store, table: str, ids: set[str], sample: list[Row]
) -> tuple[IndexState, list[str]]:
    """Look for the sampled rows by their vectors, and for what should be in no page."""
    cells, pages = await store.query(
        "SELECT VALUE [record::id(id)[0], generation] FROM vector_cells "
        "WHERE record::id(id)[1] = $table;"
        "SELECT VALUE [record::id(id), ids] FROM vector_page WHERE record::id(id)[1] = $table;",
        table=table,
    )
    current = dict(cells)
    held = Counter(
        id_
        for (group, _, generation, *_), listed in pages
        if generation in (0, current.get(group))
        for id_ in listed.split("\n")
    )
    findings = [
        f"{len(some)} vectors of {table} {what}"
        for what, some in (
            ("are of no row", held.keys() - ids),
            ("are there twice", {id_ for id_, times in held.items() if times > 1}),
        )
        if some
    ]
    found = sampled = 0
    for row in sample:
        vector = np.frombuffer(row["embedding"] or b"", "<f4")
        if vector.any() and np.isfinite(vector).all():
            sampled += 1
            near = await nearest(store, row["group_id"], table, vector)
            # Of many rows with one and the same vector, not all are among the nearest ten.
            alike = int((near.scores >= near.scores[:_NEIGHBOURS].min(initial=1)).sum())
            found += row["id"].id in near.ids[:alike]
    return IndexState(cells_of(table), table, True, held.total(), sampled, found), findings


async def _words(
    store: Store, table: str, rows: int, sample: list[Row]
) -> tuple[IndexState, list[str]]:
    """Look for the sampled rows by all of their words."""
    [index] = [index for index in engine_indexes() if index.of == table]
    [info] = await store.query(f"INFO FOR TABLE {index.table};")
    there, count = index.name in info["indexes"], await count_rows(store, index.table)
    found = sampled = 0
    for row in sample if there else ():
        if pieces := [piece for piece in terms_of(table, row) if piece]:
            sampled += 1
            terms = [term for piece in pieces for term in piece]
            [hits] = await with_words(store, row["group_id"], table, [terms], limit=_ENOUGH)
            found += row["id"].id in {id_ for id_, _ in hits}
    findings = [] if count == rows else [f"{table} has {rows} rows and {index.table} has {count}"]
    return IndexState(index.name, table, there, count, sampled, found), findings
