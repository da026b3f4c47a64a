"""Reading a graph from a viewpoint: now, at another moment, or as it was known at one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphrag.audit.views import Audits
from graphrag.errors import QueryError
from graphrag.exchange.views import Exports
from graphrag.index.group import GroupIndex
from graphrag.models import DEFAULT_GROUP, Entity
from graphrag.overview.reads import Overviews
from graphrag.reading import Reading
from graphrag.results import Results
from graphrag.sagas.listing import missing
from graphrag.sagas.reads import SagaReads
from graphrag.search import pipeline
from graphrag.search.filters.tree import Filter
from graphrag.search.inverses import with_inverses
from graphrag.search.recipe import Recipe, Request, Scope
from graphrag.search.recipes import recipe_of
from graphrag.search.visible import Past
from graphrag.search.within import Reach, Within
from graphrag.temporal.moment import utc_now
from graphrag.temporal.viewpoint import NOW, Viewpoint


@dataclass(frozen=True, slots=True, repr=False)
class AsOf(Audits, SagaReads, Exports, Overviews):
    """The graph as seen from one viewpoint; every read of the graph is a method here."""

    _reading: Reading
    viewpoint: Viewpoint = NOW

    def __repr__(self) -> str:
        """Show the viewpoint."""
        return f"AsOf({self.viewpoint!r})"

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
        """Search a group as seen from here; arguments as of ``GraphRAG.search``.

        Raises:
            QueryError: naming the argument that cannot be used, and what would be right.
        """
        groups = _groups(group)
        request = Request.of(
            query,
            ", ".join(groups),
            limit=limit,
            scopes=scopes,
            recipe=recipe_of(recipe),
            centers=centers,
            where=where,
            saga=saga,
            within=within,
            explain=explain,
            past=self.viewpoint not in (NOW, Viewpoint(history=True)),
        )
        reading = self._reading
        request = with_inverses(request, reading.relations)
        request, index, past = await self._searched(request, groups)
        if saga is not None and saga not in index.sagas:
            raise QueryError(missing(saga, request.group, index.sagas))
        results = await pipeline.run(
            request,
            index,
            reading.store,
            reading.embedder,
            self.viewpoint,
            reranker=reading.reranker,
            past=past,
            made=await self._made(request, groups),
        )
        reading.catalog.keep(index, most=reading.limits.kept)
        return results

    async def _searched(
        self, request: Request, groups: Sequence[str]
    ) -> tuple[Request, GroupIndex, Past | None]:
        """Return what is searched for, in which columns, of one group or of several as of one."""
        if len(groups) == 1:
            return request, await self._candidates(request), None
        # Here, not above: most searches are of one group.
        from graphrag.search.groups import Asked, Part
        from graphrag.search.several import join

        reading = self._reading
        parts = [
            Part(
                await self._proposed(replace(request, group=group)),
                await pipeline.undone(reading.store, group, self.viewpoint),
            )
            for group in groups
        ]
        vector = (await reading.embedder.embed([request.query], purpose="query"))[0]
        asked = Asked(request, vector, self.viewpoint, utc_now(), reading.limits)
        joined = await join(parts, asked, reading.store, reading.embedder)
        for part in parts:
            reading.catalog.keep(part.index, most=reading.limits.kept)
        return joined

    async def _proposed(self, request: Request) -> GroupIndex:
        """Return what one of several groups proposes, though it may not know every center."""
        try:
            return await self._candidates(request)
        except QueryError:
            if not request.centers:
                raise
            return await self._candidates(replace(request, centers=()))

    async def _candidates(self, request: Request) -> GroupIndex:
        """Return the columns of a group, or of what SurrealDB chooses of it."""
        reading = self._reading
        if reading.store.profile == "process":
            return await self._group(request.group)
        # Here, not above: few open a store of this profile.
        from graphrag.search.engine.gather import gather

        vector = (await reading.embedder.embed([request.query], purpose="query"))[0]
        past = await pipeline.undone(reading.store, request.group, self.viewpoint)
        return await self._there(
            await gather(
                reading.store,
                reading.embedder,
                request,
                vector,
                self.viewpoint,
                past,
                now=utc_now(),
                catalog=reading.catalog,
                limits=reading.limits,
            )
        )


def _groups(group: str | Sequence[str]) -> tuple[str, ...]:
    groups = (group,) if isinstance(group, str) else tuple(dict.fromkeys(group))
    if not groups or not all(isinstance(name, str) for name in groups):
        raise QueryError(f"group {group!r}: give the name of a group, or a list of names")
    return groups
