"""Named runs of episodes, blocking; the graph and its views share the reads."""

from abc import ABC, abstractmethod

from graphrag.asof import AsOf
from graphrag.facade.sagas import Narrating as Async
from graphrag.models import DEFAULT_GROUP, Episode, Saga
from graphrag.sagas.listing import Sagas
from graphrag.sagas.reads import Across
from graphrag.sagas.view import SagaView
from graphrag.sagas.window import EpisodeWindow
from graphrag.sync.loop import BackgroundLoop
from graphrag.sync.opened import Opened


class SagaReads(ABC):
    """Sagas, and the order of episodes."""

    @abstractmethod
    def _walked(self) -> tuple[BackgroundLoop, Async | AsOf]:
        """Return where to wait, and what reads."""

    def saga(self, name: str, *, group: str = DEFAULT_GROUP) -> SagaView:
        """Return a saga: its episodes in order, what they tell of, and its summary."""
        loop, graph = self._walked()
        return loop.wait(graph.saga(name, group=group))

    def sagas(self, *, group: str = DEFAULT_GROUP) -> Sagas:
        """Return the sagas of a group with their sizes and dates, in order of their beginnings."""
        loop, graph = self._walked()
        return loop.wait(graph.sagas(group=group))

    def episode_window(
        self,
        episode: Episode | str,
        *,
        before: int = 3,
        after: int = 3,
        across: Across = "saga",
    ) -> EpisodeWindow:
        """Return an episode with those just before and after it, by reference time."""
        loop, graph = self._walked()
        return loop.wait(graph.episode_window(episode, before=before, after=after, across=across))


class Narrating(Opened):
    """Summaries of sagas."""

    def summarize_saga(self, name: str, *, group: str = DEFAULT_GROUP) -> Saga:
        """Bring the summary of a saga up to date and return its row."""
        return self._running().wait(self._graph.summarize_saga(name, group=group))

    def summarize_sagas(self, *, group: str = DEFAULT_GROUP) -> list[Saga]:
        """Bring the summaries of all sagas up to date, and return those that changed."""
        return self._running().wait(self._graph.summarize_sagas(group=group))
