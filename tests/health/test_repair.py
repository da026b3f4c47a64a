"""Each kind of damage, done to the rows themselves: found, mended as far as can be, then gone."""

import logging

import numpy as np
import pytest

from graphrag import AppendOnly, PolicyError
from graphrag.store.record import Record
from tests.conftest import open_graph
from tests.history.raw import tables

LONG = "So it was, and nobody said more. " * 50
TABLES = ("entity", "episode", "relates_to", "passage", "community")


@pytest.fixture
async def told(graph):
    await graph.add_episode("Alice works_at Acme.", reference_time="2020", metadata={"a": None})
    await graph.add_episode("Alice works_at Beta. Bob likes tea.", reference_time="2021")
    await graph.add_episode(f"Bob knows Alice. {LONG}", reference_time="2022", saga="letters")
    await graph.add_entity("Alice", attributes={"email": "alice@acme.com", "desk": {"floor": None}})
    await graph.edit.retract((await graph.facts("Bob"))[0], "so")
    await graph.log.remove_episode(
        (await graph.at(history=True).search("works Acme")).episodes[0].item
    )
    await graph.communities.build()
    assert (await graph.health.check_all()).sound
    return graph


async def damage(graph, sql, **params):
    return await graph.handle.session.store.query(sql, **params)


async def mended(graph, *, as_before):
    """Assert that a repair leaves nothing to find and nothing that differs."""
    report = await graph.health.check_all()
    assert any(finding.repairable for finding in report.findings)
    report = await graph.health.repair_all()
    assert report.left == ()
    assert (await graph.health.check_all()).findings == ()
    after = await tables(graph)
    was, now = map(_unmoved, (as_before, after))
    assert {key: now[key] for key in was} == was
    extra = [key for key in after if key not in as_before]
    assert all("'event'" in key or key.startswith("event:") for key in extra), extra
    return report


def _unmoved(rows):
    """Leave out what tells of the newest event: a repair is one."""
    newest = ("seq", "changed_at")
    return {
        key: {name: value for name, value in row.items() if name not in newest}
        if key.startswith("group_info:")
        else row
        for key, row in rows.items()
    }


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "vector", [None, b"", np.ones(3, "<f4").tobytes(), np.full(64, np.nan, "<f4").tobytes()]
)
async def test_a_missing_or_wrong_vector_is_embedded_anew(told, table, vector):
    before = await tables(told)
    await damage(told, f"UPDATE {table} SET embedding = $vector;", vector=vector)
    report = await mended(told, as_before=before)
    assert report.events == 1
    assert (await told.log.events())[-1].kind == "repair"


@pytest.mark.parametrize("table", ["entity", "episode", "relates_to", "passage"])
async def test_a_group_that_lacks_vectors_is_read_searched_and_written_to(tmp_path, table, caplog):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await graph.add_episode(f"Alice works_at Acme. {LONG}", reference_time="2020")
        await damage(graph, f"UPDATE {table} SET embedding = NONE;")
    caplog.set_level(logging.WARNING, "graphrag")
    async with open_graph(url) as graph:
        found = await graph.search("Alice Acme")
        assert "no usable vector" in caplog.text
        assert [hit.item.object for hit in found.facts] == ["Acme"]
        await graph.add_episode("Alice works_at Beta.", reference_time="2021")
        assert [fact.object for fact in await graph.facts("Alice")] == ["Beta"]
        assert (await graph.health.repair_all()).sound
    async with open_graph(url) as graph:
        assert (await graph.health.check_all()).sound


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE entity WHERE name = 'Alice';",
        "DELETE entity;",
        "DELETE episode;",
        "DELETE (SELECT VALUE id FROM episode LIMIT 1);",
        "DELETE relates_to;",
        "DELETE (SELECT VALUE id FROM mentions LIMIT 1);",
        "DELETE passage;",
        "DELETE occurred_after;",
        "DELETE community;",
        "DELETE has_member;",
        "DELETE saga;",
        "DELETE group_info;",
        "DELETE entity; DELETE episode; DELETE passage; DELETE group_info;",
    ],
)
async def test_rows_that_are_gone_are_written_again_as_the_log_tells(told, sql):
    before = await tables(told)
    moment = (await told.log.events())[-1].at
    seen = [await told.at(known_at=moment).facts(name) for name in ("Alice", "Bob")]
    await damage(told, sql)
    await mended(told, as_before=before)
    assert [await told.at(known_at=moment).facts(name) for name in ("Alice", "Bob")] == seen
    assert [await told.facts(name) for name in ("Alice", "Bob")] == seen


async def test_a_mention_that_leads_nowhere_goes(told):
    other = await told.group("others").add_episode("Cid likes jazz.")
    before = await tables(told)
    await damage(
        told,
        "INSERT RELATION INTO mentions"
        " {id: 'astray', in: $episode, out: $cid, group_id: 'default', start: 0, end: 1};",
        episode=Record("episode", (await told.search("Alice")).episodes[0].item.id),
        cid=Record("entity", other.entities[0].id),
    )
    [nowhere, unknown] = (await told.health.check_all()).findings
    assert "leads to" in nowhere.what and "no event refers" in unknown.what
    report = await told.health.repair_all()
    assert {finding.record for finding in report.repaired} == {"mentions:astray"}
    assert report.sound
    was, now = map(_unmoved, (before, await tables(told)))
    assert {key: now[key] for key in was} == was


async def test_a_fact_that_lacks_an_end_is_left_out_and_named(told):
    """The database refuses such a fact, unless its end is in another group."""
    other = await told.group("others").add_episode("Cid likes jazz.")
    await damage(
        told,
        "INSERT RELATION INTO relates_to {id: 'leak', in: $alice, out: $jazz, subject: 'Alice',"
        " name: 'likes', object: 'jazz', text: '', group_id: 'default', created_at: time::now()};",
        alice=Record("entity", (await told.entity("Alice")).id),
        jazz=Record("entity", other.entities[1].id),
    )
    facts = await told.facts("Alice")
    await told.handle.session.catalog.reload("default")
    assert await told.facts("Alice") == facts
    await told.add_episode("Alice likes tea.")
    report = await told.health.repair_all()
    assert {finding.record for finding in report.left} == {"relates_to:leak"}
    await damage(told, "DELETE relates_to:leak;")
    assert (await told.health.check_all()).sound


async def test_an_event_that_is_gone_is_named_and_nothing_is_guessed(told):
    await damage(told, "DELETE event:['default', 2]; DELETE entity WHERE name = 'Bob';")
    report = await told.health.repair_all()
    assert report.events == 0
    found = {finding.what for finding in report.left}
    assert {"is missing from the log", "is gone, but no event erased it"} <= found


async def test_memory_that_lacks_a_row_is_read_again(told):
    index = await told.handle.session.catalog.group("default")
    index.facts.leave([index.facts.ids[0]])
    before = await tables(told)
    assert (await mended(told, as_before=before)).events == 0


async def test_a_half_erased_entity_is_whole_again(told):
    before = await tables(told)
    alice = (await told.entity("Alice")).id
    await damage(
        told,
        "DELETE mentions WHERE out = $alice; DELETE relates_to WHERE in = $alice;"
        "UPDATE $alice SET embedding = NONE;",
        alice=Record("entity", alice),
    )
    await mended(told, as_before=before)


async def test_what_belongs_to_a_removed_episode_comes_back_removed(told):
    removed = await told.stats()
    await damage(told, "DELETE entity; DELETE episode;")
    assert (await told.health.repair_all()).sound
    assert await told.stats() == removed.__class__(
        **{
            **{name: getattr(removed, name) for name in removed.__slots__},
            "events": removed.events + 1,
        }
    )


async def test_repair_asks_the_policy_and_names_its_actor(tmp_path):
    class Nothing:
        def refuse(self, mutation):
            return "nothing may be written" if mutation.kind == "repair" else None

    async with open_graph(policy=Nothing()) as graph:
        await graph.add_episode("Alice works_at Acme.")
        await damage(graph, "UPDATE entity SET embedding = NONE;")
        with pytest.raises(PolicyError, match="nothing may be written"):
            await graph.health.repair_all()
        assert [event.kind for event in await graph.log.events()] == ["add_episode", "denied"]
    async with open_graph(policy=AppendOnly(), actor="night shift") as graph:
        await graph.add_episode("Alice works_at Acme.")
        await damage(graph, "UPDATE entity SET embedding = NONE; DELETE relates_to;")
        assert (await graph.health.repair_all()).sound
        assert (await graph.log.events())[-1].actor == "night shift"
