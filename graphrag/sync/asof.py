"""The graph as seen from a moment, blocking."""

from collections.abc import Iterable, Sequence

from graphrag.asof import AsOf as AsyncAsOf
from graphrag.differences import Axis, Changes
from graphrag.models import DEFAULT_GROUP, Entity, Episode, Fact
from graphrag.results import Results
from graphrag.search.filters.tree import Filter
from graphrag.search.recipe import Recipe, Scope
from graphrag.search.within import Reach, Within
from graphrag.sources import Quote
from graphrag.stats import Stats
from graphrag.sync.auditing import AuditReads
from graphrag.sync.communities import Overviews
from graphrag.sync.exchange import Exports
from graphrag.sync.loop import BackgroundLoop
from graphrag.sync.sagas import SagaReads
from graphrag.sync.walking import Walking
from graphrag.temporal.viewpoint import Viewpoint
from graphrag.timeline import Timeline
from graphrag.views import Moment


class AsOf(Walking, SagaReads, AuditReads, Exports, Overviews):
    """The graph as seen from one viewpoint."""

    def __init__(self, view: AsyncAsOf, loop: BackgroundLoop) -> None:
        self._view = view
        self._loop = loop

    def __repr__(self) -> str:
        """Show the viewpoint."""
        return repr(self._view)

    def _walked(self) -> tuple[BackgroundLoop, AsyncAsOf]:
        return self._loop, self._view

    @property
    def viewpoint(self) -> Viewpoint:
        """Return the viewpoint."""
        return self._view.viewpoint

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
        """Search a group as seen from here; ``limit`` hits of each scope."""
        return self._loop.wait(
            self._view.search(
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
        """Return the entity with this name, alias or id; the best connected if several share it."""
        return self._loop.wait(self._view.entity(name, group=group))

    def entities(self, name: str, *, group: str = DEFAULT_GROUP) -> list[Entity]:
        """Return every entity with this name, alias or id, the best connected first."""
        return self._loop.wait(self._view.entities(name, group=group))

    def facts(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> list[Fact]:
        """Return the facts about an entity that hold at the viewpoint, by their start."""
        return self._loop.wait(self._view.facts(entity, group=group))

    def episodes(self, ids: Iterable[str]) -> list[Episode]:
        """Return the episodes with these ids, in the order asked; unknown ids are left out."""
        return self._loop.wait(self._view.episodes(list(ids)))

    def timeline(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> Timeline:
        """Return the facts about an entity of all times, in order, and what ended each."""
        return self._loop.wait(self._view.timeline(entity, group=group))

    def changes(
        self,
        since: Moment,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        group: str = DEFAULT_GROUP,
    ) -> Changes:
        """Return what became different between two moments."""
        return self._loop.wait(self._view.changes(since, until, axis=axis, group=group))

    def groups(self) -> list[str]:
        """Return the names of the groups in this store."""
        return self._loop.wait(self._view.groups())

    def sources(self, fact: Fact | str) -> list[Quote]:
        """Return where a fact is stated: episodes with the characters that say so, oldest first."""
        return self._loop.wait(self._view.sources(fact))

    def stats(self, *, group: str = DEFAULT_GROUP) -> Stats:
        """Count what a group holds."""
        return self._loop.wait(self._view.stats(group=group))

    def most_connected(
        self, limit: int = 10, *, group: str = DEFAULT_GROUP
    ) -> list[tuple[Entity, int]]:
        """Return the entities with the most facts, with their number; concepts are left out."""
        return self._loop.wait(self._view.most_connected(limit, group=group))
