"""The event log: following commits in order, finding the events of records, checking caches by it.

A stream reads the log; commits of this process only wake it, and against a server it polls too. So
slow readers buffer nothing, and one that keeps the last event number resumes after a restart.
"""

import asyncio
import logging
import weakref
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from datetime import datetime

from graphrag.errors import QueryError, StoreClosedError, StoreError
from graphrag.model.values import Event
from graphrag.protocols import in_turns
from graphrag.store.changes import FORGET, REPAIR
from graphrag.store.engine import Row
from graphrag.store.groups import newest
from graphrag.store.record import Record
from graphrag.store.rows import event_of
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

_LOG = logging.getLogger("graphrag")
FOLLOWER = "graphrag-follower"
"""Name of a task that waits for a stream."""
_PAGE = 100  # events read at a time
_LOOK_EVERY, _LOOK_SELDOM = 0.5, 15.0
"""Seconds between looks at a server's log, which other processes may have written to, and at that
of one that tells of them; as long until one that did not is asked to again."""
_MOST_EVENTS = 2_000
"""From so many new events on it is cheaper to read rows again than to find out which."""
_UNORDERED = 8  # events that may have been committed before one whose clock was behind
_AT_ONCE = 20  # events of a long past read at a time: one may have the images of 500 facts
_PLANNED_AHEAD = 3
"""Events that may have been committed between planning a record and writing it, and that one."""


class OpenStreams:
    """The open streams of a store."""

    def __init__(self) -> None:
        self._open: weakref.WeakSet[EventStream] = weakref.WeakSet()
        self._hears = False
        self._hearing: asyncio.Task[None] | None = None

    def open(
        self, group: str, store: Store, lock: asyncio.Lock, *, after: int | None = None
    ) -> "EventStream":
        """Return a stream of what is committed to a group from now on, or after an event."""
        stream = EventStream(group, store, lock, self, after)
        self._open.add(stream)
        return stream

    def committed(self, group: str | None, seq: int | None = None) -> None:
        """Wake who follows a group, or any, once an event can be seen by every read."""
        for stream in tuple(self._open):
            if group in (None, stream.group):
                stream.wake(seq)

    def hear(self, store: Store) -> bool:
        """Tell whether a server tells of what others commit; it is asked to, if it was not."""
        if self._hearing is None or self._hearing.done():
            self._hearing = asyncio.create_task(self._hear(store), name=FOLLOWER)
        return self._hears

    async def _hear(self, store: Store) -> None:
        try:
            async for row in store.news():
                self._hears = True
                self.committed(row.get("group_id"))
        except StoreError as error:
            _LOG.info("the log of %s is looked at instead: %s", store.target.url, error)
        finally:
            self._hears = False
            self.committed(None)
        await asyncio.sleep(_LOOK_SELDOM)

    def close(self) -> None:
        """End every stream."""
        if self._hearing is not None:
            self._hearing.cancel()
        for stream in tuple(self._open):
            stream.end()


class EventStream(AsyncIterator[Event]):
    """The events of one group, without an end until the graph is closed."""

    def __init__(
        self, group: str, store: Store, lock: asyncio.Lock, streams: OpenStreams, after: int | None
    ) -> None:
        self.group, self._asked = group, after
        self._store, self._lock, self._streams = store, lock, streams
        self._seen: int | None = None
        self._moment: int | None = None
        """When the event seen last was committed: another history may have its number too."""
        self._first: int | None = None
        """The first event that this process committed since the stream was opened."""
        self._read: deque[Event] = deque()
        self._woken = asyncio.Event()
        self._ended = False

    def wake(self, seq: int | None) -> None:
        """Tell that an event was committed; None: by somebody else, perhaps."""
        if self._first is None:
            self._first = seq
        self._woken.set()

    def end(self) -> None:
        """Stop before the next event."""
        self._ended = True
        self._woken.set()

    async def __anext__(self) -> Event:
        """Return the next event, as soon as there is one."""
        while not self._read:
            if self._ended:
                raise StopAsyncIteration
            self._woken.clear()
            try:
                # Not between a commit and its entry into the index: what is given can be read.
                async with self._lock:
                    self._read.extend(await self._news())
            except StoreClosedError:
                if not self._ended:
                    raise
            if not self._read:
                await self._rest()
        event = self._read.popleft()
        self._seen, self._moment = event.seq, to_micros(event.at, 0)
        return event

    async def _news(self) -> list[Event]:
        if (seen := self._seen) is None:
            seen = await self._start()
        elif seen and await self._store.moment_of(self.group, seen) != self._moment:
            seen = 0  # The group was forgotten, and filled anew.
        self._seen = seen
        return await self._store.events(self.group, after=seen, limit=_PAGE)

    async def _start(self) -> int:
        """Return the event to start after: the newest one when the stream was opened."""
        if self._asked is None:
            last = await self._store.last_seq(self.group)
            # What this process committed between opening the stream and reading it is news.
            start = last if self._first is None else min(last, self._first - 1)
        else:
            start = self._asked
        self._moment = await self._store.moment_of(self.group, start) if start else None
        if self._asked and self._moment is None:
            raise QueryError(
                f"group {self.group!r} has no event {self._asked} to go on after: "
                "log.events() shows them all, after=0 starts with the first"
            )
        return start

    async def _rest(self) -> None:
        if self._store.target.embedded:
            await self._woken.wait()
            return
        pause = _LOOK_SELDOM if self._streams.hear(self._store) else _LOOK_EVERY
        with suppress(TimeoutError):  # Time to look.
            async with asyncio.timeout(pause):
                await self._woken.wait()


async def events_since(store: Store, group: str, moment: datetime) -> AsyncIterator[Event]:
    """Yield the group's events committed after a moment, oldest first, read few at a time.

    Some before the first are looked at, too: clocks of several writers differ a little.
    """
    after = to_micros(moment, 0) + 1
    first = (await _first_since(store, group, [after]))[after]
    seq = max(0, first - 1 - _UNORDERED)
    while events := await store.events(group, after=seq, limit=_AT_ONCE):
        for event in events:
            if event.at > moment:
                yield event
        seq = events[-1].seq


async def log_rows(store: Store, group: str) -> AsyncIterator[Row]:
    """Yield the rows of a whole log, oldest first, read few at a time; others have their turns."""
    seq = 0
    while page := await store.event_rows(group, after=seq, limit=_AT_ONCE):
        async for row in in_turns(page):
            yield row
        seq = page[-1]["seq"]


async def events_with(store: Store, group: str, records: Mapping[str, int]) -> list[Event]:
    """Return the events that wrote some records first, oldest first.

    ``records`` have the moments, in microseconds, at which they were made; if a clock was wrong,
    the whole log is read.
    """
    places = await _first_since(store, group, records.values()) if records else {}
    events: dict[int, Event] = {}
    missing = dict(records)
    for further in range(_PLANNED_AHEAD):
        wanted = {places[moment] + further for moment in missing.values()} - events.keys()
        ids = [Record("event", [group, seq]) for seq in sorted(wanted)]
        [rows] = await store.query("SELECT * FROM $ids;", ids=ids)
        async for event in in_turns(map(event_of, rows)):
            if written := missing.keys() & {change.record for change in event.changes}:
                events[event.seq] = event
                missing = {name: number for name, number in missing.items() if name not in written}
        if not missing:
            return [events[seq] for seq in sorted(events)]
    return [
        event
        for event in await store.events(group)
        if not records.keys().isdisjoint(change.record for change in event.changes)
    ]


async def _first_since(store: Store, group: str, moments: Iterable[int]) -> dict[int, int]:
    """Return by moment the number of the first event since, found by halves, all at once."""
    last = await store.last_seq(group)
    places = {moment: (1, last + 1) for moment in moments}
    at: dict[int, int] = {}
    while middles := {
        moment: sum(ends) // 2 for moment, ends in places.items() if ends[0] < ends[1]
    }:
        ids = [Record("event", [group, seq]) for seq in {*middles.values()} - at.keys()]
        [rows] = await store.query("SELECT VALUE [seq, time::micros(at)] FROM $ids;", ids=ids)
        at.update(rows)
        for moment, middle in middles.items():
            first, end = places[moment]
            late = middle in at and at[middle] >= moment
            places[moment] = (first, middle) if late else (middle + 1, end)
    return {moment: first for moment, (first, _) in places.items()}


async def vouch(store: Store, group: str) -> None:
    """Drop the rows of a group beside the store that newer events touched, or another history."""
    rows = store.cache.rows
    if rows.off or group in rows.stamps:
        return
    last, at = await newest(group, store)
    if group in rows.noted:
        seq, moment = rows.noted[group]
        touched = await _touched_since(store, group, seq, last)
        same = await store.moment_of(group, seq) == moment
        store.cache.written(touched if same else None)
    rows.stamps[group] = last, to_micros(at, 0)


async def _touched_since(
    store: Store, group: str, seq: int, last: int
) -> list[tuple[str, str]] | None:
    """Return table and id of what events touched; None: they are too many, or it may be any."""
    if not 0 <= last - seq <= _MOST_EVENTS:
        return None
    events = await store.events(group, after=seq) if last > seq else []
    if any(event.kind in (FORGET, REPAIR) for event in events):
        return None
    records = (change.record.partition(":") for event in events for change in event.changes)
    return [(table, id_) for table, _, id_ in records]
