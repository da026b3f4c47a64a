"""Ask the graph, blocking: search and look up, now or as of a moment."""

from collections.abc import Iterable, Sequence

from graphrag.facade.opened import Moment
from graphrag.graph import GraphRAG as AsyncGraphRAG
from graphrag.groups import Groups
from graphrag.models import DEFAULT_GROUP, Entity, Episode, Fact
from graphrag.results import Results
from graphrag.search.filters.tree import Filter
from graphrag.search.recipe import Recipe, Scope
from graphrag.search.within import Reach, Within
from graphrag.stats import Stats
from graphrag.sync.asof import AsOf
from graphrag.sync.auditing import AuditReads
from graphrag.sync.loop import BackgroundLoop
from graphrag.sync.opened import Opened
from graphrag.sync.sagas import SagaReads
from graphrag.sync.walking import Walking
from graphrag.timeline import Timeline


class Asking(Opened, Walking, SagaReads, AuditReads):
    """Reading and searching."""

    def _walked(self) -> tuple[BackgroundLoop, AsyncGraphRAG]:
        return self._running(), self._graph

    def at(
        self,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
        history: bool = False,
    ) -> AsOf:
        """Return the graph as of a moment."""
        loop = self._running()
        return AsOf(self._graph.at(valid_at=valid_at, known_at=known_at, history=history), loop)

    def search(
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
        """Search what is true now, or at the time that the question speaks of."""
        return self._running().wait(
            self._graph.search(
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
        )

    def entity(self, name: str, *, group: str = DEFAULT_GROUP) -> Entity | None:
        """Return the entity with this name, alias or id, the best connected of several, or None."""
        return self._running().wait(self._graph.entity(name, group=group))

    def entities(self, name: str, *, group: str = DEFAULT_GROUP) -> list[Entity]:
        """Return every entity with this name, alias or id, the best connected first."""
        return self._running().wait(self._graph.entities(name, group=group))

    def facts(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> list[Fact]:
        """Return the facts about an entity that hold now, by their start."""
        return self._running().wait(self._graph.facts(entity, group=group))

    def episodes(self, ids: Iterable[str]) -> list[Episode]:
        """Return the episodes with these ids, in the order asked; unknown ids are left out."""
        return self._running().wait(self._graph.episodes(list(ids)))

    def timeline(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> Timeline:
        """Return the facts about an entity of all times, in order, and what ended each."""
        return self._running().wait(self._graph.timeline(entity, group=group))

    def groups(self) -> list[str]:
        """Return the names of the groups in this store."""
        return self._running().wait(self._graph.groups())

    def group_sizes(self) -> Groups:
        """Return the groups of this store with their sizes and last changes."""
        return self._running().wait(self._graph.group_sizes())

    def stats(self, *, group: str = DEFAULT_GROUP) -> Stats:
        """Count what a group holds."""
        return self._running().wait(self._graph.stats(group=group))

    def most_connected(
        self, limit: int = 10, *, group: str = DEFAULT_GROUP
    ) -> list[tuple[Entity, int]]:
        """Return the entities with the most facts, with their number; concepts are left out."""
        return self._running().wait(self._graph.most_connected(limit, group=group))
