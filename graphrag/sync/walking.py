"""Walk the graph, blocking; the graph and its views share these verbs."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from graphrag.asof import AsOf
from graphrag.facade.walking import Walking as Async
from graphrag.models import DEFAULT_GROUP, Entity
from graphrag.search.within import Reach
from graphrag.sync.loop import BackgroundLoop
from graphrag.walks.found import Neighbor, Path, Portrait
from graphrag.walks.subgraph import Subgraph


class Walking(ABC):
    """How entities are linked."""

    @abstractmethod
    def _walked(self) -> tuple[BackgroundLoop, Async | AsOf]:
        """Return where to wait, and what walks."""

    def neighbors(
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
        """Return the entities within some facts of one, nearest first, then best connected."""
        loop, graph = self._walked()
        return loop.wait(
            graph.neighbors(
                entity,
                depth=depth,
                types=types,
                relations=relations,
                limit=limit,
                facts=facts,
                group=group,
            )
        )

    def visible(
        self,
        entity: Entity | str,
        *,
        through: Sequence[str],
        hops: int = 1,
        group: str = DEFAULT_GROUP,
    ) -> Reach:
        """Return what an entity can know: about itself, and what it is linked to."""
        loop, graph = self._walked()
        return loop.wait(graph.visible(entity, through=through, hops=hops, group=group))

    def path(
        self,
        start: Entity | str,
        end: Entity | str,
        *,
        max_depth: int = 4,
        group: str = DEFAULT_GROUP,
    ) -> Path | None:
        """Return a shortest chain of facts between two entities, None if it takes more."""
        loop, graph = self._walked()
        return loop.wait(graph.path(start, end, max_depth=max_depth, group=group))

    def paths(
        self,
        start: Entity | str,
        end: Entity | str,
        *,
        k: int = 3,
        max_depth: int = 4,
        group: str = DEFAULT_GROUP,
    ) -> list[Path]:
        """Return up to ``k`` chains of facts between two entities, short and sure ones first."""
        loop, graph = self._walked()
        return loop.wait(graph.paths(start, end, k=k, max_depth=max_depth, group=group))

    def subgraph(
        self,
        center: Entity | str | None = None,
        *,
        depth: int = 2,
        limit: int = 100,
        facts: int = 100,
        group: str = DEFAULT_GROUP,
    ) -> Subgraph:
        """Return a part of the graph to draw: around an entity, or its best connected entities."""
        loop, graph = self._walked()
        return loop.wait(graph.subgraph(center, depth=depth, limit=limit, facts=facts, group=group))

    def identity(
        self,
        entity: Entity | str,
        *,
        facts: int = 12,
        changes: int = 3,
        group: str = DEFAULT_GROUP,
    ) -> Portrait:
        """Return who or what an entity is: type, names, what holds of it, and what ended last."""
        loop, graph = self._walked()
        return loop.wait(graph.identity(entity, facts=facts, changes=changes, group=group))
