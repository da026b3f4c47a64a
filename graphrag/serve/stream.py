"""The log of a group as server-sent events: a client that comes again misses nothing.

What ends a stream early is told by a last event, ``error``, with the problem as its data.
"""

import asyncio
from collections.abc import AsyncIterator

from graphrag.errors import GraphRAGError, QueryError
from graphrag.model.values import Event
from graphrag.serve.call import Call
from graphrag.serve.items import EventOutput
from graphrag.serve.problems import HTTPProblem, problem_of
from graphrag.serve.service import Service

_HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent: proxies cut what is silent for longer."""


async def events(service: Service, call: Call, after: int | None) -> AsyncIterator[str]:
    """Return the events of a group from one on, until the client goes or the server is stopped.

    Raises:
        HTTPProblem: if there are too many streams.
        QueryError: if there is no event of this number.
    """
    if service.metrics.streams >= service.quota.streams:
        raise HTTPProblem(503, "Service Unavailable", "too many streams are open")
    return _streamed(service, await service.in_graph(_follow(call, after)))


async def _streamed(service: Service, news: AsyncIterator[Event]) -> AsyncIterator[str]:
    service.metrics.streams += 1

    def following() -> asyncio.Task[Event | None]:
        return asyncio.ensure_future(service.in_graph(_next(news)))

    stopping = asyncio.ensure_future(service.in_graph(service.stopping.wait()))
    coming = following()
    try:
        yield ": the log follows\n\n"
        while True:
            await asyncio.wait(
                {coming, stopping}, timeout=_HEARTBEAT, return_when=asyncio.FIRST_COMPLETED
            )
            if coming.done():
                event = coming.result()
                if event is None:  # the graph was closed
                    return
                yield _line(event)
                coming = following()
            elif stopping.done():
                return
            else:
                yield ": still there\n\n"
    except GraphRAGError as error:
        yield f"event: error\ndata: {bytes(problem_of(error).body).decode()}\n\n"
    finally:
        service.metrics.streams -= 1
        stopping.cancel()
        coming.cancel()


async def _follow(call: Call, after: int | None) -> AsyncIterator[Event]:
    # Looked at before the answer begins: an error after that would only cut it.
    if after and not await call.graph.log.events(after=after - 1, limit=1):
        raise QueryError(f"there is no event {after} to go on after: after=0 starts with the first")
    return call.graph.log.follow(after=after)


async def _next(news: AsyncIterator[Event]) -> Event | None:
    return await anext(news, None)


def _line(event: Event) -> str:
    data = EventOutput.of(event).model_dump_json()
    return f"id: {event.seq}\nevent: change\ndata: {data}\n\n"
