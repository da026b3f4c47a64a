"""A store lists its groups with their sizes, without counting."""

import asyncio
import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag import Group
from graphrag.store.groups import count_anew, read_entry
from tests.conftest import open_graph
from tests.engine.worlds import tell


async def agrees(graph):
    """Assert that what is kept is what is there."""
    for size in await graph.groups().list():
        stats = await graph.group(size.name).stats()
        store = graph.handle.session.store
        entry = await read_entry(size.name, store)
        await count_anew(size.name, store)
        assert await read_entry(size.name, store) == entry
        assert entry["seq"] == (await graph.group(size.name).log.events())[-1].seq
        assert entry["changed_at"] == size.changed_at
        assert (size.episodes, size.entities) == (stats.episodes, stats.entities)
        assert size.facts == stats.facts
        assert size.changed_at == (await graph.group(size.name).log.events())[-1].at


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
def test_sizes_follow_whatever_was_told_merged_removed_or_forgotten(seed):
    async def play():
        async with open_graph(review_below=0.5) as graph:
            await tell(graph, random.Random(seed), 6)
            await tell(graph, random.Random(seed + 1), 3, group="other")
            await graph.add_fact("Alice", "likes", "tea", confidence=0.2)
            await agrees(graph)
            [waiting] = await graph.edit.pending()
            await graph.edit.confirm(waiting.fact)
            [[one, _]] = await graph.audit.hubs(1)
            await graph.erase.entity(one)
            await agrees(graph)

    asyncio.run(play())


async def test_groups_are_listed_by_name_with_their_last_change(graph):
    assert repr(await graph.groups().list()) == "Groups()"
    await graph.group("work").add_episode("Alice works_at Acme. Bob knows Alice.")
    await graph.group("a<b").add_episode("Ann likes <tea>. Ann likes milk.")
    one, other = await graph.groups().list()
    assert (other.name, other.episodes, other.entities, other.facts) == ("work", 1, 3, 2)
    assert isinstance(one, Group) and one.created_at == one.changed_at
    assert repr(await graph.groups().list()) == "Groups('a<b': 1 fact, 'work': 2 facts)"
    await graph.group("work").add_episode("Bob knows Ann.")
    assert (await graph.groups().list())[1].changed_at > other.changed_at
    page = (await graph.groups().list())[1:]._repr_html_()
    assert "<td>work</td><td>2</td>" in page
    assert "a&lt;b" in (await graph.groups().list())._repr_html_()


async def test_a_group_whose_size_nobody_kept_is_counted(graph):
    await graph.add_episode("Alice works_at Acme. Bob knows Alice.")
    before = await graph.groups().list()
    await graph.handle.session.store.query(
        "UPDATE group_info SET episodes = NONE, facts = NONE, seq = NONE, changed_at = NONE;"
    )
    assert await graph.groups().list() == before
    await graph.add_episode("Bob knows Ann.")
    assert (await graph.groups().list())[0].facts == 3


async def test_a_replayed_group_has_its_size(graph):
    await graph.add_episode("Alice works_at Acme. Bob knows Alice.")
    async with open_graph() as other:
        await graph.log.replay_all(other)
        assert await other.groups().list() == await graph.groups().list()
        [row] = (await other.handle.session.store.query("SELECT * FROM group_info;"))[0]
        assert row["facts"] == 2
