"""What is committed is acknowledged, and memory is never other than the store, whatever fails."""

import asyncio
import logging
from dataclasses import replace

import pytest

from graphrag import NewEpisode
from graphrag.index import load
from graphrag.index.group import GroupIndex
from graphrag.index.load import change_values, enter_values
from graphrag.model.assertion import Date, EntityName
from graphrag.model.values import Entity
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now
from tests.conftest import enter, open_graph

URLS = ["mem://", "surrealkv://{}/store"]


async def whole(graph):
    report = await graph.health.check_all()
    assert not report.findings, report.findings


def entity(number, kind="thing"):
    name = f"Thing {number}"
    return Entity(f"t{number:05}", "default", utc_now(), name, name.casefold(), kind)


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("after", [0, 1], ids=["before anything entered", "half way"])
async def test_a_failure_after_the_commit_is_a_warning_and_the_group_is_read_anew(
    url, after, tmp_path, caplog
):
    async with open_graph(url.format(tmp_path)) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020")
        ingestion = graph.handle.session
        new = entity(1)
        vectors = await ingestion.embedder.embed([new.name], purpose="document")

        async def build(index):
            changes = ChangeSet("default", "add_entity")
            changes.insert(new, vectors[0])
            return changes

        def enter(index, seq):
            if after:
                enter_values(index, [new], {new.id: vectors[0]})
                index.seq = seq
            raise MemoryError("no room for another row")

        with caplog.at_level(logging.WARNING, logger="graphrag"):
            seq = await ingestion.writer.commit("default", build, enter=enter)
        assert seq == (await graph.log.events())[-1].seq
        [record] = caplog.records
        assert f"event {seq} of group 'default' is committed" in record.getMessage()
        assert "no room for another row" in caplog.text
        assert not ingestion.catalog.loaded("default")
        assert (await graph.entity("Thing 1")).id == new.id
        await whole(graph)
        await graph.add_episode("Alice knows Bob.", reference_time="2021")
        assert {fact.object for fact in await graph.facts("Alice")} == {"Acme", "Bob"}
        await whole(graph)


async def episode(graph):
    return (await graph.add_episode("Alice knows Bob.", reference_time="2021")).facts


async def queued(graph):
    await graph.add_episode("Alice knows Bob.", reference_time="2021", wait=False)
    await graph.queue.drain_all()
    return [fact for fact in await graph.facts("Alice") if fact.object == "Bob"]


async def batch(graph):
    texts = ["Alice knows Bob.", "Carol likes tea."]
    report = await graph.add_episodes(NewEpisode(text, reference_time="2021") for text in texts)
    assert (report.added, report.failed) == (2, [])
    return [fact for fact in await graph.facts("Alice") if fact.object == "Bob"]


@pytest.mark.parametrize("road", [episode, queued, batch], ids=lambda road: road.__name__)
async def test_an_episode_is_acknowledged_though_the_index_is_broken(road, caplog):
    async with open_graph(workers=0) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020")
        index = await graph.handle.session.catalog.group("default")
        index.episodes.titles.enter(1, ["a title without its row"])
        assert [fact.object for fact in await road(graph)] == ["Bob"]
        assert "is committed" in caplog.text
        assert (await graph.search("Who knows Bob?")).facts
        await whole(graph)


async def test_facts_of_a_table_are_acknowledged_though_the_index_is_broken(caplog):
    rows = [{"subject": f"P{n}", "relation": "knows", "object": f"P{n + 1}"} for n in range(9)]
    async with open_graph() as graph:
        await graph.add_fact("Alice", "knows", "Bob")
        index = await graph.handle.session.catalog.group("default")
        index.facts.columns["valid"].extend([0])
        del index.facts.columns["pending"]._buffer
        report = await graph.load.facts(rows, batch=2)
        assert (report.facts, report.rows) == (9, 9)
        assert "is committed" in caplog.text
        assert (await graph.stats()).facts == 10
        await whole(graph)


async def test_followers_see_what_was_committed_though_memory_failed():
    async with open_graph() as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020")
        stream = graph.log.follow()
        index = await graph.handle.session.catalog.group("default")
        index.episodes.titles.enter(1, ["a title without its row"])
        await graph.add_episode("Alice knows Bob.", reference_time="2021")
        assert (await anext(stream)).kind == "add_episode"


def test_there_may_be_more_types_than_16_bits_number():
    index = GroupIndex("default", 2)
    many = 2**15 + 2
    codes = [index.type_code(f"type {n}") for n in range(many - 1)]
    columns = {"type": codes, "removed": [0] * (many - 1), "endings": [False] * (many - 1)}
    ids = [f"t{n}" for n in range(many - 1)]
    index.entities.extend(ids, [[1.0, 0.0]] * len(ids), [""] * len(ids), columns)
    enter(index, [entity(0, "the last")])
    change_values(index, [entity(0, "another")])
    assert index.entities["type"].tolist() == [*range(many - 1), many]
    assert index.types[-1] == "another"


def test_a_dated_name_that_becomes_an_alias_is_found_by_its_words():
    index, globex = GroupIndex("default", 2), entity(0)
    renamed = replace(globex, names=(EntityName("Initech", since=Date(utc_now())),))
    enter(index, [renamed])
    assert index.entity_name(globex.id) == "Initech"
    assert not index.entities.postings.scores("Initech").any()
    change_values(index, [replace(renamed, aliases=("Initech",))])
    assert index.entities.postings.scores("Initech").all()


def test_values_of_one_type_are_taken_over_together(monkeypatch):
    index, things = GroupIndex("default", 2), [entity(n) for n in range(5)]
    enter(index, things)
    tables, change = [], load._change

    def recorded(index, table, *given, **kept):
        tables.append(table)
        change(index, table, *given, **kept)

    monkeypatch.setattr(load, "_change", recorded)
    change_values(index, [replace(thing, entity_type="other") for thing in things])
    assert tables == ["entity"]
    assert {index.entity_type(thing.id) for thing in things} == {"other"}


class Held:
    """Transactions that begin at once and end when they may."""

    def __init__(self, monkeypatch):
        self.may = asyncio.Event()
        self.begun = []
        apply = Store.apply

        async def held(store, changes, *, after):
            self.begun.append(changes.kind)
            await self.may.wait()
            return await apply(store, changes, after=after)

        monkeypatch.setattr(Store, "apply", held)


@pytest.mark.parametrize("cancels", [1, 2, 5])
async def test_however_often_a_writer_is_cancelled_the_next_waits_for_its_write(
    graph, monkeypatch, cancels
):
    held = Held(monkeypatch)
    first = asyncio.create_task(graph.add_fact("Ann", "knows", "Bob"))
    while not held.begun:
        await asyncio.sleep(0.001)
    for _ in range(cancels):
        first.cancel()
        await asyncio.sleep(0.001)
    second = asyncio.create_task(graph.add_fact("Ann", "knows", "Eve"))
    await asyncio.sleep(0.05)
    assert len(held.begun) == 1 and not first.done()
    held.may.set()
    with pytest.raises(asyncio.CancelledError):
        await first
    await second
    assert {fact.object for fact in await graph.facts("Ann")} == {"Bob", "Eve"}
    await whole(graph)
