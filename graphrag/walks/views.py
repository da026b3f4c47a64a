"""Walking verbs of a view: they see what the view sees, at any time."""

from collections.abc import Sequence

import numpy as np

from graphrag.errors import QueryError
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.models import DEFAULT_GROUP, Entity, Fact
from graphrag.search.visible import Past, Visible
from graphrag.temporal.moment import to_micros
from graphrag.views import Views
from graphrag.walks.edges import Distances, Edges, Rows
from graphrag.walks.found import Neighbor, Path, Portrait, Subgraph
from graphrag.walks.paths import Way, shortest
from graphrag.walks.picked import best_connected, nearest

_DEEPEST = 10
_VIA = 5
"""Facts shown of each neighbour."""


class Walks(Views):
    """How entities are linked."""

    __slots__ = ()

    async def neighbors(
        self,
        entity: Entity | str,
        *,
        depth: int = 1,
        types: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        limit: int = 50,
        group: str = DEFAULT_GROUP,
    ) -> list[Neighbor]:
        """Return the entities within some facts of one, nearest first, then best connected.

        Args:
            entity: An entity, its name or its id.
            depth: How many facts away, 1 to 10.
            types: Only entities of these types; others are walked through.
            relations: Only along facts of these relations.
            limit: How many at most.
            group: The graph inside the store.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or limit.
        """
        _checked(depth=depth, limit=limit)
        index, past, seen, [start] = await self._places(group, entity)
        edges = Edges.of(index, seen, relations=relations)
        distance = edges.distances(start, depth)
        wanted = distance > 0
        if types is not None:
            codes = [index.type_code(one) for one in types if one in index.types]
            wanted &= np.isin(index.entities["type"], codes)
        reached = np.flatnonzero(wanted)
        order = np.lexsort((reached, -edges.degrees()[reached], distance[reached]))
        rows = reached[order[:limit]]
        via = {int(row): _nearer(edges, distance, int(row)) for row in rows}
        entities = await self._entities(rows, index, past)
        facts = await self._facts([fact for some in via.values() for fact in some], index, past)
        return [
            Neighbor(
                entities[int(row)],
                int(distance[row]),
                tuple(facts[int(fact)] for fact in via[int(row)]),
            )
            for row in rows
        ]

    async def path(
        self,
        start: Entity | str,
        end: Entity | str,
        *,
        max_depth: int = 4,
        group: str = DEFAULT_GROUP,
    ) -> Path | None:
        """Return a shortest chain of facts between two entities, None if it takes more than these.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth.
        """
        found = await self._ways(start, end, max_depth, 1, group, sure=False)
        return found[0] if found else None

    async def paths(
        self,
        start: Entity | str,
        end: Entity | str,
        *,
        k: int = 3,
        max_depth: int = 4,
        group: str = DEFAULT_GROUP,
    ) -> list[Path]:
        """Return up to ``k`` chains of facts between two entities, short and sure ones first.

        No entity comes twice in one of them; a fact costs 2 minus its confidence.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or number.
        """
        return await self._ways(start, end, max_depth, k, group, sure=True)

    async def subgraph(
        self,
        center: Entity | str | None = None,
        *,
        depth: int = 2,
        limit: int = 100,
        group: str = DEFAULT_GROUP,
    ) -> Subgraph:
        """Return a part of the graph to draw: around an entity, or its best connected entities.

        Args:
            center: An entity, its name or its id; None for the best connected, without concepts.
            depth: How many facts away from it, 1 to 10.
            limit: Entities at most.
            group: The graph inside the store.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or limit.
        """
        _checked(depth=depth, limit=limit)
        ends = () if center is None else (center,)
        index, past, seen, places = await self._places(group, *ends)
        edges = Edges.of(index, seen)
        degrees = edges.degrees()
        if places:
            in_reach = nearest(edges, degrees, places[0], depth)
        else:
            things = seen.entities & (index.entities["type"] != index.type_code("concept"))
            in_reach = best_connected(degrees, things)
        rows, left_out = in_reach[:limit], max(0, len(in_reach) - limit)
        chosen = np.zeros(edges.nodes, dtype=np.bool_)
        chosen[rows] = True
        inside = edges.within(chosen)
        ends_inside = np.concatenate((edges.subject[inside], edges.object[inside]))
        counts = np.bincount(ends_inside, minlength=edges.nodes)
        most = max(1, int(counts.max(initial=0)))
        entities = await self._entities(rows, index, past)
        facts = await self._facts(inside, index, past)
        ids = index.entities.ids
        return Subgraph(
            tuple(entities[int(row)] for row in rows),
            tuple(facts[int(row)] for row in inside),
            {ids[row]: int(degrees[row]) for row in rows},
            {ids[row]: float(counts[row] / most) for row in rows},
            left_out,
        )

    async def identity(
        self,
        entity: Entity | str,
        *,
        facts: int = 12,
        changes: int = 3,
        group: str = DEFAULT_GROUP,
    ) -> Portrait:
        """Return who or what an entity is: type, names, what holds of it, and what ended last.

        Args:
            entity: An entity, its name or its id.
            facts: How many of those that hold, told last first.
            changes: How many of those that ended, latest first.
            group: The graph inside the store.

        Raises:
            QueryError: if there is no such entity, or for an impossible number.
        """
        _checked(limit=facts)
        index, past, seen, [row] = await self._places(group, entity)
        subject, object_ = seen.ends
        at = (subject == row) | (object_ == row)
        holding = np.flatnonzero(seen.facts & at)[::-1][:facts]
        told = seen.told & ~index.facts["pending"] & (seen.retracted == FOREVER)
        over = np.flatnonzero(told & at & (seen.invalid <= to_micros(self._now(), FOREVER)))
        latest = over[np.lexsort((-over, -seen.invalid[over]))][: max(0, changes)]
        entities = await self._entities(np.array([row]), index, past)
        found = await self._facts([*holding, *latest], index, past)
        return Portrait(
            entities[row],
            tuple(found[int(one)] for one in holding),
            tuple(found[int(one)] for one in latest),
        )

    async def _ways(
        self,
        start: Entity | str,
        end: Entity | str,
        max_depth: int,
        k: int,
        group: str,
        *,
        sure: bool,
    ) -> list[Path]:
        _checked(depth=max_depth, limit=k)
        index, past, seen, [first, last] = await self._places(group, start, end)
        edges = Edges.of(index, seen)
        costs = None
        if sure:
            from graphrag.index.read_aside import read_aside

            await read_aside(self._reading.store, index, {"relates_to": ["confidence"]})
            sureness = index.facts.aside["confidence"].values(len(index.facts))
            costs = 2 - np.nan_to_num(sureness, nan=1.0)
        ways = shortest(edges, first, last, max_depth=max_depth, k=k, costs=costs)
        return await self._paths(ways, index, past)

    async def _paths(self, ways: Sequence[Way], index: GroupIndex, past: Past) -> list[Path]:
        entities = await self._entities([row for way in ways for row in way.entities], index, past)
        facts = await self._facts([row for way in ways for row in way.facts], index, past)
        found = []
        for way in ways:
            taken = tuple(facts[row] for row in way.facts)
            cost = sum(2 - fact.confidence for fact in taken)
            found.append(Path(tuple(entities[row] for row in way.entities), taken, cost))
        return found

    async def _places(
        self, group: str, *entities: Entity | str
    ) -> tuple[GroupIndex, Past, Visible, list[int]]:
        """Return the view and the rows of these entities."""
        groups = {one.group_id for one in entities if isinstance(one, Entity)}
        if len(groups) > 1:
            raise QueryError(f"entities of different groups are not linked: {sorted(groups)}")
        group = next(iter(groups), group)
        await self._group(group)
        index, past, seen = await self._view(group)
        rows = []
        for one in entities:
            known = one if isinstance(one, Entity) else await self.entity(one, group=group)
            row = None if known is None else index.entities.row_of.get(seen.heirs.of(known.id))
            if row is None or not seen.entities[row]:
                name = one.name if isinstance(one, Entity) else one
                raise QueryError(f"no entity is called {name!r} in group {group!r}: try a search")
            rows.append(row)
        return index, past, seen, rows

    async def _entities(
        self, rows: Sequence[int] | Rows, index: GroupIndex, past: Past
    ) -> dict[int, Entity]:
        ids = {int(row): index.entities.ids[row] for row in rows}
        found = await self._reading.store.get(Entity, list(dict.fromkeys(ids.values())))
        return {row: past.rewind(found[id_]) for row, id_ in ids.items()}

    async def _facts(
        self, rows: Sequence[int] | Rows, index: GroupIndex, past: Past
    ) -> dict[int, Fact]:
        ids = {int(row): index.facts.ids[row] for row in rows}
        found = await self._reading.store.get(Fact, list(dict.fromkeys(ids.values())))
        then = past.facts(found, index)
        return {row: then[id_] for row, id_ in ids.items()}


def _nearer(edges: Edges, distance: Distances, row: int) -> Rows:
    """Return the first few facts that lead from an entity to what is one step nearer."""
    facts = edges.at(row)
    nearer = distance[edges.other_end(facts, row)] == distance[row] - 1
    return np.asarray(facts[nearer][:_VIA])


def _checked(*, depth: int = 1, limit: int = 1) -> None:
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= _DEEPEST:
        raise QueryError(f"depth {depth!r}: give 1 to {_DEEPEST}")
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 10_000:
        raise QueryError(f"limit {limit!r}: give 1 to 10000")
