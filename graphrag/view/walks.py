"""Walks through a group: who is near, how two are linked, who somebody is, what to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphrag.index.group import BEGINNING, FOREVER
from graphrag.index.tables import read_mentions
from graphrag.model.values import PLAIN, VALUE, Entity
from graphrag.search.near import Edges, confidences
from graphrag.search.rewind import rewound_index
from graphrag.search.within import DEEPEST, Reach, checked_number, reach, spoken_of
from graphrag.temporal.moment import from_micros, to_micros
from graphrag.view.context import MOST
from graphrag.view.reads import Reads

if TYPE_CHECKING:
    from graphrag.analysis.paths import Neighbor, Path
    from graphrag.analysis.subgraph import Subgraph
    from graphrag.analysis.timeline import EntityProfile


class Walks(Reads):
    """The reads that follow facts from entity to entity."""

    async def neighbors(
        self,
        entity: Entity | str,
        *,
        depth: int = 1,
        types: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        limit: int = 50,
        facts: int = 1,
    ) -> list[Neighbor]:
        """Return the entities within some facts of one, nearest first, then best connected.

        Args:
            entity: An entity, its name or its id.
            depth: How many facts away, 1 to 10.
            types: Only entities of these types; others are walked through.
            relations: Only along facts of these relations.
            limit: How many at most.
            facts: How many of the facts that lead to each are read, added last first.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or limit.
        """
        from graphrag.analysis.paths import Neighbor
        from graphrag.analysis.subgraph import nearer, nearest

        checked_number("depth", depth, least=1, most=DEEPEST)
        checked_number("limit", limit, least=1, most=MOST)
        checked_number("facts", facts, least=0, most=MOST)
        index, past, seen, [start] = await self._context.places(entity)
        if relations is not None:
            relations = self._context.relations(relations, index, past)
        edges = Edges.of(index, seen, relations=relations)
        distance = edges.distances(start, depth)
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
        """Return what an entity can know: all about itself and what it is linked to in some ways.

        Entities: itself, and what facts of these relations lead to, in either direction. Facts:
        about any of them, whatever they say, that have begun by now. Episodes: that speak of any of
        them. ``search(..., within=...)`` takes it as it is.

        Args:
            entity: An entity, its name or its id.
            through: Relations that let one know: ``["works_at", "member_of"]``.
            hops: How many of those away, 0 to 10; 0: only the entity itself.

        Raises:
            QueryError: if there is no such entity, or for an impossible distance.
        """
        checked_number("hops", hops, least=0, most=DEEPEST)
        index, past, seen, [start] = await self._context.places(entity)
        along = self._context.relations(through, index, past)
        known = Edges.of(index, seen, relations=along).distances(start, hops) >= 0
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
        self, start: Entity | str, end: Entity | str, *, max_depth: int = 4
    ) -> Path | None:
        """Return a shortest chain of facts between two entities, None if it takes more than these.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth.
        """
        paths = await self._paths(start, end, max_depth, 1, sure=False)
        return paths[0] if paths else None

    async def paths(
        self, start: Entity | str, end: Entity | str, *, k: int = 3, max_depth: int = 4
    ) -> list[Path]:
        """Return up to ``k`` chains of facts between two entities, short and sure ones first.

        No entity comes twice in one of them; a fact costs 2 minus its confidence.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or number.
        """
        return await self._paths(start, end, max_depth, k, sure=True)

    async def subgraph(
        self,
        center: Entity | str | None = None,
        *,
        depth: int = 2,
        limit: int = 100,
        facts: int = 100,
    ) -> Subgraph:
        """Return a part of the graph to draw: around an entity, or its best connected entities.

        Args:
            center: An entity, its name or its id; None for the best connected, no concepts among
                them. A value is drawn only as the center.
            depth: How many facts away from it, 1 to 10.
            limit: Entities at most.
            facts: How many of the facts between them are read; all of them are counted.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or limit.
        """
        from graphrag.analysis.subgraph import Subgraph, changed, counted, heat, nearest

        checked_number("depth", depth, least=1, most=DEEPEST)
        checked_number("limit", limit, least=1, most=MOST)
        checked_number("facts", facts, least=0, most=MOST)
        ends = () if center is None else (center,)
        index, past, seen, places = await self._context.places(*ends)
        edges = Edges.of(index, seen)
        degrees = edges.degrees()
        if places:
            distance = edges.distances(places[0], depth)
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
        self, entity: Entity | str, *, facts: int = 12, changes: int = 3
    ) -> EntityProfile:
        """Return who or what an entity is: type, names, what holds of it, and what ended last.

        Args:
            entity: An entity, its name or its id.
            facts: How many of those that hold, added last first.
            changes: How many of those that ended, latest first.

        Raises:
            QueryError: if there is no such entity, or for an impossible number.
        """
        from graphrag.analysis.timeline import EntityProfile

        checked_number("facts", facts, least=0, most=MOST)
        checked_number("changes", changes, least=0, most=MOST)
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

        checked_number("max_depth", max_depth, least=1, most=DEEPEST)
        checked_number("k", k, least=1, most=MOST)
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
