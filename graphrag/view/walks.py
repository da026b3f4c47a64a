"""Walks through a group: who is near, how two are linked, who somebody is, what to draw.

Each is a method of ``View``, which says what its arguments mean.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graphrag.analysis.paths import Costs, Neighbor, Path, Way, shortest
from graphrag.analysis.subgraph import (
    Edge,
    Subgraph,
    best_connected,
    changed,
    heat,
    nearer,
    nearest,
)
from graphrag.analysis.timeline import EntityProfile
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.read_lazy import read_mentions
from graphrag.model.values import Entity
from graphrag.search.edges import Edges, Rows
from graphrag.search.limits import reach, spoken_of
from graphrag.search.rewind import Past, index_then
from graphrag.search.within import DEEPEST, Reach, checked_names, checked_number
from graphrag.temporal.moment import from_micros, to_micros
from graphrag.view.lens import MOST, Lens


async def neighbors(
    lens: Lens,
    entity: Entity | str,
    *,
    depth: int = 1,
    types: Sequence[str] | None = None,
    relations: Sequence[str] | None = None,
    limit: int = 50,
    facts: int = 1,
) -> list[Neighbor]:
    """Return the entities within some facts of one, nearest first, then best connected."""
    checked_number("depth", depth, least=1, most=DEEPEST)
    checked_number("limit", limit, least=1, most=MOST)
    checked_number("facts", facts, least=0, most=MOST)
    if relations is not None:
        relations = checked_names(relations)
    if types is not None:
        types = checked_names(types, "types")
    index, past, seen, [start] = await lens.places(entity)
    if relations is not None:
        relations = lens.relations(relations, index, past)
    edges = Edges.of(index, seen, relations=relations)
    distance = edges.distances(start, depth)
    wanted = distance > 0
    if types is not None:
        codes = [index.type_code(one) for one in types if one in index.types]
        wanted &= np.isin(past.types(index), codes)
    rows = nearest(distance, edges.degrees(), wanted, limit)
    via = nearer(edges, distance, rows)
    shown = {row: some[:facts].tolist() for row, some in via.items()}
    read = [fact for some in shown.values() for fact in some]
    entities, fact_of = await lens.read(rows, read, index, past)
    return [
        Neighbor(
            entities[row],
            int(distance[row]),
            len(via[row]),
            tuple(fact_of[fact] for fact in shown[row]),
        )
        for row in rows.tolist()
    ]


async def visible(
    lens: Lens, entity: Entity | str, *, through: Sequence[str], hops: int = 1
) -> Reach:
    """Return what an entity can know: all about itself and what it is linked to in some ways."""
    relations = checked_names(through, "through")
    checked_number("hops", hops, least=0, most=DEEPEST)
    index, past, seen, [start] = await lens.places(entity)
    along = lens.relations(relations, index, past)
    known = Edges.of(index, seen, relations=along).distances(start, hops) >= 0
    ever = lens.ever(index, past)
    subject, object_ = ever.ends
    facts = ever.facts & (ever.retracted == FOREVER)
    facts &= ever.valid <= to_micros(lens.now(), FOREVER)
    facts &= known.take(subject) | known.take(object_)
    store, embedder = lens.store, lens.session.embedder
    if not past:
        await read_mentions(store, index)
    then = await index_then(index, past, store, embedder, mentions=True)
    episodes = seen.episodes & spoken_of(known, then, seen)
    return reach(replace(seen, facts=facts, entities=known, episodes=episodes), index)


async def path(
    lens: Lens, start: Entity | str, end: Entity | str, *, max_depth: int = 4
) -> Path | None:
    """Return a shortest chain of facts between two entities, None if it takes more than these."""
    found = await _ways(lens, start, end, max_depth, 1, sure=False)
    return found[0] if found else None


async def paths(
    lens: Lens, start: Entity | str, end: Entity | str, *, k: int = 3, max_depth: int = 4
) -> list[Path]:
    """Return up to ``k`` chains of facts between two entities, short and sure ones first."""
    return await _ways(lens, start, end, max_depth, k, sure=True)


async def profile(
    lens: Lens, entity: Entity | str, *, facts: int = 12, changes: int = 3
) -> EntityProfile:
    """Return who or what an entity is: type, names, what holds of it, and what ended last."""
    checked_number("facts", facts, least=0, most=MOST)
    checked_number("changes", changes, least=0, most=MOST)
    index, past, seen, [row] = await lens.places(entity)
    ever = lens.ever(index, past)
    subject, object_ = ever.ends
    at = np.flatnonzero((subject == row) | (object_ == row))
    holding = at[seen.facts[at]][::-1][:facts].tolist()
    now = to_micros(lens.now(), FOREVER)
    over = at[ever.facts[at] & (ever.retracted[at] == FOREVER) & (ever.invalid[at] <= now)]
    latest = over[np.lexsort((-over, -ever.invalid[over]))][:changes].tolist()
    entities, fact_of = await lens.read([row], [*holding, *latest], index, past)
    return EntityProfile(
        entities[row],
        tuple(fact_of[fact] for fact in holding),
        tuple(fact_of[fact] for fact in latest),
    )


async def _ways(
    lens: Lens, start: Entity | str, end: Entity | str, max_depth: int, k: int, *, sure: bool
) -> list[Path]:
    checked_number("max_depth", max_depth, least=1, most=DEEPEST)
    checked_number("k", k, least=1, most=MOST)
    index, past, seen, [first, last] = await lens.places(start, end)
    edges = Edges.of(index, seen)
    costs = await _costs(lens, index, past) if sure else None
    ways = shortest(edges, first, last, max_depth=max_depth, k=k, costs=costs)
    return await _paths(lens, ways, index, past)


async def _costs(lens: Lens, index: GroupIndex, past: Past) -> Costs:
    """Return what each fact costs on a way: what is stated again is surer than before."""
    from graphrag.index.read_lazy import read_aside

    await read_aside(lens.store, index, {"relates_to": ["confidence"]})
    sureness = index.facts.aside["confidence"].values(len(index.facts))
    costs = 2 - np.nan_to_num(sureness, nan=1.0)
    for id_, image in past.images("relates_to"):
        if "confidence" in image and id_ in index.facts.row_of:
            costs[index.facts.row_of[id_]] = 2 - image["confidence"]
    return np.asarray(costs)


async def _paths(lens: Lens, ways: Sequence[Way], index: GroupIndex, past: Past) -> list[Path]:
    rows = [row for way in ways for row in way.entities]
    taken_by = [row for way in ways for row in way.facts]
    entities, facts = await lens.read(rows, taken_by, index, past)
    found = []
    for way in ways:
        taken = tuple(facts[row] for row in way.facts)
        cost = sum(2 - fact.confidence for fact in taken)
        found.append(Path(tuple(entities[row] for row in way.entities), taken, cost))
    return found


async def subgraph(
    lens: Lens,
    center: Entity | str | None = None,
    *,
    depth: int = 2,
    limit: int = 100,
    facts: int = 100,
) -> Subgraph:
    """Return a part of the graph to draw: around an entity, or its best connected entities."""
    checked_number("depth", depth, least=1, most=DEEPEST)
    checked_number("limit", limit, least=1, most=MOST)
    checked_number("facts", facts, least=0, most=MOST)
    ends = () if center is None else (center,)
    index, past, seen, places = await lens.places(*ends)
    edges = Edges.of(index, seen)
    degrees = edges.degrees()
    if places:
        distance = edges.distances(places[0], depth)
        wanted = distance >= 0
        rows = nearest(distance, degrees, wanted, limit)
    else:
        concept = index.type_code("concept")
        wanted = seen.entities & (past.types(index) != concept) & (degrees > 0)
        rows = best_connected(degrees, wanted, limit)
    chosen = np.zeros(edges.nodes, dtype=np.bool_)
    chosen[rows] = True
    inside = edges.within(chosen)
    read = inside[::-1][:facts]
    entities, fact_of = await lens.read(rows, read, index, past)
    number = np.zeros(edges.nodes, dtype=np.intp)
    number[rows] = np.arange(len(rows))
    ends_of = number[edges.subject[inside]], number[edges.object[inside]]
    warm = heat(*ends_of, len(rows), 0 if places else None)
    moments = changed(edges, rows, seen, to_micros(lens.now(), FOREVER))
    ids = [index.entities.ids[row] for row in rows.tolist()]
    return Subgraph(
        entities=tuple(entities[row] for row in rows.tolist()),
        edges=_counted(index, edges, inside),
        facts=tuple(fact_of[row] for row in read.tolist()),
        degrees=dict(zip(ids, degrees[rows].tolist(), strict=True)),
        heat=dict(zip(ids, warm.tolist(), strict=True)),
        changed={
            id_: None if moment == BEGINNING else from_micros(moment)
            for id_, moment in zip(ids, moments.tolist(), strict=True)
        },
        left_out=int(np.count_nonzero(wanted)) - len(rows),
    )


def _counted(index: GroupIndex, edges: Edges, facts: Rows) -> tuple[Edge, ...]:
    """Return the facts as edges, those of the most facts first."""
    columns = (edges.subject[facts], index.facts["relation"][facts], edges.object[facts])
    kinds, counts = np.unique(np.stack(columns), axis=1, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    ids, relations = index.entities.ids, index.relations
    return tuple(
        Edge(ids[subject], relations[relation], ids[object_], count)
        for (subject, relation, object_), count in zip(
            kinds[:, order].T.tolist(), counts[order].tolist(), strict=True
        )
    )
