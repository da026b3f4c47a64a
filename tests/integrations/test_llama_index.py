"""LlamaIndex's own code calls the retriever, the memory block and the tools."""

import pytest

pytest.importorskip(
    "llama_index.core", reason="llama-index-core is not installed: extra llama-index"
)

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from sqlalchemy.ext.asyncio import create_async_engine

from graphrag.errors import InputError
from graphrag.integrations.llama_index import GraphMemoryBlock, GraphRetriever, memory_tools


async def test_nodes_say_facts_with_their_times_and_where_they_stand(jobs):
    [found] = await GraphRetriever(jobs, limit=1).aretrieve("Where does Alice work?")
    assert found.node.text == "Alice works at Beta (since 2023-01-01)"
    assert found.node.metadata["quote"] == "Alice works_at Beta from 2023."
    assert found.node.metadata["valid_to"] is None
    assert 0 < found.score <= 1
    [episode] = await jobs.episodes(found.node.metadata["episodes"])
    assert episode.valid_at.year == 2023


async def test_a_retriever_of_a_moment_sees_that_moment(jobs):
    [then] = await GraphRetriever(jobs, valid_at="2021").aretrieve("Where does Alice work?")
    assert then.node.metadata["entities"] == ["Alice", "Acme"]
    assert await GraphRetriever(jobs, known_at="2019").aretrieve("Alice") == []


def test_a_query_engine_gives_a_model_the_facts(blocking):
    engine = RetrieverQueryEngine(GraphRetriever(blocking), get_response_synthesizer(llm=MockLLM()))
    answer = engine.query("Where does Alice work?")
    assert "Alice works at Beta (since 2023-01-01)" in str(answer)  # the mock echoes
    assert answer.source_nodes[0].node.metadata["relation"] == "works_at"


async def test_a_memory_block_keeps_what_leaves_the_short_term_and_recalls_it(graph):
    ann = graph.group("ann")
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    memory = Memory.from_defaults(
        session_id="monday",
        async_engine=engine,
        token_limit=60,
        token_flush_size=30,
        chat_history_token_ratio=0.5,
        memory_blocks=[GraphMemoryBlock(graph=ann, user="Ann")],
    )
    await memory.aput(ChatMessage(role="user", content="Ann works_at Acme from 2020."))
    await memory.aput(ChatMessage(role="assistant", content="I see."))
    for _ in range(3):
        await memory.aput(ChatMessage(role="user", content="a long word " * 8))
    [first] = [one for one in await ann.episodes(saga="monday") if "Acme" in one.content]
    assert (first.author, first.source_description) == ("Ann", "user")
    shown = await memory.aget(input="Where does Ann work?")
    assert "Ann works at Acme" in shown[0].content
    await engine.dispose()


async def test_a_memory_block_of_the_past_recalls_and_keeps_nothing(jobs):
    block = GraphMemoryBlock(graph=jobs, valid_at="2021")
    said = await block.aget([ChatMessage(role="user", content="Alice?")])
    assert "Acme" in said and "Beta" not in said
    assert await block.aget([]) == ""
    with pytest.raises(InputError, match="only read"):
        await block.aput([ChatMessage(role="user", content="x")])


async def test_tools_are_called_awaited_and_blocking(jobs, blocking):
    tools = {one.metadata.name: one for one in memory_tools(jobs)}
    asked = await tools["ask_memory"].acall(question="Where did Alice work in 2021?")
    assert asked.content.startswith("Acme")
    assert "remember" in tools
    [search, *_] = memory_tools(blocking, write=False)
    assert "Beta" in search.call(query="Alice").content
