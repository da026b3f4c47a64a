"""Reading a graph from a viewpoint: now, at another moment, or as it was known at one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.errors import QueryError
from graphrag.index.catalog import Catalog
from graphrag.index.group import GroupIndex
from graphrag.models import DEFAULT_GROUP, Entity, Fact
from graphrag.protocols import Embedder, Reranker
from graphrag.results import Results
from graphrag.sagas import SagaView, read_saga, saga_names
from graphrag.search import pipeline
from graphrag.search.engine.limits import LIMITS, Limits
from graphrag.search.filters.tree import Filter
from graphrag.search.recipe import Recipe, Request, Scope
from graphrag.search.recipes import recipe_of
from graphrag.search.visible import visible
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now
from graphrag.temporal.viewpoint import NOW, Viewpoint


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader needs: the store, the groups in memory, and the models of queries."""

    store: Store
    catalog: Catalog
    embedder: Embedder
    reranker: Reranker | None = None
    limits: Limits = LIMITS
    """How much of a group a search of the engine profile may read."""


@dataclass(frozen=True, slots=True, repr=False)
class AsOf:
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
        group: str = DEFAULT_GROUP,
        limit: int | None = None,
        scopes: Sequence[Scope] | None = None,
        recipe: Recipe | str | None = None,
        centers: Sequence[Entity | str] = (),
        where: Filter | None = None,
        explain: bool = False,
    ) -> Results:
        """Search a group as seen from here; arguments as of ``GraphRAG.search``.

        Raises:
            QueryError: naming the argument that cannot be used, and what would be right.
        """
        request = Request.of(
            query,
            group,
            limit=limit,
            scopes=scopes,
            recipe=recipe_of(recipe),
            centers=centers,
            where=where,
            explain=explain,
        )
        reading = self._reading
        return await pipeline.run(
            request,
            await self._searched(request),
            reading.store,
            reading.embedder,
            self.viewpoint,
            reranker=reading.reranker,
        )

    async def entity(self, name: str, *, group: str = DEFAULT_GROUP) -> Entity | None:
        """Return the entity with this name, alias or id, the best connected of several, or None."""
        found = await self.entities(name, group=group)
        return found[0] if found else None

    async def entities(self, name: str, *, group: str = DEFAULT_GROUP) -> list[Entity]:
        """Return every entity with this name, alias or id, the best connected first."""
        index = await self._group(group)
        past = await pipeline.undone(self._reading.store, group, self.viewpoint)
        seen = visible(index, self.viewpoint, past, now=utc_now())
        if name in index.entities.row_of:
            ids = seen.shown([name], index)
        else:
            ids = seen.named(name, index) or seen.people(name.casefold(), index)
        ids.sort(key=lambda id_: -seen.degree(id_, index))
        found = await self._reading.store.get(Entity, ids)
        return [past.rewind(entity) for entity in found.values()]

    async def facts(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> list[Fact]:
        """Return the facts about an entity that hold at the viewpoint, by their start.

        Raises:
            QueryError: if no entity has this name or id.
        """
        known = entity if isinstance(entity, Entity) else await self.entity(entity, group=group)
        if known is None:
            raise QueryError(f"no entity is called {entity!r} in group {group!r}: try a search")
        index = await self._group(known.group_id)
        past = await pipeline.undone(self._reading.store, known.group_id, self.viewpoint)
        seen = visible(index, self.viewpoint, past, now=utc_now())
        row = index.entities.row_of.get(seen.heirs.of(known.id), -1)
        subject, object_ = seen.ends
        rows = np.flatnonzero(seen.facts & ((subject == row) | (object_ == row)))
        found = await self._reading.store.get(Fact, [index.facts.ids[fact] for fact in rows])
        facts = list(past.facts(found, index).values())
        return sorted(facts, key=lambda fact: (fact.valid_at is not None, fact.valid_at, fact.id))

    async def saga(self, name: str, *, group: str = DEFAULT_GROUP) -> SagaView:
        """Return a saga: its episodes in order, and the entities and facts that they tell of.

        Raises:
            QueryError: if no episode of the group belongs to a saga of this name.
        """
        index = await self._group(group)
        past = await pipeline.undone(self._reading.store, group, self.viewpoint)
        seen = visible(index, self.viewpoint, past, now=utc_now())
        return await read_saga(name, index, self._reading.store, seen, past)

    async def sagas(self, *, group: str = DEFAULT_GROUP) -> list[str]:
        """Return the names of the sagas of a group, in the order of their making."""
        index = await self._group(group)
        past = await pipeline.undone(self._reading.store, group, self.viewpoint)
        return saga_names(index, visible(index, self.viewpoint, past, now=utc_now()))

    async def _searched(self, request: Request) -> GroupIndex:
        """Return the columns that a search ranks: the group's, or what SurrealDB chooses of it."""
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
                request,
                vector,
                self.viewpoint,
                past,
                now=utc_now(),
                limits=reading.limits,
            )
        )

    async def _group(self, name: str) -> GroupIndex:
        return await self._there(await self._reading.catalog.group(name))

    async def _there(self, index: GroupIndex) -> GroupIndex:
        name = index.group_id
        # A group that nobody wrote to is most often a misspelt one; the default may be empty.
        if index.seq == 0 and name != DEFAULT_GROUP:
            known = ", ".join(map(repr, await self._reading.store.groups())) or "none yet"
            raise QueryError(f"there is no group {name!r}; groups in this store: {known}")
        return index
