"""Streams of events, and a stop that loses nothing: what was begun is finished, or queued."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import httpx2
import pytest

from graphrag.serve.grants import LOCAL, Call, Quota
from graphrag.serve.rest import events
from graphrag.serve.server import serve
from graphrag.serve.service import Service
from graphrag.serve.verb_table import VERBS
from tests.conftest import PlainExtractor, open_graph
from tests.serve.test_stdio import ROOT, arguments


class SlowExtractor(PlainExtractor):
    """Read slowly, and tell when somebody does."""

    def __init__(self):
        self.reading, self.go_on = asyncio.Event(), asyncio.Event()

    async def extract(self, context):
        self.reading.set()
        await self.go_on.wait()
        return await super().extract(context)


def data_of(part):
    fields = dict(line.split(": ", 1) for line in part.strip().splitlines())
    return fields["id"], json.loads(fields["data"])


async def test_a_stream_gives_every_event_and_ends_with_the_server(known):
    service = Service(known)
    stream = await events(service, service.call(LOCAL), 0)
    assert (await anext(stream)).startswith(":")
    number, first = data_of(await anext(stream))
    assert (number, first["kind"], first["actor"]) == ("1", "add_episode", "library")
    assert (await anext(stream)).startswith("id: 2\n")
    assert service.metrics.streams == 1
    coming = asyncio.ensure_future(anext(stream))
    await known.add_fact("Ann", "likes", "tea")
    assert data_of(await coming)[1]["did"].endswith("+1 fact")
    service.stopping.set()
    with pytest.raises(StopAsyncIteration):
        await anext(stream)
    assert service.metrics.streams == 0


async def test_a_stream_sees_its_group_alone_and_there_are_so_many(known):
    service = Service(known, quota=Quota(streams=1))
    await known.group("bob").add_fact("Bob", "likes", "chess")
    stream = await events(service, service.call(LOCAL, "bob"), 0)
    await anext(stream)
    assert data_of(await anext(stream))[0] == "1"
    with pytest.raises(Exception, match="too many streams"):
        await events(service, service.call(LOCAL), None)
    await stream.aclose()
    assert service.metrics.streams == 0


async def test_what_a_stop_finds_half_read_is_queued_and_acknowledged():
    slow = SlowExtractor()
    async with open_graph(extractor=slow, workers=0) as graph:
        call = Call(graph, last_seconds=0.01)
        said = {"content": "Alice likes tea.", "reference_time": "2024-01-01"}
        answer = asyncio.ensure_future(VERBS["remember"].answer(call, said))
        await slow.reading.wait()
        call.stopping.set()
        told = await answer
        assert (told.new, told.status, told.learned) == (True, "pending", [])
        slow.go_on.set()
        await graph.queue.drain()
        assert [fact.object for fact in await graph.facts("Alice")] == ["tea"]


async def test_what_is_nearly_read_is_finished():
    slow = SlowExtractor()
    async with open_graph(extractor=slow) as graph:
        call = Call(graph)
        answer = asyncio.ensure_future(
            VERBS["remember"].answer(call, {"content": "Alice likes tea."})
        )
        await slow.reading.wait()
        call.stopping.set()
        slow.go_on.set()
        assert (await answer).status == "done"


async def test_a_client_that_gives_up_leaves_nothing_half_done():
    slow = SlowExtractor()
    async with open_graph(extractor=slow) as graph:
        answer = asyncio.ensure_future(
            VERBS["remember"].answer(Call(graph), {"content": "Alice likes tea."})
        )
        await slow.reading.wait()
        answer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answer
        assert await graph.episodes() == []


async def test_a_server_answers_until_it_is_cancelled_and_leaves_the_graph_open(known):
    url = asyncio.get_running_loop().create_future()
    server = asyncio.ensure_future(serve(known, port=0, on_start=url.set_result))
    async with httpx2.AsyncClient(base_url=await url) as client:
        answer = await client.post("/v1/ask", json={"question": "Where does Alice work?"})
        assert answer.json()["values"] == ["Globex"]
        assert "server" not in answer.headers
        async with client.stream("GET", "/v1/events?after=0") as stream:
            lines = stream.aiter_lines()
            assert (await anext(lines)).startswith(":")
            server.cancel()
            assert [line async for line in lines][-1] == ""
    with pytest.raises(asyncio.CancelledError):
        await server
    assert await known.entity("Alice") is not None


async def test_sigterm_finishes_what_was_asked_and_what_was_acknowledged_is_there(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    process = subprocess.Popen(
        [sys.executable, *arguments("--port", "0", "--store", url)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    acknowledged, unanswered = [], []

    async def tell(client, writer):
        for number in range(10_000):
            said = f"P{writer} likes tea{number}."
            try:
                answer = await client.post("/v1/remember", json={"content": said})
            except httpx2.TransportError:
                unanswered.append(said)
                return
            if answer.status_code == 503:
                return
            assert answer.status_code == 200, answer.text
            acknowledged.append(said)

    with process:
        line = await asyncio.to_thread(process.stdout.readline)
        base = line.partition("/: ")[0]
        async with httpx2.AsyncClient(base_url=base, timeout=60) as client:
            writers = [asyncio.ensure_future(tell(client, number)) for number in range(4)]
            while len(acknowledged) < 8:
                assert not any(writer.done() for writer in writers), unanswered
                await asyncio.sleep(0.01)
            os.kill(process.pid, signal.SIGTERM)
            await asyncio.gather(*writers)
        assert await asyncio.to_thread(process.wait, 30) == 0
        assert "Traceback" not in process.stderr.read()
    async with open_graph(url) as graph:
        stored = {episode.content for episode in await graph.episodes(limit=10_000)}
        assert set(acknowledged) <= stored
        assert stored <= {*acknowledged, *unanswered}
        assert (await graph.health.check()).sound
