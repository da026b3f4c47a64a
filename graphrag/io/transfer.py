"""The transfer of a group, page by page, from a store or a file into a store.

The new group is closed to everybody, by the mark of a group that is being forgotten, until it is
whole: ``erase``, or the same transfer again, clears away what an interrupted one has left.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from time import perf_counter
from typing import Any

from graphrag.engine.rows import Derivation, SearchRows
from graphrag.errors import InputError, TransactionError
from graphrag.io.jsonl.shape import EVENT, shapes
from graphrag.io.renaming import Renaming
from graphrag.schema import VECTORS
from graphrag.store.engine import Row
from graphrag.store.pages import PAGE, Table, group_ids, rows_of, write_page
from graphrag.store.record import Null, Record
from graphrag.store.staging import claim_group
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


Tell = Callable[[CopyProgress], None]


class Pace:
    """Reports the progress after each page."""

    def __init__(self, on_progress: Tell | None) -> None:
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


Page = tuple[str, list[Row], str]
"""What the rows of one table are called, the rows, and where they stand, for an error."""


async def group_records(store: Store, group: str) -> dict[str, list[Record]]:
    """Return the records of a group by table: those that others lead to first, the log last."""
    log = [Record(EVENT, [group, seq + 1]) for seq in range(await store.last_seq(group))]
    rows = {
        shape.table: [
            Record(shape.table, id_) for id_ in await group_ids(store, shape.table, group)
        ]
        for shape in shapes().values()
    }
    return {**rows, EVENT: log}


async def stored_pages(
    store: Store, records: Mapping[str, Sequence[Record]], *, events: int = PAGE
) -> AsyncIterator[Page]:
    """Yield the rows of a group, ``events`` of its log at once."""
    for table, ids in records.items():
        async for rows in rows_at(store, ids, PAGE if table != EVENT else events):
            yield table, rows, ""


async def rows_at(
    store: Store, ids: Sequence[Record], size: int = PAGE
) -> AsyncIterator[list[Row]]:
    """Yield the rows of some records in the order of their ids, page by page."""
    for start in range(0, len(ids), size):
        rows = await rows_of(store, ids[start : start + size])
        yield sorted(rows, key=lambda row: row["id"].id)


async def claim(store: Store, name: str, created_at: datetime) -> None:
    """Take the name for a group that is to come; what an interrupted transfer left is erased.

    Raises:
        InputError: if there is a group of that name.
    """
    if await store.forgotten_since(name) is not None:
        await store.erase_group(name)
    elif name in await store.groups() or await store.count_group(name):
        raise InputError(
            f"there is a group {name!r} already in {store.target.url}: give another name, or "
            f"group({name!r}).erase.group(confirm={name!r}) there first"
        )
    await claim_group(store, name, created_at)


async def write_group(
    store: Store,
    renaming: Renaming,
    pages: AsyncIterator[Page],
    counts: Mapping[str, int],
    pace: Pace,
    prepare: Callable[[str, Sequence[Row]], Awaitable[None]],
) -> None:
    """Write all rows of a group into one that was claimed.

    Args:
        store: Where they go.
        renaming: Names the new group.
        pages: The rows.
        counts: How many there are, by what they are called.
        pace: Notified after each page.
        prepare: Given the table and the rows of each page before they are written.

    Raises:
        TransactionError: if the database refused a page.
    """
    links = {shape.table for shape in shapes().values() if shape.ends is not None}
    done: Counter[str] = Counter()
    async for kind, coming, place in pages:
        name = coming[0]["id"].table
        table = Table(name, links=name in links)
        rows = [renaming.row(row) for row in coming]
        await prepare(name, rows)
        try:
            await _write(store, table, rows, renaming.name)
        except TransactionError as error:
            raise TransactionError(f"{place}{error}") from None
        done[kind] += len(rows)
        pace.advance(kind, len(rows), done[kind], counts[kind])


async def _write(store: Store, table: Table, rows: Sequence[Row], group: str) -> None:
    """Write rows, and what the engine profile derives from them."""
    derivation = Derivation(group)
    if store.searchable and table.name in VECTORS:
        await SearchRows().define(group, store)
        for row in rows:
            derivation.add(table.name, row)
    await write_page(store, table, rows, *derivation.statements())


_SUMS = 2**128


@dataclass(slots=True)
class Sum:
    """Rows counted and added up, in whatever order they come."""

    rows: int = 0
    checksum: int = 0

    def add(self, row: Row) -> None:
        """Take in a row."""
        text = json.dumps(row, default=_plain, sort_keys=True, ensure_ascii=False)
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        self.rows += 1
        self.checksum = (self.checksum + int.from_bytes(digest, "big")) % _SUMS


async def summed(pages: AsyncIterator[list[Row]]) -> Sum:
    """Count and add up rows."""
    total = Sum()
    async for page in pages:
        for row in page:
            total.add(row)
    return total


def _plain(item: object) -> Any:
    match item:
        case Record():
            return f"{item.table}:{json.dumps(item.id)}"
        case datetime():
            return item.astimezone(UTC).isoformat()
        case bytes():
            return item.hex()
        case Null():
            return None
        case _:
            raise TypeError(f"{item!r} has no place in a row")
