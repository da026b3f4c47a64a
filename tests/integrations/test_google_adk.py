"""ADK's runner and tools use the memory service; it does what ADK's own in memory does."""

import pytest

pytest.importorskip("google.adk", reason="google-adk is not installed: extra google-adk")

from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.memory import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai.types import Content, Part
from pydantic import Field

from graphrag.errors import InputError
from graphrag.integrations.google_adk import GraphMemoryService

ANN = {"app_name": "shop", "user_id": "ann"}
BOB = {"app_name": "shop", "user_id": "bob"}


def content(text, role="user"):
    return Content(role=role, parts=[Part(text=text)])


def event(text, id="e1", at=1_600_000_000.0, author="user"):
    return Event(id=id, author=author, content=content(text), timestamp=at)


def session(*events, user="ann", id="s1"):
    return Session(id=id, app_name="shop", user_id=user, events=list(events))


def texts(response):
    return [part.text for memory in response.memories for part in memory.content.parts]


@pytest.fixture(params=["ADK's own", "ours"])
def service(request, graph):
    yield GraphMemoryService(graph) if request.param == "ours" else InMemoryMemoryService()


async def test_what_a_user_said_is_found_by_this_user_alone(service):
    await service.add_session_to_memory(session(event("My favourite dish is goulash")))
    found = await service.search_memory(**ANN, query="favourite dish")
    assert texts(found) == ["My favourite dish is goulash"]
    assert found.memories[0].author == "user"
    assert found.memories[0].timestamp.startswith("2020-09-13T12:26:40")
    assert texts(await service.search_memory(**BOB, query="favourite dish")) == []
    assert texts(await service.search_memory(**ANN, query="")) == []


async def test_a_session_that_grew_is_added_again(service):
    first, second = event("the dish is goulash"), event("the dish is stew", "e2", 1_600_000_001.0)
    await service.add_session_to_memory(session(first))
    await service.add_session_to_memory(session(first, second))
    await service.add_events_to_memory(**ANN, events=[second], session_id="s1")
    found = texts(await service.search_memory(**ANN, query="dish"))
    assert sorted(found) == ["the dish is goulash", "the dish is stew"]


async def test_what_was_deleted_stays_deleted(service):
    given = session(event("the dish is goulash"), event("", "e0"))
    await service.add_session_to_memory(given)
    [memory] = (await service.search_memory(**ANN, query="dish")).memories
    await service.delete_memory(**ANN, memory_id=memory.id)
    await service.delete_memory(**ANN)
    await service.add_session_to_memory(given)
    assert texts(await service.search_memory(**ANN, query="dish")) == []


class FakeLlm(BaseLlm):
    """Answer one thing, and note what was asked."""

    asked: list = Field(default_factory=list)

    async def generate_content_async(self, llm_request, stream=False):
        self.asked.append(llm_request)
        yield LlmResponse(content=content("Noted.", "model"))


async def test_a_runner_gives_its_model_what_was_said_before(service):
    sessions, model = InMemorySessionService(), FakeLlm(model="fake")
    runner = Runner(
        app_name="shop",
        agent=LlmAgent(name="helper", model=model, tools=[PreloadMemoryTool()]),
        session_service=sessions,
        memory_service=service,
    )
    for name, words in (("s1", "My favourite dish is goulash"), ("s2", "Which dish do I like?")):
        await sessions.create_session(**ANN, session_id=name)
        async for _ in runner.run_async(user_id="ann", session_id=name, new_message=content(words)):
            pass
        await service.add_session_to_memory(await sessions.get_session(**ANN, session_id=name))
    shown = "".join(part.text for one in model.asked[-1].contents for part in one.parts)
    assert "goulash" in shown


# -- what only ours does -------------------------------------------------------------------------


async def test_facts_are_found_with_their_times_and_where_they_stand(graph):
    service = GraphMemoryService(graph)
    await service.add_session_to_memory(
        session(
            event("Alice works_at Acme from 2010."), event("Alice works_at Beta from 2020.", "2")
        )
    )
    [memory] = (
        await GraphMemoryService(graph, limit=1).search_memory(**ANN, query="Alice")
    ).memories
    assert memory.content.parts[0].text.endswith("(since 2020-01-01)")
    assert memory.custom_metadata["quote"] == "Alice works_at Beta from 2020."
    then = GraphMemoryService(graph, valid_at="2015")
    assert "Acme" in texts(await then.search_memory(**ANN, query="Alice"))[0]
    before = GraphMemoryService(graph, known_at="2019")
    assert texts(await before.search_memory(**ANN, query="Alice")) == []
    with pytest.raises(InputError, match="only read"):
        await before.add_session_to_memory(session(event("x")))
    await service.delete_memory(**ANN, memory_id=memory.id)
    assert [fact.object for fact in await service.group("shop", "ann").facts("Alice")] != ["Beta"]


async def test_memories_are_given_directly(graph):
    service = GraphMemoryService(graph)
    entry = MemoryEntry(content=content("Ann likes tea."), timestamp="2021-05-01T00:00:00Z")
    await service.add_memory(**ANN, memories=[entry, entry])
    [found] = (await service.search_memory(**ANN, query="tea")).memories
    assert found.custom_metadata["valid_from"].startswith("2021-05-01")


async def test_names_with_signs_do_not_meet(graph):
    service = GraphMemoryService(graph)
    assert service.group("a/b", "c").group_id != service.group("a", "b/c").group_id
