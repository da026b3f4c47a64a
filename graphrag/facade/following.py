"""What changed: between two moments, or as it happens."""

from collections.abc import AsyncIterator, Coroutine
from typing import Any, overload

from graphrag.differences import Axis, Changes
from graphrag.errors import QueryError
from graphrag.facade.asking import Asking
from graphrag.facade.opened import Moment
from graphrag.intake import checked_group
from graphrag.models import DEFAULT_GROUP, Event


class Following(Asking):
    """Comparing two moments, and following the log."""

    @overload
    def changes(
        self,
        since: Moment,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        group: str = DEFAULT_GROUP,
    ) -> Coroutine[Any, Any, Changes]: ...
    @overload
    def changes(
        self, *, after: int | None = None, group: str = DEFAULT_GROUP
    ) -> AsyncIterator[Event]: ...
    def changes(
        self,
        since: Moment | None = None,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        after: int | None = None,
        group: str = DEFAULT_GROUP,
    ) -> Coroutine[Any, Any, Changes] | AsyncIterator[Event]:
        """Return what became different between two moments, or follow what is committed.

        ``await graph.changes("2024-01-01")`` compares; ``async for event in graph.changes():``
        gives every event of the log from now on, as it is committed, until the graph is closed. A
        search in the body of the loop sees what the event brought. A slow reader misses nothing;
        ``after`` goes on where an earlier one stopped. Other processes' events come from a server
        within half a second.

        Args:
            since: The earlier moment.
            until: The later one; default: now.
            axis: ``system``: what the graph learned, closed, corrected, retracted or restored.
                ``world``: what began and ended, by what is known now.
            after: Follow from this event on, by its number; 0 gives the whole log first.
            group: The graph inside the store.

        Raises:
            QueryError: if the moments are not in order, for another axis, or if there is no event
                of this number.
            TimeError: if a moment cannot be read.
        """
        check_asked(since, until, axis, after)
        if since is not None:
            return self.at().changes(since, until, axis=axis, group=group)
        ingestion, group = self._open(), checked_group(group)
        writer = ingestion.writer
        return writer.streams.open(group, ingestion.store, writer.locks[group], after=after)


def check_asked(since: Moment | None, until: Moment | None, axis: Axis, after: int | None) -> None:
    """Check that what is asked is a comparison or a stream.

    Raises:
        QueryError: if it is neither, or both.
    """
    if since is not None and after is not None:
        raise QueryError("changes compares with since and follows with after: give one of the two")
    if since is None and (until is not None or axis != "system"):
        raise QueryError("changes needs the moment since when: changes(since, until)")
    if after is not None and after < 0:
        raise QueryError(f"after is the number of an event, or 0, not {after}")
