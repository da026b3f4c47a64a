"""Search tables and their indexes, made anew or brought up to date, with reports."""

import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from time import perf_counter

from graphrag.engine.nearest import build_nearest
from graphrag.engine.rows import TEXTS, Derivation, SearchRows
from graphrag.errors import StoreProfileError
from graphrag.schema import VECTORS, former_tables, search_tables
from graphrag.store.engine import Row
from graphrag.store.pages import count_rows, read_pages
from graphrag.store.store import Store

_LOG = logging.getLogger("graphrag")


@dataclass(frozen=True, slots=True)
class Built:
    """One thing that was made: the search rows of a table, or the index of its vectors."""

    name: str
    rows: int
    seconds: float


Step = Callable[[Built], None]
OnPage = Callable[[str, int, int, int], None]
"""Called with what is made, how many rows came now, are there, and will be."""


def searched_only(store: Store) -> None:
    """Refuse a store that has no such tables.

    Raises:
        StoreProfileError: naming its profile.
    """
    if not store.searchable:
        raise StoreProfileError(
            f"the store at {store.target.url} has profile {store.profile!r} and no indexes of "
            "SurrealDB: 'surreal-graphrag index native' or health.build_native() adds them"
        )


async def build(store: Store, *, rows: bool, on_step: Step | None = None) -> list[Built]:
    """Make the indexes of vectors anew, and before them the search tables, if asked.

    Args:
        store: A store with search tables.
        rows: Make the search tables again, too; nobody should write or search meanwhile.
        on_step: Called with each step when it is done.

    Raises:
        StoreProfileError: for a store without such tables.
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
        await store.remove_tables(former_tables())
        await build(store, rows=True, on_step=lambda step: _LOG.info("%s", step))


async def steps(
    store: Store, *, rows: bool, made: Collection[str] = (), on_page: OnPage | None = None
) -> AsyncIterator[Built]:
    """Make what ``build`` makes, but for what an earlier run yielded if nothing was written since.

    Raises:
        StoreProfileError: for a store without such tables.
    """
    searched_only(store)
    groups = await store.groups()
    search_rows, method = SearchRows(), ""
    for group in groups:
        if rows and not made:
            await store.remove_tables(search_tables(group))
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
    columns = {"id", "group_id", "embedding", *(TEXTS[table].columns if table in TEXTS else ())}
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
