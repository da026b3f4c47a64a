"""A graph made anew from its log is the same graph: every row, every event, every vector."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag import GraphRAGError, InputError, StoreError
from graphrag.sync import GraphRAG as SyncGraphRAG
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph
from tests.edit.faint import whole
from tests.history.acts import FIRST, STEPS, TELLING, act, open_any, shown
from tests.history.raw import rows, tables

LONG = "So it was, and nobody said more. " * 50


async def fill(store, group="default"):
    graph = store.group(group)
    await graph.add_episode(
        "Alice works_at Acme.", reference_time="2020", metadata={"a": None, "b": [1.5]}
    )
    await graph.add_episode(f"Alice works_at Beta. {LONG}", reference_time="2021")
    await graph.add_episode("Bob knows Alice.", saga="letters")
    await graph.add_entity("Bob", attributes={"desk": {"floor": None}}, aliases=["Bo"])
    await graph.add_episode("Carol likes tea.", wait=False)
    await graph.communities.build()
    await graph.edit.invalidate((await graph.facts("Bob"))[0], "2030", reason="so")


async def equal(one, other, group="default"):
    expected, found = await tables(one, group), await tables(other, group)
    assert found.keys() == expected.keys()
    for record, row in expected.items():
        assert found[record] == row, record


async def test_every_row_and_event_is_the_same():
    async with open_graph() as graph, open_graph() as again:
        await fill(graph)
        replayed = await graph.log.replay_all(again)
        await equal(graph, again)
        assert replayed.groups == ("default",)
        assert (replayed.events, replayed.embedded) == (len(await graph.log.events()), 0)
        assert await again.log.events() == await graph.log.events()
        await whole(again)
        for query in ("Alice", "who likes tea"):
            assert await again.search(query) == await graph.search(query)
        await again.add_episode("Alice works_at Globex.", reference_time="2022")
        await whole(again)


async def test_all_groups_or_one(tmp_path):
    async with open_graph() as graph:
        await fill(graph)
        await fill(graph, "others")
        async with open_graph() as again:
            assert (await graph.group("others").log.replay(again)).groups == ("others",)
            assert [group.name for group in await again.groups().list()] == ["others"]
            await equal(graph, again, "others")
            with pytest.raises(InputError, match="has a group 'others' already"):
                await graph.log.replay_all(again)
            await graph.log.replay(again)
            assert (await again.health.check_all()).sound
        again = open_graph(f"surrealkv://{tmp_path}/again")
        assert (await graph.log.replay_all(again)).groups == ("default", "others")
        async with again:
            await equal(graph, again, "others")


async def test_nothing_gives_nothing():
    async with open_graph() as graph, open_graph() as again:
        assert (await graph.log.replay_all(again)).groups == ()
        with pytest.raises(InputError, match="no group 'others'"):
            await graph.group("others").log.replay(again)


async def test_a_target_that_holds_something_is_left_as_it_is():
    async with open_graph() as graph, open_graph() as again:
        await fill(graph)
        await again.add_episode("Zoe likes tea.")
        before = await tables(again)
        for target in (again, graph):
            with pytest.raises(InputError, match="has a group 'default' already"):
                await graph.log.replay_all(target)
        assert await tables(again) == before


async def test_into_another_embedder_every_vector_is_embedded_again():
    async with open_graph() as graph, open_graph(embedder=HashEmbedder(32)) as again:
        await fill(graph)
        replayed = await graph.log.replay_all(again)
        assert replayed.embedded > 8
        expected, found = await tables(graph), await tables(again)
        assert found.keys() == expected.keys()
        for record, row in expected.items():
            assert {**row, "embedding": 0} == {**found[record], "embedding": 0}
        await whole(again)


async def test_until_a_moment_it_is_the_graph_of_then():
    async with open_graph() as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020")
        await graph.add_episode("Bob likes tea.", reference_time="2020")
        moment = (await graph.log.events())[-1].at
        before = await tables(graph)
        await graph.edit.correct((await graph.facts("Bob"))[0], text="Bob loves tea.")
        await graph.add_episode("Alice works_at Beta.", reference_time="2021")
        async with open_graph() as again:
            replayed = await graph.log.replay_all(again, until=moment)
            assert (replayed.events, replayed.embedded) == (2, 1)
            assert await tables(again) == before
        async with open_graph() as again:
            await graph.log.replay_all(again, until="2020-01-01")
            assert not [row for row in await rows(again) if row["id"].table != "meta"]


async def test_what_was_forgotten_stays_so():
    async with open_graph() as graph, open_graph() as again:
        await fill(graph)
        await graph.erase.entity("Alice")
        await graph.add_episode("Bob likes jazz.")
        await graph.log.replay_all(again)
        await equal(graph, again)
        await whole(again)


async def test_a_log_with_a_gap_is_refused():
    async with open_graph() as graph, open_graph() as again:
        await fill(graph)
        await graph.handle.session.store.query("DELETE event:['default', 3];")
        with pytest.raises(StoreError, match="lacks event 3"):
            await graph.log.replay_all(again)


async def test_what_was_changed_behind_the_log_is_as_it_was():
    async with open_graph() as graph, open_graph() as again:
        await fill(graph)
        before = await tables(graph)
        await graph.handle.session.store.query(
            "UPDATE relates_to SET text = 'no'; DELETE community;"
        )
        await graph.log.replay_all(again)
        assert await tables(again) == before


def test_the_blocking_twin_replays(tmp_path):
    again = open_graph(f"surrealkv://{tmp_path}/again", kind=SyncGraphRAG)
    with open_graph(kind=SyncGraphRAG) as graph, open_graph(kind=SyncGraphRAG) as other:
        graph.add_episode("Alice works_at Acme.")
        assert graph.log.replay_all(again).records > 5
        other.stats()
        with pytest.raises(InputError, match="is open"):
            graph.log.replay_all(other)
        with pytest.raises(InputError, match="has a group 'default' already"):
            graph.log.replay_all(graph)
    with again:
        assert [fact.object for fact in again.facts("Alice")] == ["Acme"]


MORE = st.tuples(
    st.sampled_from(["communities", "forget", "keep"]),
    st.integers(0, 30),
    st.integers(0, 30),
    st.integers(2018, 2025),
)


async def do(graph, step, number):
    kind, one, *_ = step
    match kind:
        case "communities":
            await graph.communities.build()
        case "forget":
            await graph.erase.entity(("Alice", "Bob", "Acme", "tea")[one % 4])
        case "keep":
            await graph.erase.entity(("Alice", "Bob", "Acme", "tea")[one % 4], episodes="keep")
        case _:
            await act(graph, step, number)


async def play(steps):
    async with open_any() as graph, open_graph() as again:
        await graph.add_episode(FIRST, reference_time="2021-06-01")
        for number, step in enumerate(steps):
            try:
                await do(graph, step, number)
            except GraphRAGError:
                continue
        await graph.log.replay_all(again)
        await equal(graph, again)
        await whole(again)
        log = await graph.log.events()
        moment = log[len(log) // 2].at
        past = [await shown(one.at(known_at=moment)) for one in (graph, again)]
        assert past[0] == past[1]


@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.lists(st.one_of(MORE, TELLING), max_size=4))
def test_whatever_was_done_is_done_again(steps, others):
    asyncio.run(play([*steps, *others]))
