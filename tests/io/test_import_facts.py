"""Tables of facts: what they may look like, what they do, and what happens to a bad one."""

import asyncio
import gc
import json
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import pytest

from graphrag import InputError, TimeError
from graphrag.ingest.fact_writer import FactWriter
from graphrag.store.changes import ChangeSet
from graphrag.store.engine import EmbeddedEngine
from graphrag.store.store import Store
from graphrag.testing import HashEmbedder
from tests.conftest import day, open_graph, triples

JOBS = [
    {"subject": "Alice", "relation": "works_at", "object": "Acme", "valid_at": "2020-01"},
    {"subject": "Bob", "relation": "works_at", "object": "Acme", "valid_at": "2019"},
    {"subject": "Alice", "relation": "works_at", "object": "Globex", "valid_at": "2023"},
    {"subject": "Alice", "relation": "likes", "object": "tea"},
]
STORY = {
    ("Alice", "works_at", "Acme", "2020-01-01", "2023-01-01"),
    ("Alice", "works_at", "Globex", "2023-01-01", None),
    ("Alice", "likes", "tea", None, None),
}


async def history(graph, entity="Alice"):
    return triples(await graph.at(history=True).facts(entity))


@pytest.mark.parametrize("batch", [1, 2, 3, 1000])
async def test_any_batch_size_gives_the_same_graph(graph, batch):
    report = await graph.load.facts(JOBS, batch=batch)
    assert (report.rows, report.total, report.facts, report.entities) == (4, 4, 4, 5)
    assert await history(graph) == STORY
    assert (await graph.entity("Alice")).summary == (
        "works at Globex (from 2023-01-01); likes tea; works at Acme (2020-01-01 to 2023-01-01)"
    )
    assert not (await graph.health.check_all()).findings


async def test_importing_again_adds_nothing(graph):
    await graph.load.facts(JOBS, batch=2, source="hr.csv")
    events = len(await graph.log.events())
    report = await graph.load.facts(JOBS, batch=3, source="hr.csv")
    assert (report.rows, report.facts, report.changed) == (4, 0, 0)
    assert report.repeated >= 4
    assert len(await graph.log.events()) == events


async def test_another_source_of_the_same_facts_is_noted(graph):
    await graph.load.facts(JOBS[:1], source="hr.csv")
    await graph.load.facts(JOBS[:1], source="crm.csv")
    [fact] = await graph.facts("Alice")
    assert fact.provenance == ("hr.csv", "crm.csv")


async def test_importing_again_does_not_bring_back_what_was_retracted(graph):
    await graph.load.facts(JOBS)
    [tea] = [fact for fact in await graph.facts("Alice") if fact.object == "tea"]
    await graph.edit.retract(tea, "she never did")
    await graph.load.facts(JOBS)
    assert "tea" not in {fact.object for fact in await graph.facts("Alice")}
    # A person who says it again is believed.
    assert (await graph.add_fact("Alice", "likes", "tea")).new


async def test_lifetimes_that_are_right_close_nothing(graph):
    rows = [
        {**JOBS[0], "valid_at": "2020", "invalid_at": "2024"},
        {**JOBS[2], "valid_at": "2022", "invalid_at": "2025"},
    ]
    await graph.load.facts(rows, judge=False)
    both = {
        ("Alice", "works_at", "Acme", "2020-01-01", "2024-01-01"),
        ("Alice", "works_at", "Globex", "2022-01-01", "2025-01-01"),
    }
    assert await history(graph) == both
    assert (await graph.load.facts(rows, judge=False)).facts == 0
    assert await history(graph) == both


async def test_two_current_values_of_a_table_that_is_right_are_no_fault(graph):
    rows = [{**JOBS[0], "valid_at": "2020"}, {**JOBS[2], "valid_at": "2022"}]
    await graph.load.facts(rows, judge=False)
    assert len(await graph.facts("Alice")) == 2
    assert (await graph.health.check_all()).sound
    [acme, _] = await graph.facts("Alice")
    await graph.edit.retract(acme)
    await graph.log.revert((await graph.log.events())[-1])
    assert len(await graph.facts("Alice")) == 2
    await graph.add_fact("Alice", "works_at", "Beta", valid_at="2024")
    assert [fact.object for fact in await graph.facts("Alice")] == ["Beta"]
    assert (await graph.health.check_all()).sound


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl"])
async def test_files_of_each_kind(graph, tmp_path, ending):
    path = tmp_path / f"jobs.{ending}"
    columns = ("subject", "relation", "object", "valid_at")
    if ending in ("csv", "tsv"):
        mark = "," if ending == "csv" else "\t"
        lines = [mark.join(columns)]
        lines += [mark.join(row.get(column, "") for column in columns) for row in JOBS]
        path.write_text("\ufeff" + "\n".join(lines), encoding="utf-8")
    elif ending == "json":
        path.write_text(json.dumps(JOBS), encoding="utf-8")
    else:
        path.write_text("\n\n".join(map(json.dumps, JOBS)), encoding="utf-8")
    await graph.load.facts(path)
    assert await history(graph) == STORY


class Frame:
    """As much of a data frame as an import needs, with the gaps that pandas leaves."""

    columns = ("subject", "relation", "object", "valid_at", "confidence")

    def itertuples(self, index, name):
        class NaTType(NamedTuple):
            pass

        assert index is False and name is None
        yield ("Alice", "works_at", "Acme", datetime(2020, 1, 1, tzinfo=UTC), 0.9)
        yield ("Alice", "likes", "tea", NaTType(), float("nan"))


async def test_a_data_frame_with_gaps(graph):
    await graph.load.facts(Frame())
    facts = {fact.object: fact for fact in await graph.facts("Alice")}
    assert facts["Acme"].confidence == 0.9 and facts["tea"].confidence == 1.0
    assert facts["tea"].valid_at is None


async def test_every_column(graph):
    row = {
        "subject": "Alice",
        "relation": "works at",
        "object": "Acme",
        "valid_at": "2020",
        "invalid_at": "2022",
        "reference_time": "2021-05-01",
        "text": "Alice had a job at Acme.",
        "confidence": "0.8",
        "source": "hr",
        "provenance": '["letter"]',
        "subject_type": "person",
        "object_type": "organization",
        "attributes": '{"role": "cook"}',
        "attributes.floor": "3",
        "subject_attributes": {"email": "alice@example.org"},
        "object_attributes": "",
    }
    await graph.load.facts([row])
    [fact] = await graph.at(history=True).facts("Alice")
    assert (fact.relation, fact.text, fact.confidence) == (
        "works_at",
        "Alice had a job at Acme.",
        0.8,
    )
    assert fact.attributes == {"role": "cook", "floor": "3"}
    assert fact.provenance == ("letter", "hr")
    assert fact.reference_time == day("2021-05-01")
    alice = await graph.entity("Alice")
    assert (alice.entity_type, alice.attributes["email"]) == ("person", "alice@example.org")


async def test_vectors_that_are_given_are_used():
    class Refusing(HashEmbedder):
        async def embed(self, texts, *, purpose):
            assert purpose == "query", texts
            return await super().embed(texts, purpose=purpose)

    vectors = dict(zip(("Alice", "tea", "fact"), np.eye(3, 64), strict=True))
    row = {
        **JOBS[3],
        "embedding": vectors["fact"],
        "subject_embedding": vectors["Alice"].tolist(),
        "object_embedding": json.dumps(vectors["tea"].tolist()),
    }
    async with open_graph(embedder=Refusing()) as graph:
        assert (await graph.load.facts([row])).facts == 1
        assert (await graph.search("tea")).facts


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        ({"subject": ""}, InputError, "row 3: column 'subject' is missing or empty"),
        ({"valid_at": "soonish"}, TimeError, "row 3: valid_at 'soonish'"),
        ({"valid_at": "2020", "invalid_at": "2019"}, InputError, "row 3: invalid_at"),
        ({"confidence": "high"}, InputError, "row 3: column 'confidence'"),
        ({"valid_form": "2020"}, InputError, "row 3: there is no column 'valid_form'"),
        ({"attributes": "{"}, InputError, "row 3: column 'attributes'"),
        ({"embedding": [1.0, 2.0]}, InputError, "row 3: column 'embedding' has shape"),
        (
            {"relation": "married_to", "object": "alice"},
            InputError,
            "row 3: 'Alice' married_to 'alice': both ends",
        ),
        ({"object": 7}, InputError, "row 3: object 7 is no name"),
    ],
)
async def test_a_bad_row_is_named_and_its_batch_is_not_written(graph, bad, error, words):
    rows = [*JOBS[:2], {**JOBS[3], **bad}, JOBS[2]]
    with pytest.raises(error, match=words) as caught:
        await graph.load.facts(rows, batch=2)
    assert caught.value.__notes__ == [
        '2 rows are in the graph; import again when this is put right, or with on_error="skip" '
        "(--on-error skip): what is there is not added twice"
    ]
    assert await history(graph) == {("Alice", "works_at", "Acme", "2020-01-01", None)}
    assert not (await graph.health.check_all()).findings
    assert (await graph.load.facts(JOBS, batch=2)).facts == 2
    assert await history(graph) == STORY


@pytest.mark.parametrize("name", ["missing.csv", "facts.xlsx"])
async def test_a_file_that_cannot_be_read_is_named(graph, tmp_path, name):
    if name != "missing.csv":
        (tmp_path / name).write_bytes(b"PK")
    with pytest.raises(InputError, match=name):
        await graph.load.facts(tmp_path / name)


async def test_progress_counts_rows_and_time(graph):
    seen = []
    await graph.load.facts(iter(JOBS), batch=2, on_progress=seen.append)
    assert [(report.rows, report.total) for report in seen] == [(2, None), (4, None)]
    assert seen[-1].rate > 0 and seen[-1].seconds_left is None


async def test_someone_else_may_write_meanwhile(graph):
    rows = [
        {"subject": f"Person {number}", "relation": "knows", "object": f"Person {number + 1}"}
        for number in range(40)
    ]

    async def tell():
        for number in range(20):
            await graph.add_fact(f"Person {number}", "likes", "tea")

    await asyncio.gather(graph.load.facts(rows, batch=3), tell())
    stats = await graph.stats()
    assert (stats.entities, stats.facts) == (42, 60)
    assert not (await graph.health.check_all()).findings


async def test_each_batch_is_encoded_once_and_ahead_of_its_turn(graph, monkeypatch):
    stated, ahead = [], []
    statements, prepare = ChangeSet.statements, Store.prepare

    def counted(changes, seq, at):
        stated.append(seq)
        return statements(changes, seq, at)

    def prepared(store, changes, *, after):
        ahead.append(after)
        prepare(store, changes, after=after)

    monkeypatch.setattr(ChangeSet, "statements", counted)
    monkeypatch.setattr(Store, "prepare", prepared)
    rows = [
        {"subject": f"Person {number}", "relation": "knows", "object": f"Person {number + 1}"}
        for number in range(20)
    ]
    await graph.load.facts(rows, batch=5)
    events = [event.seq for event in await graph.log.events()]
    assert sorted(stated) == sorted(events)
    assert ahead == [0, 1, 2, 3, 4]  # the summaries last


async def test_the_engine_works_on_a_batch_while_the_next_is_planned(graph, monkeypatch):
    done = []
    send, plan = EmbeddedEngine.send, FactWriter.plan

    async def sent(engine, sql, params):
        if sql.startswith("BEGIN;"):
            done.append("sent")
        return await send(engine, sql, params)

    async def planned(teller, *given, **named):
        done.append("planned")
        return await plan(teller, *given, **named)

    monkeypatch.setattr(EmbeddedEngine, "send", sent)
    monkeypatch.setattr(FactWriter, "plan", planned)
    rows = [{"subject": f"Person {n}", "relation": "likes", "object": "tea"} for n in range(9)]
    await graph.load.facts(rows, batch=3)
    assert done[:6] == ["planned", "sent"] * 3


@pytest.mark.parametrize("collects", [True, False])
async def test_the_collector_of_garbage_works_as_before_after_an_import(monkeypatch, collects):
    meanwhile, embed = [], HashEmbedder.embed

    async def embedded(embedder, texts, *, purpose):
        meanwhile.append(gc.isenabled())
        return await embed(embedder, texts, purpose=purpose)

    monkeypatch.setattr(HashEmbedder, "embed", embedded)
    was = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        async with open_graph() as graph:
            await graph.load.facts(JOBS, batch=2)
        assert not any(meanwhile)
        assert gc.isenabled() == collects
    finally:
        (gc.enable if was else gc.disable)()


async def test_what_a_later_batch_tells_of_again_is_there_again(graph):
    episode = await graph.add_episode("Alice likes tea.", reference_time="2020-01-01")
    await graph.log.remove_episode(episode.episode.id)
    row = {"subject": "Bob", "relation": "knows", "object": "Carol"}
    await graph.load.facts([row, {**row, "subject": "Alice"}], batch=1)
    assert (await graph.entity("Alice")).removed_at is None
    assert not (await graph.health.check_all()).findings


# -- seed --------------------------------------------------------------------------------------


async def test_seed_of_a_dictionary(graph):
    known = {
        "Alice": {
            "works_at": {"object": "Acme", "valid_at": "2020", "object_type": "organization"},
            "likes": ["tea", "chess"],
        },
        "Bob": {"knows": "Alice"},
    }
    report = await graph.load.seed(known)
    assert (report.facts, report.entities) == (4, 5)
    assert {fact.object for fact in await graph.facts("Alice")} == {"Acme", "tea", "chess", "Alice"}
    assert (await graph.load.seed(known)).facts == 0
    assert len(await graph.log.events()) == 1


async def test_seed_with_two_values_where_there_is_room_for_one_is_refused(graph):
    with pytest.raises(InputError, match="Alice lives_in: it has one value at a time"):
        await graph.load.seed({"Alice": {"lives_in": ["Paris", "Rome"]}})
    assert await graph.log.events() == []
    await graph.load.seed(
        {"Alice": {"lives_in": [{"object": "Paris", "valid_at": "2020"}, "Rome"]}},
        reference_time="2024",
    )
    assert await history(graph) == {
        ("Alice", "lives_in", "Paris", "2020-01-01", "2024-01-01"),
        ("Alice", "lives_in", "Rome", "2024-01-01", None),
    }


async def test_an_empty_table_changes_nothing(graph):
    assert (await graph.load.facts([])).rows == 0
    assert (await graph.load.seed({})).rows == 0
    assert await graph.log.events() == []
