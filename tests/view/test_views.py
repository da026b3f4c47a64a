"""A view has every read of the graph, and each looks from its moment."""

from collections import Counter

import pytest

from graphrag import Field, InputError
from graphrag.temporal.moment import utc_now
from tests.conftest import open_graph
from tests.surface import parameters, verbs

WRITES = {
    "add_entity", "add_episode", "add_episodes", "add_fact", "communities.build",
    "communities.update", "edit.confirm", "edit.correct", "edit.invalidate", "edit.reject",
    "edit.retract", "edit.settle", "erase.entity", "erase.group", "export.copy",
    "identity.keep_apart", "identity.merge", "identity.rename", "identity.split",
    "identity.unmerge", "load.calendar", "load.contacts", "load.documents", "load.facts",
    "load.group", "load.memory",
    "load.seed", "log.remove_episode", "log.remove_source", "log.replay", "log.replay_all",
    "log.revert", "sagas.summarize", "sagas.summarize_all",
}  # fmt: skip
OF_TODAY = {
    "at", "close", "edit.pending", "group", "groups", "health.build_indexes", "health.build_native",
    "health.check", "health.check_all", "health.cleanup", "health.indexes", "health.reembed",
    "health.repair", "health.repair_all", "identity.candidates", "log.events", "log.follow", "open",
    "queue.drain", "queue.drain_all",
    "queue.failed", "queue.retry", "queue.status",
}  # fmt: skip
"""What is about the store as it is: its health, its queue, its log, what waits for a person."""
BEYOND = {"export.file": {"vectors", "on_progress"}}
"""What reads take of a graph only: it is saved whole."""


def test_a_view_has_every_read_of_a_graph():
    graph, view = verbs(open_graph()), verbs(open_graph().at())
    assert view.keys() == graph.keys() - WRITES - OF_TODAY
    assert graph.keys() >= WRITES | OF_TODAY
    for name, verb in view.items():
        taken = parameters(graph[name]).keys() - BEYOND.get(name, set())
        assert parameters(verb).keys() == taken, name


async def test_lists_and_counts_are_those_of_the_moment(graph):
    first = await graph.add_episode("Ann works_at Acme from 2020.", reference_time="2020-02-01")
    built = await graph.communities.build()
    before = utc_now()
    second = await graph.add_episode("Ann works_at Beta from 2022.", reference_time="2022-02-01")
    await graph.group("other").add_episode("Bob likes tea.")
    await graph.communities.build()
    await graph.log.remove_episode(first.episode)
    then = graph.at(known_at=before)

    assert [group.name for group in await graph.groups().list()] == ["default", "other"]
    for known in (
        graph.groups().list(known_at=before),
        graph.groups().at(known_at=before).list(),
    ):
        assert [group.name for group in await known] == ["default"]
    ids = [first.episode.id, second.episode.id]
    assert [one.content for one in await then.episodes(ids)] == ["Ann works_at Acme from 2020."]
    assert (await then.episodes(ids))[0].removed_at is None
    assert (await graph.episodes(ids))[0].removed_at is not None
    assert await then.communities.list() == built
    assert await graph.communities.list() != built
    counted = await then.stats()
    assert (counted.episodes, counted.entities, counted.facts) == (1, 2, 1)
    assert (counted.facts_now, counted.facts_ended, counted.facts_retracted) == (1, 0, 0)
    assert counted.events == 2
    assert counted.last == counted.first == first.episode.valid_at
    now = await graph.stats()
    assert (now.episodes, now.facts, now.facts_retracted) == (1, 2, 1)
    assert {entity.name: count for entity, count in await then.audit.hubs()} == {
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
    names = [one.name for one, _ in await graph.at(valid_at="2021-01-01").audit.hubs()]
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
        built = await graph.communities.build()
        assert sorted(built, key=lambda one: one.id) == sorted(
            await graph.communities.list(), key=lambda one: one.id
        )
        pictures.append((utc_now(), await graph.communities.list()))
        await graph.add_episode(text)
    await graph.communities.build()
    for moment, picture in pictures:
        assert await graph.at(known_at=moment).communities.list() == picture


async def test_the_last_episodes_before_a_moment(graph):
    for year in (2019, 2020, 2021, 2022):
        text = f"Ann works_at Acme from {year}."
        await graph.add_episode(text, reference_time=f"{year}-05-01", saga=f"s{year % 2}")

    async def years(view, **asked):
        return [episode.valid_at.year for episode in await view.episodes(**asked)]

    assert await years(graph, before="2022-05-01", limit=2) == [2021, 2020]
    assert await years(graph, before="2022-05-02", limit=2, saga="s1") == [2021, 2019]
    assert await years(graph, before="2022-05-01", limit=2, offset=1) == [2020, 2019]
    assert await years(graph, saga="nobody's") == []
    then = graph.at(valid_at="2021-05-01")  # a moment itself is of its view
    assert await years(then, limit=2) == [2021, 2020]
    assert await years(then, before="2021-05-01", limit=1) == [2020]
    with pytest.raises(InputError, match="leave out before, saga and where"):
        await graph.episodes(["x"], before="2020")
    assert await years(graph, where=Field.reference_time < "2021", limit=1) == [2020]
    assert await years(then, where=~(Field.saga == "s0"), limit=9) == [2021, 2019]
    with pytest.raises(InputError, match="nothing of episodes"):
        await graph.episodes(where=Field.relation == "likes")


async def test_episodes_are_found_by_the_callers_keys_as_of_any_moment(graph):
    events, contents = [], ("one", "two", "three")
    for content in contents:
        added = await graph.add_episode(content, key="k")
        events.append((await graph.log.events())[-1].at)
        assert await graph.episodes(["k", "unknown"]) == [added.episode]
        await graph.log.remove_episode(added.episode)
    assert await graph.episodes(["k"]) == []
    assert await graph.group("other").episodes(["k"]) == []
    for moment, content in zip(events, contents, strict=True):
        [found] = await graph.at(known_at=moment).episodes(["k"])
        assert (found.content, found.removed_at) == (content, None)
    await graph.log.revert((await graph.log.events())[1])
    assert [found.content for found in await graph.episodes(["k"])] == ["one"]
    [found] = await graph.at(known_at=events[1]).episodes(["k"])
    assert found.content == "two"


async def test_types_of_the_past_are_those_of_then(graph):
    await graph.add_fact("Ann", "likes", "Acme", object_type="thing")
    event = (await graph.log.events())[0]
    await graph.add_fact("Ann", "works_at", "Acme", object_type="organization")
    then = graph.at(known_at=event.at, history=True)
    types = {entity.name: entity.entity_type for entity in await then.entities()}
    assert types["Acme"] == "thing"
    assert (await graph.stats()).types.get("organization") == 1
    assert (await then.stats()).types == Counter(types.values())
    assert {one.name: one.entity_type for one, _ in await then.audit.hubs()} == types
