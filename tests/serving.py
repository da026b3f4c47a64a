"""SurrealDB servers for tests: the engine of this process behind a socket, and a real one.

``served`` answers the same calls in the same encoding as a server of the version of the engine.
Each client has a session of its own: who it is, and in which database. ``surreal`` is SurrealDB's
own server code of an earlier version, which has LIVE queries, in a process of its own.
"""

import asyncio
import os
import shutil
import socket
import sys
import uuid
from contextlib import asynccontextmanager
from pathlib import Path

import cbor2
from aiohttp import web
from surrealdb_embedded import AsyncEmbeddedDB

from graphrag.store.private import PrivateFolder

NODE = Path(sys.prefix, "node")
"""Where ``make`` installs ``@surrealdb/node``."""
OWNER = "DEFINE USER owner ON ROOT PASSWORD 'owner' ROLES OWNER DURATION FOR TOKEN 1d;"


class Sessions:
    """Sessions of an engine, by ``attach``."""

    def __init__(self, engine) -> None:
        self._engine = engine
        self.owner = None
        """The token of whoever does not sign in; None: nobody may do anything before."""

    async def call(self, session, method, *params):
        message = {"id": "0", "method": method, "params": params}
        message |= {} if session is None else {"session": session}
        answer = cbor2.loads(await self._engine.execute(cbor2.dumps(message)))
        if answer.get("error"):
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    @asynccontextmanager
    async def session(self):
        own = uuid.uuid4()
        await self.call(own, "attach")
        try:
            if self.owner is not None:
                await self.call(own, "authenticate", self.owner)
            yield own
        finally:
            await self.call(own, "detach")

    async def answer(self, data, session):
        """Answer a call; it gets the session as one more key of its map."""
        key = b"\x67session\xd8\x25\x50" + session.bytes
        return await self._engine.execute(bytes([data[0] + 1]) + data[1:] + key)

    async def over_socket(self, request):
        channel = web.WebSocketResponse(protocols=("cbor",), max_msg_size=0)
        await channel.prepare(request)
        answering = set()

        async def answer(data):
            try:
                await channel.send_bytes(await self.answer(data, session))
            except ConnectionError:  # whoever asked is gone
                return

        async with self.session() as session:
            async for message in channel:
                answering.add(task := asyncio.create_task(answer(message.data)))
                task.add_done_callback(answering.discard)
            await asyncio.gather(*answering)
        return channel

    async def over_http(self, request):
        headers = request.headers
        async with self.session() as session:
            try:
                if "Authorization" in headers:
                    token = headers["Authorization"].removeprefix("Bearer ")
                    await self.call(session, "authenticate", token)
            except RuntimeError as error:
                return web.Response(status=401, text=str(error))
            if "Surreal-NS" in headers:
                await self.call(session, "use", headers["Surreal-NS"], headers["Surreal-DB"])
            body = await self.answer(await request.read(), session)
        return web.Response(body=body, content_type="application/cbor")

    async def rpc(self, request):
        over = self.over_http if request.method == "POST" else self.over_socket
        return await over(request)


@asynccontextmanager
async def served(*statements, tls=None):
    """Serve an empty database; give its host and port. With statements, users have to sign in."""
    folder = PrivateFolder()
    engine = AsyncEmbeddedDB(f"surrealkv://{folder.path}/store?sync=never")
    await engine.connect()
    sessions = Sessions(engine)
    await sessions.call(None, "use", "a", "a")
    for statement in statements or (OWNER,):
        await sessions.call(None, "query", statement)
    if not statements:
        owner = {"user": "owner", "pass": "owner"}
        sessions.owner = await sessions.call(None, "signin", owner)
    app = web.Application(client_max_size=2**28)
    app.router.add_route("*", "/rpc", sessions.rpc)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        await web.SockSite(runner, listener, ssl_context=tls).start()
        try:
            yield "{}:{}".format(*listener.getsockname())
        finally:
            await runner.cleanup()
            await engine.close()
            folder.close()


class Proxy:
    """A socket before a server that can be cut: each connection, at a given call or answer."""

    def __init__(self, place: str) -> None:
        self._host, _, port = place.rpartition(":")
        self._port = int(port)
        self._writers = set()
        self.cut_at = None
        """``ask``: the next call does not arrive; ``answer``: the next answer does not."""
        self.cuts = self.accepted = 0
        self.down = False

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.place = "{}:{}".format(*self._server.sockets[0].getsockname())
        return self

    async def __aexit__(self, *error):
        self._server.close()
        self.cut()

    def cut(self):
        """Cut every connection now."""
        self.cuts += 1
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def _connected(self, reader, writer):
        if self.down:
            writer.transport.abort()
            return
        self.accepted += 1
        there, to = await asyncio.open_connection(self._host, self._port)
        self._writers |= {writer, to}
        await asyncio.gather(self._pass(reader, to, "ask"), self._pass(there, writer, "answer"))
        self._writers -= {writer, to}

    async def _pass(self, reader, writer, what):
        try:
            while data := await reader.read(2**16):
                if self.cut_at == what:
                    self.cut_at = None
                    self.cut()
                    return
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def surreal(url="mem://"):
    """Serve an empty database by a real SurrealDB 3.0.2; give its host and port."""
    process = await asyncio.create_subprocess_exec(
        shutil.which("node"),
        Path(__file__).with_name("surreal_server.mjs"),
        url,
        cwd=NODE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield (await asyncio.wait_for(process.stdout.readline(), 30)).decode().strip()
    finally:
        process.terminate()
        await process.wait()


def lacks_node():
    """Tell whether there is no SurrealDB for Node.js here; ``make test`` installs it."""
    return shutil.which("node") is None or not (NODE / "node_modules" / "@surrealdb").is_dir()


@asynccontextmanager
async def a_server():
    """Give the URL and the options of an empty database behind a socket.

    A real server is used when ``SURREAL_URL`` names one, with ``SURREAL_USER`` and
    ``SURREAL_PASSWORD``; each test then has a database of its own.
    """
    url = os.environ.get("SURREAL_URL")
    if url is None:
        async with served() as place:
            yield f"ws://{place}", {}
        return
    yield (
        url,
        {
            "user": os.environ.get("SURREAL_USER"),
            "password": os.environ.get("SURREAL_PASSWORD"),
            "namespace": "graphrag_tests",
            "database": f"test_{uuid.uuid4().hex}",
        },
    )
