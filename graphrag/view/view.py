"""A group seen from a viewpoint: now, at another moment, or as it was known at one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag.errors import QueryError
from graphrag.model.arguments import checked
from graphrag.view.answers import Answers
from graphrag.view.lens import steady

if TYPE_CHECKING:
    from graphrag.analysis.paths import Neighbor, Path
    from graphrag.analysis.subgraph import Subgraph
    from graphrag.analysis.timeline import EntityProfile
    from graphrag.explorer.atlas import Atlas
    from graphrag.model.values import Entity
    from graphrag.search.filters.tree import Filter
    from graphrag.search.request import Recipe, Scope
    from graphrag.search.results import Results
    from graphrag.search.within import Reach, Within
    from graphrag.view.audit import Audit
    from graphrag.view.communities import CommunityReads
    from graphrag.view.exports import Exports
    from graphrag.view.sagas import SagaReads
    from graphrag.view.surreal import SurrealQL


@checked(QueryError, around=steady, but=("answer",))
class View(Answers):
    """A group as seen from one viewpoint; every read of it is a method here.

    ``graph.at(valid_at=...)`` is one; a graph itself is the view of now.
    """

    def __repr__(self) -> str:
        """Show the group and the viewpoint."""
        return f"View({self.group_id!r}, {self.viewpoint!r})"

    @property
    def communities(self) -> CommunityReads:
        """Return the clusters of entities: list, get, map and context."""
        from graphrag.view.communities import CommunityReads

        return CommunityReads(self._lens)

    @property
    def sagas(self) -> SagaReads:
        """Return the named runs of episodes: list, get and window."""
        from graphrag.view.sagas import SagaReads

        return SagaReads(self._lens)

    @property
    def audit(self) -> Audit:
        """Return the reads of the whole: contradictions, orphans, growth and hubs."""
        from graphrag.view.audit import Audit

        return Audit(self._lens)

    @property
    def export(self) -> Exports:
        """Return what gives the group to others: file, pandas, networkx and igraph."""
        from graphrag.view.exports import Exports

        return Exports(self._lens)

    @property
    def surreal(self) -> SurrealQL:
        """Return what asks the database in SurrealQL, where no method does."""
        from graphrag.view.surreal import SurrealQL

        return SurrealQL(self._lens)

    async def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        scopes: Sequence[Scope] | None = None,
        recipe: Recipe | str | None = None,
        centers: Sequence[Entity | str] = (),
        where: Filter | None = None,
        saga: str | None = None,
        within: Within | Reach | None = None,
        explain: bool = False,
    ) -> Results:
        """Search what is true at the viewpoint, or at the time that the question speaks of.

        Args:
            query: A question, or a few words.
            limit: Hits of each scope, 1 to 1000; default: the recipe's, else 10.
            scopes: Some of ``facts``, ``entities``, ``episodes`` and ``communities``; default: the
                recipe's, else all, in a view of the past without communities.
            recipe: How to rank: a ``Recipe``, or the name of one in ``RECIPES``.
            centers: Entities, by themselves, name or id, that closeness in the graph counts from;
                default: those that the query names, else the best found.
            where: What hits must be like: ``Field.relation == "works_at"``. A scope that has none
                of the fields named is not filtered.
            saga: Name of a saga: only what its episodes tell of, and no communities; short for
                ``where=Field.saga == name``.
            within: The part of the graph that is searched: ``Within("Alice", hops=2)``, what lies
                near something, or what ``visible`` found.
            explain: Note every step with its time in ``Results.explanation``.

        Raises:
            QueryError: naming the argument that cannot be used, and what would be right.
        """
        # Ranking is imported by the first search: opening a graph does without it.
        from graphrag.view.searches import request_of, run

        request = request_of(
            query,
            self.group_id,
            self.viewpoint,
            limit=limit,
            scopes=scopes,
            recipe=recipe,
            centers=centers,
            where=where,
            saga=saga,
            within=within,
            explain=explain,
        )
        return await run(request, [self._lens], saga=saga)

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
        from graphrag.view import walks

        return await walks.neighbors(
            self._lens,
            entity,
            depth=depth,
            types=types,
            relations=relations,
            limit=limit,
            facts=facts,
        )

    async def visible(
        self, entity: Entity | str, *, through: Sequence[str], hops: int = 1
    ) -> Reach:
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
        from graphrag.view import walks

        return await walks.visible(self._lens, entity, through=through, hops=hops)

    async def path(
        self, start: Entity | str, end: Entity | str, *, max_depth: int = 4
    ) -> Path | None:
        """Return a shortest chain of facts between two entities, None if it takes more than these.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth.
        """
        from graphrag.view import walks

        return await walks.path(self._lens, start, end, max_depth=max_depth)

    async def paths(
        self, start: Entity | str, end: Entity | str, *, k: int = 3, max_depth: int = 4
    ) -> list[Path]:
        """Return up to ``k`` chains of facts between two entities, short and sure ones first.

        No entity comes twice in one of them; a fact costs 2 minus its confidence.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or number.
        """
        from graphrag.view import walks

        return await walks.paths(self._lens, start, end, k=k, max_depth=max_depth)

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
            center: An entity, its name or its id; None for the best connected, without concepts.
            depth: How many facts away from it, 1 to 10.
            limit: Entities at most.
            facts: How many of the facts between them are read; all of them are counted.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or limit.
        """
        from graphrag.view import walks

        return await walks.subgraph(self._lens, center, depth=depth, limit=limit, facts=facts)

    async def show(self, *, limit: int = 2000) -> Atlas:
        """Return the explorer: a notebook shows it, ``save("graph.html")`` keeps it as a page.

        It has the facts of all times that the view knows, and opens at the view's moment.

        Args:
            limit: Entities at most, the best connected ones.

        Raises:
            QueryError: for an impossible limit.
        """
        return await self.export.atlas(limit=limit, quotes=True)

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
        from graphrag.view import walks

        return await walks.profile(self._lens, entity, facts=facts, changes=changes)
