"""Look after the queue, blocking."""

from graphrag.models import DEFAULT_GROUP, Episode
from graphrag.queue import QueueStatus
from graphrag.sync.opened import Opened


class Queued(Opened):
    """The queue."""

    def status(self, *, group: str = DEFAULT_GROUP) -> QueueStatus:
        """Count the episodes of a group that are pending, done and failed."""
        return self._running().wait(self._graph.status(group=group))

    def failed_episodes(self, *, group: str = DEFAULT_GROUP) -> list[Episode]:
        """Return the episodes whose facts could not be read, with their ``error``."""
        return self._running().wait(self._graph.failed_episodes(group=group))

    def retry_failed(self, *, group: str = DEFAULT_GROUP) -> int:
        """Make the failed episodes of a group pending again and return their number."""
        return self._running().wait(self._graph.retry_failed(group=group))

    def drain(self, *, group: str | None = None) -> None:
        """Return when no queued episode of a group is pending any more; default: of no group."""
        self._running().wait(self._graph.drain(group=group))
