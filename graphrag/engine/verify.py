"""Do the indexes of the engine profile exist, and do they agree with the tables?

Counts are compared for every group; of each table some rows, spread over all of it, are derived
again and looked up through each index by what they hold.
"""

import random
from collections.abc import Iterator

import numpy as np

from graphrag.engine.rebuild import IndexReport, IndexState, count_rows, engine_only
from graphrag.engine.scopes import NAMED, TEXTS, VECTORS, mark, stored_terms, terms_of
from graphrag.schema import EngineIndex, engine_indexes
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.store import Store

SAMPLE = 25
_NEIGHBOURS = 10
_NEAR = 1e-3
_LEAST_RECALL = 0.9


async def check(store: Store) -> IndexReport:
    """Return the state of every index, and what is wrong.

    Raises:
        StoreProfileError: for a store of the process profile, which has no such indexes.
    """
    engine_only(store)
    states: list[IndexState] = []
    findings: list[str] = []
    for table in VECTORS:
        findings += await _counted(store, table)
        sample = await _sample(store, table)
        findings += await _derived(store, table, sample)
        for index in engine_indexes():
            if index.of == table:
                states.append(await _state(store, index, sample))
    for state in states:
        if not state.there:
            findings.append(f"the index {state.name} is missing")
        elif state.recall < _LEAST_RECALL:
            findings.append(
                f"the index {state.name} found {state.found} of {state.sampled} rows of "
                f"{state.table}"
            )
    return IndexReport(tuple(states), tuple(findings))


async def _counted(store: Store, table: str) -> list[str]:
    """Compare the numbers of rows: in the table, derived from it, and counted by group."""
    [groups, counts] = await store.query(
        f"SELECT group_id, count() AS rows FROM {table} GROUP BY group_id;"
        "SELECT VALUE [record::id(id), rows] FROM row_count;"
    )
    findings = []
    expected = {row["group_id"]: row["rows"] for row in groups}
    counted = {key[0]: rows for key, rows in counts if key[1] == table}
    for group in sorted(expected.keys() | counted.keys()):
        if expected.get(group, 0) != counted.get(group, 0):
            findings.append(
                f"group {group!r} has {expected.get(group, 0)} rows in {table}, "
                f"{counted.get(group, 0)} are counted"
            )
    total = sum(expected.values())
    for kind in ("vector", "words"):
        if kind == "words" and table not in TEXTS:
            continue
        rows = await count_rows(store, f"{table}_{kind}")
        if rows != total:
            findings.append(f"{table} has {total} rows and {table}_{kind} has {rows}")
    return findings


async def _sample(store: Store, table: str) -> list[Row]:
    [ids] = await store.query(f"SELECT VALUE record::id(id) FROM {table};")
    chosen = random.Random(0).sample(sorted(ids), min(SAMPLE, len(ids)))
    columns = {"id", "group_id", "embedding", *(TEXTS[table].columns if table in TEXTS else ())}
    columns |= set(NAMED) if table == "entity" else set()
    columns |= {"sources"} if table == "relates_to" else set()
    [rows] = await store.query(
        f"SELECT {', '.join(sorted(columns))} FROM $ids;",
        ids=[Record(table, id_) for id_ in chosen],
    )
    return list(rows)


async def _derived(store: Store, table: str, sample: list[Row]) -> list[str]:
    """Compare what is stored with what follows from the sampled rows."""
    keys = [[row["group_id"], row["id"].id] for row in sample]
    vectors, words = await store.query(
        "SELECT id, vector FROM $vectors; SELECT id, terms FROM $words;",
        vectors=[Record(f"{table}_vector", key) for key in keys],
        words=[Record(f"{table}_words", key) for key in keys] if table in TEXTS else [],
    )
    statements = [
        (row["group_id"], span["episode"], row["id"].id)
        for row in sample
        for span in row.get("sources", ())
    ]
    [there] = await store.query(
        "SELECT VALUE record::id(id) FROM $statements;",
        statements=[Record("stated", [*key]) for key in statements],
    )
    lost = set(statements) - {(key[0], key[1], key[2]) for key in there}
    arrays = {tuple(row["id"].id): row["vector"] for row in vectors}
    terms = {tuple(row["id"].id): row["terms"] for row in words}
    differences = _differences(table, sample, arrays, terms)
    return [
        *differences,
        *(f"that {one[1]} states relates_to:{one[2]} is missing" for one in sorted(lost)),
    ]


def _differences(
    table: str,
    sample: list[Row],
    arrays: dict[tuple[str, str], list[float]],
    terms: dict[tuple[str, str], str],
) -> Iterator[str]:
    for row in sample:
        group, id_ = row["group_id"], row["id"].id
        array = arrays.get((group, id_))
        vector = np.frombuffer(row["embedding"], "<f4")
        if array is None or np.abs(np.asarray(array) - vector).max() > _NEAR:
            yield f"the vector of {table}:{id_} is missing from the index or another one"
        if table in TEXTS:
            expected = stored_terms(terms_of(table, row), group)
            if terms.get((group, id_)) != expected:
                yield f"the words of {table}:{id_} are missing from the index or others"


async def _state(store: Store, index: EngineIndex, sample: list[Row]) -> IndexState:
    [info] = await store.query(f"INFO FOR TABLE {index.table};")
    there = index.name in info["indexes"]
    rows = await count_rows(store, index.table)
    sampled = found = 0
    for row in sample if there else ():
        terms = [] if index.meaning else _first_terms(index.of, row)
        if index.meaning or terms:
            sampled += 1
            ids = await (_nearest(store, index, row) if index.meaning else _with(store, index, row))
            found += (row["group_id"], row["id"].id) in ids
    return IndexState(index.name, index.of, there, rows, sampled, found)


def _first_terms(table: str, row: Row) -> list[str]:
    return [term for piece in terms_of(table, row) for term in piece][:3]


async def _nearest(store: Store, index: EngineIndex, row: Row) -> set[tuple[str, str]]:
    [found] = await store.query(
        f"SELECT VALUE [record::id(id), vector::distance::knn()] FROM {index.table} "
        f"WHERE vector <|{_NEIGHBOURS},100|> $vector;",
        vector=np.frombuffer(row["embedding"], "<f4").tolist(),
    )
    ids = {tuple(key) for key, _ in found}
    # Of many rows with one and the same vector, not all are among the nearest ten.
    if found and max(distance for _, distance in found) < _NEAR:
        ids.add((row["group_id"], row["id"].id))
    return ids


async def _with(store: Store, index: EngineIndex, row: Row) -> set[tuple[str, str]]:
    before = mark(row["group_id"])
    [found] = await store.query(
        f"SELECT VALUE record::id(id) FROM {index.table} WHERE terms @1@ $terms;",
        terms=" ".join(before + term for term in _first_terms(index.of, row)),
    )
    return {tuple(key) for key in found}
