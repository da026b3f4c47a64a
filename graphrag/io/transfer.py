"""Page-by-page transfer of a group from a store or a file into a store.

The new group cannot be read until it is complete: it carries the mark of a group that is being
forgotten. ``erase``, or the same transfer again, removes the rows of an interrupted transfer.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from time import perf_counter
from typing import Any

from graphrag.engine.rows import Derivation, SearchRows
from graphrag.errors import InputError, TransactionError
from graphrag.io.jsonl import EVENT, shapes
from graphrag.model.ids import RANDOM, masked
from graphrag.schema import VECTORS
from graphrag.store.assertions import joined, parts
from graphrag.store.engine import Row
from graphrag.store.groups import claim_group, count
from graphrag.store.pages import PAGE, PagedTable, group_ids, rows_of, write_page
from graphrag.store.record import Null, Record
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True)
class CopyProgress:
    """Progress of a copy."""

    table: str
    """The table being copied; ``rows of TABLE`` while the search rows of the engine profile are
    derived; the name of an index once it is built."""
    done: int
    """Number of its rows in the target."""
    total: int
    rate: float = 0.0
    """Rows per second since this run began the table."""


Tell = Callable[[CopyProgress], None]


class Pace:
    """Reports the progress after each page."""

    def __init__(self, on_progress: Tell | None) -> None:
        self._on_progress = on_progress
        self._table = ""
        self._rows = 0
        self._begun = self._last = perf_counter()

    def advance(self, table: str, page: int, done: int, total: int) -> None:
        """Count a page of ``page`` rows, and report that ``done`` of ``total`` rows are copied."""
        if self._on_progress is None:
            return
        if table != self._table:
            self._table, self._rows, self._begun = table, 0, self._last
        self._rows += page
        self._last = perf_counter()
        rate = self._rows / max(self._last - self._begun, 1e-6)
        self._on_progress(CopyProgress(table, done, total, rate))


_POINTERS = (
    "in out episode invalidated_by merged_into distinct_from parent rivals derived_from".split()
)
"""Columns that hold ids, beside the id of the row; ``sources`` hold them in ``episode``."""
_STATED = frozenset({"id", "source", "object_id", "excludes", "by", "fact"})
"""Fields of a statement that hold ids."""


@dataclass(slots=True)
class Renaming:
    """Rows of a group rewritten for another; new ids sort as the old ones do.

    They derive from the old id and the name of the group, so links and log images agree.
    """

    group: str
    name: str  # of the new group
    renews: bool  # True where the target has the old ids
    _mask: int = field(init=False)

    def __post_init__(self) -> None:
        digest = blake2b(self.name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self._mask = int.from_bytes(digest) & RANDOM or 1

    def id(self, id_: str) -> str:
        """Return the new id of a row; ids made of several are renewed in each part."""
        return masked(id_, self._mask) if self.renews else id_

    def record(self, record: Record) -> Record:
        """Return the record of the new group that stands for one of the old group."""
        match record.table:
            case "event":
                return Record("event", [self.name, record.id[1]])
            case "group_info":
                return Record("group_info", self.name)
            case table:
                return Record(table, self.id(record.id))

    def row(self, row: Row) -> Row:
        """Return a row of a table as the new group has it."""
        if not self.renews and self.name == self.group:
            return row
        found = {**self._columns(row), "id": self.record(row["id"])}
        if row["id"].table == "event":
            found["changes"] = self._changes(row["changes"])
        return found

    def _columns(self, row: Mapping[str, Any]) -> dict[str, Any]:
        found = {**row}
        if "group_id" in found:
            found["group_id"] = self.name
        if self.renews:
            for column in _POINTERS:
                if column in found:
                    found[column] = self._pointer(found[column])
            if found.get("sources"):
                found["sources"] = [
                    {**span, "episode": self.id(span["episode"])} for span in found["sources"]
                ]
            for column in ("statements", "endings"):
                if found.get(column):
                    found[column] = joined(map(self._stated, parts(found[column])))
            if found.get("names"):
                found["names"] = [*map(self._stated, found["names"])]
        return found

    def _stated(self, statement: Mapping[str, Any]) -> dict[str, Any]:
        """Return a statement, or why it does not stand, with the ids of the new group."""
        renewed = {
            name: self._pointer(value) if name in _STATED else value
            for name, value in statement.items()
        }
        if "void" in renewed:
            renewed["void"] = self._stated(renewed["void"])
        return renewed

    def _pointer(self, value: Any) -> Any:
        match value:
            case str():
                return self.id(value)
            case Record():
                return Record(value.table, self.id(value.id))
            case list() | tuple():
                return [self._pointer(item) for item in value]
            case _:
                return value

    def _changes(self, text: str) -> str:
        changes = json.loads(text)
        for change in changes:
            table, _, id_ = change["record"].partition(":")
            change["record"] = f"{table}:{self.name if table == 'group_info' else self.id(id_)}"
            for side in ("before", "after"):
                if change[side]:
                    change[side] = self._columns(change[side])
        return json.dumps(changes, ensure_ascii=False, separators=(",", ":"))


Page = tuple[str, list[Row], str]
"""Kind of the rows of one table, the rows, and their place for an error."""


async def group_records(store: Store, group: str) -> dict[str, list[Record]]:
    """Return the records of a group by table: those that others lead to first, the log last."""
    log = [Record(EVENT, [group, seq + 1]) for seq in range(await store.last_seq(group))]
    tables = [shape.table for shape in shapes().values()]
    rows = {
        name: [Record(name, id_) for id_ in await group_ids(store, name, group)] for name in tables
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
    """Take a free name for a group that is to come; erase what an interrupted transfer left."""
    if await store.forgotten_since(name) is not None:
        await store.erase_group(name)
    elif name in await store.groups() or await count(name, store):
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
    """Write all rows of a group into one that was claimed, each page after ``prepare``."""
    links = {shape.table for shape in shapes().values() if shape.ends is not None}
    done: Counter[str] = Counter()
    async for kind, coming, place in pages:
        name = coming[0]["id"].table
        table = PagedTable(name, links=name in links)
        rows = [renaming.row(row) for row in coming]
        await prepare(name, rows)
        derivation = Derivation(renaming.name)  # what the engine profile searches
        if store.searchable and name in VECTORS:
            await SearchRows().define(renaming.name, store)
            for row in rows:
                derivation.add(name, row)
        try:
            await write_page(store, table, rows, *derivation.statements())
        except TransactionError as error:
            raise TransactionError(f"{place}{error}") from None
        done[kind] += len(rows)
        pace.advance(kind, len(rows), done[kind], counts[kind])


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
