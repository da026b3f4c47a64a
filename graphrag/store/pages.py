"""Rows as they are stored: of a table in pages, of a group, or by id with the episodes behind them.

A page is asked for by a range of ids: ``WHERE id > x`` reads the table from its beginning every
time. The next page comes while one is worked on.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from graphrag.model.values import Community, Entity, Episode, Fact
from graphrag.schema import FOLLOWING, former_tables, is_search_table
from graphrag.store.engine import Row
from graphrag.store.record import NULL, Record, linked, unlinked
from graphrag.store.rows import TABLES, from_row
from graphrag.store.store import WITH_MEMBERS, Store

Item = TypeVar("Item")
PAGE = 250
"""Rows of one page: written in one transaction, more make it slow in memory, fewer on disk."""
_LONG_PAGE = 1_000
"""Rows of one page that is read without its vectors."""
_OWN = frozenset({"meta", "staged_vector"}) | FOLLOWING


@dataclass(frozen=True, slots=True)
class PagedTable:
    """A table of rows that do not follow from others."""

    name: str
    links: bool
    """Its rows join others, which must be there first."""


async def tables(store: Store) -> list[PagedTable]:
    """Return what a store holds that does not follow from something else, links last."""
    [info] = await store.query("INFO FOR DB;")
    tables = {name for name in info["tables"] if not is_search_table(name)}
    names = tables - former_tables() - _OWN
    pages = (PagedTable(name, "TYPE RELATION" in info["tables"][name]) for name in names)
    return sorted(pages, key=lambda table: (table.links, table.name))


async def paged(
    ask: Callable[[Item | None], Awaitable[list[Item]]], size: int
) -> AsyncIterator[list[Item]]:
    """Yield pages of so many rows: each is asked for, after a row, while the one before is used."""
    reading = asyncio.ensure_future(ask(None))
    try:
        while rows := await reading:
            if len(rows) == size:
                reading = asyncio.ensure_future(ask(rows[-1]))
            yield rows
            if len(rows) < size:
                return
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


def read_pages(
    store: Store, table: str, columns: str = "*", *, after: Record | None = None
) -> AsyncIterator[list[Row]]:
    """Yield the rows of a table, with some columns, the id among them; those after a record."""

    async def ask(last: Row | None) -> list[Row]:
        params, source = {}, table
        if (record := after if last is None else last["id"]) is not None:
            params = {"after": _key(record)}
            source = f"type::record('{table}', $after>..)"
        [rows] = await store.query(f"SELECT {columns} FROM {source} LIMIT {PAGE};", **params)
        return [*map(unlinked, rows)]

    return paged(ask, PAGE)


def group_pages(store: Store, table: str, group: str) -> AsyncIterator[list[Row]]:
    """Yield the rows of a group in a table, without vectors."""

    async def ask(last: Row | None) -> list[Row]:
        [rows] = await store.query(
            f"SELECT * OMIT embedding FROM type::record('{table}', $after>..) "
            f"WHERE group_id = $group LIMIT {_LONG_PAGE};",
            after="" if last is None else last["id"].id,
            group=group,
        )
        return [*map(unlinked, rows)]

    return paged(ask, _LONG_PAGE)


async def group_rows(
    store: Store, table: str, group: str, *, vectors: bool = True
) -> dict[str, Row]:
    """Return all rows of a group in a table, by id."""
    sql = f"SELECT {_columns(vectors)} FROM {table} WHERE group_id = $group;"
    [rows] = await store.query(sql, group=group)
    return {row["id"].id: unlinked(row) for row in rows}


async def group_ids(store: Store, table: str, group: str) -> list[str]:
    """Return the ids of a group's rows in a table, sorted."""
    sql = f"SELECT VALUE record::id(id) FROM {table} WHERE group_id = $group;"
    [ids] = await store.query(sql, group=group)
    return sorted(ids)


async def groups_in(store: Store, table: str) -> list[str]:
    """Return the names of the groups that have a row in a table."""
    [groups] = await store.query(f"SELECT VALUE group_id FROM {table} GROUP BY group_id;")
    return list(groups)


async def groups_of(store: Store, records: Collection[Record]) -> dict[str, str]:
    """Map each record that exists, as ``table:id``, to its group."""
    [rows] = await store.query("SELECT id, group_id FROM $records;", records=list(records))
    return {str(row["id"]): row["group_id"] for row in rows}


async def last_record(store: Store, table: str) -> Record | None:
    """Return the last record of a table."""
    [ids] = await store.query(f"SELECT VALUE id FROM {table} ORDER BY id DESC LIMIT 1;")
    return ids[0] if ids else None


async def any_exists(store: Store, records: Iterable[Record]) -> bool:
    """Tell whether one of these records is there."""
    [ids] = await store.query("SELECT VALUE id FROM $records;", records=list(records))
    return bool(ids)


async def rows_of(
    store: Store, records: Iterable[Record], columns: Iterable[str] = (), *, vectors: bool = True
) -> list[Row]:
    """Return the rows of those records that are there, with some columns or all."""
    if not (wanted := [*records]):
        return []
    listed = ", ".join(("id", *columns)) if columns else _columns(vectors)
    [rows] = await store.query(f"SELECT {listed} FROM $records;", records=wanted)
    return [*map(unlinked, rows)]


def _columns(vectors: bool) -> str:
    return "*" if vectors else "* OMIT embedding"


async def count_rows(store: Store, table: str) -> int:
    """Count the rows of a table, those of all groups."""
    [counts] = await store.query(f"SELECT count() FROM {table} GROUP ALL;")
    return int(counts[0]["count"]) if counts else 0


async def write_page(
    store: Store,
    table: PagedTable,
    rows: Iterable[Row],
    also: str = "",
    params: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Insert rows as they were read, with other statements in the same transaction."""
    relation = "RELATION " if table.links else ""
    await store.transact(
        f"INSERT {relation}INTO {table.name} $rows RETURN NONE;\n{also}",
        rows=[_kept(linked(table.name, row)) for row in rows],
        **params,
    )


def _kept(item: Any) -> Any:
    """Return a value as it is to be written: a None that was read is a null in JSON."""
    match item:
        case None:
            return NULL
        case Record():
            return Record(item.table, _key(item))
        case dict():
            return {key: _kept(value) for key, value in item.items()}
        case list() | tuple():
            return [_kept(value) for value in item]
        case _:
            return item


def _key(record: Record) -> Any:
    return list(record.id) if isinstance(record.id, tuple) else record.id


Value = TypeVar("Value", Fact, Entity, Episode, Community)

# Facts, and the episodes that state them: each once, without those that are known or read anyway.
_FACTS = (
    "LET $facts = SELECT * OMIT embedding FROM $fact_ids; "
    "LET $stated = SELECT * OMIT embedding FROM array::complement("
    "array::distinct(array::flatten($facts.sources.episode)), $known); "
    "RETURN array::concat($facts, $stated);"
)
_OTHERS = "SELECT * OMIT embedding FROM $ids;"
_COMMUNITIES = f"{WITH_MEMBERS} FROM $community_ids;"


@dataclass(frozen=True, slots=True)
class Found:
    """Values by id, those that are there; episodes also if they state one of the facts."""

    facts: Mapping[str, Fact]
    entities: Mapping[str, Entity]
    episodes: Mapping[str, Episode]
    communities: Mapping[str, Community]

    @property
    def count(self) -> int:
        """Return how many values were read."""
        return sum(map(len, (self.facts, self.entities, self.episodes, self.communities)))


async def read_found(
    store: Store,
    *,
    facts: Iterable[str],
    entities: Iterable[str],
    episodes: Iterable[str],
    communities: Iterable[str],
) -> Found:
    """Return values of several kinds by id, and the episodes that state the facts.

    What the store holds is not read again.
    """
    wanted_facts, wanted_entities, wanted = list(facts), list(entities), list(episodes)
    cache, writes = store.cache, store.cache.writes
    known = cache.find(Fact, wanted_facts)
    wanted += (id_ for fact in known.values() for id_ in fact.episodes)
    people, texts = cache.find(Entity, wanted_entities), cache.find(Episode, wanted)
    fact_ids = _records(Fact, wanted_facts, known)
    ids = _records(Entity, wanted_entities, people) + _records(Episode, wanted, texts)
    community_ids = _records(Community, communities)
    asked = (fact_ids, _FACTS), (ids, _OTHERS), (community_ids, _COMMUNITIES)
    sql = " ".join(statement for records, statement in asked if records)
    params = {"fact_ids": fact_ids, "ids": ids, "community_ids": community_ids}
    params["known"] = ids + _records(Episode, texts)
    results = await store.query(sql, **params) if sql else []
    rows: list[Row] = [row for result in results for row in result or ()]
    read_facts, read_entities = _values(Fact, rows), _values(Entity, rows)
    read_episodes, read_communities = _values(Episode, rows), _values(Community, rows)
    cache.hold(read_facts.values(), writes=writes)
    cache.hold(read_entities.values(), writes=writes)
    cache.hold(read_episodes.values(), writes=writes)
    return Found(
        known | read_facts, people | read_entities, texts | read_episodes, read_communities
    )


def _records(kind: type[Any], ids: Iterable[str], known: Collection[str] = ()) -> list[Record]:
    return [Record(TABLES[kind], id_) for id_ in dict.fromkeys(ids) if id_ not in known]


def _values(kind: type[Value], rows: Iterable[Row]) -> dict[str, Value]:
    table = TABLES[kind]
    return {row["id"].id: from_row(kind, row) for row in rows if row["id"].table == table}
