"""Copies of one group, into another store or within one under another name, with progress.

The target bears the mark of a group being forgotten until it is complete and compared: ``erase``,
or copying again, clears away an interrupted copy.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from graphrag.engine.rows import Derivation, SearchRows
from graphrag.errors import InputError, StoreError, UnknownGroupError
from graphrag.io.copy_rows import Renaming, Sum
from graphrag.schema import VECTORS
from graphrag.store import pages
from graphrag.store.engine import Row
from graphrag.store.pages import PAGE, Table
from graphrag.store.record import Record
from graphrag.store.staging import write_entry
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True)
class CopyProgress:
    """How far a copy is."""

    table: str
    """What is copied now; ``rows of TABLE`` while those are derived that the engine profile
    searches, and the name of an index when it was built."""
    done: int
    """Rows of it that are there."""
    total: int
    rate: float = 0.0
    """Rows a second, since this run began with it."""


class Pace:
    """Tell somebody of each page."""

    def __init__(self, on_progress: Callable[[CopyProgress], None] | None) -> None:
        self._on_progress = on_progress
        self._table = ""
        self._rows = 0
        self._begun = self._last = perf_counter()

    def advance(self, table: str, page: int, done: int, total: int) -> None:
        """Take in one more page of a table, of which now so many rows are there."""
        if self._on_progress is None:
            return
        if table != self._table:
            self._table, self._rows, self._begun = table, 0, self._last
        self._rows += page
        self._last = perf_counter()
        rate = self._rows / max(self._last - self._begun, 1e-6)
        self._on_progress(CopyProgress(table, done, total, rate))


async def copy_group(
    old: Store, new: Store, group: str, name: str, pace: Pace
) -> tuple[dict[str, int], str]:
    """Copy a group and return the number of rows by table, and their checksum.

    Args:
        old: Where it is.
        new: Where it goes; the same store, if the name is another.
        group: Its name.
        name: That of the copy.
        pace: Notified after each page.

    Raises:
        InputError: if there is no such group, or the target has one of that name.
        StoreError: if the copy differs at the end.
    """
    await _check(old, new, group, name)
    renaming = Renaming(name, renews=await _known(old, new, group))
    if await new.forgotten_since(name) is not None:
        await new.erase_group(name)
    await new.close_group(name)
    rows: dict[str, int] = {}
    checksum = 0
    for table in await pages.tables(old):
        total = Sum()
        ids = await _ids(old, table, group)
        async for page in _pages(old, ids):
            renamed = [renaming.row(row) for row in page]
            for row in renamed:
                total.add(row)
            if table.name == "group_info":
                continue  # written last: it opens the copy
            await write_rows(new, table, renamed, name)
            pace.advance(table.name, len(page), total.rows, len(ids))
        if table.name != "group_info":
            await _compare(new, table, total, [*map(renaming.record, ids)])
        rows[table.name] = total.rows
        checksum ^= total.checksum
    [info] = [renaming.row(row) async for page in _pages(old, [_info(group)]) for row in page]
    await write_entry(new, info)
    return rows, f"{checksum:032x}"


async def _check(old: Store, new: Store, group: str, name: str) -> None:
    if group not in await old.groups():
        raise UnknownGroupError(group)
    if since := await old.forgotten_since(group):
        raise InputError(
            f"group {group!r} is being forgotten since {since.isoformat()}: "
            f"group({group!r}).erase.group(confirm={group!r}) finishes it"
        )
    if name in await new.groups() and await new.forgotten_since(name) is None:
        raise InputError(
            f"{new.target.url} has a group {name!r} already: copy under another name, or "
            f"group({name!r}).erase.group(confirm={name!r}) there first"
        )


async def _known(old: Store, new: Store, group: str) -> bool:
    """Tell whether the target has the ids of this group already."""
    if old is new:
        return True
    for table in ("episode", "entity"):
        ids = await pages.group_ids(old, table, group, limit=1)
        if await pages.any_exists(new, (Record(table, id_) for id_ in ids)):
            return True
    return False


async def _ids(store: Store, table: Table, group: str) -> list[Record]:
    """Return the ids of a group's rows in a table, in order."""
    if table.name == "group_info":
        return [_info(group)]
    if table.name == "event":
        return [Record("event", [group, n]) for n in range(1, await store.last_seq(group) + 1)]
    return [Record(table.name, id_) for id_ in await pages.group_ids(store, table.name, group)]


async def _pages(store: Store, ids: Sequence[Record]) -> AsyncIterator[list[Row]]:
    for start in range(0, len(ids), PAGE):
        yield await pages.rows_of(store, ids[start : start + PAGE])


async def write_rows(store: Store, table: Table, rows: Sequence[Row], group: str) -> None:
    """Write rows of a group, and what the engine profile derives from them."""
    derivation = Derivation(group)
    if store.searchable and table.name in VECTORS:
        await SearchRows().define(group, store)
        for row in rows:
            derivation.add(table.name, row)
    await pages.write_page(store, table, rows, *derivation.statements())


async def _compare(store: Store, table: Table, total: Sum, ids: Sequence[Record]) -> None:
    found = Sum()
    async for page in _pages(store, ids):
        for row in page:
            found.add(row)
    if found != total:
        raise StoreError(
            f"table {table.name} has {total.rows} rows to copy and {found.rows} in the copy, or "
            "other contents: was one written to? Copy again"
        )


def _info(group: str) -> Record:
    return Record("group_info", group)
