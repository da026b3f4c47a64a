"""Steady reads: one state of a group from the first await of a read to its last.

A read awaits rows, vectors and models. A commit in between would show it columns that have grown
and rows that are newer than they are. So every change of a group counts its beginning and its end,
and a read during which that number changed is discarded and made again. Changes wait for the second
attempt, so that a busy writer cannot starve it. Nothing is copied, and a writer waits only for a
read that it has disturbed once.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

Value = TypeVar("Value")


@dataclass(slots=True, eq=False, weakref_slot=True)
class Gate:
    """The changes of one group, and the reads that they wait for."""

    turns: int = 0
    """Beginnings and ends of changes."""
    changes: int = 0
    """Changes that are under way, or wait for reads to end."""
    reads: int = 0
    """Reads that changes wait for."""
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    @asynccontextmanager
    async def change(self) -> AsyncIterator[None]:
        """Change the group: no read that began before and ends later is kept."""
        self.changes += 1
        try:
            if not held(self):  # a read that writes does not wait for itself
                await self._until(lambda: not self.reads)
            self.turns += 1
            yield
        finally:
            self.turns += 1
            self.changes -= 1
            self._wake()

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Let changes wait."""
        await self.still()
        self.reads += 1
        try:
            yield
        finally:
            self.reads -= 1
            self._wake()

    async def still(self) -> None:
        """Wait until nothing is being changed."""
        await self._until(lambda: not self.changes)

    async def _until(self, free: Callable[[], bool]) -> None:
        while not free():
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)


@dataclass(slots=True)
class _Reading:
    """One attempt at a read."""

    gates: Sequence[Gate]
    """Of its groups; none once it is over, for a task that it started and did not wait for."""
    held: bool
    turns: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """Note what has been changed so far."""
        self.turns = [gate.turns for gate in self.gates]

    @property
    def disturbed(self) -> bool:
        """Tell whether something was changed since it began."""
        return any(gate.turns != turn for gate, turn in zip(self.gates, self.turns, strict=False))


_READING: "ContextVar[_Reading | None]" = ContextVar("reading", default=None)


def disturbed() -> bool:
    """Tell whether what the current read works out is to be discarded, and must not be kept."""
    reading = _READING.get()
    return reading is not None and reading.disturbed


def held(gate: Gate) -> bool:
    """Tell whether changes of a group wait for the current read."""
    reading = _READING.get()
    return reading is not None and reading.held and gate in reading.gates


async def steady(gates: Sequence[Gate], read: Callable[[], Awaitable[Value]]) -> Value:
    """Return what a read finds in one state of these groups; reads that it makes belong to it."""
    outer = _READING.get()
    if outer is not None and set(gates) <= set(outer.gates):
        return await read()
    last = False
    while True:
        async with AsyncExitStack() as stack:
            while not last and any(gate.changes for gate in gates):
                await next(gate for gate in gates if gate.changes).still()
            for gate in sorted(gates, key=id) if last else ():  # in one order: no deadlock
                await stack.enter_async_context(gate.hold())
            reading = _Reading(gates, last)
            token = _READING.set(reading)
            try:
                found = await read()
            except Exception:
                if last or not reading.disturbed:
                    raise
            else:
                if last or not reading.disturbed:
                    return found
            finally:
                _READING.reset(token)
                reading.gates = ()
        last = True
