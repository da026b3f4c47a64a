"""The runner of OpenAI Agents keeps a conversation in the graph and calls the tools."""

import json

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed: extra openai-agents")

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Session, SQLiteSession, Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from graphrag.errors import InputError
from graphrag.integrations.openai_agents import GraphSession, memory_tools

QUIET = RunConfig(tracing_disabled=True)


class FakeModel(Model):
    """Give prepared answers, and note what was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def get_response(self, system_instructions, input, *given, **named):
        self.asked.append(input)
        return ModelResponse([self.answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *given, **named):
        raise NotImplementedError


def says(text):
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="1", type="message", role="assistant", status="completed", content=[part]
    )


def calls(name, **arguments):
    return ResponseFunctionToolCall(
        call_id="c1", name=name, arguments=json.dumps(arguments), type="function_call"
    )


@pytest.fixture(params=["SQLite", "ours"])
async def session(request, graph):
    if request.param == "ours":
        yield GraphSession("monday", graph.group("ann"), user="Ann")
    else:
        made = SQLiteSession("monday")
        yield made
        made.close()


ITEMS = [
    {"role": "user", "content": "Ann works_at Acme."},
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "Zoe works_at Beta."},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Noted.", "x": None}]},
]


async def test_items_come_back_as_they_were_added(session):
    assert isinstance(session, Session)
    assert await session.get_items() == []
    assert await session.pop_item() is None
    await session.add_items(ITEMS[:2])
    await session.add_items(ITEMS[2:])
    assert await session.get_items() == ITEMS
    assert await session.get_items(limit=2) == ITEMS[2:]
    assert await session.pop_item() == ITEMS[-1]
    assert await session.get_items() == ITEMS[:-1]
    await session.clear_session()
    assert await session.get_items() == []


async def test_a_second_run_is_given_the_first(session):
    model = FakeModel(says("Hello Ann."), says("Ann."))
    agent = Agent("helper", model=model)
    await Runner.run(agent, "I am Ann.", session=session, run_config=QUIET)
    last = await Runner.run(agent, "Who am I?", session=session, run_config=QUIET)
    assert last.final_output == "Ann."
    assert [one["role"] for one in model.asked[-1]] == ["user", "assistant", "user"]


async def test_what_was_said_is_known_in_other_sessions_until_it_is_taken_back(graph):
    session = GraphSession("monday", graph, user="Ann")
    await session.add_items(ITEMS)
    assert [fact.object for fact in await graph.facts()] == ["Acme"]  # and no output of a tool
    [said, *_] = await graph.episodes(saga="monday", offset=3)
    assert (said.author, said.source_description) == ("Ann", "user")
    then = (await graph.log.events())[-1].at
    await session.clear_session()
    assert await graph.facts() == []
    past = GraphSession("monday", graph, known_at=then)
    assert await past.get_items() == ITEMS
    with pytest.raises(InputError, match="only read"):
        await past.clear_session()


async def test_sessions_do_not_mix(graph):
    await GraphSession("monday", graph).add_items(ITEMS)
    assert await GraphSession("tuesday", graph).get_items() == []
    await GraphSession("tuesday", graph).clear_session()
    assert await GraphSession("monday", graph, limit=1).get_items() == ITEMS[-1:]


async def test_an_agent_calls_the_tools(jobs):
    model = FakeModel(
        calls("ask_memory", question="Where did Alice work in 2021?", valid_at="", known_at=None),
        says("Acme."),
    )
    agent = Agent("helper", model=model, tools=memory_tools(jobs))
    done = await Runner.run(agent, "Where was Alice in 2021?", run_config=QUIET)
    assert done.final_output == "Acme."
    output = model.asked[-1][-1]["output"]
    assert output.startswith("Acme\n  Alice works at Acme, 2020-01-01 to 2023-01-01")


async def test_the_blocking_graph_serves_an_agent(blocking):
    [search, *_] = memory_tools(blocking, write=False)
    assert search.params_json_schema["properties"]["query"]["description"].startswith("A question")
    session = GraphSession("monday", blocking)
    await session.add_items(ITEMS[:1])
    assert await session.get_items() == ITEMS[:1]
