"""How many questions may be under way, how many may start in a minute, and when all must wait.

One throttle belongs to one model object and holds for everything that uses it, whatever task or
graph it is in: a server that says "wait" to one of them says it to all.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from graphrag.errors import InputError


class Throttle:
    """A limit on concurrent questions, a limit on their rate, and a common pause."""

    def __init__(
        self, *, concurrency: int = 8, per_window: int | None = None, window: float = 60.0
    ) -> None:
        if concurrency < 1 or (per_window is not None and per_window < 1):
            raise InputError("at least one question must be allowed at a time and in a minute")
        self._slots = asyncio.Semaphore(concurrency)
        self._per_window = per_window
        self._window = window
        self._started: deque[float] = deque()
        self._resume_at = 0.0

    def pause(self, seconds: float) -> None:
        """Let nobody start for so long."""
        self._resume_at = max(self._resume_at, time.monotonic() + seconds)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and hold it."""
        async with self._slots:
            while (wait := self._wait(time.monotonic())) > 0:
                await asyncio.sleep(wait)
            self._started.append(time.monotonic())
            yield

    def _wait(self, now: float) -> float:
        while self._started and self._started[0] <= now - self._window:
            self._started.popleft()
        wait = self._resume_at - now
        if self._per_window is not None and len(self._started) >= self._per_window:
            wait = max(wait, self._started[-self._per_window] + self._window - now)
        return wait
