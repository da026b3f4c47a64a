"""Look up rows of a group in SurrealDB's own indexes: by words, by meaning, by name, by steps.

The indexes cover all groups. Terms are marked with their group, names and statements have it in
their ids, and neighbours of a vector are told apart by whoever asks: a filter inside that query
makes SurrealDB walk the index ten times as long.
"""

from collections.abc import Collection, Iterable, Sequence

from graphrag.engine.columns import mark
from graphrag.errors import StoreIndexError
from graphrag.store.record import Record
from graphrag.store.store import Store

Worded = tuple[str, str]
"""The id of a row, and its stored terms (see ``stored_terms``)."""
_LEAST_EFFORT = 100
"""Length of the list of candidates that HNSW keeps while it searches; more find more."""
_AT_ONCE = 100
"""Episodes of one round trip."""


async def with_any_word(store: Store, group: str, table: str, terms: Iterable[str]) -> list[Worded]:
    """Return all rows of a table that have one of some terms, which some row is known to have.

    Raises:
        StoreIndexError: if there is none, since without an index SurrealDB answers with nothing.
    """
    [rows] = await store.query(f"{_worded(table)} @1,OR@ $any;", any=_marked(group, terms))
    if not rows:
        raise StoreIndexError(
            f"the word index of {table!r} finds nothing of what is counted: run "
            "'surreal-graphrag index build', or health.build_indexes()"
        )
    return _words(rows)


async def with_all_words(
    store: Store, group: str, table: str, several: Sequence[Sequence[str]], limit: int
) -> list[list[Worded]]:
    """Return the rows of a table that have all of some terms, for several of these, ``limit`` each.

    One round trip.
    """
    if not several:
        return []
    found = await store.query(
        "".join(
            f"{_worded(table)} @1,AND@ $all{place} LIMIT {int(limit)};"
            for place in range(len(several))
        ),
        **{f"all{place}": _marked(group, terms) for place, terms in enumerate(several)},
    )
    return [_words(rows) for rows in found]


async def with_word(store: Store, group: str, table: str, term: str, limit: int) -> list[Worded]:
    """Return ``limit`` rows of a table that have a term."""
    [rows] = await store.query(
        f"{_worded(table)} @1@ $term LIMIT {int(limit)};", term=_marked(group, [term])
    )
    return _words(rows)


def _worded(table: str) -> str:
    return f"SELECT VALUE [record::id(id), terms] FROM {table}_words WHERE terms"


def _marked(group: str, terms: Iterable[str]) -> str:
    before = mark(group)
    return " ".join(before + term for term in terms)


def _words(rows: Iterable[tuple[tuple[str, str], str]]) -> list[Worded]:
    return [(id_, terms) for (_, id_), terms in rows]


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
    [rows] = await store.query(
        f"SELECT VALUE [record::id(id), embedding] FROM {table} WHERE group_id = $group{some};",
        group=group,
    )
    return [row[0] for row in rows], [row[1] for row in rows]


async def entities_known_as(store: Store, group: str, keys: Iterable[str]) -> set[str]:
    """Return the entities of a group that are looked up by one of some keys (see ``keys_of``)."""
    [found] = await store.query(
        "SELECT VALUE ids FROM $keys;", keys=[Record("known_as", [group, key]) for key in keys]
    )
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
        stated = await store.query(
            "".join(
                f"SELECT VALUE record::id(id)[2] FROM "
                f"stated:[$group, ${name}, NONE]..=[$group, ${name}, ..];"
                for name in some
            ),
            group=group,
            **some,
        )
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
    [found] = await store.query(
        f"SELECT VALUE array::slice(<->relates_to, 0, {int(limit)}) FROM $entities;",
        entities=_entities(entities),
    )
    return [edge.id for edges in found for edge in edges]


async def facts_at(store: Store, entities: Iterable[str], limit: int) -> set[str]:
    """Return the facts at some entities."""
    [found] = await store.query(
        f"SELECT VALUE record::id(id) FROM $entities<->relates_to LIMIT {int(limit)};",
        entities=_entities(entities),
    )
    return set(found)


def _entities(ids: Iterable[str]) -> list[Record]:
    return [Record("entity", id_) for id_ in sorted(ids)]
