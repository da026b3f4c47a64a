"""Make the derived rows and the indexes of the engine profile anew.

Indexes are made after the rows that they cover, by ``DEFINE INDEX OVERWRITE``: rows that are
inserted later wait in a queue of the HNSW index, where every search compares them one by one, so a
new build is also what makes searches quick after many writes. Nobody should write meanwhile; a
search that meets a missing index refuses.

What the commands on indexes report.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from time import perf_counter

from graphrag.engine.counts import Tally
from graphrag.engine.rows import Derivation
from graphrag.engine.scopes import NAMED, TEXTS, VECTORS
from graphrag.errors import StoreProfileError
from graphrag.schema import derived_tables, engine_indexes
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


_COUNTS = 2_000
"""Counts of one transaction."""

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
    store: Store,
    dimension: int,
    *,
    rows: bool,
    on_step: Step | None = None,
    on_page: OnPage | None = None,
) -> list[Built]:
    """Make the indexes anew, and before them the rows, if asked.

    Args:
        store: A store of the engine profile.
        dimension: Numbers of a vector.
        rows: Derive the rows again, too.
        on_step: Called with each step when it is done.
        on_page: Called with each page of rows that were derived, and of each index.

    Raises:
        StoreProfileError: for a store of the other profile.
    """
    done: list[Built] = []
    async for step in steps(store, dimension, rows=rows, on_page=on_page):
        done.append(step)
        if on_step is not None:
            on_step(step)
    return done


async def steps(
    store: Store,
    dimension: int,
    *,
    rows: bool,
    made: Collection[str] = (),
    on_page: OnPage | None = None,
) -> AsyncIterator[Built]:
    """Make what is not made yet, and yield each thing when it is there.

    Args:
        store: A store of the engine profile.
        dimension: Numbers of a vector.
        rows: Derive the rows again, too.
        made: Names of what an earlier run yielded, if nothing was written since.
        on_page: Called with each page of rows that were derived; of each index, before and after.

    Raises:
        StoreProfileError: for a store of the other profile.
    """
    engine_only(store)
    indexes = [index for index in engine_indexes() if index.name not in made]
    if missing := [table for table in VECTORS if rows and table not in made]:
        for index in indexes:
            await store.transact(f"REMOVE INDEX IF EXISTS {index.name} ON {index.table};")
        for statement in _emptying(missing):
            await store.transact(statement)
        for table in missing:
            begun = perf_counter()
            yield Built(table, await _derive(store, table, on_page), perf_counter() - begun)
    for index in indexes:
        begun = perf_counter()
        count = await count_rows(store, index.table)
        if on_page is not None and count:
            on_page(index.name, 0, 0, count)
        await store.transact(index.statement(dimension=dimension))
        if on_page is not None:
            on_page(index.name, count, count, count)
        yield Built(index.name, count, perf_counter() - begun)


def _emptying(tables: Collection[str]) -> list[str]:
    """Return what deletes the rows that follow from these tables."""
    if set(tables) == set(VECTORS):
        return [f"DELETE {table} RETURN NONE;" for table in sorted(derived_tables())]
    found = []
    for table in tables:
        own = {f"{table}_vector", f"{table}_words"} & derived_tables()
        own |= {"entity": {"known_as"}, "relates_to": {"stated"}}.get(table, set())
        found += [f"DELETE {name} RETURN NONE;" for name in sorted(own)]
        found += [
            f"DELETE {name} WHERE record::id(id)[1] = '{table}' RETURN NONE;"
            for name in ("term_count", "row_count")
        ]
    return found


async def count_rows(store: Store, table: str) -> int:
    """Return how many rows a table has."""
    [found] = await store.query(f"SELECT count() FROM {table} GROUP ALL;")
    return int(found[0]["count"]) if found else 0


async def _derive(store: Store, table: str, on_page: OnPage | None) -> int:
    columns = {"id", "group_id", "embedding", *(TEXTS[table].columns if table in TEXTS else ())}
    if table == "entity":
        columns |= set(NAMED)
    if table == "relates_to":
        columns.add("sources")
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
