"""Walking verbs of a view: they see what the view sees, at any time."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.read_mentions import read_mentions
from graphrag.models import DEFAULT_GROUP, Entity
from graphrag.search.edges import Edges
from graphrag.search.limited import reach, spoken_of
from graphrag.search.then import index_then
from graphrag.search.visible import Past, Visible, visible
from graphrag.search.within import DEEPEST, Reach, checked_names, checked_number
from graphrag.temporal.moment import to_micros, utc_now
from graphrag.walks.found import Neighbor, Path, Portrait
from graphrag.walks.paths import Costs, Way, shortest
from graphrag.walks.picked import nearer, nearest
from graphrag.walks.pieces import Pieces
from graphrag.walks.places import MOST, types_then


class Walks(Pieces):
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
        facts: int = 1,
        group: str = DEFAULT_GROUP,
    ) -> list[Neighbor]:
        """Return the entities within some facts of one, nearest first, then best connected.

        Args:
            entity: An entity, its name or its id.
            depth: How many facts away, 1 to 10.
            types: Only entities of these types; others are walked through.
            relations: Only along facts of these relations.
            limit: How many at most.
            facts: How many of the facts that lead to each are read, told last first.
            group: The graph inside the store.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or limit.
        """
        checked_number("depth", depth, least=1, most=DEEPEST)
        checked_number("limit", limit, least=1, most=MOST)
        checked_number("facts", facts, least=0, most=MOST)
        if relations is not None:
            relations = checked_names(relations)
        if types is not None:
            types = checked_names(types, "types")
        index, past, seen, [start] = await self._places(group, entity)
        if relations is not None:
            relations = self._reading.relations.alike(relations, index.relations)
        edges = Edges.of(index, seen, relations=relations)
        distance = edges.distances(start, depth)
        wanted = distance > 0
        if types is not None:
            codes = [index.type_code(one) for one in types if one in index.types]
            wanted &= np.isin(types_then(index, past), codes)
        rows = nearest(distance, edges.degrees(), wanted, limit)
        via = nearer(edges, distance, rows)
        shown = {row: some[:facts].tolist() for row, some in via.items()}
        read = [fact for some in shown.values() for fact in some]
        entities, told = await self._read(rows, read, index, past)
        return [
            Neighbor(
                entities[row],
                int(distance[row]),
                len(via[row]),
                tuple(told[fact] for fact in shown[row]),
            )
            for row in rows.tolist()
        ]

    async def visible(
        self,
        entity: Entity | str,
        *,
        through: Sequence[str],
        hops: int = 1,
        group: str = DEFAULT_GROUP,
    ) -> Reach:
        """Return what an entity can know: all about itself and what it is linked to in some ways.

        Entities: itself, and what facts of these relations lead to, in either direction. Facts:
        about any of them, whatever they say, that have begun by the moment of the view. Episodes:
        that speak of any of them. ``search(..., within=...)`` takes it as it is.

        Args:
            entity: An entity, its name or its id.
            through: Relations that let one know: ``["works_at", "member_of"]``.
            hops: How many of those away, 0 to 10; 0: only the entity itself.
            group: The graph inside the store.

        Raises:
            QueryError: if there is no such entity, or for an impossible distance.
        """
        relations = checked_names(through, "through")
        checked_number("hops", hops, least=0, most=DEEPEST)
        index, past, seen, [start] = await self._places(group, entity)
        along = self._reading.relations.alike(relations, index.relations)
        known = Edges.of(index, seen, relations=along).distances(start, hops) >= 0
        ever = self._ever(index, past)
        subject, object_ = ever.ends
        facts = ever.facts & (ever.retracted == FOREVER)
        facts &= ever.valid <= to_micros(self._now(), FOREVER)
        facts &= known.take(subject) | known.take(object_)
        store, embedder = self._reading.store, self._reading.embedder
        if not past.before:
            await read_mentions(store, index)
        then = await index_then(index, past, store, embedder, mentions=True)
        episodes = seen.episodes & spoken_of(known, then, seen)
        return reach(replace(seen, facts=facts, entities=known, episodes=episodes), index)

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
        checked_number("facts", facts, least=0, most=MOST)
        checked_number("changes", changes, least=0, most=MOST)
        index, past, seen, [row] = await self._places(group, entity)
        ever = self._ever(index, past)
        subject, object_ = ever.ends
        at = np.flatnonzero((subject == row) | (object_ == row))
        holding = at[seen.facts[at]][::-1][:facts].tolist()
        now = to_micros(self._now(), FOREVER)
        over = at[ever.facts[at] & (ever.retracted[at] == FOREVER) & (ever.invalid[at] <= now)]
        latest = over[np.lexsort((-over, -ever.invalid[over]))][:changes].tolist()
        entities, told = await self._read([row], [*holding, *latest], index, past)
        return Portrait(
            entities[row],
            tuple(told[fact] for fact in holding),
            tuple(told[fact] for fact in latest),
        )

    def _ever(self, index: GroupIndex, past: Past) -> Visible:
        """Return what there is of all times up to the view's knowledge."""
        return visible(index, replace(self.viewpoint, history=True), past, now=utc_now())

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
        checked_number("max_depth", max_depth, least=1, most=DEEPEST)
        checked_number("k", k, least=1, most=MOST)
        index, past, seen, [first, last] = await self._places(group, start, end)
        edges = Edges.of(index, seen)
        costs = await self._costs(index, past) if sure else None
        ways = shortest(edges, first, last, max_depth=max_depth, k=k, costs=costs)
        return await self._paths(ways, index, past)

    async def _costs(self, index: GroupIndex, past: Past) -> Costs:
        """Return what each fact costs on a way: what is told again is surer than before."""
        from graphrag.index.read_aside import read_aside

        await read_aside(self._reading.store, index, {"relates_to": ["confidence"]})
        sureness = index.facts.aside["confidence"].values(len(index.facts))
        costs = 2 - np.nan_to_num(sureness, nan=1.0)
        for id_, image in past.images("relates_to"):
            if "confidence" in image and id_ in index.facts.row_of:
                costs[index.facts.row_of[id_]] = 2 - image["confidence"]
        return np.asarray(costs)

    async def _paths(self, ways: Sequence[Way], index: GroupIndex, past: Past) -> list[Path]:
        rows = [row for way in ways for row in way.entities]
        taken_by = [row for way in ways for row in way.facts]
        entities, facts = await self._read(rows, taken_by, index, past)
        found = []
        for way in ways:
            taken = tuple(facts[row] for row in way.facts)
            cost = sum(2 - fact.confidence for fact in taken)
            found.append(Path(tuple(entities[row] for row in way.entities), taken, cost))
        return found
