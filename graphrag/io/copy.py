"""Copies of a whole store to another place or index profile, and of a single group.

A copy is compared with its source at the end. The copy of a store can be resumed: pages are written
in id order, one transaction each, and a mark in the target records the progress. Rows of the engine
profile are derived at the target. Indexes are built last: an existing index would queue every row.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial, reduce
from operator import xor
from time import perf_counter

from graphrag.engine.indexes import steps
from graphrag.engine.rows import SearchRows
from graphrag.errors import InputError, StoreError, UnknownGroupError
from graphrag.io import transfer
from graphrag.io.jsonl import EVENT
from graphrag.model.arguments import checked
from graphrag.schema import Profile
from graphrag.store import pages
from graphrag.store.engine import Row
from graphrag.store.groups import write_entry
from graphrag.store.migrate import copy_mark, embedder_of, end_copy, mark_copy
from graphrag.store.pages import any_exists, read_pages, rows_of
from graphrag.store.record import Record
from graphrag.store.store import Store
from graphrag.store.target import Target


@dataclass(frozen=True, slots=True)
class CopyReport:
    """Result of a copy whose rows were compared with the source."""

    source: str
    target: str
    profile: Profile
    """Index profile of the target."""
    rows: dict[str, int]
    """Number of rows by table."""
    checksum: str
    """Checksum of all rows, equal in source and target."""
    seconds: float


@checked()
async def copy_store(
    source: str,
    target: str,
    *,
    profile: Profile | None = None,
    user: str | None = None,
    password: str | None = None,
    token: str | None = None,
    namespace: str = "graphrag",
    database: str = "graphrag",
    to_namespace: str | None = None,
    to_database: str | None = None,
    group: str | None = None,
    name: str | None = None,
    on_progress: transfer.Tell | None = None,
) -> CopyReport:
    """Copy a store, or one group of it, into another store.

    The target must be empty or an unfinished copy of the source. With ``group``, only that group is
    copied; the target may have other groups or be the source itself. Do not write to the source
    meanwhile: a changed source is detected at the end.

    Args:
        source: URL of the source store.
        target: URL of the target store.
        profile: Index profile of the target; default: ``process``.
        user: Server user of source and target, unless their URLs contain one.
        password: Password of that user.
        token: Access token for source and target, in place of user and password.
        namespace: SurrealDB namespace of source and target.
        database: SurrealDB database of source and target.
        to_namespace: Namespace of the target, if it differs.
        to_database: Database of the target, if it differs.
        group: The only group to copy; default: all of them.
        name: Name of the copied group in the target; default: unchanged.
        on_progress: Called after each page.

    Raises:
        InputError: if the group does not exist, or the target has a group of this name.
        StoreError: if the target is not empty, or differs from the source at the end.
        StoreURLError: if a URL is not that of a store, or both are the same store.
    """
    begun = perf_counter()
    at = partial(Target.parse, user=user, password=password, token=token)
    place = at(source, namespace=namespace, database=database)
    goal = at(
        target,
        namespace=to_namespace or namespace,
        database=to_database or database,
        profile=profile,
    )
    if name is not None and group is None:
        raise InputError(f"name {name!r}: say which group is to be called so, as group=...")
    within = _spot(place) == _spot(goal) and place.url != "mem://"
    if within and (group is None or name in (None, group)):
        raise StoreError(
            f"{place.url} cannot be copied into itself: name another target, or one group and "
            "another name for its copy"
        )
    pace = transfer.Pace(on_progress)
    embedder, dimension = await embedder_of(place)
    opening = partial(Store.open, embedder=embedder, dimension=dimension, derived=SearchRows())
    async with AsyncExitStack() as opened:
        old = new = await opened.enter_async_context(await opening(place))
        if not within:
            new = await opened.enter_async_context(await opening(goal, copying=group is None))
        if group is None:
            rows, checksum = await _whole(old, new, pace)
        else:
            rows, checksum = await copy_group(old, new, group, name or group, pace)
        return CopyReport(place.url, goal.url, new.profile, rows, checksum, perf_counter() - begun)


async def _whole(old: Store, new: Store, pace: transfer.Pace) -> tuple[dict[str, int], str]:
    """Copy what is not there yet, and compare both stores row by row."""
    source = _spot(old.target)
    made = await _begin(new, source)
    wanted = await pages.tables(old)
    for table in wanted:
        [total, before] = [await pages.count_rows(store, table.name) for store in (old, new)]
        there, last = before, await pages.last_record(new, table.name)
        async for page in read_pages(old, table.name, after=last):
            await pages.write_page(new, table, page)
            there += len(page)
            pace.advance(table.name, len(page), there, total)
        if there > before and made:
            made = []
            await mark_copy(new, source, made)
    if new.searchable:
        done = [*made]
        async for step in steps(new, rows=True, made=made, on_page=pace.advance):
            done.append(step.name)
            await mark_copy(new, source, done)
    sums: dict[str, transfer.Sum] = {}
    for table in wanted:
        stores = (transfer.summed(read_pages(store, table.name)) for store in (old, new))
        original, sums[table.name] = await asyncio.gather(*stores)
        _check_equal(table.name, original, sums[table.name], new)
    await end_copy(new)
    return _totals(sums)


async def _begin(new: Store, source: list[str]) -> list[str]:
    """Mark the target, or find the mark of an earlier start; return what that one made."""
    if (mark := await copy_mark(new)) is not None:
        if mark[0] == source:
            return mark[1]
        raise StoreError(
            f"the store at {new.target.url} is an unfinished copy of {mark[0][0]}: finish "
            "that one, or name an empty target"
        )
    if await new.groups():
        raise StoreError(
            f"the store at {new.target.url} is not empty: it has groups "
            f"{', '.join(map(repr, await new.groups()))}; name an empty target"
        )
    await mark_copy(new, source, [])
    return []


async def copy_group(
    old: Store, new: Store, group: str, name: str, pace: transfer.Pace
) -> tuple[dict[str, int], str]:
    """Copy a group, or within one store make another of it; return what a report tells of it."""
    if group not in await old.groups():
        raise UnknownGroupError(group)
    await old.refuse_forgotten(group)
    [entry] = await rows_of(old, [Record("group_info", group)])
    records = await transfer.group_records(old, group)
    samples = [ids[0] for table, ids in records.items() if ids and table != EVENT]
    renaming = transfer.Renaming(group, name, renews=await any_exists(new, samples))
    await transfer.claim(new, name, entry["created_at"])
    sums: defaultdict[str, transfer.Sum] = defaultdict(transfer.Sum)

    async def add(table: str, rows: Sequence[Row]) -> None:
        for row in rows:
            sums[table].add(row)

    counts = {table: len(ids) for table, ids in records.items()}
    coming = transfer.stored_pages(old, records)
    await transfer.write_group(new, renaming, coming, counts, pace, add)
    for table, ids in records.items():
        copied = await transfer.summed(transfer.rows_at(new, [*map(renaming.record, ids)]))
        _check_equal(table, sums[table], copied, new)
    entry = renaming.row(entry)
    await add("group_info", [entry])
    await write_entry(new, entry)
    return _totals(sums)


def _check_equal(table: str, before: transfer.Sum, after: transfer.Sum, new: Store) -> None:
    if before != after:
        raise StoreError(
            f"table {table} has {before.rows} rows to copy and {after.rows} in {new.target.url}, "
            "or other contents: was one written to? Copy again into an empty target"
        )


def _totals(sums: Mapping[str, transfer.Sum]) -> tuple[dict[str, int], str]:
    checksum = reduce(xor, (total.checksum for total in sums.values()), 0)
    return {table: total.rows for table, total in sums.items()}, f"{checksum:032x}"


def _spot(target: Target) -> list[str]:
    return [target.url.partition("?")[0], target.namespace, target.database]
