"""Walk the graph as it is now; ``at(...)`` has the same verbs."""

from collections.abc import Sequence

from graphrag.facade.asking import Asking
from graphrag.models import DEFAULT_GROUP, Entity
from graphrag.search.within import Reach
from graphrag.walks.found import Neighbor, Path, Portrait
from graphrag.walks.subgraph import Subgraph


class Walking(Asking):
    """How entities are linked now."""

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
        return await self.at().neighbors(
            entity,
            depth=depth,
            types=types,
            relations=relations,
            limit=limit,
            facts=facts,
            group=group,
        )

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
        about any of them, whatever they say, that have begun by now. Episodes: that speak of any of
        them. ``search(..., within=...)`` takes it as it is.

        Args:
            entity: An entity, its name or its id.
            through: Relations that let one know: ``["works_at", "member_of"]``.
            hops: How many of those away, 0 to 10; 0: only the entity itself.
            group: The graph inside the store.

        Raises:
            QueryError: if there is no such entity, or for an impossible distance.
        """
        return await self.at().visible(entity, through=through, hops=hops, group=group)

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
        return await self.at().path(start, end, max_depth=max_depth, group=group)

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
        return await self.at().paths(start, end, k=k, max_depth=max_depth, group=group)

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
        return await self.at().subgraph(center, depth=depth, limit=limit, facts=facts, group=group)

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
        return await self.at().identity(entity, facts=facts, changes=changes, group=group)
