"""Spans of every step, by OpenTelemetry's own SDK: what they carry, and what never."""

import json
from contextlib import contextmanager

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from graphrag import CrossEncoder, GraphRAGError, LLMError, OpenAILLM, QueryError, Recipe
from graphrag.integrations.opentelemetry import OpenTelemetryTracer, Price
from graphrag.sync import GraphRAG
from tests.conftest import open_graph
from tests.llm.server import ModelServer, Reply

SECRET = "Zanzibar"


@pytest.fixture
def spans():
    return InMemorySpanExporter()


@pytest.fixture
def provider(spans):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    yield provider
    provider.shutdown()


@pytest.fixture
def server():
    server = ModelServer()
    yield server
    server.close()


def opened(provider, *, text=False, price=None, **options):
    tracer = OpenTelemetryTracer(provider, text=text, price=price)
    return open_graph(tracer=tracer, **options)


def named(spans):
    return {span.name: span for span in spans.get_finished_spans()}


async def test_an_episode_is_a_span_with_its_steps_inside(spans, provider):
    async with opened(provider) as graph:
        added = await graph.add_episode("Alice works_at Acme from 2020.")
    found = named(spans)
    ingest = found["upsert_memory"]
    for step in ("graphrag.extract", "graphrag.resolve", "graphrag.judge"):
        assert found[step].parent.span_id == ingest.context.span_id, step
    assert ingest.attributes["gen_ai.operation.name"] == "upsert_memory"
    assert ingest.attributes["gen_ai.memory.store.id"] == "default"
    assert ingest.attributes["gen_ai.memory.record.id"] == added.episode.id
    assert (ingest.attributes["graphrag.facts"], ingest.attributes["graphrag.entities"]) == (1, 2)
    assert found["graphrag.resolve"].attributes["graphrag.mentions"] == 2


async def test_every_road_into_the_graph_is_traced(spans, provider):
    async with opened(provider) as graph:
        await graph.add_fact("Alice", "likes", "jazz")
        await graph.load.facts([{"subject": "Bob", "relation": "likes", "object": "jazz"}])
        await graph.add_episode("Alice knows Bob.", wait=False)
        await graph.queue.drain()
        await graph.add_episodes([])
    ingests = [one for one in spans.get_finished_spans() if one.name == "upsert_memory"]
    assert [one.attributes.get("graphrag.facts") for one in ingests] == [1, 1, 0, 1]


class Even:
    async def rank(self, query, texts):
        return [0.5] * len(texts)


async def test_a_search_and_its_reranker_say_how_much_not_what(spans, provider):
    async with opened(provider, reranker=Even()) as graph:
        await graph.add_fact("Alice", "likes", SECRET)
        await graph.search(f"Who likes {SECRET}?", recipe=Recipe(rerank=(CrossEncoder(),)))
        await graph.answer(f"Why does Alice like {SECRET} so?")
    found = named(spans)
    search = found["search_memory"]
    assert search.attributes["graphrag.facts"] == 1 and search.attributes["graphrag.limit"] == 10
    assert found["graphrag.rerank"].attributes["graphrag.texts"] >= 1
    assert found["graphrag.answer"].attributes["graphrag.by"] in ("texts", "nothing")
    assert SECRET not in "".join(span.to_json() for span in spans.get_finished_spans())


async def test_text_is_there_if_it_is_asked_for(spans, provider):
    async with opened(provider, text=True) as graph:
        await graph.search(f"Who likes {SECRET}?")
    assert named(spans)["search_memory"].attributes["gen_ai.memory.query.text"].endswith("bar?")


async def test_tokens_and_cost_are_those_of_the_step(spans, provider, server):
    said = {"text": "Alice likes jazz.", "sources": [1], "quote": "Alice likes jazz"}
    answer = Reply(json.dumps({"answered": True, "sentences": [said]}))
    server.answer = lambda request: answer
    llm = OpenAILLM("tiny", base_url=server.url, api_key="sk-1")
    async with opened(provider, llm=llm, price=Price(10, 50)) as graph:
        await graph.add_fact("Alice", "likes", "jazz")
        assert await graph.answer("Alice likes what, honestly?")
        parts = [part async for part in graph.stream.answer("Alice likes what, honestly?")]
        assert parts[-1]
    for span in spans.get_finished_spans():
        if span.name == "graphrag.answer":
            assert span.attributes["gen_ai.usage.input_tokens"] == 100
            assert span.attributes["gen_ai.usage.output_tokens"] == 20
            assert span.attributes["graphrag.cost"] == pytest.approx(0.002)
        else:
            assert "gen_ai.usage.input_tokens" not in span.attributes


async def test_an_error_is_known_by_its_type_alone(spans, provider, server):
    server.answer = lambda request: Reply(f"no {SECRET} here", status=401)
    llm = OpenAILLM("tiny", base_url=server.url, api_key="sk-1")
    async with opened(provider, llm=llm) as graph:
        await graph.add_fact("Alice", "likes", "jazz")
        with pytest.raises(LLMError):
            await graph.answer("Alice likes what, honestly?")
        with pytest.raises(QueryError):
            await graph.search("Alice", centers=[SECRET])
    answer, search = named(spans)["graphrag.answer"], named(spans)["search_memory"]
    assert (answer.attributes["error.type"], answer.status.status_code) == (
        "LLMError",
        StatusCode.ERROR,
    )
    assert search.attributes["error.type"] == "QueryError"
    assert SECRET not in answer.to_json() + search.to_json()


def test_the_blocking_twin_traces_streams_too(spans, provider):
    with opened(provider, kind=GraphRAG) as graph:
        graph.add_fact("Alice", "likes", "jazz")
        assert list(graph.stream.answer("What does Alice like?"))[-1].text == "jazz"
    assert named(spans)["graphrag.answer"].attributes["graphrag.by"] == "facts"


async def test_without_a_provider_nothing_is_recorded_and_all_works():
    async with open_graph(tracer=OpenTelemetryTracer()) as graph:
        await graph.add_episode("Alice works_at Acme from 2020.")
        assert (await graph.answer("Where does Alice work?")).text == "Acme"


class _Broken:
    """A tracer that fails where it is told to."""

    def __init__(self, where):
        self.where = where

    @contextmanager
    def span(self, step, *, group, text=""):
        def note(figures):
            if self.where == "note":
                raise RuntimeError("note")

        if self.where == "begin":
            raise RuntimeError("begin")
        yield note
        if self.where == "end":
            raise RuntimeError("end")


@pytest.mark.parametrize("where", ["begin", "note", "end"])
async def test_a_tracer_that_fails_fails_nothing_else(where, caplog):
    async with open_graph(tracer=_Broken(where)) as graph:
        await graph.add_fact("Ann", "likes", "tea")
        await graph.add_episode("Alice works_at Acme from 2020.", reference_time="2020-01-01")
        assert (await graph.search("Alice")).facts
        assert (await graph.stats()).facts == 2
        with pytest.raises(GraphRAGError):
            await graph.search("Alice", limit=-1)
    assert "the tracer failed" in caplog.text
