"""Realistic episodes through the whole pipeline, against answers as a good model gives them.

The answers were written by hand; what is tested is everything around the model.
"""

import json
from pathlib import Path

import pytest

from tests.conftest import open_graph, triples
from tests.llm.server import Reply

EPISODES = json.loads(Path(__file__).with_name("recorded.json").read_text(encoding="utf-8"))


def all_kinds():
    return {(episode["language"], episode["source"]) for episode in EPISODES}


def recorded(request):
    """Answer for the episode that stands in the last message."""
    asked = request["messages"][-1]["content"]
    for episode in EPISODES:
        if episode["content"] in asked.rsplit("<<text ", 1)[1]:
            return Reply(json.dumps(episode["answer"], ensure_ascii=False))
    return Reply("unknown episode", status=400)


def test_three_sources_in_two_languages_are_covered():
    assert len(EPISODES) >= 12
    assert all_kinds() == {(a, b) for a in ("en", "de") for b in ("text", "message", "json")}


@pytest.mark.parametrize("episode", EPISODES, ids=lambda episode: episode["name"])
async def test_an_episode_becomes_its_dated_facts_with_one_call(episode, server, connect):
    server.answer = recorded
    llm = connect()
    async with open_graph(extractor=None, llm=llm) as graph:
        added = await graph.add_episode(
            episode["content"], reference_time=episode["reference_time"], source=episode["source"]
        )
        stored = [fact for fact in added.facts if not fact.pending]
        assert triples(stored) == set(map(tuple, episode["expected"]))
        for fact in added.facts:
            span = fact.sources[0]
            assert episode["content"][span.start : span.end].strip('"!. ')
        assert added.dropped == ()
        assert len(server.requests) == llm.usage.calls == 1
        assert llm.usage_of(added.episode.id).calls == 1


async def test_the_facts_stay_in_the_language_of_the_text(server, connect):
    server.answer = recorded
    episode = next(one for one in EPISODES if one["name"] == "ein Umzug")
    async with open_graph(extractor=None, llm=connect()) as graph:
        added = await graph.add_episode(
            episode["content"], reference_time=episode["reference_time"]
        )
    assert "Jule ist nach Görlitz gezogen." in {fact.text for fact in added.facts}


async def test_a_guess_waits_for_review(server, connect):
    server.answer = recorded
    episode = next(one for one in EPISODES if one["name"] == "a guess")
    async with open_graph(extractor=None, llm=connect()) as graph:
        added = await graph.add_episode(
            episode["content"], reference_time=episode["reference_time"]
        )
    assert [fact.relation for fact in added.facts if fact.pending] == ["knows"]


async def test_all_of_them_in_one_stream_take_at_most_two_calls_each(server, connect):
    def answer(request):
        if request["response_format"]["json_schema"]["name"] == "Decision":
            return Reply('{"names": [], "exclusive_pairs": []}')
        return recorded(request)

    server.answer = answer
    llm = connect()
    async with open_graph(extractor=None, llm=llm) as graph:
        for episode in EPISODES:
            added = await graph.add_episode(
                episode["content"],
                reference_time=episode["reference_time"],
                source=episode["source"],
            )
            assert llm.usage_of(added.episode.id).calls <= 2
        assert (await graph.stats()).episodes == len(EPISODES)
