"""Rebuild of derived rows and indexes of the engine profile, with its reports.

The word index is built ``CONCURRENTLY``: three times as fast as one transaction, and it reports
progress; searches refuse until it is ready. Vectors are sorted into cells afterwards. There should
be no writers meanwhile.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from graphrag.engine.cells import arrange
from graphrag.engine.counts import Tally
from graphrag.engine.rows import Derivation
from graphrag.engine.scopes import TEXTS, VECTORS
from graphrag.errors import StoreIndexError, StoreProfileError
from graphrag.schema import EngineIndex, derived_tables, engine_indexes, former_tables
from graphrag.store.engine import Row
from graphrag.store.pages import read_pages
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True)
class Built:
    """One thing that was made: the rows that follow from a table, or an index."""

    name: str
    rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class IndexState:
    """One index of SurrealDB, and the rows that it covers."""

    name: str
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
    """The indexes of a store of the engine profile."""

    indexes: tuple[IndexState, ...]
    findings: tuple[str, ...]
    """What is wrong, in words; ``health.build_indexes()`` makes all of it right."""

    @property
    def sound(self) -> bool:
        """Tell whether every index is there and agrees with its table."""
        return not self.findings


_LOG = logging.getLogger("graphrag")
_COUNTS = 2_000
"""Counts of one transaction."""
_BATCH = 1_000
"""Rows that are deleted at once: a table in one transaction is more than one takes."""
_PAUSE = 0.1
"""Seconds between two looks at how far an index is."""

Step = Callable[[Built], None]
OnPage = Callable[[str, int, int, int], None]
"""Called with what is made, how many rows came now, are there, and will be."""


def engine_only(store: Store) -> None:
    """Refuse a store that has no such indexes.

    Raises:
        StoreProfileError: naming its profile.
    """
    if store.profile != "engine":
        raise StoreProfileError(
            f"the store at {store.target.url} has profile {store.profile!r}, whose indexes are "
            "made in memory when a group is read; 'surreal-graphrag copy' makes one of the other"
        )


async def build(
    store: Store, *, rows: bool, on_step: Step | None = None, on_page: OnPage | None = None
) -> list[Built]:
    """Make the indexes anew, and before them the rows, if asked.

    Args:
        store: A store of the engine profile.
        rows: Derive the rows again, too.
        on_step: Called with each step when it is done.
        on_page: Called with how far each step is.

    Raises:
        StoreProfileError: for a store of the other profile.
        StoreError: if somebody wrote meanwhile.
    """
    done: list[Built] = []
    async for step in steps(store, rows=rows, on_page=on_page):
        done.append(step)
        if on_step is not None:
            on_step(step)
    await store.transact("DELETE meta:unbuilt RETURN NONE;")
    return done


async def build_unbuilt(store: Store) -> None:
    """Make what searches need that an earlier version did not derive."""
    [marks] = await store.query("SELECT * FROM meta:unbuilt;")
    if marks:
        _LOG.warning("%s is from an earlier version: its indexes are built", store.target.url)
        for table in sorted(former_tables()):
            await store.transact(
                f"REMOVE INDEX IF EXISTS {table.removesuffix('_vector')}_hnsw ON {table};"
            )
            await _empty(store, table)
            await store.transact(f"REMOVE TABLE IF EXISTS {table};")
        await build(store, rows=True, on_step=lambda step: _LOG.info("%s", step))


async def steps(
    store: Store,
    *,
    rows: bool,
    made: Collection[str] = (),
    on_page: OnPage | None = None,
) -> AsyncIterator[Built]:
    """Make what is not made yet, and yield each thing when it is there.

    Args:
        store: A store of the engine profile.
        rows: Derive the rows again, too.
        made: Names of what an earlier run yielded, if nothing was written since.
        on_page: Called with how far each step is.

    Raises:
        StoreProfileError: for a store of the other profile.
        StoreError: if somebody wrote meanwhile.
    """
    engine_only(store)
    indexes = [index for index in engine_indexes() if index.name not in made]
    if missing := [table for table in VECTORS if rows and table not in made]:
        for index in indexes:
            await _remove(store, index)
        for source in _sources(missing):
            await _empty(store, source)
    for name, make in (
        *((table, partial(_derive, store, table, on_page)) for table in missing),
        *((index.name, partial(_index, store, index, on_page)) for index in indexes),
        *((cells_of(table), partial(_arrange, store, table, on_page)) for table in VECTORS),
    ):
        begun = perf_counter()
        yield Built(name, await make(), perf_counter() - begun)


def cells_of(table: str) -> str:
    """Return what the vectors of a table are called where steps and indexes are named."""
    return f"{table}_vectors"


def _sources(tables: Collection[str]) -> list[str]:
    """Return where the rows are that follow from these tables."""
    if set(tables) == set(VECTORS):
        return sorted(derived_tables())
    shared = sorted(name for name in derived_tables() if not name.endswith("_words"))
    return [
        *(f"{table}_words" for table in tables if table in TEXTS),
        *(f"{name} WHERE record::id(id)[1] = '{table}'" for table in tables for name in shared),
    ]


async def _empty(store: Store, source: str) -> None:
    """Delete rows, a batch at a time."""
    while True:
        [ids] = await store.query(f"SELECT VALUE id FROM {source} LIMIT {_BATCH};")
        if not ids:
            return
        await store.transact("DELETE $ids RETURN NONE;", ids=ids)


async def _remove(store: Store, index: EngineIndex) -> None:
    await store.transact(f"REMOVE INDEX IF EXISTS {index.name} ON {index.table};")


async def count_rows(store: Store, table: str) -> int:
    """Return how many rows a table has."""
    [found] = await store.query(f"SELECT count() FROM {table} GROUP ALL;")
    return int(found[0]["count"]) if found else 0


async def _derive(store: Store, table: str, on_page: OnPage | None) -> int:
    columns = {"id", "group_id", "embedding", *(TEXTS[table].columns if table in TEXTS else ())}
    count = 0
    tallies: dict[str, Tally] = {}
    total = await count_rows(store, table)
    async for page in read_pages(store, table, ", ".join(sorted(columns))):
        groups: dict[str, list[Row]] = defaultdict(list)
        for row in page:
            groups[row["group_id"]].append(row)
        for group, members in groups.items():
            derivation = Derivation(group, tallies.setdefault(group, Tally(group)))
            for row in members:
                derivation.add(table, row)
            statements, params = derivation.statements(tally=False)
            await store.transact(statements, **params)
        count += len(page)
        if on_page is not None:
            on_page(f"rows of {table}", len(page), count, total)
    # A common term would be counted anew for every page: that took half of the time.
    for tally in tallies.values():
        for statements, params in tally.parts(_COUNTS):
            await store.transact(statements, **params)
    return count


async def _index(store: Store, index: EngineIndex, on_page: OnPage | None) -> int:
    total, before = await count_rows(store, index.table), 0
    await _remove(store, index)  # by itself: together they are more than a transaction takes
    await store.transact(index.statement)
    while True:
        [info] = await store.query(f"INFO FOR INDEX {index.name} ON {index.table};")
        building = info.get("building", {"status": "ready"})
        ready = building["status"] == "ready"
        if building["status"] == "error":
            raise StoreIndexError(f"the index {index.name} cannot be built: {building}")
        there = total if ready else min(total, int(building.get("initial") or 0))
        if on_page is not None and total and (ready or there > before):
            on_page(index.name, there - before, there, total)
        if ready:
            return total
        before = there
        await asyncio.sleep(_PAUSE)


async def _arrange(store: Store, table: str, on_page: OnPage | None) -> int:
    count, total = 0, await count_rows(store, table)

    def note(rows: int) -> None:
        nonlocal count
        count += rows
        if on_page is not None:
            on_page(cells_of(table), rows, count, total)

    [groups] = await store.query("SELECT VALUE record::id(id)[0] FROM row_count;")
    for group in sorted({*groups}):
        await arrange(store, group, table, note)
    return count
