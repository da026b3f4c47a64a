"""REST: verbs as ``POST /v1/VERB``, records, the log as a stream, and the state of the server.

Questions and texts stand in bodies: they are personal, and addresses are logged everywhere. A
client that follows the log again misses nothing; what ends a stream early is told by a last event,
``error``, with the problem as its data. An error is the library's own sentence (RFC 9457), with the
status that says whose fault it is.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from graphrag.display.visible import visible
from graphrag.errors import (
    ExtractionError,
    GraphRAGError,
    InputError,
    MissingExtraError,
    PolicyError,
    QueryError,
    StoreError,
)
from graphrag.explorer import POLICY, part, served
from graphrag.model.values import Event
from graphrag.serve.grants import SCOPE_KEY, Call
from graphrag.serve.items import EntityOutput, EventOutput, Output
from graphrag.serve.openapi import description
from graphrag.serve.outputs import PROBLEM_TYPE, HealthOutput, ProblemOutput
from graphrag.serve.service import CONTENT_TYPE, OverloadedError, Service, UnexpectedError
from graphrag.serve.tools import episode_output
from graphrag.serve.verb_table import VERBS, Verb

_PAGE = {"content-security-policy": POLICY}
Handler = Callable[[Request], Awaitable[Response]]
_READY_SECONDS = 2.0  # in which the store has to answer, or the server is not ready
_HEARTBEAT = 15.0  # seconds of silence, then a comment: proxies cut what is silent for longer

_STATUSES: tuple[tuple[type[GraphRAGError], int], ...] = (  # the first kind that fits
    (UnexpectedError, 500),
    (OverloadedError, 503),
    (InputError, 422),
    (PolicyError, 403),
    (ExtractionError, 502),
    (StoreError, 503),
    (MissingExtraError, 501),
    (GraphRAGError, 500),
)


def problem_of(error: Exception) -> Response:
    """Return an error of the library, or what is wrong as HTTP, as an answer (RFC 9457)."""
    headers: Mapping[str, str] | None = None
    if isinstance(error, HTTPException):
        status, detail, headers = error.status_code, error.detail, error.headers
    else:
        status = next(status for kind, status in _STATUSES if isinstance(error, kind))
        detail = str(error)
    title = HTTPStatus(status).phrase
    if status == 404 and detail == title:
        detail = "there is nothing here: see /openapi.json"
    body = ProblemOutput(title=title, status=status, detail=visible(detail))
    # A detail may repeat what was asked, where half a surrogate pair may stand.
    return Response(body.model_dump_json(), status, headers, media_type=PROBLEM_TYPE)


async def failed(request: Request, error: Exception) -> Response:
    """Answer for a route that failed, or that is not there."""
    return problem_of(error)


def routes(service: Service) -> list[Route]:
    """Return every route of REST."""
    described = json.dumps(description(secured=bool(service.tokens)))

    async def posted(verb: Verb[Any, Any], request: Request) -> Response:
        given = await _body(request)
        return _answer(await service.answer(verb, given, _call(request)))

    async def health(request: Request) -> Response:
        return _answer(HealthOutput(status="ok"))

    async def ready(request: Request) -> Response:
        if service.stopping.is_set():
            return _answer(HealthOutput(status="stopping"), 503)
        try:
            async with asyncio.timeout(_READY_SECONDS):
                await service.in_graph(service.graph.groups().list())
        except (GraphRAGError, TimeoutError):
            return _answer(HealthOutput(status="unavailable"), 503)
        return _answer(HealthOutput(status="ok"))

    async def openapi(request: Request) -> Response:
        return Response(described, media_type="application/json")

    async def metrics(request: Request) -> Response:
        return PlainTextResponse(service.metrics.text(), media_type=CONTENT_TYPE)

    async def entity(request: Request) -> Response:
        id_ = request.path_params["id"]
        known = await service.in_graph(_call(request).graph.entity(id_))
        if known is None:
            raise HTTPException(404, f"no entity has the id or name {id_!r}")
        return _answer(EntityOutput.of(known))

    async def episode(request: Request) -> Response:
        try:
            output = episode_output(request.path_params["id"], _call(request))
            return _answer(await service.in_graph(output))
        except QueryError as error:
            raise HTTPException(404, str(error)) from None

    async def follow(request: Request) -> Response:
        after = request.headers.get("last-event-id") or request.query_params.get("after")
        if after is not None and not (after.isascii() and after.isdigit() and len(after) < 16):
            raise QueryError(f"after is the number of an event, or 0, not {after!r}")
        stream = await events(service, _call(request), None if after is None else int(after))
        return StreamingResponse(stream, media_type="text/event-stream")

    async def explorer(request: Request) -> Response:
        return Response(served(), media_type="text/html", headers=_PAGE)

    async def explorer_file(request: Request) -> Response:
        file = part(request.path_params["file"])
        if file is None:
            raise HTTPException(404, "the explorer has no such file")
        text, kind = file
        return Response(text, media_type=kind, headers=_PAGE)

    plain: tuple[tuple[str, Handler], ...] = (
        ("/explore", explorer),
        ("/explore/{file}", explorer_file),
        ("/health", health),
        ("/ready", ready),
        ("/openapi.json", openapi),
        ("/metrics", metrics),
        ("/v1/entities/{id}", entity),
        ("/v1/episodes/{id}", episode),
        ("/v1/events", follow),
    )
    return [
        *(
            Route(f"/v1/{verb.name}", partial(posted, verb), methods=["POST"])
            for verb in VERBS.values()
        ),
        *(Route(path, handler, methods=["GET"]) for path, handler in plain),
    ]


async def _body(request: Request) -> Any:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # Also keeps out the forms that a page may send to another origin.
        raise HTTPException(415, "send Content-Type: application/json")
    try:
        return json.loads(await request.body())
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is no JSON") from None


def _call(request: Request) -> Call:
    call: Call = request.scope[SCOPE_KEY]
    return call


def _answer(output: Output, status: int = 200) -> Response:
    return Response(output.model_dump_json(), status, media_type="application/json")


async def events(service: Service, call: Call, after: int | None) -> AsyncIterator[str]:
    """Return the events of a group from one on, until the client goes or the server is stopped."""
    if service.metrics.streams >= service.quota.streams:
        raise HTTPException(503, "too many streams are open")
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
                data = EventOutput.logged(event).model_dump_json()
                yield f"id: {event.seq}\nevent: change\ndata: {data}\n\n"
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
