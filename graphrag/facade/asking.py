"""Ask the graph: search and look up, now or as of a moment."""

from collections.abc import Iterable, Sequence

from graphrag.asof import AsOf
from graphrag.facade.opened import Moment, Opened
from graphrag.groups import Groups
from graphrag.models import DEFAULT_GROUP, Entity, Episode, Fact
from graphrag.reading import Reading
from graphrag.results import Results
from graphrag.search.filters.tree import Filter
from graphrag.search.recipe import Recipe, Scope
from graphrag.search.within import Reach, Within
from graphrag.stats import Stats
from graphrag.temporal.moment import parse_moment
from graphrag.temporal.viewpoint import Viewpoint
from graphrag.timeline import Timeline


class Asking(Opened):
    """Reading and searching."""

    def at(
        self,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
        history: bool = False,
    ) -> AsOf:
        """Return the graph as of a moment.

        Args:
            valid_at: World time: what was true then.
            known_at: System time: what the graph had been told by then.
            history: Facts of every time, each with its interval.

        Raises:
            TimeError: if a moment cannot be read; a date or a month means its first instant.
        """
        ingestion = self._open()
        reading = Reading(
            ingestion.store,
            ingestion.catalog,
            ingestion.embedder,
            self._reranker,
            ingestion.relations,
        )
        return AsOf(
            reading,
            Viewpoint(
                None if valid_at is None else parse_moment(valid_at, what="valid_at"),
                None if known_at is None else parse_moment(known_at, what="known_at"),
                history,
            ),
        )

    async def search(
        self,
        query: str,
        *,
        group: str | Sequence[str] = DEFAULT_GROUP,
        limit: int | None = None,
        scopes: Sequence[Scope] | None = None,
        recipe: Recipe | str | None = None,
        centers: Sequence[Entity | str] = (),
        where: Filter | None = None,
        saga: str | None = None,
        within: Within | Reach | None = None,
        explain: bool = False,
    ) -> Results:
        """Search what is true now, or at the time that the question speaks of.

        Args:
            query: A question, or a few words.
            group: The graph inside the store, or several: ranked as one, with nothing between
                them.
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
        return await self.at().search(
            query,
            group=group,
            limit=limit,
            scopes=scopes,
            recipe=recipe,
            centers=centers,
            where=where,
            saga=saga,
            within=within,
            explain=explain,
        )

    async def entity(self, name: str, *, group: str = DEFAULT_GROUP) -> Entity | None:
        """Return the entity with this name, alias or id, the best connected of several, or None."""
        return await self.at().entity(name, group=group)

    async def entities(self, name: str, *, group: str = DEFAULT_GROUP) -> list[Entity]:
        """Return every entity with this name, alias or id, the best connected first."""
        return await self.at().entities(name, group=group)

    async def facts(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> list[Fact]:
        """Return the facts about an entity that hold now, by their start.

        Raises:
            QueryError: if no entity has this name or id.
        """
        return await self.at().facts(entity, group=group)

    async def episodes(self, ids: Iterable[str]) -> list[Episode]:
        """Return the episodes with these ids, in the order asked; unknown ids are left out."""
        return await self.at().episodes(ids)

    async def timeline(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> Timeline:
        """Return the facts about an entity of all times, in order, and what ended each.

        Raises:
            QueryError: if no entity has this name or id.
        """
        return await self.at().timeline(entity, group=group)

    async def groups(self) -> list[str]:
        """Return the names of the groups in this store."""
        return await self.at().groups()

    async def group_sizes(self) -> Groups:
        """Return the groups of this store with their sizes and last changes; nothing is counted."""
        return await self._open().store.group_sizes()

    async def stats(self, *, group: str = DEFAULT_GROUP) -> Stats:
        """Count what a group holds; all zeros for a group that is not there."""
        return await self.at().stats(group=group)

    async def most_connected(
        self, limit: int = 10, *, group: str = DEFAULT_GROUP
    ) -> list[tuple[Entity, int]]:
        """Return the entities with the most facts, with their number; concepts are left out."""
        return await self.at().most_connected(limit, group=group)
