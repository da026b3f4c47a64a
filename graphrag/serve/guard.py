"""Checks that every HTTP request passes first: its caller, group, rate and origin.

``/groups/NAME/...`` is the endpoint of a group: the same routes below it, and nothing of another
group. Browsers are kept out: a page of another origin is refused, and where no token is asked for
also a name that is not this machine's, which a page could have made point here (DNS rebinding).
"""

import asyncio
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphrag.errors import InputError, PolicyError
from graphrag.serve.grants import SCOPE_KEY, Bucket
from graphrag.serve.rest import problem_of
from graphrag.serve.service import Service

TOOLS: Final = "/mcp"  # path of the tools
OPEN: Final = ("/health", "/ready", "/openapi.json")
"""Routes without a token; they say nothing of what is remembered."""
_PAGE: Final = "/explore"
"""The explorer: a page without data, which asks for a token itself; a browser sends none."""
_HEADERS: Final[Mapping[str, str]] = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_GROUPS = "/groups/"
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^\s:/?#@,\\\[\]]+)(:[0-9]{1,5})?", re.ASCII)
_FAILURES = 5.0  # wrong tokens a second, of all strangers together: they hold up no right one


class Guard:
    """The app behind its checks."""

    def __init__(self, app: ASGIApp, service: Service, hosts: Collection[str]) -> None:
        """Guard an app; ``hosts`` are names by which it may be called without a token."""
        self.app = app
        self._service = service
        self._hosts = frozenset(hosts)
        self._buckets: dict[str, Bucket] = {}
        self._failures = Bucket(_FAILURES, 4 * _FAILURES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        metrics = self._service.metrics

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                metrics.answers[message["status"]] += 1
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["path"] == "/":
            scope["path"] = _PAGE  # what somebody sees who types the address alone
        try:
            self._admit(scope, receive)
            if scope["method"] == "POST":
                receive = _again(await self._body(receive), receive)
        except (HTTPException, PolicyError) as error:
            await problem_of(error)(scope, receive, sending)
            return
        await self.app(scope, receive, sending)

    async def _body(self, receive: Receive) -> bytes:
        quota, body = self._service.quota, bytearray()
        try:
            async with asyncio.timeout(quota.body_seconds):
                while (message := await receive())["type"] == "http.request":
                    body += message.get("body", b"")
                    if len(body) > quota.body_bytes:
                        most = f"a body has at most {quota.body_bytes:,} bytes"
                        raise HTTPException(413, most)
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            raise HTTPException(408, "the body did not come in time") from None
        raise HTTPException(400, "the body was cut short")

    def _admit(self, scope: Scope, receive: Receive) -> None:
        """Note the call of a request in it, unless it may not go on."""
        headers = Headers(scope=scope)
        hosts, origin = headers.getlist("host"), headers.get("origin")
        host = hosts[0] if len(hosts) == 1 else ""
        if origin is not None and origin.partition("://")[2] != host:
            raise HTTPException(403, f"pages of {origin!r} may not ask this server")
        service = self._service
        if not service.tokens and _name(host) not in self._hosts:
            raise HTTPException(421, f"this server is not {host!r}")
        if scope["path"] in OPEN:
            return
        asked = _group(scope)
        if _below(scope) == _PAGE or _below(scope).startswith(f"{_PAGE}/"):
            return
        token = headers.get("authorization")
        grant = service.tokens.grant(None if token is None else token.encode("latin-1"))
        if grant is None:
            if wait := self._failures.take():
                raise _later(wait)
            detail = "give a token: Authorization: Bearer ..."
            raise HTTPException(401, detail, {"www-authenticate": "Bearer"})
        if service.tokens:
            quota = service.quota
            if grant.name not in self._buckets:
                self._buckets[grant.name] = Bucket(quota.per_second, quota.burst)
            if wait := self._buckets[grant.name].take():
                raise _later(wait)
        if service.metrics.running >= service.quota.concurrent:
            raise _later(1, status=503, why="too many requests are being answered")
        try:
            scope[SCOPE_KEY] = replace(service.call(grant, asked), gone=partial(_gone, receive))
        except InputError as error:
            raise HTTPException(404, str(error)) from None
        if scope["method"] != "POST" and _below(scope) == TOOLS:
            # The SDK would hold a stream open, on which nothing can ever come.
            raise HTTPException(405, "tools are called by POST", {"allow": "POST"})


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what receives a body that has come already, and then whatever comes."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Message:
        return messages.pop() if messages else await receive()

    return receiving


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _name(host: str) -> str:
    parts = _HOST.fullmatch(host)
    return parts["name"].lower() if parts else ""


def _group(scope: Scope) -> str | None:
    path: str = scope["path"]
    if not path.startswith(_GROUPS):
        return None
    name = path.removeprefix(_GROUPS).partition("/")[0]
    scope["root_path"] = scope.get("root_path", "") + _GROUPS + name
    return name


def _below(scope: Scope) -> str:
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _later(seconds: float, *, status: int = 429, why: str = "too many requests") -> HTTPException:
    wait = str(math.ceil(seconds))
    return HTTPException(status, f"{why}: come again in {wait} s", {"retry-after": wait})
