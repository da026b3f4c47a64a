"""Tell the graph, blocking."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from graphrag.batch import BatchReport, OnError, Progress
from graphrag.facade.opened import Moment
from graphrag.ingest import Added
from graphrag.intake import NewEpisode
from graphrag.models import DEFAULT_GROUP, JSON, Source
from graphrag.sync.feed import feed
from graphrag.sync.opened import Opened


class Telling(Opened):
    """Adding episodes."""

    def add_episode(
        self,
        content: JSON,
        *,
        reference_time: Moment | None = None,
        name: str = "",
        source: Source | None = None,
        source_description: str = "",
        group: str = DEFAULT_GROUP,
        metadata: Mapping[str, JSON] | None = None,
        saga: str | None = None,
        wait: bool = True,
    ) -> Added:
        """Add one episode: text, ``name: text`` lines, or a JSON value; one transaction."""
        return self._running().wait(
            self._graph.add_episode(
                content,
                reference_time=reference_time,
                name=name,
                source=source,
                source_description=source_description,
                group=group,
                metadata=metadata,
                saga=saga,
                wait=wait,
            )
        )

    def add_episodes(
        self,
        episodes: Iterable[NewEpisode],
        *,
        on_progress: Callable[[Progress], None] | None = None,
        on_error: OnError = "stop",
    ) -> BatchReport:
        """Add many episodes in order, each in its own transaction.

        The iterable is consumed, and ``on_progress`` called, in the calling thread: both may use
        this graph, and whatever else belongs to that thread.
        """
        add = partial(self._graph.add_episodes, on_error=on_error)
        return feed(self._running(), add, episodes, on_progress)
