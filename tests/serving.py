"""A SurrealDB server for tests: the engine of this process behind a socket.

It answers the same calls in the same encoding as a server, but all its clients share one session:
enough for one database, not for permissions of several users.
"""

import os
import socket
import uuid
from contextlib import asynccontextmanager

import cbor2
from aiohttp import web
from surrealdb_embedded import AsyncEmbeddedDB

from graphrag.store.private import PrivateFolder


@asynccontextmanager
async def served(*statements):
    """Serve an empty database; give its host and port."""
    folder = PrivateFolder()
    engine = AsyncEmbeddedDB(f"surrealkv://{folder.path}/store?sync=never")
    await engine.connect()
    for method, params in (("use", ["a", "a"]), *(("query", [text]) for text in statements)):
        await engine.execute(cbor2.dumps({"id": "0", "method": method, "params": params}))

    async def answer(request):
        if request.method == "POST":
            body = await engine.execute(await request.read())
            return web.Response(body=body, content_type="application/cbor")
        channel = web.WebSocketResponse(protocols=("cbor",), max_msg_size=0)
        await channel.prepare(request)
        async for message in channel:
            await channel.send_bytes(await engine.execute(message.data))
        return channel

    app = web.Application(client_max_size=2**28)
    app.router.add_route("*", "/rpc", answer)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        await web.SockSite(runner, listener).start()
        try:
            yield "{}:{}".format(*listener.getsockname())
        finally:
            await runner.cleanup()
            await engine.close()
            folder.close()


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
