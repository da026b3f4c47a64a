"""A store as tables of rows: listed, written in pages, and summed up to be compared."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

from graphrag.schema import derived_tables
from graphrag.store.engine import Row
from graphrag.store.pages import read_pages
from graphrag.store.record import NULL, Null, Record
from graphrag.store.store import Store

_OWN = frozenset({"meta"})
_SUMS = 2**128


@dataclass(frozen=True, slots=True)
class Table:
    """A table to copy."""

    name: str
    links: bool
    """Its rows join others, which must be there first."""


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


async def tables(store: Store) -> list[Table]:
    """Return what a store holds that does not follow from something else, links last."""
    [info] = await store.query("INFO FOR DB;")
    names = info["tables"].keys() - derived_tables() - _OWN
    found = [Table(name, "TYPE RELATION" in info["tables"][name]) for name in names]
    return sorted(found, key=lambda table: (table.links, table.name))


async def last_row(store: Store, table: Table) -> Record | None:
    """Return the id of the last row of a table."""
    [ids] = await store.query(f"SELECT VALUE id FROM {table.name} ORDER BY id DESC LIMIT 1;")
    return _listed(ids[0]) if ids else None


async def write_page(
    store: Store,
    table: Table,
    rows: list[Row],
    also: str = "",
    params: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Insert rows as they were read, with other statements in the same transaction."""
    relation = "RELATION " if table.links else ""
    await store.transact(
        f"INSERT {relation}INTO {table.name} $rows RETURN NONE;\n{also}",
        rows=[{column: _kept(item) for column, item in row.items()} for row in rows],
        **params,
    )


async def summed(store: Store, table: Table) -> Sum:
    """Count and add up all rows of a table."""
    total = Sum()
    async for page in read_pages(store, table.name):
        for row in page:
            total.add(row)
    return total


def _listed(id_: Record) -> Record:
    return Record(id_.table, list(id_.id)) if isinstance(id_.id, tuple) else id_


def _kept(item: Any) -> Any:
    """Return a value as it is to be written: a None that was read is a null in JSON."""
    match item:
        case None:
            return NULL
        case Record():
            return _listed(item)
        case dict():
            return {key: _kept(value) for key, value in item.items()}
        case list() | tuple():
            return [_kept(value) for value in item]
        case _:
            return item


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
