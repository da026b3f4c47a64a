"""An agent of pydantic-ai calls the toolset."""

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed: extra pydantic-ai")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from graphrag.integrations.pydantic_ai import GraphToolset


def returned(result):
    return {
        part.tool_name: part.content
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }


async def test_a_model_that_calls_every_tool_gets_an_answer_of_each(jobs):
    result = await Agent(TestModel(), toolsets=[GraphToolset(jobs)]).run("What do you know?")
    assert set(returned(result)) == {
        "search_memory", "ask_memory", "recall_timeline", "remember",
    }  # fmt: skip
    assert returned(result)["recall_timeline"].startswith("cannot be asked: no entity")


async def test_a_model_asks_as_of_a_moment(jobs):
    def model(messages, info):
        if len(messages) > 1:
            return ModelResponse([TextPart("done")])
        asked = {"query": "Where does Alice work?", "valid_at": "2021-06-01"}
        return ModelResponse([ToolCallPart("search_memory", asked)])

    toolset = GraphToolset(jobs, write=False)
    result = await Agent(FunctionModel(model), toolsets=[toolset]).run("?")
    answer = returned(result)["search_memory"]
    assert "Alice works at Acme" in answer and "Beta" not in answer


async def test_the_group_follows_from_the_deps_of_a_run(graph):
    def model(messages, info):
        if len(messages) > 1:
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart("remember", {"text": "Ann works_at Acme."})])

    toolset = GraphToolset(graph, group_of=lambda user: f"user.{user}")
    await Agent(FunctionModel(model), deps_type=str, toolsets=[toolset]).run("?", deps="ann")
    assert [fact.object for fact in await graph.group("user.ann").facts()] == ["Acme"]
    assert await graph.facts() == []


async def test_the_blocking_graph_serves_an_agent(blocking):
    result = await Agent(TestModel(), toolsets=[GraphToolset(blocking, write=False)]).run("?")
    assert "remember" not in returned(result)
