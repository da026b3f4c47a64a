"""How much a client may ask of a server: sizes, rates, and how many requests at once."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from graphrag.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """The bounds of a server; each is of all clients together unless it says otherwise."""

    body_bytes: int = 1 << 20
    """Of one request. An episode is at most 1,000,000 characters, usually far less."""
    body_seconds: float = 30
    """For a client to send one, after its head."""
    head_seconds: float = 10
    """For a client to send the head of a request; then its connection is closed."""
    per_second: float = 100
    """Requests of one token, in the long run; without tokens, on this machine, of nobody."""
    burst: int = 200
    """Requests of one token at once, before the rate counts."""
    concurrent: int = 256
    """Requests that are worked on at a time."""
    reads: int = 2
    """Reads that are worked on at a time; others wait. On one processor more are no faster, and a
    write would wait for a slice of each of them at every one of its steps. More are right where an
    embedder is asked over a network."""
    read_seconds: float = 30
    """For a read to be worked on, and before that to wait for its turn; then it is ended."""
    streams: int = 64
    """Open streams of events."""
    last_seconds: float = 5
    """After SIGTERM, for an episode that is being read: then it is queued for the next start."""
    grace_seconds: float = 20
    """After SIGTERM, for what is being answered; at the end of it connections are cut."""

    def __post_init__(self) -> None:
        """Check that every bound lets something through.

        Raises:
            InputError: naming the one that does not.
        """
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise InputError(f"{name} {getattr(self, name)!r}: give more than 0")


@dataclass(slots=True)
class Bucket:
    """A rate: so many at once, and so many a second in the long run (token bucket)."""

    per_second: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    _left: float = field(init=False)
    _at: float = field(init=False)

    def __post_init__(self) -> None:
        """Begin full."""
        self._left, self._at = self.burst, self.clock()

    def take(self) -> float:
        """Take one and return 0, or return after how many seconds there will be one."""
        now = self.clock()
        self._left = min(self.burst, self._left + (now - self._at) * self.per_second)
        self._at = now
        if self._left < 1:
            return (1 - self._left) / self.per_second
        self._left -= 1
        return 0.0
