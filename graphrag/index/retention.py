"""Lifetime of group indexes in memory, of values derived from them, and of consistent reads.

Derived kinds are declared where they are used, as a ``Slot`` or ``ViewCache``, and go with the
index. The groups used last stay, up to a number of bytes; one that is let go of while somebody uses
it is there until then, and counts no longer.

A read counts if its groups did not change between its first and last await and no row is newer than
the columns. Otherwise it is repeated, and writers wait for the second attempt only.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from graphrag.errors import InputError
from graphrag.index.columns import bytes_of
from graphrag.index.group import GroupIndex
from graphrag.store.renewal import machine_memory

Value = TypeVar("Value")
State = tuple[int | bool, ...]


@dataclass(slots=True, eq=False)
class _Reading:
    """One attempt at a read."""

    over: asyncio.Event | None = None
    """Its end, if changes of its groups wait for it."""
    disturbed: bool = False


_NO_READING = _Reading()
_READING = ContextVar("reading", default=_NO_READING)


def disturbed() -> bool:
    """Tell whether the current read is discarded, so that nothing of it may be kept."""
    return _READING.get().disturbed


@dataclass(slots=True, eq=False, weakref_slot=True)
class Gate:
    """The reads of one group that are under way, and the ends of its changes, waiting ones too."""

    reads: set[_Reading] = field(default_factory=set)
    changes: list[asyncio.Event] = field(default_factory=list)

    def held(self) -> bool:
        """Tell whether changes wait for the current read."""
        return (reading := _READING.get()).over is not None and reading in self.reads

    @asynccontextmanager
    async def change(self) -> AsyncIterator[None]:
        """Change the group: no read that began before and ends later is kept."""
        self.changes.append(over := asyncio.Event())
        try:
            while not self.held() and (held := [each.over for each in self.reads if each.over]):
                await held[0].wait()
            for reading in self.reads:
                reading.disturbed = True
            yield
        finally:
            self.changes.remove(over)
            over.set()


async def steady(gates: Sequence[Gate], read: Callable[[], Awaitable[Value]]) -> Value:
    """Return what a read finds in one state of these groups; reads that it makes belong to it."""
    outer, hold = _READING.get(), False
    if outer is not _NO_READING and all(outer in gate.reads for gate in gates):
        return await read()
    while True:
        while changes := [change for gate in gates for change in gate.changes]:
            await changes[0].wait()
        token = _READING.set(reading := _Reading(asyncio.Event() if hold else None))
        for gate in gates:
            gate.reads.add(reading)
        try:
            value = await read()
            if hold or not reading.disturbed:
                return value
        except Exception:  # of columns that changed meanwhile: the read is made again
            if hold or not reading.disturbed:
                raise
        finally:
            _READING.reset(token)
            for gate in gates:
                gate.reads.remove(reading)
            if reading.over is not None:
                reading.over.set()
        hold = True


class Slot(Generic[Value]):
    """One kind of value, at most one of each index."""

    def get(self, index: GroupIndex) -> Value | None:
        """Return the value of an index, None if it has none yet."""
        value: Value | None = index.derived.get(self)
        return value

    def set(self, index: GroupIndex, value: Value) -> None:
        """Keep the value of an index instead of the one before, unless a read is disturbed."""
        if not disturbed():
            index.derived[self] = value


@dataclass(frozen=True, slots=True)
class _View(Generic[Value]):
    versions: State
    kind: State
    since: int
    until: int
    value: Value


class ViewCache(Generic[Value]):
    """The last few views of each index, as long as nothing that they show can have changed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._slot = Slot[tuple[_View[Value], ...]]()

    def find(self, index: GroupIndex, kind: State, at: int) -> Value | None:
        """Return the view of this kind at a moment, if it is kept and no row changed since."""
        versions = _versions(index)
        for view in self._slot.get(index) or ():
            same = view.kind == kind and view.versions == versions
            if same and view.since <= at < view.until:
                return view.value
        return None

    def keep(self, index: GroupIndex, kind: State, since: int, until: int, value: Value) -> None:
        """Keep a view that is true from one moment up to another."""
        versions = _versions(index)
        others = (view for view in self._slot.get(index) or () if view.versions == versions)
        views = _View(versions, kind, since, until, value), *others
        self._slot.set(index, views[: self._most])


def _versions(index: GroupIndex) -> State:
    scopes = index.facts, index.entities, index.episodes, index.communities
    return (*(scope.version for scope in scopes), index.heirs.version)


_LEAST = 1 << 20
_SHARE = 4
_NOTHING: Final[tuple[State, int]] = (), 0
_UNKNOWN = 4 << 30
"""Bytes of memory of a machine that does not tell."""


def checked_budget(given: int | None) -> int:
    """Return the bytes that groups may take in memory; by default a quarter of the machine's."""
    if given is None:
        return max(_LEAST, (machine_memory() or _UNKNOWN) // _SHARE)
    if isinstance(given, bool) or not isinstance(given, int) or given < _LEAST:
        raise InputError(
            f"memory_budget {given!r}: give a whole number of bytes, at least {_LEAST:,} (1 MiB), "
            "such as 2 * 1024**3"
        )
    return given


class GroupCache:
    """The groups that are kept, the one used last at the end."""

    def __init__(self, most_bytes: int, leaving: Callable[[GroupIndex], None]) -> None:
        """Start empty; ``leaving`` is called with each index before it is let go."""
        self._most, self._leaving = most_bytes, leaving
        self._kept: OrderedDict[str, GroupIndex] = OrderedDict()
        self._sizes: dict[str, tuple[State, int]] = {}
        """The state of each when it was measured, and its bytes; their sum is ``nbytes``."""
        self.nbytes = 0

    def groups(self) -> list[GroupIndex]:
        """Return the groups that are kept, the one used last at the end."""
        return [*self._kept.values()]

    def use(self, key: str, index: GroupIndex) -> None:
        """Keep an index as the one used last, and let go of what is too much then.

        The last one stays whatever its size: asked for again, it would be read again.
        """
        last = next(reversed(self._kept), None)
        if self._kept.get(key) is not index:
            self._kept[key] = index
            self._measure(key)
        if last is not None and last != key:  # searching it may have made columns of it
            self._measure(last)
            self._kept.move_to_end(key)
            self._trim()

    def grown(self, key: str) -> None:
        """Take note that an index may be larger now."""
        if key in self._kept:
            self._measure(key)
            self._trim()

    def take(self, key: str) -> GroupIndex | None:
        """Return what is kept, and keep it no longer."""
        self.nbytes -= self._sizes.pop(key, _NOTHING)[1]
        return self._kept.pop(key, None)

    def clear(self) -> None:
        """Let go of everything."""
        self._kept.clear()
        self._sizes.clear()
        self.nbytes = 0

    def _measure(self, key: str) -> None:
        """Measure an index, unless nothing came to it since: that takes up to a millisecond."""
        index, old = self._kept[key], self._sizes.get(key)
        scopes = index.facts, index.entities, index.episodes, index.communities
        state = (id(index), index.seq, len(index.derived), *(len(scope.aside) for scope in scopes))
        if old is None or old[0] != state:
            self._sizes[key] = state, bytes_of(index)
            self.nbytes += self._sizes[key][1] - (0 if old is None else old[1])

    def _trim(self) -> None:
        while self.nbytes > self._most and len(self._kept) > 1:
            key, index = next(iter(self._kept.items()))
            self._leaving(index)
            self.take(key)
