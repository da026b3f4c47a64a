"""Connections of the server: bounded in number, and none waits long for the head of a request.

One that sends nothing, or half a head, is closed after some seconds. Where there are too many, the
one that has waited longest makes room, so that who sends a request is always heard.
"""

import asyncio
import sys
from dataclasses import dataclass, field

from uvicorn.protocols.http.h11_impl import H11Protocol

_SHARE = 2
"""One file of so many that the process may open is a connection; the store opens others."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The connections on which no request is being answered, longest first, and their bounds."""

    seconds: float
    most: int
    """Connections of all kinds."""
    heads: dict["Connection", asyncio.TimerHandle] = field(default_factory=dict)


class Connection(H11Protocol):
    """A connection that is closed if the head of a request does not come in time."""

    waiting: Waiting
    """Of all connections of a server."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a head, and close who waited longest if there are too many."""
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self._note()
        if len(self.connections) > self.waiting.most:
            next(iter(self.waiting.heads)).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take what came, which may be the end of a head."""
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        """Wait for the next head."""
        super().on_response_complete()
        self._note()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._forget()

    def _note(self) -> None:
        """Start or stop the clock, by whether a request is being answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget()
        elif self not in self.waiting.heads and not self.transport.is_closing():
            later = self.loop.call_later(self.waiting.seconds, self.transport.close)
            self.waiting.heads[self] = later

    def _forget(self) -> None:
        if (clock := self.waiting.heads.pop(self, None)) is not None:
            clock.cancel()


def connections(seconds: float, most: int) -> type[asyncio.Protocol]:
    """Return the connections of one server.

    Args:
        seconds: For the head of a request to come.
        most: Connections at a time; fewer where the store would be left without files.
    """
    if sys.platform != "win32":
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit

        files, _ = getrlimit(RLIMIT_NOFILE)
        most = most if files == RLIM_INFINITY else min(most, max(1, files // _SHARE))

    class Bounded(Connection):
        waiting = Waiting(seconds, most)

    return Bounded
