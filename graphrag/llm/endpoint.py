"""Endpoint of a model: URL, refusals, and the throttle of concurrency, rate and waiting.

A throttle belongs to one model object and holds across tasks and graphs.
"""

import asyncio
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from graphrag.errors import InputError
from graphrag.settings import shown_url

_INVALID = (400, 422)
_FORMAT = re.compile(r"response_format|json_schema|json schema|structured output", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RequestForm:
    """What a request says beside its messages."""

    temperature: float | None
    """None leaves it out."""
    schema: bool = True
    """False puts the shape of the answer in words."""
    max_tokens: int | None = None
    """Of the answer; None leaves it out."""

    def without(self, status: int, said: str) -> "RequestForm | None":
        """Return the form without what the server refuses; None if it is nothing we can spare."""
        if status not in _INVALID:
            return None
        if self.temperature is not None and "temperature" in said:
            return replace(self, temperature=None)
        if self.schema and _FORMAT.search(said):
            return replace(self, schema=False)
        return None

    def common(self, other: "RequestForm") -> "RequestForm":
        """Return the form without what either leaves out."""
        temperature = None if other.temperature is None else self.temperature
        return RequestForm(temperature, self.schema and other.schema, self.max_tokens)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, given as seconds or as a date."""
    given = headers.get("retry-after")
    if given is None:
        return None
    try:
        return max(0.0, float(given))
    except ValueError:
        try:
            moment = parsedate_to_datetime(given)
        except ValueError:
            return None
    return max(0.0, (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds())


def checked_url(url: str) -> str:
    """Return the URL, or say that it is none."""
    try:
        scheme = urlsplit(url).scheme
    except ValueError:  # such as half an IPv6 address
        scheme = ""
    if scheme not in ("http", "https"):
        raise InputError(f"{shown_url(url)!r} is no http(s) URL: write http://HOST:PORT/v1")
    return url


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
