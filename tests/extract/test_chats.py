"""Chats of 60 turns in which a user moves, changes jobs, breaks up and corrects: one person.

Chats, answers and what is right were written by somebody who saw only the prompt.
"""

import asyncio

import pytest

from graphrag import Relations
from tests.extract.replay import Recorded, opened, stories, wrong_facts
from tests.llm.server import ModelServer

CHATS = stories("long_chats")


async def held(graph, user, view):
    """Return what stands in a relation to the user at noon of a day."""
    relation = view["relation"]
    stored = {relation, Relations().straight(relation)}
    facts = await graph.at(valid_at=f"{view['at']}T12:00Z").facts()
    return {
        fact.object if fact.subject_id == user else fact.subject
        for fact in facts
        if fact.relation in stored and user in (fact.subject_id, fact.object_id)
    }


async def told(chat, server):
    server.answer = Recorded(chat)
    async with opened(server) as (graph, _):
        for episode in chat["episodes"]:
            await graph.add_episode(
                episode["content"], reference_time=episode["time"], source=episode["source"]
            )
        entities = await graph.at(history=True).entities()
        known = [
            entity
            for entity in entities
            if {chat["user"].casefold(), "user"}
            & {name.casefold() for name in (entity.name, *entity.aliases)}
        ]
        views = [await held(graph, known[0].id, view) for view in chat["views"]]
        return known, views, await wrong_facts(chat, graph)


@pytest.fixture(scope="module", params=CHATS, ids=[chat["name"] for chat in CHATS])
def outcome(request):
    server = ModelServer()
    try:
        return request.param, *asyncio.run(told(request.param, server))
    finally:
        server.close()


def test_the_user_is_one_person_from_the_first_line_to_the_last(outcome):
    chat, known, _, _ = outcome
    assert [entity.name for entity in known] == [chat["user"]]
    assert sum(episode["content"].count("\n") + 1 for episode in chat["episodes"]) == 60


def test_every_view_of_the_user_is_right(outcome):
    chat, _, views, _ = outcome
    names = [{name.casefold() for name in view} for view in views]
    expected = [{name.casefold() for name in view["holds"]} for view in chat["views"]]
    assert names == expected


def test_at_most_one_fact_of_a_chat_is_wrong_at_the_end(outcome):
    _, _, _, wrong = outcome
    assert len(wrong) <= 1, wrong
