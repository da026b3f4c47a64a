"""A walk along facts in both directions, level by level, by SurrealDB's graph steps."""

from collections.abc import Collection, Iterable, Mapping

from graphrag.search.engine.names import with_kin
from graphrag.store.record import Record
from graphrag.store.store import Store

Kin = Mapping[str, set[str]]


async def walk(
    store: Store, starts: Iterable[str], kin: dict[str, set[str]], *, levels: int, limit: int
) -> dict[str, tuple[str, str]]:
    """Return the ends of every fact within ``levels`` steps of some entities, by id.

    The first level are the facts about the entities themselves. Past ``limit`` facts the walk ends
    inside its level. Whether a fact may be seen is not asked: rankings walk only along those that
    may, and what they reach is among these.
    """
    met: dict[str, tuple[str, str]] = {}
    frontier = with_kin(starts, kin)
    reached = set(frontier)
    for _ in range(levels):
        if not frontier or len(met) >= limit:
            break
        [found] = await store.query(
            "SELECT VALUE [record::id(id), record::id(in), record::id(out)] "
            f"FROM $frontier<->relates_to LIMIT {2 * int(limit)};",
            frontier=[Record("entity", id_) for id_ in sorted(frontier)],
        )
        for id_, subject, object_ in found:
            if len(met) < limit:
                met.setdefault(id_, (subject, object_))
        ends = {end for pair in met.values() for end in pair}
        frontier = with_kin(ends - reached, kin) - reached
        reached |= frontier
    return met


async def told_of(store: Store, entities: Collection[str], limit: int) -> set[str]:
    """Return the facts about some entities."""
    [found] = await store.query(
        f"SELECT VALUE record::id(id) FROM $entities<->relates_to LIMIT {int(limit)};",
        entities=[Record("entity", id_) for id_ in sorted(entities)],
    )
    return set(found)
