"""A view has every read of the graph, and each looks from its moment."""

import inspect

import pytest

from graphrag import AsOf, GraphRAG, InputError
from graphrag.temporal.moment import utc_now

WRITES = {
    "add_entity", "add_episode", "add_episodes", "add_fact", "build_communities", "cleanup",
    "confirm", "copy_group", "correct", "forget", "forget_group", "import_calendar",
    "import_contacts", "import_facts", "import_group", "invalidate", "keep_apart", "merge",
    "reject", "remove_episode", "replay", "retract", "revert", "seed", "split", "summarize_saga",
    "summarize_sagas", "unmerge", "update_communities",
}  # fmt: skip
OF_TODAY = {
    "at", "build_indexes", "check", "check_indexes", "close", "drain", "failed_episodes",
    "group_sizes", "log", "merge_candidates", "open", "pending_review", "repair", "retry_failed",
    "status",
}  # fmt: skip
"""What is about the store as it is: its health, its queue, its log, what waits for a person."""
BEYOND = {"changes": {"after"}, "export": {"vectors", "on_progress"}}
"""What reads take of a graph only: it is followed from an event on, it is saved whole."""


def public(kind):
    return {
        name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))
    }


def test_a_view_has_every_read_of_a_graph():
    reads = public(GraphRAG) - WRITES - OF_TODAY
    assert public(AsOf) == reads
    for name in reads:
        ours, theirs = (inspect.signature(getattr(kind, name)) for kind in (AsOf, GraphRAG))
        assert ours.parameters.keys() == theirs.parameters.keys() - BEYOND.get(name, set()), name


async def test_lists_and_counts_are_those_of_the_moment(graph):
    first = await graph.add_episode("Ann works_at Acme from 2020.", reference_time="2020-02-01")
    built = await graph.build_communities()
    before = utc_now()
    second = await graph.add_episode("Ann works_at Beta from 2022.", reference_time="2022-02-01")
    await graph.add_episode("Bob likes tea.", group="other")
    await graph.build_communities()
    await graph.remove_episode(first.episode)
    then = graph.at(known_at=before)

    assert await then.groups() == ["default"]
    assert await graph.groups() == ["default", "other"]
    ids = [first.episode.id, second.episode.id]
    assert [one.content for one in await then.episodes(ids)] == ["Ann works_at Acme from 2020."]
    assert (await then.episodes(ids))[0].removed_at is None
    assert (await graph.episodes(ids))[0].removed_at is not None
    assert await then.communities() == built
    assert await graph.communities() != built
    counted = await then.stats()
    assert (counted.episodes, counted.entities, counted.facts) == (1, 2, 1)
    assert (counted.facts_now, counted.facts_ended, counted.facts_retracted) == (1, 0, 0)
    assert counted.events == 2
    assert counted.last == counted.first == first.episode.valid_at
    now = await graph.stats()
    assert (now.episodes, now.facts, now.facts_retracted) == (1, 2, 1)
    assert {entity.name: count for entity, count in await then.most_connected()} == {
        "Ann": 1,
        "Acme": 1,
    }


async def test_counts_at_a_moment_of_the_world(graph):
    await graph.add_episode("Ann works_at Acme from 2020.", reference_time="2020-02-01")
    await graph.add_episode("Ann works_at Beta from 2022.", reference_time="2022-02-01")
    counted = await graph.at(valid_at="2021-01-01").stats()
    assert (counted.episodes, counted.facts_now, counted.facts_ended) == (1, 1, 0)
    counted = await graph.at(valid_at="2023-01-01").stats()
    assert (counted.episodes, counted.facts_now, counted.facts_ended) == (2, 1, 1)
    names = [one.name for one, _ in await graph.at(valid_at="2021-01-01").most_connected()]
    assert names == ["Ann", "Acme"]


async def test_sources_are_those_known_then(graph):
    before = utc_now()
    added = await graph.add_episode("Ann likes tea.", reference_time="2020-01-01")
    between = utc_now()
    await graph.add_episode("Again: Ann likes tea.", reference_time="2021-01-01")
    [fact] = added.facts
    assert len(await graph.sources(fact)) == 2
    assert [one.text for one in await graph.at(known_at=between).sources(fact)] == [
        "Ann likes tea."
    ]
    with pytest.raises(InputError, match="no fact"):
        await graph.at(known_at=before).sources(fact.id)


async def test_the_past_of_a_split_or_merged_community_is_exact(graph):
    await graph.add_episode("Ann knows Bob. Bob knows Cid. Dan knows Eve.")
    pictures = []
    for text in ("Eve knows Ann.", "Fay knows Gil.", "Gil knows Dan."):
        built = await graph.build_communities()
        assert sorted(built, key=lambda one: one.id) == sorted(
            await graph.communities(), key=lambda one: one.id
        )
        pictures.append((utc_now(), await graph.communities()))
        await graph.add_episode(text)
    await graph.build_communities()
    for moment, picture in pictures:
        assert await graph.at(known_at=moment).communities() == picture
