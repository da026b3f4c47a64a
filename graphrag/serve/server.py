"""HTTP server: one app with MCP tools at ``/mcp`` and REST at ``/v1``.

It listens in a thread with its own event loop and calls the graph on the graph's loop, so that it
responds even while that loop is busy. The number of connections is limited; if there are too many,
the connection that has been idle longest is closed.
"""

import asyncio
import gc
import logging
import signal
import socket
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address

import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.exceptions import HTTPException
from uvicorn.protocols.http.h11_impl import H11Protocol

from graphrag.errors import GraphRAGError, InputError
from graphrag.graph import GraphRAG
from graphrag.serve.grants import Quota, Tokens
from graphrag.serve.guard import TOOLS, Guard
from graphrag.serve.rest import failed, routes
from graphrag.serve.service import Service
from graphrag.serve.tools import mcp_server

_LOG = logging.getLogger("graphrag")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_MOMENT = 0.05
_CONNECTIONS = 4  # connections for each request that may be worked on: most of them are silent
_ACCEPTED = 100  # connections taken at once, before any of them is looked at
_SHARE = 2  # one file of so many that may still be opened is a connection; the store has others
_HERE = ("localhost", "127.0.0.1", "[::1]")  # names of this machine


async def serve(
    graph: GraphRAG,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    tokens: Tokens | None = None,
    quota: Quota | None = None,
    rest: bool = True,
    on_start: Callable[[str], None] | None = None,
) -> None:
    """Serve an open graph over HTTP until SIGTERM, SIGINT or cancellation; finish open requests.

    Args:
        graph: The graph; its group is the default if neither path nor token names one.
        host: Address to listen on; an address reachable from other machines needs tokens.
        port: Port; 0 for any free one.
        tokens: Accepted tokens; default: none required, on this machine only.
        quota: Limits; default: ``Quota()``.
        rest: Whether to serve REST in addition to the tools.
        on_start: Called with the URL when the server listens.

    Raises:
        InputError: if other machines could connect and there are no tokens, or if the port is in
            use or not permitted.
    """
    service = Service(graph, tokens or Tokens(), quota or Quota())
    if not service.tokens and not _loopback(host):
        raise InputError(
            f"{host!r} is not only this machine: give tokens, or listen on 127.0.0.1 (the default)"
        )
    listening = _listen(host, port)
    place = f"[{host}]" if ":" in host else host
    # A new file has the lowest number that is free: as many are open.
    most = _affordable(_CONNECTIONS * service.quota.concurrent, listening.fileno())
    config = uvicorn.Config(
        application(service, hosts=(*_HERE, place.lower()), rest=rest),
        http=connections(service.quota.head_seconds, most),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=min(_ACCEPTED, most // 2),
        timeout_graceful_shutdown=round(service.quota.grace_seconds),
    )
    server = _Server(config, service.stopping)
    if on_start is not None:
        on_start(f"http://{place}:{listening.getsockname()[1]}")
    thresholds, serve_all = gc.get_threshold(), server.serve(sockets=[listening])
    serving = asyncio.ensure_future(asyncio.to_thread(asyncio.run, serve_all))
    preparing = asyncio.ensure_future(_prepared(service, rest))
    try:
        with _handling(server.stop):
            await asyncio.shield(serving)
    except asyncio.CancelledError:
        server.stop()
        await serving
        raise
    finally:
        preparing.cancel()
        gc.unfreeze()
        gc.set_threshold(*thresholds)


async def _prepared(service: Service, rest: bool) -> None:
    if rest:
        await service.prepare()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], 1000)  # one of all objects stops threads for 0.3 s


async def serve_stdio(graph: GraphRAG) -> None:
    """Serve the tools of an open graph over standard input and output until the client ends.

    At SIGTERM or SIGINT, work in progress is finished or queued, the graph is closed, and the
    process ends by the signal, because a thread of the SDK waits for input.
    """
    service = Service(graph)
    server = mcp_server(service)
    ending: set[asyncio.Task[None]] = set()

    def end(number: int) -> None:
        ending.add(asyncio.ensure_future(_end(service, number)))

    with _handling(end):
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())


async def _end(service: Service, number: int) -> None:
    service.stopping.set()
    last = time.monotonic() + service.quota.grace_seconds
    while service.metrics.running and time.monotonic() < last:
        await asyncio.sleep(_MOMENT)
    await asyncio.sleep(_MOMENT)  # for the answer to be written
    await service.graph.close()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def application(service: Service, *, hosts: Collection[str] = _HERE, rest: bool = True) -> Guard:
    """Return the app for your own ASGI server; it neither opens nor closes the graph.

    Args:
        service: The open graph, with tokens and limits.
        hosts: Host names that are accepted without a token.
        rest: Whether to serve REST in addition to the tools.
    """
    app = mcp_server(service).streamable_http_app(
        streamable_http_path=TOOLS,
        json_response=True,
        stateless_http=True,  # nothing of a client is kept between two requests
        max_request_body_size=service.quota.body_bytes,
        # The guard looks at Host and Origin, of every route.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=routes(service) if rest else [],
    )
    for kind in (HTTPException, GraphRAGError):
        app.add_exception_handler(kind, failed)
    return Guard(app, service, hosts)


class _Server(uvicorn.Server):
    """A server that tells its streams when it is to stop, and leaves the process running then."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to who serves; uvicorn's own would then kill the process."""
        yield

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Finish what was begun, or, asked again, nothing more."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._stopping.set()


@contextmanager
def _handling(stop: Callable[[int], object]) -> Iterator[None]:
    """Call this with SIGINT or SIGTERM when one comes; not on Windows, nor in a thread."""
    loop, handled = asyncio.get_running_loop(), []
    try:
        for number in _SIGNALS if sys.platform != "win32" else ():
            loop.add_signal_handler(number, stop, number)
            handled.append(number)
    except (RuntimeError, ValueError):  # not the main thread: whoever runs this one stops it
        _LOG.debug("signals are not handled in this thread")
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _listen(host: str, port: int) -> socket.socket:
    try:
        [(family, _, _, _, address), *_] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        listening = socket.create_server(address[:2], family=family)
    except (OSError, OverflowError) as error:
        raise InputError(f"cannot listen on {host}:{port}: {error}") from None
    # Its connections inherit it: a body would wait 40 ms for the client to confirm the head.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


@dataclass(frozen=True, slots=True)
class IdleConnections:
    """The connections on which no request is being answered, longest first, and their bounds."""

    seconds: float
    most: int  # connections of all kinds
    heads: dict["TimedConnection", asyncio.TimerHandle] = field(default_factory=dict)


class TimedConnection(H11Protocol):
    """A connection that is closed if the head of a request does not come in time."""

    waiting: IdleConnections  # of all connections of a server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a head, and close who waited longest if there are too many."""
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self._note()
        if len(self.connections) > self.waiting.most:
            longest = next(iter(self.waiting.heads))
            longest._forget()  # so that the next of many that come at once takes another
            longest.transport.abort()

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
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget()
        elif self not in self.waiting.heads and not self.transport.is_closing():
            later = self.loop.call_later(self.waiting.seconds, self.transport.close)
            self.waiting.heads[self] = later

    def _forget(self) -> None:
        if (clock := self.waiting.heads.pop(self, None)) is not None:
            clock.cancel()


def connections(seconds: float, most: int) -> type[asyncio.Protocol]:
    """Return the connections of one server: seconds for a head to come, and how many at a time."""
    return type("Bounded", (TimedConnection,), {"waiting": IdleConnections(seconds, most)})


def _affordable(most: int, taken: int) -> int:
    """Return how many connections leave files for the store; half as many more may come at once."""
    if sys.platform == "win32":
        return most
    from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit

    files, _ = getrlimit(RLIMIT_NOFILE)
    return most if files == RLIM_INFINITY else max(2, min(most, (files - taken) // _SHARE))
