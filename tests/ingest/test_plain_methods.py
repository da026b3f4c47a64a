"""What is plugged in may have a plain method instead of an ``async`` one."""

import asyncio
import threading
import time

import pytest

from graphrag import (
    CrossEncoder,
    EmbeddingError,
    ExtractionError,
    LLMExtractor,
    Models,
    Recipe,
    Ruling,
)
from graphrag.sync import GraphRAG as SyncGraphRAG
from graphrag.testing import HashEmbedder, ScriptedLLM
from tests.conftest import PlainExtractor, open_graph


def blocking(made):
    """Run a coroutine of a double to its end: none of them waits for anything."""
    try:
        made.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits")


class Embedder(HashEmbedder):
    def __init__(self):
        super().__init__()
        self.threads, self.inside, self.most = set(), 0, 0

    def embed(self, texts, *, purpose):
        self.threads.add(threading.current_thread())
        self.inside += 1
        self.most = max(self.most, self.inside)
        time.sleep(0.01)
        self.inside -= 1
        return blocking(super().embed(texts, purpose=purpose))


class Extractor(PlainExtractor):
    def extract(self, context):
        return blocking(super().extract(context))


class HandsOn(HashEmbedder):
    """A plain method that returns what an ``async`` one gives."""

    def embed(self, texts, *, purpose):
        return super().embed(texts, purpose=purpose)


@pytest.mark.parametrize("embedder", [Embedder(), HandsOn()], ids=["plain", "hands on"])
async def test_a_plain_embedder_and_extractor(embedder):
    async with open_graph(embedder=embedder, extractor=Extractor()) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020")
        await graph.add_episode("Bob knows Alice.", wait=False)
        await graph.queue.drain_all()
        assert (await graph.search("Where does Alice work?")).facts[0].item.object == "Acme"
        assert not (await graph.health.check_all()).findings


async def test_a_plain_embedder_runs_beside_the_loop_one_call_at_a_time():
    embedder = Embedder()
    async with open_graph(embedder=embedder) as graph:
        await graph.add_entity("Alice")
        await asyncio.gather(*(graph.search(f"question {n}") for n in range(8)))
    assert threading.main_thread() not in embedder.threads
    assert embedder.most == 1


def test_the_blocking_twin_takes_them_too():
    with SyncGraphRAG.open(
        "mem://", models=Models(embedder=Embedder(), extractor=Extractor())
    ) as graph:
        graph.add_episode("Alice works_at Acme.", reference_time="2020")
        assert graph.facts("Alice")[0].object == "Acme"


async def test_what_a_plain_method_raises_is_told_as_ever():
    class Broken(HashEmbedder):
        def embed(self, texts, *, purpose):
            raise OSError("the card is full")

    class Confused:
        def extract(self, context):
            raise ValueError("no idea")

    async with open_graph(embedder=Broken()) as graph:
        with pytest.raises(EmbeddingError, match="the card is full"):
            await graph.add_entity("Alice")
    async with open_graph(extractor=Confused()) as graph:
        with pytest.raises(ExtractionError, match=r"'Alice\.': no idea"):
            await graph.add_episode("Alice.")


async def test_a_plain_arbiter():
    class Silent:
        cases = 0

        def decide(self, case):
            self.cases += 1
            return Ruling()

    arbiter = Silent()
    async with open_graph(arbiter=arbiter) as graph:
        await graph.add_episode("Ann drives_to Acme.", reference_time="2020")
        await graph.add_episode("Ann drives_to Beta.", reference_time="2021")
        assert arbiter.cases == 1


async def test_an_arbiter_that_gives_no_ruling_is_refused():
    class Odd:
        async def decide(self, case):
            return "the first"

    async with open_graph(arbiter=Odd()) as graph:
        await graph.add_episode("Ann drives_to Acme.", reference_time="2020")
        with pytest.raises(ExtractionError, match="it gave str; expected Ruling"):
            await graph.add_episode("Ann drives_to Beta.", reference_time="2021")
        assert (await graph.stats()).episodes == 1


async def test_a_plain_reranker():
    class ByLength:
        def rank(self, query, texts):
            return [1 / len(text) for text in texts]

    async with open_graph(reranker=ByLength()) as graph:
        await graph.add_episode("Alice works_at Acme. Alice knows Bartholomew Featherstone.")
        found = await graph.search("Alice", recipe=Recipe(rerank=(CrossEncoder(),)))
        assert found.facts[0].item.object == "Acme"


async def test_a_plain_language_model():
    class Plain(ScriptedLLM):
        def complete(self, messages, *, answer):
            return blocking(super().complete(messages, answer=answer))

    llm = Plain({"entities": [], "facts": []})
    async with open_graph(extractor=LLMExtractor(llm)) as graph:
        await graph.add_episode("Nothing to see.")
        assert len(llm.asked) == 1
