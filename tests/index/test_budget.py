"""Groups that nobody uses are let go of, by bytes, and nothing stays of names that are misspelt."""

import asyncio
import gc
import tracemalloc
from weakref import ref

import pytest

from graphrag import Field, GraphRAGError, InputError
from graphrag.index import catalog, checkpoints, retention
from graphrag.index.columns import bytes_of
from graphrag.index.group import GroupIndex
from graphrag.index.load import load_group
from graphrag.store.changes import ChangeSet
from graphrag.store.renewal import machine_memory
from tests.conftest import open_graph, triples
from tests.index.conftest import file_of

LEAST = 1 << 20


def facts(group, many):
    for number in range(many):
        yield {
            "subject": f"{group} person {number % 20}",
            "relation": ("knows", "likes")[number % 2],
            "object": f"{group} thing {number // 2}",
        }


async def fill(graph, names, many=100):
    for name in names:
        await graph.group(name).load.facts(facts(name, many), judge=False)


async def asked(graph, name):
    return triples(hit.item for hit in (await graph.group(name).search(f"{name} person 3")).facts)


def kept_of(graph):
    return graph.handle.session.catalog.kept


def count(*kinds):
    gc.collect()
    return sum(issubclass(type(one), kinds) for one in gc.get_objects())


async def test_nothing_stays_of_groups_that_are_not_there(graph):
    await graph.add_episode("Alice works_at Acme.")
    await graph.search("Alice")
    before = count(GroupIndex, asyncio.Lock)
    for number in range(25):
        misspelt = graph.group(f"misspelt {number}")
        assert not await misspelt.search("Alice")
        assert (await misspelt.stats()).facts == 0
        assert (await misspelt.queue.status()).done == 0
        assert not await misspelt.communities.build()
        with pytest.raises(GraphRAGError):
            await graph.group(f"misspelt {number}", strict=True).search("Alice")
    assert count(GroupIndex, asyncio.Lock) == before
    assert len(graph.handle.session.store.cache.rows.stamps) <= 1


async def test_groups_used_last_stay_within_the_budget():
    names = [f"user {number}" for number in range(14)]
    async with open_graph(memory_budget=LEAST) as graph:
        await fill(graph, names)
        answers = {name: await asked(graph, name) for name in names}
        kept = kept_of(graph)
        assert kept.nbytes <= LEAST
        assert 2 <= len(kept.groups()) < len(names) // 2
        assert count(GroupIndex) == len(kept.groups())
        assert [index.group_id for index in kept.groups()] == names[-len(kept.groups()) :]
        assert all(len(answer) > 2 for answer in answers.values())
        assert {name: await asked(graph, name) for name in reversed(names)} == answers
        assert kept.nbytes <= LEAST
        assert not (await graph.health.check()).findings


async def test_all_that_is_known_of_a_group_goes_with_it():
    async with open_graph(memory_budget=LEAST) as graph:
        await fill(graph, ["first"])
        group = graph.group("first")
        moment = (await group.log.events())[-1].at
        await group.add_episode("Alice works_at Acme. Alice knows Bob.")
        await group.communities.build()
        await group.communities.list()
        for view in (group, group.at(known_at=moment), group.at(valid_at="2020-01-01")):
            await view.search("Who knows Alice?")
            await view.communities.list()
        await group.neighbors("Alice")
        await group.sagas.list()
        first = ref(await graph.handle.session.catalog.group("first"))
        assert first() is not None
        await fill(graph, ["second", "third", "fourth", "fifth", "sixth"])
        assert first() is None


async def test_what_is_in_use_is_read_once_and_let_go_of_later():
    async with open_graph(memory_budget=LEAST) as graph:
        names = [f"user {number}" for number in range(8)]
        await fill(graph, names)
        groups = graph.handle.session.catalog
        mine = await groups.group(names[0])
        for name in names[1:]:
            await asked(graph, name)
        assert await groups.group(names[0]) is mine
        for name in names[1:]:
            await asked(graph, name)
        used, mine = ref(mine), None
        for name in names[1:]:
            await asked(graph, name)
        assert used() is None


async def test_what_is_written_is_not_let_go_of():
    async with open_graph(memory_budget=LEAST) as graph:
        names = [f"user {number}" for number in range(8)]
        await fill(graph, names[1:])
        ingestion = graph.handle.session
        begun, go_on, seen = asyncio.Event(), asyncio.Event(), []

        async def build(index):
            seen.append(index)
            begun.set()
            await go_on.wait()
            return ChangeSet(names[0], "nothing")

        writing = asyncio.create_task(ingestion.writer.commit(names[0], build))
        await begun.wait()
        for name in names[1:]:
            await asked(graph, name)
        assert await ingestion.catalog.group(names[0]) is seen[0]
        go_on.set()
        assert await writing == 0
        await graph.group(names[0]).add_fact("Alice", "knows", "Bob")
        assert [fact.object for fact in await graph.group(names[0]).facts("Alice")] == ["Bob"]


async def test_many_write_and_read_where_little_fits():
    async with open_graph(memory_budget=LEAST, workers=2) as graph:
        names = [f"user {number}" for number in range(8)]
        await fill(graph, names, 60)

        async def live(name):
            group = graph.group(name)
            for number in range(3):
                await group.add_fact(f"Alice {number}", "knows", f"{name} friend")
                await asked(graph, name)
                await group.add_episode(f"Bob works_at Firm {number}.", wait=False)

        await asyncio.gather(*map(live, names))
        await asyncio.gather(*(graph.group(name).queue.drain() for name in names))
        assert not graph.handle.queue._waiting
        for name in names:
            stats = await graph.group(name).stats()
            assert (stats.facts, stats.episodes) == (60 + 3 + 3, 3)
            assert len(await graph.group(name).facts(f"{name} friend")) == 3
        assert kept_of(graph).nbytes <= LEAST
        assert len(kept_of(graph).groups()) < len(names)
        assert not (await graph.health.check()).findings
        assert not graph.handle.session.writer.locks._locks


async def test_a_group_larger_than_the_budget_is_kept_while_it_is_the_last(monkeypatch):
    async with open_graph(memory_budget=LEAST) as graph:
        await fill(graph, ["large"], 1_000)
        await asked(graph, "large")
        [index] = kept_of(graph).groups()
        assert bytes_of(index) > LEAST
        monkeypatch.setattr(catalog, "load_group", _refuse)
        assert await asked(graph, "large")


async def _refuse(*_):
    raise AssertionError("the tables were read")


async def test_what_takes_long_to_read_is_saved_before_it_is_let_go_of(url, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "LEAVING", 100)
    async with open_graph(url, memory_budget=LEAST) as graph:
        await fill(graph, ["large"], 120)
        answer = await asked(graph, "large")
        for number in range(8):
            await fill(graph, [f"user {number}"], 60)
        assert not graph.handle.session.catalog.loaded("large")
        monkeypatch.setattr(catalog, "load_group", _refuse)
        assert await asked(graph, "large") == answer
        await graph.group("large").add_fact("large person 3", "knows", "Zoe")
        assert len(await graph.group("large").facts("Zoe")) == 1
    assert file_of(tmp_path) is not None


async def test_small_groups_leave_no_files(url, tmp_path):
    async with open_graph(url, memory_budget=LEAST) as graph:
        await fill(graph, [f"user {number}" for number in range(8)])
        assert len(kept_of(graph).groups()) < 8
    assert file_of(tmp_path) is None


@pytest.mark.parametrize("many", [40, 400])
async def test_bytes_are_counted_as_python_counts_them(many):
    async with open_graph() as graph:
        await fill(graph, ["default"], many)
        for number in range(many // 20):
            said = " ".join(f"Word{number * word} and more of it." for word in range(20))
            await graph.add_episode(f"Alice knows Bob {number}. {said}", name=f"Note {number}")
        store = graph.handle.session.store
        await load_group(store, "default", 64)  # what is known of words from now on is not counted
        gc.collect()
        tracemalloc.start()
        try:
            index = await load_group(store, "default", 64)
            gc.collect()
            of_python = tracemalloc.Filter(False, "<unknown>")  # else of threads of the engine
            traced = tracemalloc.take_snapshot().filter_traces([of_python])
            taken = sum(of_file.size for of_file in traced.statistics("filename"))
        finally:
            tracemalloc.stop()
        assert 0.75 * taken < bytes_of(index) < 1.33 * taken


async def test_what_writes_and_searches_add_is_counted_too(graph):
    await fill(graph, ["default"], 200)
    index = await graph.handle.session.catalog.reload("default")
    loaded = bytes_of(index)
    await graph.search("person 3", where=Field.confidence > 0.1)
    searched = bytes_of(index)
    assert searched > loaded + 8 * 200
    await graph.add_fact("Alice", "knows", "Bob")
    assert bytes_of(index) > searched + 15_000  # who is like whom, and what is at whom
    before, _ = kept_of(graph).nbytes, index.derived.clear()
    await graph.at(known_at=(await graph.log.events())[0].at).search("person 3")
    await graph.group("other").add_fact("Ann", "knows", "Bob")  # now the first one is measured
    assert kept_of(graph).nbytes > before + 0.2 * loaded  # what columns of then have of their own


@pytest.mark.parametrize("given", [0, -1, 2, 1.5e9, True, "2GB", float("nan")])
def test_a_budget_is_a_number_of_bytes(given):
    with pytest.raises(InputError, match=r"memory_budget .*(at least 1,048,576 |whole number)"):
        open_graph(memory_budget=given)


def test_by_default_it_is_a_quarter_of_the_memory(monkeypatch):
    assert retention.checked_budget(None) == machine_memory() // 4
    monkeypatch.setattr(retention, "machine_memory", lambda: 512 << 20)
    assert open_graph().handle.memory_budget == 128 << 20
    monkeypatch.setattr(retention, "machine_memory", lambda: 0)
    assert retention.checked_budget(None) == 1 << 30
