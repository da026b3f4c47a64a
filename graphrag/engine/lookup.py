"""Look up rows of a group in SurrealDB's own indexes: by words, by meaning, by name, by steps.

The indexes cover all groups. Terms are marked with their group, names and statements have it in
their ids, and neighbours of a vector are parted by whoever asks: a filter inside that query
makes SurrealDB walk the index ten times as long.
"""

from collections.abc import Collection, Iterable, Sequence

from graphrag.engine.scopes import mark
from graphrag.errors import StoreIndexError
from graphrag.store.record import Record
from graphrag.store.store import Store

_LEAST_EFFORT = 100
"""Length of the list of candidates that HNSW keeps while it searches; more find more."""
_AT_ONCE = 100
"""Episodes of one round trip."""


async def with_words(
    store: Store,
    group: str,
    table: str,
    several: Sequence[Sequence[str]],
    *,
    every: bool = True,
    limit: int | None = None,
) -> list[list[tuple[str, str]]]:
    """Return id and stored terms of rows that have some terms, for several lists of terms at once.

    Of each list ``limit`` rows, which have every term of it, or any. None without an index.
    """
    if not several:
        return []
    before, how = mark(group), "AND" if every else "OR"
    most = "" if limit is None else f" LIMIT {int(limit)}"
    asked = {
        f"terms{place}": " ".join(before + term for term in terms)
        for place, terms in enumerate(several)
    }
    what = f"SELECT VALUE [record::id(id), terms] FROM {table}_words WHERE terms @1,{how}@"
    found = await store.query("".join(f"{what} ${name}{most};" for name in asked), **asked)
    return [[(id_, terms) for (_, id_), terms in rows] for rows in found]


async def nearest(
    store: Store, table: str, vector: Sequence[float], count: int
) -> list[tuple[str, str]]:
    """Return group and id of the rows of a table that are nearest to a vector, nearest first.

    Raises:
        StoreIndexError: if the table has no index.
    """
    # SurrealDB takes only literals here: a number that Python has checked, nothing else.
    k, effort = int(count), max(int(count), _LEAST_EFFORT)
    [rows] = await store.query(
        "SELECT VALUE [record::id(id), vector::distance::knn()] "
        f"FROM {table}_vector WHERE vector <|{k},{effort}|> $vector;",
        vector=vector,
    )
    if any(distance is None for _, distance in rows):
        # Without an index SurrealDB answers with the whole table.
        raise StoreIndexError(
            f"the vector index of {table!r} is missing: run 'surreal-graphrag index "
            "build', or health.build_indexes()"
        )
    rows.sort(key=lambda row: (row[1], row[0]))
    return [(key[0], key[1]) for key, _ in rows]


async def vectors_of(
    store: Store, table: str, group: str, most: int | None = None
) -> tuple[list[str], list[bytes]]:
    """Return the ids of a group's rows in a table, ``most`` of them, and their vectors."""
    some = "" if most is None else f" LIMIT {int(most)}"
    sql = f"SELECT VALUE [record::id(id), embedding] FROM {table} WHERE group_id = $group{some};"
    [rows] = await store.query(sql, group=group)
    return [row[0] for row in rows], [row[1] for row in rows]


async def entities_known_as(store: Store, group: str, keys: Iterable[str]) -> set[str]:
    """Return the entities of a group that are looked up by one of some keys (see ``keys_of``)."""
    records = [Record("known_as", [group, key]) for key in keys]
    [found] = await store.query("SELECT VALUE ids FROM $keys;", keys=records)
    return {id_ for ids in found for id_ in ids}


async def merges(store: Store, group: str) -> list[tuple[str, str]]:
    """Return each merged entity of a group with the one that it was merged into."""
    [rows] = await store.query(
        "SELECT VALUE [record::id(id), merged_into] FROM entity WITH INDEX entity_merged "
        "WHERE group_id = $group AND merged_into > '';",
        group=group,
    )
    return [(merged, heir) for merged, heir in rows]


async def facts_stated_by(store: Store, group: str, episodes: Sequence[str]) -> set[str]:
    """Return the facts of a group that some episodes state; a round trip for each 100."""
    facts: set[str] = set()
    for start in range(0, len(episodes), _AT_ONCE):
        some = {f"e{place}": id_ for place, id_ in enumerate(episodes[start : start + _AT_ONCE])}
        keys = (f"[$group, ${name}, NONE]..=[$group, ${name}, ..]" for name in some)
        sql = "".join(f"SELECT VALUE record::id(id)[2] FROM stated:{key};" for key in keys)
        stated = await store.query(sql, group=group, **some)
        facts.update(fact for each in stated for fact in each)
    return facts


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


async def facts_at_each(store: Store, entities: Iterable[str], limit: int) -> list[str]:
    """Return the facts at each of some entities, ``limit`` of each; one may come twice."""
    sql = f"SELECT VALUE array::slice(<->relates_to, 0, {int(limit)}) FROM $entities;"
    [found] = await store.query(sql, entities=_entities(entities))
    return [edge.id for edges in found for edge in edges]


async def facts_at(store: Store, entities: Iterable[str], limit: int) -> set[str]:
    """Return the facts at some entities."""
    sql = f"SELECT VALUE record::id(id) FROM $entities<->relates_to LIMIT {int(limit)};"
    [found] = await store.query(sql, entities=_entities(entities))
    return set(found)


def _entities(ids: Iterable[str]) -> list[Record]:
    return [Record("entity", id_) for id_ in sorted(ids)]
