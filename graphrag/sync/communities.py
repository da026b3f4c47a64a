"""Communities, blocking; the graph and its views share the reads."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from graphrag.asof import AsOf
from graphrag.facade.communities import Overseeing as Async
from graphrag.models import DEFAULT_GROUP, Community
from graphrag.overview.globally import GlobalContext
from graphrag.overview.map import CommunityMap
from graphrag.overview.view import CommunityView
from graphrag.sync.loop import BackgroundLoop
from graphrag.sync.opened import Opened


class Overviews(ABC):
    """Communities."""

    @abstractmethod
    def _walked(self) -> tuple[BackgroundLoop, Async | AsOf]:
        """Return where to wait, and what reads."""

    def communities(
        self, *, level: int | None = None, group: str = DEFAULT_GROUP
    ) -> list[Community]:
        """Return the communities, the coarsest level first, on each the largest first."""
        loop, graph = self._walked()
        return loop.wait(graph.communities(level=level, group=group))

    def community(
        self, community: Community | str, *, limit: int = 50, group: str = DEFAULT_GROUP
    ) -> CommunityView:
        """Return a community with its members, the facts between them, and its parts."""
        loop, graph = self._walked()
        return loop.wait(graph.community(community, limit=limit, group=group))

    def community_map(
        self, *, level: int = 0, limit: int = 200, group: str = DEFAULT_GROUP
    ) -> CommunityMap:
        """Return a map of the communities of one level, which a notebook draws."""
        loop, graph = self._walked()
        return loop.wait(graph.community_map(level=level, limit=limit, group=group))

    def global_context(
        self,
        question: str,
        *,
        max_tokens: int = 2000,
        count: Callable[[str], int] | None = None,
        group: str = DEFAULT_GROUP,
    ) -> GlobalContext:
        """Return what the communities say of a question about the whole, as a text for a prompt."""
        loop, graph = self._walked()
        return loop.wait(
            graph.global_context(question, max_tokens=max_tokens, count=count, group=group)
        )


class Overseeing(Opened, Overviews):
    """Communities that are made and kept up to date."""

    def build_communities(self, *, group: str = DEFAULT_GROUP) -> list[Community]:
        """Detect, describe and store the communities of the facts that hold now."""
        return self._running().wait(self._graph.build_communities(group=group))

    def update_communities(self, *, group: str = DEFAULT_GROUP) -> list[Community]:
        """Bring the communities up to date around what changed since."""
        return self._running().wait(self._graph.update_communities(group=group))
