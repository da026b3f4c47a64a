"""What was read is read again from memory, until a write may have changed it."""

import asyncio
from contextlib import suppress
from dataclasses import replace

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from graphrag.errors import GraphRAGError
from graphrag.model.values import Entity, Episode, Fact
from graphrag.store.row_cache import RowCache
from graphrag.store.row_file import RowFile
from graphrag.store.rows import TABLES
from tests.conftest import day, open_graph
from tests.serving import a_server

NAMES = "Ann Bob Cid".split()
PLACES = "Acme Beta Globex".split()
NUMBERS = st.integers(0, 20)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), NUMBERS, NUMBERS, st.integers(2010, 2020)),
        st.tuples(st.just("retract"), NUMBERS),
        st.tuples(st.just("correct"), NUMBERS),
        st.tuples(st.just("merge"), NUMBERS, NUMBERS),
        st.tuples(st.just("unmerge"), NUMBERS),
        st.tuples(st.just("remove"), NUMBERS),
        st.tuples(st.just("forget"), NUMBERS),
        st.tuples(st.just("search"), NUMBERS),
    ),
    min_size=1,
    max_size=12,
)


def an_episode(id_="e1", content="It rains.", **fields):
    now = day("2024-01-01")
    return Episode(id_, "default", now, "", content, "text", now, id_, **fields)


async def ids_of(store, kind):
    [ids] = await store.query(f"SELECT VALUE record::id(id) FROM {TABLES[kind]};")
    return sorted(ids)


async def step(graph, store, verb, *numbers):
    """Do something of a kind; what cannot be done now is left."""

    async def one(kind, number=numbers[0]):
        ids = await ids_of(store, kind)
        return ids[number % len(ids)]

    match verb:
        case "tell":
            name, place, year = numbers
            text = f"{NAMES[name % 3]} works_at {PLACES[place % 3]} from {year}-01-01."
            await graph.add_episode(text, reference_time=f"{year}-02-01")
        case "retract":
            await graph.edit.retract(await one(Fact), "wrong")
        case "correct":
            await graph.edit.correct(await one(Fact), valid_at="2009-01-01", reason="found")
        case "merge":
            await graph.identity.merge(await one(Entity), await one(Entity, numbers[1]))
        case "unmerge":
            await graph.identity.unmerge(await store.last_seq("default") - numbers[0] % 4)
        case "remove":
            await graph.log.remove_episode(await one(Episode))
        case "forget":
            await graph.erase.entity(await one(Entity))
        case "search":
            await graph.search(NAMES[numbers[0] % 3])


async def check(graph, store):
    for kind in (Fact, Entity, Episode):
        ids = await ids_of(store, kind)
        held = await store.get(kind, ids)
        assert held == await store._read(kind, ids)
        assert await store.get(kind, ids) == held
    once = await graph.search("Ann Acme", explain=False)
    store.cache.written(None)
    assert await graph.search("Ann Acme", explain=False) == once


async def lived(steps):
    async with open_graph() as graph:
        store = graph.handle.session.store
        await step(graph, store, "tell", 0, 0, 2010)
        for one in steps:
            with suppress(GraphRAGError, ZeroDivisionError):
                await step(graph, store, *one)
            await check(graph, store)


@given(STEPS)
@settings(max_examples=6, phases=[Phase.explicit, Phase.generate])
def test_what_is_held_is_what_the_store_has(steps):
    asyncio.run(lived(steps))


async def test_what_was_written_is_held_so_that_the_next_fact_reads_nothing():
    async with open_graph() as graph:
        store = graph.handle.session.store
        for year in (2015, 2020):
            place = f"Place {year}"
            attributes = {"tags": ("a", None), "n": 1}
            await graph.add_fact(
                "Ann", "lives_in", place, valid_at=f"{year}", attributes=attributes
            )
        ids = await ids_of(store, Fact)
        store.cache.release()
        read = await store.get(Fact, ids)
        queries, query = [], store._connection.query

        async def counted(sql, params=None):
            queries.append(sql)
            return await query(sql, params)

        store._connection.query = counted
        for year in (2016, 2017, 2018):
            await graph.add_fact("Ann", "lives_in", f"Place {year}", valid_at=f"{year}")
        assert queries == []
        ids = await ids_of(store, Fact)
        written = await store.get(Fact, ids)
        store.cache.release()
        assert written == await store.get(Fact, ids) != read


async def test_settling_a_long_history_looks_at_each_place_once():
    async with open_graph() as graph:
        for year in range(1990, 2020):
            await graph.add_fact("Ann", "lives_in", f"Place {year}", valid_at=f"{year}")
        index = await graph.handle.session.catalog.group("default")
        looks, rows_at = [], index.rows_at

        def counted(*given):
            looks.append(given)
            return rows_at(*given)

        index.rows_at = counted
        await graph.add_fact("Ann", "lives_in", "Paris", valid_at="1995-06")
        assert len(looks) == len({*looks}) + 1  # once more to see that it meets anything at all


def test_what_was_asked_for_before_a_write_ended_is_not_held():
    held = RowCache(RowFile(None))
    held.written([("entity", "x")])
    held.hold([an_episode()], writes=0)
    assert not held.find(Episode, ["e1"])
    held.hold([an_episode()], writes=held.writes)
    assert held.find(Episode, ["e1"])
    held.written([("entity", "e1")])
    assert held.find(Episode, ["e1"])
    held.written([("episode", "e1")])
    assert not held.find(Episode, ["e1"])


def test_only_so_many_bytes_are_held_and_those_asked_for_last_stay():
    held = RowCache(RowFile(None), most_bytes=100_000)
    for number in range(100):
        held.hold([an_episode(f"e{number}", "x" * 10_000)], writes=0)
        held.find(Episode, ["e0"])
    assert 5 <= len(held) <= 9
    assert held.find(Episode, ["e0", "e99"]).keys() == {"e0", "e99"}
    assert not held.find(Episode, ["e50"])


def test_who_changes_what_it_read_changes_nothing_for_others():
    held = RowCache(RowFile(None))
    given = an_episode(metadata={"tags": ["one"]})
    held.hold([given], writes=0)
    given.metadata["tags"].append("two")
    [read] = held.find(Episode, ["e1"]).values()
    read.metadata["tags"].append("three")
    read.metadata["more"] = True
    assert held.find(Episode, ["e1"])["e1"] == replace(read, metadata={"tags": ["one"]})


async def test_a_server_has_other_writers_so_nothing_is_held():
    async with (
        a_server() as (url, options),
        open_graph(url, **options) as one,
        open_graph(url, **options) as other,
    ):
        await one.add_episode("Ann works_at Acme from 2020-01-01.", reference_time="2020-02-01")
        [fact] = (await other.search("Ann", scopes=["facts"])).facts
        await one.edit.retract(fact.item, "wrong")
        [seen] = (await other.at(history=True).search("Ann", scopes=["facts"])).facts
        assert seen.item.retracted_at is not None
        assert not len(other.handle.session.store.cache)


async def test_hits_come_with_every_episode_that_states_them():
    async with open_graph() as graph:
        store = graph.handle.session.store
        told = "Ann works_at Acme from 2020-01-01."
        first = await graph.add_episode(told, reference_time="2020-02-01")
        second = await graph.add_episode(f"Well, {told}", reference_time="2020-03-01")
        await graph.add_fact("Ann", "knows", "Bob")
        expected = {first.episode.id, second.episode.id}
        for _ in range(3):
            found = await graph.search("Ann Acme Bob", scopes=["facts"])
            assert {episode.id for episode in found.passages} == expected
            assert {hit.item.relation for hit in found.facts} == {"works_at", "knows"}
            store.cache.written([("relates_to", found.facts[0].item.id)])
        store.cache.written([("episode", first.episode.id)])
        assert await graph.search("Ann Acme Bob", scopes=["facts"]) == found
