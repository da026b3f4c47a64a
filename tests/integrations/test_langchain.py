"""LangChain's own code calls the retriever and the tools."""

import pytest

pytest.importorskip("langchain_core", reason="langchain-core is not installed: extra langchain")

from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate

from graphrag.errors import InputError
from graphrag.integrations.langchain import GraphRetriever, memory_tools


def said(documents):
    return [one.page_content for one in documents]


async def test_documents_say_facts_with_their_times_and_where_they_stand(jobs):
    [document] = await GraphRetriever(graph=jobs, limit=1).ainvoke("Where does Alice work?")
    [episode] = await jobs.episodes(document.metadata["episodes"])
    assert document.page_content == "Alice works at Beta (since 2023-01-01)"
    assert document.metadata["entities"] == ["Alice", "Beta"]
    assert document.metadata["valid_from"] == "2023-01-01T00:00:00+00:00"
    assert document.metadata["valid_to"] is None
    assert document.metadata["quote"] == "Alice works_at Beta from 2023."
    assert episode.content == document.metadata["quote"]
    assert 0 < document.metadata["relevance"] <= 1
    assert document.id == (await jobs.facts("Alice"))[0].id


async def test_a_moment_is_given_once_or_with_the_call(jobs):
    then = GraphRetriever(graph=jobs, valid_at="2021")
    assert said(await then.ainvoke("Alice"))[0].startswith("Alice works at Acme")
    assert said(await then.ainvoke("Alice", valid_at="2024"))[0].startswith("Alice works at Beta")
    assert said(await then.ainvoke("Alice", known_at="2019")) == []
    with pytest.raises(ValueError, match="not a time"):
        GraphRetriever(graph=jobs, valid_at="some day")


async def test_episodes_are_documents_if_they_are_asked_for(jobs):
    found = await GraphRetriever(graph=jobs, scopes=("episodes",)).ainvoke("Alice Acme")
    assert said(found)[0] == "Alice works_at Acme from 2020."
    assert found[0].metadata["kind"] == "episode"


async def test_each_group_is_a_retriever_of_its_own(jobs):
    assert await GraphRetriever(graph=jobs.group("bob")).ainvoke("Alice") == []


def test_the_blocking_graph_serves_a_chain_with_a_model(blocking):
    model = FakeMessagesListChatModel(responses=[AIMessage("At Beta.")])
    prompt = ChatPromptTemplate.from_template("{facts}\nWhere?")
    chain = {"facts": GraphRetriever(graph=blocking) | said} | prompt | model | StrOutputParser()
    assert chain.invoke("Where does Alice work?") == "At Beta."


@pytest.mark.anyio
async def test_the_blocking_graph_is_awaited_too(blocking):
    assert said(await GraphRetriever(graph=blocking).ainvoke("Alice"))[0].endswith("2023-01-01)")


async def test_a_blocking_call_on_the_async_graph_says_what_to_pass(jobs):
    with pytest.raises(InputError, match=r"graphrag\.sync"):
        GraphRetriever(graph=jobs).invoke("Alice")
    with pytest.raises(InputError, match="no graph"):
        memory_tools(None)


async def test_tools_search_answer_list_and_remember(jobs):
    tools = {one.name: one for one in memory_tools(jobs)}
    found = await tools["search_memory"].ainvoke({"query": "Alice", "valid_at": "2021-05-01"})
    assert "Acme" in found and "Beta" not in found
    asked = {"question": "Where did Alice work in 2021?"}
    assert (await tools["ask_memory"].ainvoke(asked)).startswith("Acme")
    told = await tools["recall_timeline"].ainvoke({"entity": "Alice"})
    assert told.index("Acme") < told.index("Beta")
    kept = await tools["remember"].ainvoke({"text": "Bob likes tea.", "said_at": "2024-01-01"})
    assert kept == "remembered: Bob likes tea."
    assert [fact.object for fact in await jobs.facts("Bob")] == ["tea"]


async def test_what_a_model_cannot_ask_is_told_to_it(jobs):
    tools = {one.name: one for one in memory_tools(jobs, write=False)}
    assert "remember" not in tools
    answer = await tools["search_memory"].ainvoke({"query": "Alice", "valid_at": "one day"})
    assert answer.startswith("cannot be asked: ")
    assert "Nobody" in await tools["recall_timeline"].ainvoke({"entity": "Nobody"})


def test_tools_of_the_blocking_graph_are_called_both_ways(blocking):
    [search, *_] = memory_tools(blocking)
    assert "Beta" in search.invoke({"query": "Where does Alice work?"})
    described = search.args_schema.model_json_schema()["properties"]["valid_at"]["description"]
    assert described.startswith("Return facts that held then")
