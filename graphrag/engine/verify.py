"""Do the search tables and their indexes exist, and do they agree with the records?

Rows are counted for every group; of each table some, spread over all of it, are looked up.
"""

import random
from dataclasses import dataclass

import numpy as np

from graphrag.engine.build import searched_only
from graphrag.engine.rows import TEXTS, terms_of
from graphrag.schema import VECTORS, vector_table, word_table
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.store import Store

_SAMPLE = 25
_LEAST_RECALL = 0.9
_SAME = 1e-4
"""Distance of two vectors that are the same."""
_ASKED = {"vector": ("vector::distance::knn() ?? 1", "<|10,60|>"), "terms": ("1", "@@")}
"""How far a row is from what is asked, and the operator that asks."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """One index of SurrealDB, and the rows that it covers."""

    name: str
    """Its search table."""
    table: str
    """The table whose rows it finds."""
    there: bool
    rows: int
    """Rows that it covers."""
    sampled: int
    found: int
    """How many of the sampled rows it led back to."""

    @property
    def recall(self) -> float:
        """Return the part of the sampled rows that it found; 1 if there was nothing to find."""
        return self.found / self.sampled if self.sampled else 1.0


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The indexes of a store with search tables."""

    indexes: tuple[IndexState, ...]
    findings: tuple[str, ...]
    """What is wrong, in words; ``health.build_indexes()`` makes all of it right."""

    @property
    def sound(self) -> bool:
        """Tell whether every index is there and agrees with its table."""
        return not self.findings


async def check(store: Store) -> IndexReport:
    """Return the state of every index, and what is wrong.

    Raises:
        StoreProfileError: for a store without search tables.
    """
    searched_only(store)
    [info] = await store.query("INFO FOR DB;")
    states: list[IndexState] = []
    findings: list[str] = []
    for group in await store.groups():
        for table in VECTORS:
            [ids] = await store.query(
                f"SELECT VALUE [record::id(id), embedding != NONE] FROM {table} "
                "WHERE group_id = $group;",
                group=group,
            )
            every = sorted(id_ for id_, _ in ids)
            sample = await _rows(store, table, every)
            looks = [("vector", vector_table(table, group), sum(given for _, given in ids))]
            if table in TEXTS:
                looks.append(("terms", word_table(table, group), len(every)))
            for column, name, expected in looks:
                if name not in info["tables"]:
                    findings.append(f"the table {name} is missing")
                    continue
                state = await _look(store, column, name, table, sample)
                states.append(state)
                findings += _wrong(state, expected)
    return IndexReport(tuple(states), tuple(findings))


def _wrong(state: IndexState, expected: int) -> list[str]:
    found = []
    if not state.there:
        found.append(f"the index of {state.name} is missing, or being built")
    elif state.recall < _LEAST_RECALL:
        found.append(
            f"the index of {state.name} found {state.found} of {state.sampled} rows of "
            f"{state.table}"
        )
    if state.rows != expected:
        found.append(f"{state.name} has {state.rows} rows and {state.table} has {expected}")
    return found


async def _rows(store: Store, table: str, ids: list[str]) -> list[Row]:
    """Return some rows, spread over all of them."""
    columns = {"id", "embedding", *(TEXTS[table].columns if table in TEXTS else ())}
    chosen = random.Random(0).sample(ids, min(_SAMPLE, len(ids)))
    sql = f"SELECT {', '.join(sorted(columns))} FROM $ids;"
    [rows] = await store.query(sql, ids=[Record(table, id_) for id_ in chosen])
    return list(rows)


async def _look(store: Store, column: str, name: str, table: str, sample: list[Row]) -> IndexState:
    """Look for the sampled rows by their vectors, or by all of their words."""
    info, counted = await store.query(
        f"INFO FOR TABLE {name}; SELECT count() AS rows FROM {name} GROUP ALL;"
    )
    there = ("nearest" if column == "vector" else "words") in info["indexes"]
    rows = counted[0]["rows"] if counted else 0
    found = sampled = 0
    for row in sample if there else ():
        asked = _asked(column, table, row)
        if asked is None:
            continue
        far, operator = _ASKED[column]
        sql = f"SELECT VALUE [record::id(id), {far}] FROM {name} WHERE {column} {operator} $asked;"
        [hits] = await store.query(sql, asked=asked)
        sampled += 1
        # Of many rows with one and the same vector, not all are among the nearest ten.
        found += any(id_ == row["id"].id or apart < _SAME for id_, apart in hits)
    return IndexState(name, table, there, rows, sampled, found)


def _asked(column: str, table: str, row: Row) -> object:
    """Return what a row should be found by, None if by nothing."""
    if column == "terms":
        return terms_of(table, row) or None
    vector = np.frombuffer(row["embedding"] or b"", "<f4")
    return vector.tolist() if vector.any() and np.isfinite(vector).all() else None
