"""Named runs of episodes: their order, their past, and what they tell of."""

import pytest

from graphrag import InputError, NewEpisode, QueryError
from tests.conftest import open_graph


async def told(graph, *turns, saga="case"):
    await graph.add_episodes(
        NewEpisode(content, reference_time=time, saga=saga) for time, content in turns
    )


async def test_episodes_stand_in_the_order_of_their_times_wherever_they_are_inserted(graph):
    await told(
        graph,
        ("2020-01-01", "Ann works_at Acme."),
        ("2020-03-01", "Ann likes tea."),
        ("2020-02-01", "Bob works_at Acme."),
    )
    saga = await graph.sagas.get("case")
    assert [one.content for one in saga] == [
        "Ann works_at Acme.", "Bob works_at Acme.", "Ann likes tea."
    ]  # fmt: skip
    assert saga.entities[0].name in ("Ann", "Acme")
    assert {entity.name for entity in saga.entities} == {"Ann", "Bob", "Acme", "tea"}
    assert [(fact.subject, fact.relation) for fact in saga.facts] == [
        ("Ann", "works_at"), ("Bob", "works_at"), ("Ann", "likes")
    ]  # fmt: skip
    assert "3 episodes from 2020-01-01 to 2020-03-01" in repr(saga)


async def test_sagas_are_kept_apart_by_name_and_by_group(graph):
    await told(graph, ("2020-01-01", "Ann works_at Acme."), saga="one")
    await told(graph, ("2020-01-02", "Bob likes tea."), saga="two")
    await graph.group("g").add_episode("Eve likes tea.", reference_time="2020-01-03", saga="one")
    assert (await graph.sagas.list()).names == ["one", "two"]
    assert (await graph.group("g").sagas.list()).names == ["one"]
    assert len(await graph.sagas.get("one")) == 1
    with pytest.raises(QueryError, match=r"no saga 'three'.*sagas: 'one', 'two'"):
        await graph.sagas.get("three")


async def test_the_view_decides_what_a_saga_held(graph):
    await told(graph, ("2020-01-01", "Ann works_at Acme."))
    [first] = (await graph.sagas.get("case")).episodes
    [event] = await graph.log.events()
    await told(graph, ("2020-02-01", "Ann works_at Beta."))
    assert len(await graph.at(known_at=event.at).sagas.get("case")) == 1
    assert len(await graph.at(valid_at="2020-01-15").sagas.get("case")) == 1
    assert [fact.object for fact in (await graph.sagas.get("case")).facts] == ["Beta"]
    await graph.log.remove_episode(first.id)
    assert len(await graph.sagas.get("case")) == 1


async def test_telling_an_episode_again_as_part_of_a_saga_only_joins_it(graph):
    await graph.add_episode("Ann works_at Acme.", reference_time="2020-01-01")
    assert (await graph.sagas.list()).names == []
    again = await graph.add_episode("Ann works_at Acme.", reference_time="2020-01-01", saga="case")
    assert not again.new and again.episode.saga == "case"
    await told(graph, ("2020-01-01", "Ann works_at Acme."))
    assert [event.kind for event in await graph.log.events()] == ["add_episode", "join_episode"]
    assert len(await graph.sagas.get("case")) == 1
    other = await graph.add_episode("Ann works_at Acme.", reference_time="2020-01-01", saga="other")
    assert other.new and (await graph.sagas.list()).names == ["case", "other"]
    assert len(await graph.sagas.get("case")) == 1


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "x" * 201])
async def test_a_saga_needs_a_name(graph, name):
    with pytest.raises(InputError, match=r"saga .* is no name"):
        await graph.add_episode("Ann likes tea.", saga=name)
    assert (await graph.stats()).episodes == 0


async def test_a_queued_episode_is_in_its_saga_at_once(graph):
    await graph.add_episode("Ann likes tea.", reference_time="2020-01-01", saga="case", wait=False)
    assert len(await graph.sagas.get("case")) == 1
    await graph.queue.drain_all()
    assert [fact.object for fact in (await graph.sagas.get("case")).facts] == ["tea"]


async def test_sagas_are_there_after_reopening(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await told(graph, ("2020-01-01", "Ann works_at Acme."))
    async with open_graph(url) as graph:
        await told(graph, ("2019-01-01", "Ann likes tea."))
        assert [one.valid_at.year for one in await graph.sagas.get("case")] == [2019, 2020]
        [rows] = await graph.handle.session.store.query("SELECT VALUE name FROM saga;")
        assert rows == ["case"]
