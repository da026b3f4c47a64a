"""An agent of Agent Framework is shown what is known, and what is said is kept."""

import pytest

pytest.importorskip(
    "agent_framework", reason="agent-framework-core is not installed: extra agent-framework"
)

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

from graphrag.integrations.agent_framework import GraphContextProvider


class FakeClient(BaseChatClient):
    """Answer one thing, and note what was asked."""

    def __init__(self):
        super().__init__()
        self.asked = []

    async def _inner_get_response(self, *, messages, stream, options, **named):
        self.asked.append([one.text for one in messages])
        return ChatResponse(messages=[Message("assistant", ["I see."])])


async def test_a_second_session_is_shown_the_facts_of_the_first(graph):
    client = FakeClient()
    agent = Agent(client=client, context_providers=[GraphContextProvider(graph, user="Ann")])
    await agent.run("Ann works_at Acme from 2020.", session=agent.create_session(session_id="one"))
    assert len(client.asked[0]) == 1
    await agent.run("Where does Ann work?", session=agent.create_session(session_id="two"))
    shown, question = client.asked[1]
    assert "Ann works at Acme" in shown and "since 2020-01-01" in shown
    assert question == "Where does Ann work?"
    said = [(one.source_description, one.author) for one in await graph.episodes(saga="one")]
    assert sorted(said, key=str) == [("assistant", None), ("user", "Ann")]


async def test_an_agent_of_a_moment_is_shown_that_moment_and_keeps_nothing(jobs):
    client = FakeClient()
    provider = GraphContextProvider(jobs, valid_at="2021")
    agent = Agent(client=client, context_providers=[provider])
    await agent.run("Where does Alice work?", session=agent.create_session())
    assert "Acme" in client.asked[0][0] and "Beta" not in client.asked[0][0]
    assert len(await jobs.episodes()) == 2


async def test_the_group_follows_from_the_session(graph):
    provider = GraphContextProvider(graph, group_of=lambda session: session.session_id)
    agent = Agent(client=FakeClient(), context_providers=[provider])
    await agent.run("Ann works_at Acme.", session=agent.create_session(session_id="ann"))
    assert [fact.object for fact in await graph.group("ann").facts()] == ["Acme"]
    assert await graph.facts() == []


async def test_the_blocking_graph_serves_an_agent(blocking):
    client = FakeClient()
    agent = Agent(client=client, context_providers=[GraphContextProvider(blocking)])
    await agent.run("Where does Alice work?", session=agent.create_session())
    assert "Beta" in client.asked[0][0]
