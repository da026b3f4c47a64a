"""Look after the queue of episodes that were added with ``wait=False``."""

from __future__ import annotations

from graphrag.ingest.queue import QueueStatus
from graphrag.model.arguments import checked
from graphrag.model.values import Episode
from graphrag.session import Handle


@checked(door="graph.queue")
class QueueControl:
    """The queued episodes of a group: ``graph.queue``."""

    def __init__(self, handle: Handle, group: str) -> None:
        self._handle = handle
        self._group = group

    async def status(self) -> QueueStatus:
        """Count the episodes of the group that are pending, done and failed."""
        return await self._handle.session.queue.status(self._group)

    async def failed(self) -> list[Episode]:
        """Return the episodes whose facts could not be read, with their ``error``."""
        return await self._handle.session.queue.failed(self._group)

    async def retry(self) -> int:
        """Make the failed episodes of the group pending again and return their number."""
        return await self._handle.session.queue.retry(self._group)

    async def drain(self) -> None:
        """Return when no queued episode of the group is pending any more.

        Failed ones are not waited for. With ``workers=0`` this is what does the work.

        Raises:
            StoreError: if the store is gone; what is pending stays so.
        """
        await self._handle.session.queue.drain(self._group)

    async def drain_all(self) -> None:
        """Return when no queued episode of any group is pending any more; as ``drain``."""
        await self._handle.session.queue.drain(None)
