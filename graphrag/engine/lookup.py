"""Look up rows of a group in SurrealDB: by words, by name, along facts.

The indexes cover all groups: terms are marked with theirs, and keys of names come with it.
"""

from collections.abc import Collection, Iterable, Sequence

from graphrag.engine.scopes import mark
from graphrag.store.record import Record
from graphrag.store.store import Store


async def with_words(
    store: Store,
    group: str,
    table: str,
    several: Sequence[Sequence[str]],
    *,
    every: bool = True,
    limit: int,
) -> list[list[tuple[str, str]]]:
    """Return id and stored terms of rows that have some terms, for several lists of terms at once.

    Of each list ``limit`` rows, which have every term of it, or any. None without an index.
    """
    if not several:
        return []
    before, how = mark(group), "AND" if every else "OR"
    asked = {
        f"terms{place}": " ".join(before + term for term in terms)
        for place, terms in enumerate(several)
    }
    what = f"SELECT VALUE [record::id(id), terms] FROM {table}_words WHERE terms @1,{how}@"
    found = await store.query(
        "".join(f"{what} ${name} LIMIT {int(limit)};" for name in asked), **asked
    )
    return [[(id_, terms) for (_, id_), terms in rows] for rows in found]


async def words_of(
    store: Store, group: str, table: str, ids: Iterable[str]
) -> list[tuple[str, str]]:
    """Return id and stored terms of some rows."""
    [rows] = await store.query(
        "SELECT VALUE [record::id(id)[1], terms] FROM $words;",
        words=[Record(f"{table}_words", [group, id_]) for id_ in ids],
    )
    return [(id_, terms) for id_, terms in rows]


async def entities_keyed(store: Store, group: str, keys: Iterable[str]) -> set[str]:
    """Return the entities of a group that have a name with one of some keys; no aliases."""
    [found] = await store.query(
        "SELECT VALUE record::id(id) FROM entity WITH INDEX entity_key "
        "WHERE group_id = $group AND key IN $keys;",
        group=group,
        keys=sorted(keys),
    )
    return set(found)


async def merges(store: Store, group: str) -> list[tuple[str, str]]:
    """Return each merged entity of a group with the one that it was merged into."""
    [rows] = await store.query(
        "SELECT VALUE [record::id(id), record::id(merged_into)] FROM entity WITH INDEX entity_merged "
        "WHERE group_id = $group AND merged_into > NONE;",
        group=group,
    )
    return [(merged, heir) for merged, heir in rows]


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


async def facts_at_each(store: Store, entities: Iterable[str], limit: int) -> list[list[str]]:
    """Return the facts at each of some entities, ``limit`` of each: links only, no row is read."""
    sql = f"SELECT VALUE array::slice(<->relates_to, 0, {int(limit)}) FROM $entities;"
    [found] = await store.query(sql, entities=_entities(entities))
    return [[edge.id for edge in edges] for edges in found]


async def facts_at(store: Store, entities: Iterable[str], limit: int) -> list[str]:
    """Return the facts at some entities, as many in all."""
    found = await facts_at_each(store, entities, limit)
    return list(dict.fromkeys(fact for facts in found for fact in facts))[:limit]


def _entities(ids: Iterable[str]) -> list[Record]:
    return [Record("entity", id_) for id_ in sorted(ids)]
