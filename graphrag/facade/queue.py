"""Look after the queue of episodes that were added with ``wait=False``."""

from graphrag.facade.opened import Opened
from graphrag.intake import checked_group
from graphrag.models import DEFAULT_GROUP, Episode
from graphrag.queue import QueueStatus


class Queued(Opened):
    """The queue."""

    async def status(self, *, group: str = DEFAULT_GROUP) -> QueueStatus:
        """Count the episodes of a group that are pending, done and failed."""
        return await self._queue_of().status(checked_group(group))

    async def failed_episodes(self, *, group: str = DEFAULT_GROUP) -> list[Episode]:
        """Return the episodes whose facts could not be read, with their ``error``."""
        return await self._queue_of().failed(checked_group(group))

    async def retry_failed(self, *, group: str = DEFAULT_GROUP) -> int:
        """Make the failed episodes of a group pending again and return their number."""
        return await self._queue_of().retry(checked_group(group))

    async def drain(self, *, group: str | None = None) -> None:
        """Return when no queued episode of a group is pending any more; default: of no group.

        Failed ones are not waited for. With ``workers=0`` this is what does the work.

        Raises:
            StoreError: if the store is gone; what is pending stays so.
        """
        await self._queue_of().drain(None if group is None else checked_group(group))
