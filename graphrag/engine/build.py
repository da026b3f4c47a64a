"""Make the derived rows and the indexes of the engine profile anew.

Indexes are made after the rows that they cover, by ``DEFINE INDEX OVERWRITE``: rows that are
inserted later wait in a queue of the HNSW index, where every search compares them one by one, so a
new build is also what makes searches quick after many writes. Nobody should write meanwhile; a
search that meets a missing index refuses.
"""

from collections import defaultdict
from collections.abc import Callable
from time import perf_counter

from graphrag.engine.report import Built
from graphrag.engine.rows import Derivation
from graphrag.engine.tally import Tally
from graphrag.engine.texts import NAMED, TEXTS, VECTORS
from graphrag.errors import StoreProfileError
from graphrag.schema import derived_tables, engine_indexes
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.store import Store

PAGE = 250
"""Rows of one transaction."""
_COUNTS = 2_000
"""Counts of one transaction."""


Step = Callable[[Built], None]
OnPage = Callable[[str, int, int, int], None]
"""Told what is made, how many rows came now, are there, and will be."""


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
        on_step: Told of each step when it is done.
        on_page: Told of each page of rows that were derived, and of each index.

    Raises:
        StoreProfileError: for a store of the other profile.
    """
    engine_only(store)
    steps: list[Built] = []

    def done(name: str, count: int, begun: float) -> None:
        steps.append(Built(name, count, perf_counter() - begun))
        if on_step is not None:
            on_step(steps[-1])

    if rows:
        removed = [f"REMOVE INDEX IF EXISTS {one.name} ON {one.table};" for one in engine_indexes()]
        emptied = [f"DELETE {table} RETURN NONE;" for table in sorted(derived_tables())]
        for statement in (*removed, *emptied):
            await store.transact(statement)
        for table in VECTORS:
            begun = perf_counter()
            done(table, await _derive(store, table, on_page), begun)
    for index in engine_indexes():
        begun = perf_counter()
        await store.transact(index.statement(dimension=dimension))
        count = await count_rows(store, index.table)
        done(index.name, count, begun)
        if on_page is not None:
            on_page(index.name, count, count, count)
    return steps


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
    count, after = 0, ""
    tallies: dict[str, Tally] = {}
    total = await count_rows(store, table)
    while True:
        [page] = await store.query(
            f"SELECT {', '.join(sorted(columns))} FROM {table} WHERE id > $after LIMIT {PAGE};",
            after=Record(table, after),
        )
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
        if on_page is not None and page:
            on_page(f"rows of {table}", len(page), count, total)
        if len(page) < PAGE:
            break
        after = page[-1]["id"].id
    # A common term would be counted anew for every page: that took half of the time.
    for tally in tallies.values():
        for statements, params in tally.parts(_COUNTS):
            await store.transact(statements, **params)
    return count
