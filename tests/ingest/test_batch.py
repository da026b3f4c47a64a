import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag import EpisodeError, NewEpisode
from tests.conftest import open_graph, triples

STORIES = [
    NewEpisode("Alice works_at Acme.", "2020-01-01"),
    NewEpisode("Alice works_at Beta.", "2021-01-01"),
    NewEpisode("Bob leads Acme.", "2021-02-01"),
    NewEpisode("Carol leads Acme.", "2022-02-01"),
    NewEpisode("Alice married_to Bob.", "2022-03-01"),
    NewEpisode("Alice ends:married_to Bob.", "2023-03-01"),
    NewEpisode("Alice likes tea.", "2023-04-01"),
    NewEpisode("Alice likes tea.", "2023-05-01"),
]


async def content(graph):
    view = graph.at(history=True)
    facts = [fact for name in ("Alice", "Bob", "Carol") for fact in await view.facts(name)]
    return triples(facts), await graph.stats()


async def test_batch_reports_and_shows_progress(graph):
    seen = []
    report = await graph.add_episodes(STORIES, on_progress=seen.append)
    assert (report.added, report.unchanged, report.facts) == (8, 0, 6)
    assert [(step.done, step.total) for step in seen][-1] == (8, 8)
    again = await graph.add_episodes(iter(STORIES))
    assert (again.added, again.unchanged) == (0, 8)


async def test_async_stream_is_consumed_lazily(graph):
    given = []

    async def stream():
        for story in STORIES:
            given.append(story)
            yield story

    seen = []
    await graph.add_episodes(stream(), on_progress=lambda step: seen.append(len(given) - step.done))
    assert max(seen) <= 1 + 1  # one being read while one is written


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(st.permutations(STORIES))
def test_batch_gives_the_same_graph_as_one_by_one(order):
    async def both():
        async with open_graph() as batch, open_graph() as single:
            await batch.add_episodes(order)
            for story in order:
                await single.add_episode(story.content, reference_time=story.reference_time)
            return await content(batch), await content(single)

    batched, one_by_one = asyncio.run(both())
    assert batched == one_by_one


async def test_bad_episode_keeps_what_came_before_it(graph):
    with pytest.raises(EpisodeError):
        await graph.add_episodes([*STORIES[:3], NewEpisode("  "), *STORIES[3:]])
    assert (await graph.stats()).episodes == 3
    await graph.add_episodes(STORIES)
    assert (await graph.stats()).episodes == 8
