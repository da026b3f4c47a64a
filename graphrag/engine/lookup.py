"""Look up rows of a group in SurrealDB: by name, along facts."""

from collections.abc import Collection, Iterable

from graphrag.names.key import name_key
from graphrag.store.record import Record
from graphrag.store.search_tables import word_table
from graphrag.store.store import Store
from graphrag.text.tokens import tokenize


async def called(store: Store, group: str, names: Iterable[str], most: int) -> set[str]:
    """Return the ids of the entities that may be meant by some names or ids, aliases among them."""
    wanted = {*names}
    if not wanted:
        return wanted
    words = [" ".join(terms) for name in sorted(wanted) if (terms := tokenize(name))]
    table = word_table("entity", group)
    found = await store.query(
        "SELECT VALUE record::id(id) FROM entity WITH INDEX entity_key "
        "WHERE group_id = $group AND key IN $keys;"
        + "".join(
            f"SELECT VALUE record::id(id) FROM {table} WHERE terms @@ $words{n} LIMIT {int(most)};"
            for n in range(len(words))
        ),
        group=group,
        keys=sorted({*map(name_key, wanted)} - {""}),
        **{f"words{n}": text for n, text in enumerate(words)},
    )
    return wanted.union(*found)


async def fact_ends_at(
    store: Store, entities: Iterable[str], limit: int, relations: Collection[str] | None = None
) -> list[tuple[str, str, str]]:
    """Return id, subject and object of the facts at some entities, those of some relations.

    Facts between two of them come twice; ``limit`` counts both.
    """
    along = "" if relations is None else "WHERE name IN $relations"
    [found] = await store.query(
        "SELECT VALUE [record::id(id), record::id(in), record::id(out)] "
        f"FROM $entities<->relates_to {along} LIMIT {int(limit)};",
        entities=_entities(entities),
        relations=[] if relations is None else sorted(relations),
    )
    return [(id_, subject, object_) for id_, subject, object_ in found]


async def facts_at(store: Store, entities: Iterable[str], limit: int) -> list[str]:
    """Return the facts at some entities, as many in all: links only, no row is read."""
    sql = f"SELECT VALUE array::slice(<->relates_to, 0, {int(limit)}) FROM $entities;"
    [found] = await store.query(sql, entities=_entities(entities))
    return list(dict.fromkeys(edge.id for edges in found for edge in edges))[:limit]


def _entities(ids: Iterable[str]) -> list[Record]:
    return [Record("entity", id_) for id_ in sorted(ids)]
