"""What changed, blocking: between two moments, or as it happens."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import overload

from graphrag.differences import Axis, Changes
from graphrag.facade.following import check_asked
from graphrag.facade.opened import Moment
from graphrag.live import FOLLOWER
from graphrag.models import DEFAULT_GROUP, Event
from graphrag.sync.opened import Opened


class Following(Opened):
    """Comparing two moments, and following the log."""

    @overload
    def changes(
        self,
        since: Moment,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        group: str = DEFAULT_GROUP,
    ) -> Changes: ...
    @overload
    def changes(
        self, *, after: int | None = None, group: str = DEFAULT_GROUP
    ) -> Iterator[Event]: ...
    def changes(
        self,
        since: Moment | None = None,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        after: int | None = None,
        group: str = DEFAULT_GROUP,
    ) -> Changes | Iterator[Event]:
        """Return what became different between two moments, or follow what is committed.

        Following blocks until there is an event, and ends when the graph is closed.
        """
        check_asked(since, until, axis, after)
        loop = self._running()
        if since is not None:
            return loop.wait(self._graph.changes(since, until, axis=axis, group=group))
        return self._following(self._graph.changes(after=after, group=group))

    def _following(self, stream: AsyncIterator[Event]) -> Iterator[Event]:
        async def news() -> Event | None:
            if (task := asyncio.current_task()) is not None:
                task.set_name(FOLLOWER)
            return await anext(stream, None)

        while self._loop is not None and (event := self._loop.wait(news())) is not None:
            yield event
