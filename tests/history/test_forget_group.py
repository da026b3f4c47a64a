"""A whole group is forgotten: nothing of it is left, wherever it was cut short."""

import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from graphrag import (
    NewEpisode,
    PolicyError,
    ProtectedTypes,
    QueryError,
    TransactionError,
)
from graphrag.store import groups
from tests.conftest import day, open_graph
from tests.edit.faint import whole
from tests.history.raw import rows, tables, text
from tests.store.test_server import served

ROOT = Path(__file__).parents[2]
LONG = "So it was, and nobody said more. " * 50


async def fill(store, group, person="Alice", count=6):
    graph = store.group(group)
    for number in range(count):
        await graph.add_episode(
            f"{person} works_at {('Acme', 'Beta')[number % 2]} from {2000 + number}. "
            f"{person} likes tea{number}. {LONG if number == 3 else ''}",
            reference_time=f"{2000 + number}",
            saga="letters",
        )
    await graph.edit.retract((await graph.facts(person))[0])
    await graph.communities.build()


@pytest.fixture
async def two(graph):
    """A graph of two groups that speak of different people."""
    await fill(graph, "mine")
    await fill(graph, "theirs", person="Zoe")
    return graph


async def test_no_row_is_left_and_other_groups_are_as_they_were(two):
    before = await tables(two, "theirs")
    forgotten = await two.group("mine").erase.group(confirm="mine")
    assert forgotten.event is None
    assert forgotten.records["episode"] == 6 and forgotten.records["event"] == 8
    assert not await rows(two, "mine")
    found = await text(two)
    assert "alice" not in found and "mine" not in found
    assert await tables(two, "theirs") == before
    assert [group.name for group in await two.groups().list()] == ["theirs"]
    assert len(await two.group("theirs").facts("Zoe")) > 3
    assert (await two.health.check_all()).sound
    with pytest.raises(QueryError, match="no group 'mine': groups"):
        await two.group("mine").erase.group(confirm="mine")


async def test_the_name_is_free_again(two):
    await two.group("mine").erase.group(confirm="mine")
    assert await two.group("mine").log.events() == []
    assert (await two.group("mine").stats()).facts == 0
    await two.group("mine").add_episode("Alice works_at Acme.")
    assert [event.seq for event in await two.group("mine").log.events()] == [1]
    await whole(two)


async def test_a_group_of_many_batches_is_forgotten(graph, monkeypatch):
    monkeypatch.setattr(groups, "BATCH", 3)
    await fill(graph, "mine", count=12)
    await graph.group("mine").erase.group(confirm="mine")
    assert not await rows(graph, "mine")


async def test_cut_short_anywhere_it_is_whole_or_closed_and_the_next_time_finishes(monkeypatch):
    monkeypatch.setattr(groups, "BATCH", 20)
    cuts = 0
    while True:
        async with open_graph() as graph:
            await fill(graph, "mine")
            await fill(graph, "theirs", person="Zoe", count=2)
            others, mine = await tables(graph, "theirs"), await tables(graph, "mine")
            connection = graph.handle.session.store._connection
            transact, left = connection.transact, iter(range(cuts, -1, -1))

            async def failing(sql, params, transact=transact, left=left):
                if next(left) == 0:
                    raise TransactionError("the power went")
                await transact(sql, params)

            monkeypatch.setattr(connection, "transact", failing)
            try:
                await graph.group("mine").erase.group(confirm="mine")
                break
            except TransactionError:
                monkeypatch.setattr(connection, "transact", transact)
            if cuts == 0:
                assert await tables(graph, "mine") == mine
                await whole(graph)
            else:
                await closed(graph)
            await graph.group("mine").erase.group(confirm="mine")
            assert not await rows(graph, "mine")
            assert await tables(graph, "theirs") == others
            await whole(graph)
        cuts += 1
    assert cuts > 8


async def closed(graph):
    """Everybody sees that the group is half gone, and the others are as ever."""
    for act in (
        graph.group("mine").search("Alice"),
        graph.group("mine").facts("Alice"),
        graph.group("mine").add_episode("Alice likes tea."),
        graph.group("mine").add_fact("Alice", "likes", "tea"),
    ):
        with pytest.raises(
            QueryError,
            match=r"is being forgotten since .* group\('mine'\)\.erase\.group\(confirm='mine'\)",
        ):
            await act
    [finding] = (await graph.health.check_all()).findings
    assert (finding.group, finding.repairable) == ("mine", False)
    assert "is being forgotten since" in finding.what
    assert (await graph.health.repair_all()).left == (finding,)
    assert len(await graph.group("theirs").facts("Zoe")) > 1


async def test_the_queue_leaves_a_group_alone_that_is_half_gone(tmp_path, monkeypatch):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url, workers=0) as graph:
        for group in ("mine", "theirs"):
            await graph.group(group).add_episode("Alice likes tea.", wait=False)
        await groups.mark("mine", graph.handle.session.store)
    async with open_graph(url) as graph:
        await graph.queue.drain_all()
        assert (await graph.group("theirs").queue.status()).done == 1
        await graph.group("mine").erase.group(confirm="mine")
        assert (await graph.health.check_all()).sound


async def test_what_is_pending_is_forgotten_too(graph):
    await graph.group("theirs").add_episode("Zoe likes tea.")
    added = await graph.group("mine").add_episode("Alice likes tea.", wait=False)
    await graph.group("mine").erase.group(confirm="mine")
    await graph.queue.drain_all()
    assert await graph.episodes([added.episode.id]) == []
    assert [group.name for group in await graph.groups().list()] == ["theirs"]


async def test_a_policy_is_asked_before_anything_goes():
    async with open_graph(policy=ProtectedTypes({"place"})) as graph:
        await graph.group("mine").add_fact("Bob", "lives_in", "Paris", object_type="place")
        await graph.group("theirs").add_fact("Zoe", "likes", "tea")
        before = await tables(graph, "mine")
        before.pop("group_info:mine")  # it tells of the newest event, here of the refusal
        with pytest.raises(PolicyError, match="what is known of a place is protected"):
            await graph.group("mine").erase.group(confirm="mine")
        after = await tables(graph, "mine")
        assert {key: after[key] for key in before} == before
        assert (await graph.group("mine").log.events())[-1].kind == "denied"
        await whole(graph)
        await graph.group("theirs").erase.group(confirm="theirs")
        assert [group.name for group in await graph.groups().list()] == ["mine"]


async def test_another_process_on_a_server_sees_that_a_group_is_gone():
    async with (
        served() as place,
        open_graph(f"ws://{place}") as one,
        open_graph(f"ws://{place}") as two,
    ):
        await fill(one, "mine")
        assert len(await two.group("mine").facts("Alice")) > 3
        index = await two.handle.session.catalog.group("mine")
        await one.group("mine").erase.group(confirm="mine")
        # A write that was planned before comes too late.
        stale = two.handle.session
        from graphrag.store.changes import ChangeSet

        late = ChangeSet("mine", "late")
        late.insert_row("saga", {**await saga_row(one)})
        with pytest.raises(TransactionError, match="is being forgotten, or was"):
            await stale.store.apply(late, after=index.seq)
        assert (await two.group("mine").stats()).facts == 0
        await two.group("mine").add_episode("Bob likes tea.")
        assert [fact.object for fact in await one.group("mine").facts("Bob")] == ["tea"]


async def saga_row(graph):
    from graphrag.model.ids import new_id
    from graphrag.store.record import Record
    from graphrag.temporal.moment import utc_now

    return {
        "id": Record("saga", new_id()),
        "group_id": "mine",
        "name": "x",
        "created_at": utc_now(),
    }


async def test_another_process_on_a_server_sees_that_an_entity_is_gone():
    async with (
        served() as place,
        open_graph(f"ws://{place}") as one,
        open_graph(f"ws://{place}") as two,
    ):
        await one.add_episode("Alice works_at Acme. Bob works_at Acme.")
        assert await two.entity("Alice")
        await one.erase.entity("Alice", episodes="keep")
        assert await two.entity("Alice") is None
        assert [fact.subject for fact in await two.facts("Acme")] == ["Bob"]
        assert (await two.add_episode("Alice likes tea.")).entities[0].name == "Alice"


STORE = """
import asyncio, sys
from graphrag.store import groups
from tests.conftest import open_graph

groups.BATCH = 10

async def main():
    async with open_graph(sys.argv[1]) as graph:
        print("open", flush=True)
        await graph.group("mine").erase.group(confirm="mine")
        print("gone", flush=True)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
async def test_killed_while_forgetting_the_next_process_finishes(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await graph.group("theirs").add_episode("Zoe likes tea.")
        await graph.add_episodes(
            NewEpisode(f"Alice likes tea{n}.", day("2020-01-01") + timedelta(n), group="mine")
            for n in range(60)
        )
    for wait in (0.01, 0.03):
        process = subprocess.Popen(
            [sys.executable, "-c", STORE, url], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        with process:
            assert process.stdout.readline() == "open\n"
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
        assert process.returncode in (0, -signal.SIGKILL)
        async with open_graph(url) as graph:
            found = {finding.what[:18] for finding in (await graph.health.check_all()).findings}
            assert found <= {"is being forgotten"}
            if not found and "mine" in [group.name for group in await graph.groups().list()]:
                assert (await graph.group("mine").stats()).facts == 60
    async with open_graph(url) as graph:
        if "mine" in [group.name for group in await graph.groups().list()]:
            await graph.group("mine").erase.group(confirm="mine")
        assert not await rows(graph, "mine")
        assert (await graph.health.check_all()).sound
        assert len(await graph.group("theirs").facts("Zoe")) == 1
