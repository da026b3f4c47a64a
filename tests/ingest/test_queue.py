"""Episodes that are stored at once and read later."""

import asyncio
import random
from datetime import UTC, datetime

import pytest

from graphrag import ExtractionError, InputError, Models
from graphrag.ingest.episode_intake import described
from graphrag.sync import GraphRAG as SyncGraphRAG
from graphrag.testing import HashEmbedder
from tests.conftest import PlainExtractor, open_graph, triples

STORIES = [
    ("Alice works_at Acme.", "2020-01-01"),
    ("Alice works_at Beta.", "2021-01-01"),
    ("Bob leads Acme.", "2021-02-01"),
    ("Carol leads Acme.", "2022-02-01"),
    ("Alice likes tea.", "2022-05-01"),
]


class Gate(PlainExtractor):
    """Wait until it is opened; remember the order; fail for content with a word."""

    def __init__(self, failing="nothing at all"):
        self.opened = asyncio.Event()
        self.read = []
        self.contexts = []
        self.failing = failing

    async def extract(self, context):
        await self.opened.wait()
        self.read.append(context.episode.content)
        self.contexts.append([other.content for other in context.previous])
        if self.failing in context.episode.content:
            raise RuntimeError(f"no luck with {self.failing}, key=topsecret")
        return await super().extract(context)


async def put(graph, stories=STORIES):
    return [await graph.add_episode(text, reference_time=at, wait=False) for text, at in stories]


async def everything(graph):
    view = graph.at(history=True)
    known = [name for name in ("Alice", "Bob", "Carol") if await graph.entity(name)]
    return triples([fact for name in known for fact in await view.facts(name)])


async def test_pending_episode_is_kept_word_for_word_and_searchable():
    gate = Gate()
    async with open_graph(extractor=gate) as graph:
        [added, *_] = await put(graph)
        assert (added.new, added.episode.status) == (True, "pending")
        found = await graph.search("Alice Acme")
        assert found.episodes[0].item.content == "Alice works_at Acme."
        assert not found.facts
        assert (await graph.queue.status()).pending == len(STORIES)


async def test_workers_finish_and_the_graph_is_that_of_adding_in_time_order():
    async with open_graph() as queued, open_graph() as direct:
        await put(queued, random.Random(7).sample(STORIES, len(STORIES)))
        await queued.queue.drain_all()
        for text, at in STORIES:
            await direct.add_episode(text, reference_time=at)
        assert await everything(queued) == await everything(direct)
        assert (await queued.queue.status()).done == len(STORIES)
        assert not (await queued.health.check_all()).findings


async def test_order_of_a_group_is_that_of_reference_times_and_context_that_of_adding():
    gate = Gate()
    async with open_graph(extractor=gate, workers=0) as graph:
        await put(graph, STORIES[::-1])
        gate.opened.set()
        await graph.queue.drain_all()
        assert gate.read == [text for text, _ in STORIES]
        assert gate.contexts == [
            [text for text, _ in STORIES[max(0, number - 4) : number]]
            for number in range(len(STORIES))
        ]


async def test_workers_work_on_their_own():
    async with open_graph(workers=2) as graph:
        await put(graph.group("one"))
        await put(graph.group("two"))
        async with asyncio.timeout(10):
            while any(
                [(await graph.group(name).queue.status()).pending for name in ("one", "two")]
            ):
                await asyncio.sleep(0.01)
        for name in ("one", "two"):
            assert (await graph.group(name).stats()).facts == 5


async def test_restart_resumes(tmp_path):
    url = f"surrealkv://{tmp_path / 'store'}"
    gate = Gate()
    async with open_graph(url, extractor=gate) as graph:
        await put(graph)
        await asyncio.sleep(0.05)  # a worker is inside the extractor when the graph closes
    async with open_graph(url, workers=0) as graph:
        status = await graph.queue.status()
        assert (status.pending, status.done) == (5, 0)
        assert status.oldest_pending is not None
        assert (await graph.search("Bob Acme")).episodes
    async with open_graph(url) as graph:
        await graph.queue.drain_all()
        assert (await graph.queue.status()).done == 5
        assert (await graph.stats()).facts == 5
        assert not (await graph.health.check_all()).findings


async def test_same_episode_again_is_the_pending_one():
    gate = Gate()
    async with open_graph(extractor=gate) as graph:
        [first] = await put(graph, STORIES[:1])
        [again] = await put(graph, STORIES[:1])
        waited = await graph.add_episode(STORIES[0][0], reference_time=STORIES[0][1])
        assert not again.new
        assert not waited.new
        assert first.episode.id == again.episode.id == waited.episode.id


async def test_failure_stays_visible_and_can_be_retried():
    gate = Gate(failing="Bob")
    gate.opened.set()
    async with open_graph(extractor=gate) as graph:
        await put(graph)
        await graph.queue.drain_all()
        status = await graph.queue.status()
        assert (status.pending, status.done, status.failed) == (0, 4, 1)
        [failed] = await graph.queue.failed()
        assert failed.status == "failed"
        assert "no luck with Bob" in failed.error
        assert "topsecret" not in failed.error
        assert all("topsecret" not in repr(event) for event in await graph.log.events())
        assert (await graph.search("Bob Acme")).episodes
        gate.failing = "nothing at all"
        assert await graph.queue.retry() == 1
        assert await graph.queue.retry() == 0
        await graph.queue.drain_all()
        assert (await graph.queue.status()).failed == 0
        assert not await graph.queue.failed()
        assert (await graph.stats()).facts == 5
        assert not (await graph.health.check_all()).findings


async def test_finishing_is_one_event_with_facts_and_status():
    async with open_graph() as graph:
        await put(graph, STORIES[:1])
        await graph.queue.drain_all()
        queued, finished = await graph.log.events()
        assert (queued.kind, finished.kind) == ("queue_episode", "finish_episode")
        tables = {change.record.partition(":")[0] for change in finished.changes}
        assert {"episode", "relates_to", "entity", "mentions"} <= tables
        [change] = [one for one in finished.changes if one.record.startswith("episode:")]
        assert (change.before, change.after) == ({"status": "pending"}, {"status": "done"})


async def test_long_pending_episode_has_passages_and_finishes_with_them():
    text = "Alice works_at Acme. " + "It rained all day over the river. " * 60
    async with open_graph() as graph:
        await graph.add_episode(text, reference_time="2020-01-01", wait=False)
        await graph.queue.drain_all()
        assert (await graph.stats()).facts == 1
        assert not (await graph.health.check_all()).findings


async def test_embedder_that_fails_makes_the_episode_fail_not_the_worker():
    class Broken(HashEmbedder):
        broken = False

        async def embed(self, texts, *, purpose):
            if self.broken:
                raise OSError("the card is full")
            return await super().embed(texts, purpose=purpose)

    embedder = Broken()
    async with open_graph(embedder=embedder, workers=0) as graph:
        await put(graph, STORIES[:2])
        embedder.broken = True
        await graph.queue.drain_all()
        errors = {one.error for one in await graph.queue.failed()}
        assert errors == {
            "EmbeddingError: embedder 'hash-64' failed on 3 texts from 'Alice' on: the card is full"
        }


async def test_late_episode_waits_in_its_place_in_time():
    async with open_graph(workers=0) as graph:
        await graph.add_episode("Alice works_at Beta.", reference_time="2021-01-01")
        await put(graph, STORIES[:1])
        await graph.queue.drain_all()
        assert ("Alice", "works_at", "Acme", "2020-01-01", "2021-01-01") in await everything(graph)


async def test_bad_input_is_refused_at_once(graph):
    with pytest.raises(InputError):
        await graph.add_episode("  ", wait=False)
    assert (await graph.queue.status()).pending == 0
    with pytest.raises(InputError, match="workers"):
        open_graph(workers=-1)


def test_blocking_twin_queues_and_closes_without_emptying_the_queue(tmp_path):
    url = f"surrealkv://{tmp_path / 'store'}"

    class Slow(PlainExtractor):
        async def extract(self, context):
            await asyncio.sleep(30)

    started = datetime.now(UTC)
    with SyncGraphRAG.open(url, models=Models(embedder=HashEmbedder(), extractor=Slow())) as graph:
        for text, at in STORIES:
            graph.add_episode(text, reference_time=at, wait=False)
        assert graph.queue.status().pending == 5
    assert (datetime.now(UTC) - started).total_seconds() < 10
    with SyncGraphRAG.open(
        url, models=Models(embedder=HashEmbedder(), extractor=PlainExtractor())
    ) as graph:
        graph.queue.drain_all()
        assert graph.queue.status().done == 5


def test_error_in_words_is_short_and_has_no_secret():
    error = ExtractionError(
        "no answer from https://me:hunter2@host/v1 with Bearer abcdef, sk-1234567890abcd"
        + "!" * 900
    )
    text = described(error)
    assert len(text) == 500
    assert not [word for word in ("hunter2", "abcdef", "1234567890") if word in text]


class NoChanges:
    """Allow what is new and refuse every change of what is there."""

    def refuse(self, mutation):
        return None if mutation.before is None else "nothing changes"


class NoFinishing:
    """Fail instead of deciding."""

    def refuse(self, mutation):
        if mutation.before is not None:
            raise ZeroDivisionError("no rule")


@pytest.mark.parametrize("policy", [NoChanges(), NoFinishing()])
@pytest.mark.parametrize("workers", [0, 2])
async def test_a_failure_is_noted_whatever_the_policy_says(tmp_path, policy, workers):
    url = f"surrealkv://{tmp_path / 'store'}"
    async with open_graph(url, policy=policy, workers=workers) as graph:
        await put(graph)
        async with asyncio.timeout(20):
            await graph.queue.drain_all()
        status = await graph.queue.status()
        assert (status.pending, status.failed) == (0, len(STORIES))
        errors = {episode.error.partition(":")[0] for episode in await graph.queue.failed()}
        assert errors <= {"PolicyError", "ZeroDivisionError"}
        assert not (await graph.health.check_all()).findings
    async with open_graph(url) as graph:
        assert await graph.queue.retry() == len(STORIES)
        await graph.queue.drain_all()
        assert (await graph.queue.status()).done == len(STORIES)
