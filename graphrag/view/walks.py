"""Graph walks: neighbours, paths, reach, subgraphs and profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphrag.index.group import BEGINNING, FOREVER
from graphrag.index.tables import read_mentions
from graphrag.model.checks import checked_number
from graphrag.model.values import PLAIN, VALUE, Entity
from graphrag.search.near import Edges, confidences
from graphrag.search.rewind import rewound_index
from graphrag.search.within import DEEPEST, Reach, reach, spoken_of
from graphrag.temporal.moment import from_micros, to_micros
from graphrag.view.context import Depth, Limit, Most
from graphrag.view.reads import Reads

if TYPE_CHECKING:
    from graphrag.analysis.paths import Neighbor, Path
    from graphrag.analysis.subgraph import Subgraph
    from graphrag.analysis.timeline import EntityProfile


class Walks(Reads):
    """Reads that follow facts from entity to entity."""

    async def neighbors(
        self,
        entity: Entity | str,
        *,
        depth: Depth = 1,
        types: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        limit: Limit = 50,
        facts: Most = 1,
    ) -> list[Neighbor]:
        """Return the entities within ``depth`` facts of one, nearest, then best connected, first.

        Args:
            entity: An entity, its name or its id.
            depth: Maximum distance in facts, 1 to 10.
            types: Return only entities of these types; others are walked through.
            relations: Follow only facts of these relations.
            limit: Maximum number of entities.
            facts: Number of facts to return for each neighbour, latest added first.

        Raises:
            QueryError: if the entity does not exist, or the depth or limit is out of range.
        """
        from graphrag.analysis.paths import Neighbor
        from graphrag.analysis.subgraph import nearer, nearest

        index, past, seen, [start] = await self._context.places(entity)
        if relations is not None:
            relations = self._context.relations(relations, index, past)
        edges = Edges.of(index, seen, relations=relations)
        distance = edges.distances([start], depth)
        wanted = distance > 0
        if types is not None:
            wanted &= past.of_types(types, index)
        rows = nearest(distance, edges.degrees(), wanted, limit)
        via = nearer(edges, distance, rows)
        shown = {row: joined[:facts].tolist() for row, joined in via.items()}
        read = [fact for joined in shown.values() for fact in joined]
        entities, fact_of = await self._context.read(rows, read, index, past)
        return [
            Neighbor(
                entities[row],
                int(distance[row]),
                len(via[row]),
                tuple(fact_of[fact] for fact in shown[row]),
            )
            for row in rows.tolist()
        ]

    async def within(self, entity: Entity | str, *, through: Sequence[str], hops: int = 1) -> Reach:
        """Return the part of the graph that an entity can access through some relations.

        It has the entity and those that facts of these relations link to it in either direction;
        all facts about them that have begun; and all episodes that mention them. Pass it to
        ``search(..., within=...)``.

        Args:
            entity: An entity, its name or its id.
            through: Relations that give access, such as ``["works_at", "member_of"]``.
            hops: Maximum number of such facts, 0 to 10; 0 is only the entity itself.

        Raises:
            QueryError: if the entity does not exist or ``hops`` is out of range.
        """
        checked_number("hops", hops, least=0, most=DEEPEST)
        index, past, seen, [start] = await self._context.places(entity)
        along = self._context.relations(through, index, past)
        known = Edges.of(index, seen, relations=along).distances([start], hops) >= 0
        ever = self._context.ever(index, past)
        subject, object_ = ever.ends
        facts = ever.facts & (ever.retracted == FOREVER)
        facts &= ever.valid <= to_micros(self._context.now(), FOREVER)
        facts &= known.take(subject) | known.take(object_)
        store, embedder = self._context.store, self._context.session.embedder
        if not past:
            await read_mentions(store, index)
        then = await rewound_index(index, past, store, embedder, mentions=True)
        episodes = seen.episodes & spoken_of(known, then, seen)
        return reach(replace(seen, facts=facts, entities=known, episodes=episodes), index)

    async def path(
        self, start: Entity | str, end: Entity | str, *, max_depth: Depth = 4
    ) -> Path | None:
        """Return a shortest path of facts between two entities; None if it exceeds ``max_depth``.

        Raises:
            QueryError: if an entity does not exist or the depth is out of range.
        """
        paths = await self._paths(start, end, max_depth, 1, sure=False)
        return paths[0] if paths else None

    async def paths(
        self, start: Entity | str, end: Entity | str, *, k: Limit = 3, max_depth: Depth = 4
    ) -> list[Path]:
        """Return up to ``k`` paths of facts between two entities, cheapest first.

        A path has no entity twice. A fact costs ``2 - confidence``.

        Raises:
            QueryError: if an entity does not exist, or the depth or number is out of range.
        """
        return await self._paths(start, end, max_depth, k, sure=True)

    async def subgraph(
        self,
        center: Entity | str | None = None,
        *,
        depth: Depth = 2,
        limit: Limit = 100,
        facts: Most = 100,
    ) -> Subgraph:
        """Return a part of the graph to draw: around an entity, or the best connected entities.

        Args:
            center: An entity, its name or its id; None for the best connected entities, without
                concepts. A value is drawn only as the center.
            depth: Maximum distance from the center in facts, 1 to 10.
            limit: Maximum number of entities.
            facts: Maximum number of facts to return; all are counted.

        Raises:
            QueryError: if the entity does not exist, or the depth or limit is out of range.
        """
        from graphrag.analysis.subgraph import Subgraph, changed, counted, heat, nearest

        ends = () if center is None else (center,)
        index, past, seen, places = await self._context.places(*ends)
        edges = Edges.of(index, seen)
        degrees = edges.degrees()
        if places:
            distance = edges.distances(places, depth)
            wanted = (distance == 0) | ((distance > 0) & ~past.of_types((VALUE,), index))
        else:
            distance = np.zeros(edges.nodes, dtype=np.int8)
            wanted = seen.entities & ~past.of_types(PLAIN, index) & (degrees > 0)
        rows = nearest(distance, degrees, wanted, limit)
        chosen = np.zeros(edges.nodes, dtype=np.bool_)
        chosen[rows] = True
        inside = edges.within(chosen)
        read = inside[::-1][:facts]
        entities, fact_of = await self._context.read(rows, read, index, past)
        number = np.zeros(edges.nodes, dtype=np.intp)
        number[rows] = np.arange(len(rows))
        ends_of = number[edges.subject[inside]], number[edges.object[inside]]
        warm = heat(*ends_of, len(rows), 0 if places else None)
        moments = changed(edges, rows, seen, to_micros(self._context.now(), FOREVER))
        ids = [index.entities.ids[row] for row in rows.tolist()]
        return Subgraph(
            entities=tuple(entities[row] for row in rows.tolist()),
            edges=counted(index, edges, inside),
            facts=tuple(fact_of[row] for row in read.tolist()),
            degrees=dict(zip(ids, degrees[rows].tolist(), strict=True)),
            heat=dict(zip(ids, warm.tolist(), strict=True)),
            changed={
                id_: None if moment == BEGINNING else from_micros(moment)
                for id_, moment in zip(ids, moments.tolist(), strict=True)
            },
            left_out=int(np.count_nonzero(wanted)) - len(rows),
        )

    async def profile(
        self, entity: Entity | str, *, facts: Most = 12, changes: Most = 3
    ) -> EntityProfile:
        """Return a profile of an entity: type, names, current facts, and facts that ended last.

        Args:
            entity: An entity, its name or its id.
            facts: Maximum number of current facts, latest added first.
            changes: Maximum number of ended facts, latest first.

        Raises:
            QueryError: if the entity does not exist or a number is out of range.
        """
        from graphrag.analysis.timeline import EntityProfile

        index, past, seen, [row] = await self._context.places(entity)
        ever = self._context.ever(index, past)
        subject, object_ = ever.ends
        at = np.flatnonzero((subject == row) | (object_ == row))
        holding = at[seen.facts[at]][::-1][:facts].tolist()
        now = to_micros(self._context.now(), FOREVER)
        over = at[ever.facts[at] & (ever.retracted[at] == FOREVER) & (ever.invalid[at] <= now)]
        latest = over[np.lexsort((-over, -ever.invalid[over]))][:changes].tolist()
        entities, fact_of = await self._context.read([row], [*holding, *latest], index, past)
        return EntityProfile(
            entities[row],
            tuple(fact_of[fact] for fact in holding),
            tuple(fact_of[fact] for fact in latest),
        )

    async def _paths(
        self, start: Entity | str, end: Entity | str, max_depth: int, k: int, *, sure: bool
    ) -> list[Path]:
        from graphrag.analysis.paths import Path, shortest

        index, past, seen, [first, last] = await self._context.places(start, end)
        edges = Edges.of(index, seen)
        # What is stated again is surer than before, and costs less.
        costs = 2 - await confidences(index, self._context.store, past) if sure else None
        ways = shortest(edges, first, last, max_depth=max_depth, k=k, costs=costs)
        rows = [row for way in ways for row in way.entities]
        fact_rows = [row for way in ways for row in way.facts]
        entities, facts = await self._context.read(rows, fact_rows, index, past)
        return [
            Path(
                tuple(entities[row] for row in way.entities),
                tuple(facts[row] for row in way.facts),
                sum(2 - facts[row].confidence for row in way.facts),
            )
            for way in ways
        ]
