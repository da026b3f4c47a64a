"""Work on many rows that this thread and one for each other core share.

The others begin at once and from the front, so what is done between asking and looking costs
nothing on idle cores; who looks then works from the back until all meet. Nobody waits: a block that
another thread has begun and not ended is computed again here, because on a busy machine it may not
run for a while. Of two threads the other one takes a third of what is left each time, of more each
takes less: few blocks, because at the end of each one it takes the interpreter from whoever has it,
and small ones where they meet.

A pass reads memory and does little else, so beyond eight threads none helps; and no more are taken
than the process may use, which in a container is less than the machine has.

Steady reads: one state of a group from the first await of a read to its last.

A read awaits rows, vectors and models. A commit in between would show it columns that have grown
and rows that are newer than they are. So every change of a group counts its beginning and its end,
and a read during which that number changed is discarded and made again. Changes wait for the second
attempt, so that a busy writer cannot starve it. Nothing is copied, and a writer waits only for a
read that it has disturbed once.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Rows = slice | NDArray[np.intp]
Product = Callable[[Rows], NDArray[np.float32]]
"""One number for each of some rows; lets go of the interpreter meanwhile."""

_MOST = 8
"""Threads, with the one that asks."""
_LEAST = 8_192
"""Rows of a block at least, and of those that are worked on from the back."""


def cores(quota: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """Return how many cores the process may use, by its affinity and the container's quota."""
    here = (
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )
    try:
        most, period = quota.read_text().split()
        return max(1, min(len(here), int(most) // int(period)))
    except (OSError, ValueError, ZeroDivisionError):  # none is set, "max", or no Linux
        return len(here)


_others = max(1, min(_MOST, cores()) - 1)
_other_cores = ThreadPoolExecutor(_others, thread_name_prefix="graphrag-vectors")


class Shared:
    """A product with every row, begun on other threads and ended by who asks for it."""

    def __init__(self, product: Product, rows: int, *, worth: int = 10_000) -> None:
        """Begin, if there are so many rows that a hand-over costs less than it saves."""
        self._product = product
        self._first, self._last = 0, rows
        """What nobody has begun yet lies between."""
        self._taken: list[slice] = []
        self._done: dict[int, NDArray[np.float32]] = {}
        self._lock = Lock()
        threads = min(_others, rows // max(worth, 1))
        self._share = threads + 2
        self._helping = [_other_cores.submit(self._ahead) for _ in range(threads)]

    def result(self) -> NDArray[np.float32]:
        """Return the number of every row, the same array each time."""
        return self._whole

    @cached_property
    def _whole(self) -> NDArray[np.float32]:
        if not self._helping:
            return self._product(slice(0, self._last))
        while (block := self._back()) is not None:
            self._done[block.start] = self._product(block)
        for other in self._helping:
            other.cancel()
        parts = [
            self._product(block) if (done := self._done.get(block.start)) is None else done
            for block in sorted(self._taken, key=lambda block: block.start)
        ]
        return np.concatenate(parts)

    def _ahead(self) -> None:
        """Work from the front, on another thread."""
        while (block := self._front()) is not None:
            self._done[block.start] = self._product(block)

    def _front(self) -> slice | None:
        with self._lock:
            first, left = self._first, self._last - self._first
            self._first += min(left, max(_LEAST, left // self._share))
            return self._begun(slice(first, self._first))

    def _back(self) -> slice | None:
        with self._lock:
            last = self._last
            self._last = max(self._first, last - _LEAST)
            return self._begun(slice(self._last, last))

    def _begun(self, block: slice) -> slice | None:
        if block.start == block.stop:
            return None
        self._taken.append(block)
        return block


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
