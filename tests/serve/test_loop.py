"""Nobody keeps the server from answering: slow clients, dear questions, odd names of hosts."""

import asyncio
import gc
import socket
import sys
import threading
import time
from contextlib import asynccontextmanager, suppress

import httpx2
import numpy as np
import pytest

from graphrag.community.evolution import SlicedTies, evolved
from graphrag.errors import QueryError
from graphrag.serve import server
from graphrag.serve.grants import Call, Quota
from graphrag.serve.inputs import AskInput
from graphrag.serve.outputs import AskOutput
from graphrag.serve.server import serve
from graphrag.serve.service import OverloadedError, Service
from graphrag.serve.verb_table import VERBS, Verb
from tests.serve.conftest import door

ASKED = {"question": "Where does Alice work?"}


@asynccontextmanager
async def listening(graph, **quota):
    """Serve a graph on a socket and give its port."""
    port = asyncio.get_running_loop().create_future()
    serving = asyncio.ensure_future(
        serve(
            graph,
            port=0,
            quota=Quota(**quota),
            on_start=lambda url: port.set_result(int(url.rpartition(":")[2])),
        )
    )
    try:
        await asyncio.wait({serving, port}, return_when=asyncio.FIRST_COMPLETED)
        yield port.result()
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving


async def healthy(port):
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
        return (await http.get("/health")).status_code


async def _ended(reader):
    with suppress(ConnectionResetError):
        await reader.read()


HALVES = {
    "nothing": b"",
    "half a line": b"GET /hea",
    "half a head": b"GET /health HTTP/1.1\r\nHost: localhost\r\n",
    "half a header": b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: aaaa",
    "a second half": b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /health HTTP/1.1\r\nX: ",
}


@pytest.mark.parametrize("sent", HALVES.values(), ids=HALVES)
async def test_connections_that_send_half_a_head_lock_nobody_out_and_are_closed(known, sent):
    async with listening(known, concurrent=4, head_seconds=1) as port:
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(60)]
        for _, writer in held:
            writer.write(sent)
        assert await healthy(port) == 200
        async with asyncio.timeout(60):
            for reader, _ in held:
                with suppress(ConnectionResetError):
                    await reader.read()  # to the end: the server has closed it
        assert await healthy(port) == 200
        for _, writer in held:
            writer.close()


async def test_connections_that_come_at_once_stay_within_the_bound(known):
    async with listening(known, concurrent=4, head_seconds=600) as port:
        opening = (asyncio.open_connection("127.0.0.1", port) for _ in range(60))
        held = await asyncio.gather(*opening)
        for _, writer in held:
            writer.write(b"GET /hea")
        assert await healthy(port) == 200
        waiting = {asyncio.ensure_future(_ended(reader)) for reader, _ in held}
        async with asyncio.timeout(60):
            while len(waiting) > 16:  # the others were closed
                _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        assert await healthy(port) == 200
        for _, writer in held:
            writer.close()
        await asyncio.wait(waiting)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such limit")
def test_of_the_files_that_may_still_be_opened_half_are_connections(monkeypatch):
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))
    assert [server._affordable(1024, taken) for taken in (6, 156, 255)] == [125, 50, 2]
    assert server._affordable(64, 6) == 64


async def test_an_answer_is_sent_at_once(known, monkeypatch):
    """Of two small parts the second would wait until the client has confirmed the first."""
    made, taken = server.TimedConnection.connection_made, []

    def note(self, transport):
        made(self, transport)
        connection = transport.get_extra_info("socket")
        taken.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(server.TimedConnection, "connection_made", note)
    async with listening(known) as port:
        assert await healthy(port) == 200
    assert all(taken) and taken


async def test_what_stays_is_spared_by_the_garbage_collector_while_it_is_served(known):
    gc.unfreeze()
    async with listening(known) as port:
        async with asyncio.timeout(60):
            while not gc.get_freeze_count():
                await asyncio.sleep(0.01)
        assert await healthy(port) == 200
    assert not gc.get_freeze_count()


async def test_half_a_body_is_told_so_on_every_route(known):
    async with listening(known, body_seconds=0.5) as port:
        for path in ("/v1/search", "/mcp"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            writer.write(f"{head}Accept: */*\r\nContent-Length: 100\r\n\r\n{{".encode())
            async with asyncio.timeout(60):
                line = await reader.readline()
            assert line.split()[1] == b"408"
            writer.close()


@pytest.mark.parametrize(
    "host",
    [
        *("[::1]evil.com", "[::1].evil.com:80", "localhost:80:evil.com", "localhost:evil.com"),
        *("localhost@evil.com", "evil.com/localhost", "[::1", "localhost:999999", "local host"),
        *("127.0.0.1.evil.com", "", "localhost,evil.com"),
    ],
)
async def test_a_host_is_a_name_and_a_port_and_nothing_more(known, host):
    async with door(Service(known)) as client:
        answer = await client.get("/health", headers={"host": host})
        assert answer.status_code == 421
        for good in ("localhost", "LOCALHOST:8000", "[::1]:80", "127.0.0.1:65535"):
            assert (await client.get("/health", headers={"host": good})).status_code == 200


async def test_a_read_ends_when_its_client_has_gone(known):
    ended, gone = asyncio.Event(), asyncio.Event()

    async def ask(call, asked):
        try:
            gone.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    verb = Verb(ask, AskInput, AskOutput)
    with pytest.raises(OverloadedError, match="ask was cancelled: the client"):
        await Service(known).answer(verb, ASKED, Call(known, gone=gone.wait))
    async with asyncio.timeout(60):
        await ended.wait()


async def test_a_read_that_takes_too_long_is_ended_with_a_sentence(known, monkeypatch):
    async def ask(call, asked):
        await asyncio.Event().wait()

    monkeypatch.setattr(type(VERBS["ask"]), "answer", lambda self, call, given: ask(call, given))
    async with door(Service(known, quota=Quota(read_seconds=0.1))) as client:
        answer = await client.post("/v1/ask", json=ASKED)
    assert answer.status_code == 503
    assert "ask took more than 0.1 s and was ended: ask for less" in answer.json()["detail"]


async def test_health_is_answered_while_the_loop_of_the_graph_is_held(known, monkeypatch):
    held = threading.Event()

    async def ask(call, asked):
        held.set()
        time.sleep(1)
        return AskOutput(values=[], missing="", facts=[], bounds=[], how=[])

    monkeypatch.setattr(type(VERBS["ask"]), "answer", lambda self, call, given: ask(call, given))
    async with listening(known) as port:
        answers = await asyncio.to_thread(_beside, port, held)
    assert answers["ask"] == 200
    assert answers["health"] == 200
    assert answers["first"] == "health"


def _beside(port, held):
    """Ask for something that holds the graph, and beside it for the health of the server."""
    answers = {}

    def ask():
        answer = httpx2.post(f"http://127.0.0.1:{port}/v1/ask", json=ASKED, timeout=60)
        answers.setdefault("first", "ask")
        answers["ask"] = answer.status_code

    asking = threading.Thread(target=ask)
    asking.start()
    held.wait(60)
    answers["health"] = httpx2.get(f"http://127.0.0.1:{port}/health", timeout=60).status_code
    answers.setdefault("first", "health")
    asking.join()
    return answers


@pytest.mark.parametrize(("slices", "entities"), [(240, 100), (168, 978), (83, 2000), (12, 50_000)])
async def test_more_slices_of_more_entities_than_can_be_looked_at_are_refused(slices, entities):
    parts = np.repeat(np.arange(slices), entities)
    rows = np.tile(np.arange(entities), slices)
    ties = SlicedTies(np.arange(len(rows)), parts, rows, (rows + 1) % entities, np.ones(len(rows)))
    with pytest.raises(QueryError, match=r"longer every=, or a later start="):
        await evolved(ties, np.arange(entities), resolution=None, coupling=1.0)
