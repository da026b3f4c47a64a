"""Pieces of a view that can be drawn."""

import numpy as np

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.models import DEFAULT_GROUP, Entity
from graphrag.search.edges import Edges, Rows
from graphrag.search.within import DEEPEST, checked_number
from graphrag.temporal.moment import from_micros, to_micros
from graphrag.walks.picked import best_connected, changed, heat, nearest
from graphrag.walks.places import MOST, Places, types_then
from graphrag.walks.subgraph import Edge, Subgraph


class Pieces(Places):
    """What to draw of a graph."""

    __slots__ = ()

    async def subgraph(
        self,
        center: Entity | str | None = None,
        *,
        depth: int = 2,
        limit: int = 100,
        facts: int = 100,
        group: str = DEFAULT_GROUP,
    ) -> Subgraph:
        """Return a part of the graph to draw: around an entity, or its best connected entities.

        Args:
            center: An entity, its name or its id; None for the best connected, without concepts.
            depth: How many facts away from it, 1 to 10.
            limit: Entities at most.
            facts: How many of the facts between them are read; all of them are counted.
            group: The graph inside the store.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or limit.
        """
        checked_number("depth", depth, least=1, most=DEEPEST)
        checked_number("limit", limit, least=1, most=MOST)
        checked_number("facts", facts, least=0, most=MOST)
        ends = () if center is None else (center,)
        index, past, seen, places = await self._places(group, *ends)
        edges = Edges.of(index, seen)
        degrees = edges.degrees()
        if places:
            distance = edges.distances(places[0], depth)
            wanted = distance >= 0
            rows = nearest(distance, degrees, wanted, limit)
        else:
            concept = index.type_code("concept")
            wanted = seen.entities & (types_then(index, past) != concept) & (degrees > 0)
            rows = best_connected(degrees, wanted, limit)
        chosen = np.zeros(edges.nodes, dtype=np.bool_)
        chosen[rows] = True
        inside = edges.within(chosen)
        read = inside[::-1][:facts]
        entities, told = await self._read(rows, read, index, past)
        number = np.zeros(edges.nodes, dtype=np.intp)
        number[rows] = np.arange(len(rows))
        ends_of = number[edges.subject[inside]], number[edges.object[inside]]
        warm = heat(*ends_of, len(rows), 0 if places else None)
        moments = changed(edges, rows, seen, to_micros(self._now(), FOREVER))
        ids = [index.entities.ids[row] for row in rows.tolist()]
        return Subgraph(
            entities=tuple(entities[row] for row in rows.tolist()),
            edges=_counted(index, edges, inside),
            facts=tuple(told[row] for row in read.tolist()),
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
