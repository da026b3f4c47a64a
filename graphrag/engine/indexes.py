"""Search tables and their indexes: rebuild, check against the records, and reports.

A check counts the rows of every group and searches for a sample of each table.
"""

import logging
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from graphrag.engine.rows import Derivation, SearchRows, build_nearest, terms_of
from graphrag.errors import StoreProfileError
from graphrag.index.texts import WORD_COLUMNS
from graphrag.schema import VECTORS, former_tables, search_tables, vector_table, word_table
from graphrag.store.engine import Row
from graphrag.store.groups import remove_tables
from graphrag.store.pages import count_rows, read_pages, rows_of
from graphrag.store.record import Record
from graphrag.store.store import Store

_LOG = logging.getLogger("graphrag")


@dataclass(frozen=True, slots=True)
class Built:
    """One finished step of a build: the search rows of a table, or its vector index."""

    name: str
    rows: int
    seconds: float


Step = Callable[[Built], None]
OnPage = Callable[[str, int, int, int], None]
"""Called with what is made, how many rows came now, are there, and will be."""


def searched_only(store: Store) -> None:
    """Refuse a store that has no such tables."""
    if not store.searchable:
        raise StoreProfileError(
            f"the store at {store.target.url} has profile {store.profile!r} and no indexes of "
            "SurrealDB: 'surreal-graphrag index native' or health.build_native() adds them"
        )


async def build(store: Store, *, rows: bool, on_step: Step | None = None) -> list[Built]:
    """Make the indexes of vectors anew, and with ``rows`` the search tables before them.

    Nobody should write or search meanwhile. ``on_step`` is called with each step when it is done.
    """
    searched_only(store)
    done: list[Built] = []
    if rows:  # who dies on the way is followed by whoever opens the store next
        await store.transact("UPSERT meta:unbuilt SET since = time::now();")
    async for step in steps(store, rows=rows):
        done.append(step)
        if on_step is not None:
            on_step(step)
    await store.transact("DELETE meta:unbuilt RETURN NONE;")
    return done


async def build_native(store: Store, on_step: Step | None = None) -> list[Built]:
    """Add search tables to a store of the process profile, kept in step from now on.

    A run that was cut short is made again: until the end, the store says that it is not built.
    """
    await store.transact(
        "UPSERT meta:profile SET native = true; UPSERT meta:unbuilt SET since = time::now();"
    )
    store.native = True
    return await build(store, rows=True, on_step=on_step)


async def build_unbuilt(store: Store) -> None:
    """Make what searches need that an earlier version did not derive, or a dead process began."""
    [marks] = await store.query("SELECT * FROM meta:unbuilt;")
    if marks:
        _LOG.warning("the search tables of %s are built", store.target.url)
        await remove_tables(former_tables(), store)
        await build(store, rows=True, on_step=lambda step: _LOG.info("%s", step))


async def steps(
    store: Store, *, rows: bool, made: Collection[str] = (), on_page: OnPage | None = None
) -> AsyncIterator[Built]:
    """Make what ``build`` makes, without what an earlier run made if nothing was written since."""
    searched_only(store)
    groups = await store.groups()
    search_rows, method = SearchRows(), ""
    for group in groups:
        if rows and not made:
            await remove_tables(search_tables(group), store)
        method = await search_rows.define(group, store)
    for table in VECTORS if rows else ():
        if table not in made:
            begun = perf_counter()
            count = await _derive(store, table, on_page)
            yield Built(table, count, perf_counter() - begun)
    for table in VECTORS:
        if (name := f"{table}_vectors") not in made:
            begun, count = perf_counter(), 0
            for group in groups:
                count += await build_nearest(store, table, group, method)
            if on_page is not None:
                on_page(name, count, count, count)
            yield Built(name, count, perf_counter() - begun)


async def _derive(store: Store, table: str, on_page: OnPage | None) -> int:
    columns = {"id", "group_id", "embedding", *WORD_COLUMNS.get(table, ())}
    count, total = 0, await count_rows(store, table)
    async for page in read_pages(store, table, ", ".join(sorted(columns))):
        groups: dict[str, list[Row]] = defaultdict(list)
        for row in page:
            groups[row["group_id"]].append(row)
        for group, members in groups.items():
            derivation = Derivation(group)
            for row in members:
                derivation.add(table, row)
            statements, params = derivation.statements()
            await store.transact(statements, **params)
        count += len(page)
        if on_page is not None:
            on_page(f"rows of {table}", len(page), count, total)
    return count


_SAMPLE = 25
_LEAST_RECALL = 0.9
_SAME = 1e-4
"""Distance of two vectors that are the same."""
_ASKED = {"vector": ("vector::distance::knn() ?? 1", "<|10,60|>"), "terms": ("1", "@@")}
"""How far a row is from what is asked, and the operator that asks."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """State of one SurrealDB index, with the number of rows that it covers."""

    name: str
    """Name of its search table."""
    table: str
    """The table of the records that it finds."""
    there: bool
    rows: int
    """Number of rows that it covers."""
    sampled: int
    found: int
    """Number of sampled rows that a search of the index returned."""

    @property
    def recall(self) -> float:
        """Return the share of sampled rows that were found; 1 if none was sampled."""
        return self.found / self.sampled if self.sampled else 1.0


@dataclass(frozen=True, slots=True)
class IndexReport:
    """State of all search indexes of a store."""

    indexes: tuple[IndexState, ...]
    findings: tuple[str, ...]
    """Descriptions of all defects; ``health.build_indexes()`` repairs them."""

    @property
    def sound(self) -> bool:
        """Tell whether every index exists and agrees with its table."""
        return not self.findings


async def check_indexes(store: Store) -> IndexReport:
    """Return the state of every index, and what is wrong."""
    searched_only(store)
    [info] = await store.query("INFO FOR DB;")
    states: list[IndexState] = []
    findings: list[str] = []
    for group in await store.groups():
        for table in VECTORS:
            sql = (
                f"SELECT VALUE [record::id(id), embedding != NONE] FROM {table} "
                "WHERE group_id = $group;"
            )
            [ids] = await store.query(sql, group=group)
            every = sorted(id_ for id_, _ in ids)
            chosen = random.Random(0).sample(every, min(_SAMPLE, len(every)))
            sample = await rows_of(store, [Record(table, id_) for id_ in chosen])
            looks = [("vector", vector_table(table, group), sum(given for _, given in ids))]
            if table in WORD_COLUMNS:
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
    name, wrong = state.name, []
    if not state.there:
        wrong.append(f"the index of {name} is missing, or being built")
    elif state.recall < _LEAST_RECALL:
        found = f"{state.found} of {state.sampled} rows of {state.table}"
        wrong.append(f"the index of {name} found {found}")
    if state.rows != expected:
        wrong.append(f"{name} has {state.rows} rows and {state.table} has {expected}")
    return wrong


async def _look(store: Store, column: str, name: str, table: str, sample: list[Row]) -> IndexState:
    """Look for the sampled rows by their vectors, or by all of their words."""
    info, counted = await store.query(
        f"INFO FOR TABLE {name}; SELECT count() AS rows FROM {name} GROUP ALL;"
    )
    there = ("nearest" if column == "vector" else "words") in info["indexes"]
    rows = counted[0]["rows"] if counted else 0
    hit = sampled = 0
    for row in sample if there else ():
        if (asked := _asked(column, table, row)) is None:
            continue
        far, operator = _ASKED[column]
        sql = f"SELECT VALUE [record::id(id), {far}] FROM {name} WHERE {column} {operator} $asked;"
        [hits] = await store.query(sql, asked=asked)
        sampled += 1
        # Of many rows with one and the same vector, not all are among the nearest ten.
        hit += any(id_ == row["id"].id or apart < _SAME for id_, apart in hits)
    return IndexState(name, table, there, rows, sampled, hit)


def _asked(column: str, table: str, row: Row) -> object:
    """Return what a row should be found by, None if by nothing."""
    if column == "terms":
        return terms_of(table, row) or None
    vector = np.frombuffer(row.get("embedding") or b"", "<f4")
    return vector.tolist() if vector.any() and np.isfinite(vector).all() else None
