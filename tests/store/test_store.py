import asyncio
import subprocess
import sys
from datetime import timedelta
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.errors import (
    EmbedderMismatchError,
    StoreClosedError,
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StoreUnreachableError,
    StoreVersionError,
    TransactionError,
)
from graphrag.model.values import Entity, Fact, Span
from graphrag.schema import newest
from graphrag.store.changes import ChangeSet, Update
from graphrag.store.connection import _cause
from graphrag.store.log import events_since
from graphrag.store.record import Record
from graphrag.store.store import StaleGroupError, Store
from graphrag.store.target import Target
from tests.conftest import day

NOW = day("2024-01-01")
MICROS = st.integers(-1, 1)
VECTOR = np.ones(4, dtype=np.float32)


def entity(name, **rest):
    return Entity(name, "g", NOW, name, name, **rest)


def fact(**rest):
    return Fact("f", "g", NOW, "a", "b", "a", "knows", "b", "a knows b", NOW, **rest)


async def opened(url="mem://", *, embedder="hash", dimension=4):
    return await Store.open(Target.parse(url), embedder=embedder, dimension=dimension)


@pytest.fixture
async def store():
    async with await opened() as store:
        yield store


def change(*values, kind="test"):
    changes = ChangeSet("g", kind)
    for value in values:
        changes.insert(value, VECTOR)
    return changes


@settings(max_examples=10)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=20), st.data()
)
def test_events_since_a_moment_are_those_committed_after_it(steps, data):
    """Also if the clock is set back: an event is after the one before it."""
    moments = []
    for forward, behind in steps:
        moments.append(max(moments, default=NOW) + timedelta(seconds=1 + forward))
        if behind:
            moments.append(moments[-1] - timedelta(seconds=behind))
    asked = data.draw(st.sampled_from(moments)) + timedelta(microseconds=data.draw(MICROS))

    async def found():
        async with await opened() as store:
            for seq, moment in enumerate(moments):
                with patch("graphrag.store.store.utc_now", return_value=moment):
                    await store.apply(ChangeSet("g", "test"), after=seq)
            assert [event async for event in events_since(store, "nobody", asked)] == []
            times = [event.at for event in await store.events("g")]
            return times, [event.seq async for event in events_since(store, "g", asked)]

    times, events = asyncio.run(found())
    assert times == sorted(set(times))
    assert all(at >= moment for at, moment in zip(times, moments, strict=True))
    assert events == [seq for seq, at in enumerate(times, 1) if at > asked]


async def test_values_come_back_as_they_went(store):
    one = entity("a", labels=("x",), aliases=("b",), attributes={"n": [1, {"m": None}]})
    two = fact(
        invalid_at=day("2025-01-01"),
        observed=True,
        confidence=0.5,
        sources=(Span("e", 1, 2),),
        attributes={"title": "mayor"},
    )
    await store.apply(change(one, entity("b"), two), after=0)
    assert await store.get(Entity, ["a"]) == {"a": one}
    assert await store.get(Fact, ["f"]) == {"f": two}


async def test_get_keeps_the_order_asked_and_skips_what_is_missing(store):
    await store.apply(change(entity("a"), entity("b")), after=0)
    assert list(await store.get(Entity, ["b", "nobody", "a"])) == ["b", "a"]


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        ("text", None),
        ("created_at", "soon"),
        ("confidence", 7.0),
        ("origin", "heaven"),
        ("sources", [{"episode": "e"}]),
    ],
)
async def test_the_database_refuses_a_fact_without_what_every_fact_has(store, column, wrong):
    changes = change(entity("a"), entity("b"), fact())
    changes.inserts["relates_to"][0][column] = wrong
    with pytest.raises(TransactionError, match=f"nothing was written.*{column}"):
        await store.apply(changes, after=0)


async def test_what_is_no_more_leaves_no_trace_in_a_row(store):
    one = fact(invalid_at=day("2025-01-01"), attributes={"title": "mayor", "rank": 2})
    await store.apply(change(entity("a"), entity("b"), one), after=0)
    changes = ChangeSet("g", "test")
    changes.change(one, fact(attributes={"rank": 2}))
    await store.apply(changes, after=1)
    [[row]] = await store.query("SELECT * FROM relates_to;")
    assert row["attributes"] == {"rank": 2}
    assert "invalid_at" not in row


async def test_a_failing_statement_leaves_nothing(store):
    with pytest.raises(TransactionError, match="does not exist"):
        await store.apply(change(entity("a"), fact()), after=0)
    assert await store.get(Entity, ["a"]) == {}
    assert await store.last_seq("g") == 0
    assert await store.groups() == []


async def test_two_writers_cannot_take_one_event_number(store):
    await store.apply(change(entity("a")), after=0)
    with pytest.raises(StaleGroupError):
        await store.apply(change(entity("b")), after=0)
    assert await store.get(Entity, ["b"]) == {}
    assert await store.apply(change(entity("b")), after=1) == 2


async def test_event_holds_what_changed_before_and_after(store):
    await store.apply(change(entity("a"), entity("b"), fact()), after=0)
    update = ChangeSet("g", "close", actor="ann")
    update.updates.append(Update("relates_to", "f", {"invalid_at": None}, {"invalid_at": NOW}))
    await store.apply(update, after=1)
    event = (await store.events("g", after=1))[0]
    assert (event.seq, event.kind, event.actor) == (2, "close", "ann")
    assert event.changes[0].record == "relates_to:f"
    assert event.changes[0].before == {"invalid_at": None}
    assert event.changes[0].after == {"invalid_at": "2024-01-01T00:00:00Z"}
    created = (await store.events("g"))[0].changes
    assert all(part.before is None and "embedding" not in part.after for part in created)


async def test_a_field_can_be_unset_again(store):
    await store.apply(change(entity("a"), entity("b"), fact(invalid_at=NOW)), after=0)
    update = ChangeSet("g", "reopen")
    update.updates.append(Update("relates_to", "f", {"invalid_at": NOW}, {"invalid_at": None}))
    await store.apply(update, after=1)
    assert (await store.get(Fact, ["f"]))["f"].invalid_at is None


async def test_an_updated_object_loses_the_keys_that_are_gone(store):
    one = entity("a", attributes={"job": {"title": "mayor", "since": None}, "age": 30})
    two = fact(attributes={"n": 1})
    await store.apply(change(one, entity("b"), two), after=0)
    changes = ChangeSet("g", "test")
    job = {"job": {"title": "clerk", "of": [None, {"x": 1}]}}
    for table, id_, before, after in (
        ("entity", "a", one.attributes, job),
        ("relates_to", "f", two.attributes, {}),
    ):
        changes.updates.append(Update(table, id_, {"attributes": before}, {"attributes": after}))
    await store.apply(changes, after=1)
    assert (await store.get(Entity, ["a"]))["a"].attributes == job
    assert (await store.get(Fact, ["f"]))["f"].attributes == {}


async def test_values_are_data_never_statements(store):
    name = "x'; REMOVE TABLE entity; --"
    await store.apply(change(entity(name)), after=0)
    assert (await store.get(Entity, [name]))[name].name == name


async def test_groups_whose_names_share_a_beginning_stay_apart(store):
    for group in ("g1", "g10"):
        await store.apply(ChangeSet(group, "test"), after=0)
    assert await store.groups() == ["g1", "g10"]
    assert [event.group_id for event in await store.events("g1")] == ["g1"]
    assert await store.last_seq("g1") == 1


async def test_a_closed_store_says_so(store):
    await store.close()
    await store.close()
    with pytest.raises(StoreClosedError, match="not open"):
        await store.groups()


async def test_reopening_keeps_everything(tmp_path):
    url = f"surrealkv://{tmp_path}/s"
    async with await opened(url) as store:
        await store.apply(change(entity("a")), after=0)
    async with await opened(url) as store:
        assert await store.get(Entity, ["a"]) == {"a": entity("a")}
        assert await store.last_seq("g") == 1


async def test_another_embedder_or_dimension_is_refused(tmp_path):
    url = f"surrealkv://{tmp_path}/s"
    await (await opened(url)).close()
    with pytest.raises(EmbedderMismatchError, match="built with embedder 'hash'"):
        await opened(url, embedder="other")
    with pytest.raises(EmbedderMismatchError, match="4 dimensions"):
        await opened(url, dimension=8)


async def test_a_store_of_a_newer_version_is_refused(tmp_path):
    url = f"surrealkv://{tmp_path}/s"
    async with await opened(url) as store:
        await store.query("UPSERT meta:schema SET applied += $n;", n=newest() + 1)
    with pytest.raises(StoreVersionError, match="upgrade"):
        await opened(url)


async def test_store_of_a_version_that_was_never_published_gets_one_clear_line(tmp_path):
    url = f"surrealkv://{tmp_path}/s"
    async with await opened(url) as store:
        await store.query("UPSERT meta:schema SET applied = [1, 3, 5, 6, 7];")
    with pytest.raises(StoreVersionError, match=r"made by surreal-graphrag 0\.1, .* new store"):
        await opened(url)


async def test_a_store_opened_twice_is_refused(tmp_path):
    url = f"surrealkv://{tmp_path}/s"
    async with await opened(url):
        with pytest.raises(StoreLockedError, match="open in another process"):
            await opened(url)


async def test_a_damaged_store_is_named(tmp_path):
    url = f"surrealkv://{tmp_path}/s"
    await (await opened(url)).close()
    for manifest in (tmp_path / "s" / "manifest").iterdir():
        manifest.write_bytes(b"garbage" * 20)
    with pytest.raises(StoreCorruptError, match="damaged"):
        await opened(url)


@pytest.mark.parametrize("place", [26, 27, 30, -1, -5, -8])
async def test_a_manifest_that_counts_more_than_it_holds_is_named(tmp_path, place):
    url = f"surrealkv://{tmp_path}/s"
    await (await opened(url)).close()
    for manifest in (tmp_path / "s" / "manifest").iterdir():
        data = bytearray(manifest.read_bytes())
        data[place] = 255
        manifest.write_bytes(data)
    with pytest.raises(StoreCorruptError, match=r"manifest .* is damaged: restore a copy"):
        await opened(url)


async def test_a_store_whose_damage_shows_when_it_is_read_is_named(tmp_path):
    url = f"surrealkv://{tmp_path}/s"
    async with await opened(url) as store:
        await store.query("FOR $number IN 0..300 { CREATE scratch SET text = rand::string(90) };")
    for table in (tmp_path / "s" / "sstables").iterdir():
        data = bytearray(table.read_bytes())
        data[len(data) // 3] ^= 1
        table.write_bytes(data)
    with pytest.raises(StoreCorruptError, match=r"is damaged: .*restore a copy"):
        async with await opened(url) as store:
            await store.query("SELECT * FROM scratch;")


@pytest.mark.parametrize("url", ["ws://127.0.0.1:9", "http://127.0.0.1:9"])
async def test_a_server_that_does_not_answer_is_named(url):
    with pytest.raises(StoreUnreachableError, match=r"no SurrealDB server answers at .*:9"):
        await opened(url)


async def test_a_store_with_search_tables_is_only_read_by_who_cannot_keep_them_in_step():
    target = Target.parse("mem://", profile="engine")
    async with await Store.open(target, embedder="hash", dimension=4) as store:
        with pytest.raises(TransactionError, match="opened for reading only"):
            await store.apply(change(entity("a")), after=0)


async def test_a_query_error_names_the_cause(store):
    with pytest.raises(StoreError, match="refused a query"):
        await store.query("SELECT * FROM;")


def test_the_cause_of_a_failed_transaction_is_found():
    results = [
        {"status": "ERR", "result": "The query was not executed due to a failed transaction"},
        {"status": "ERR", "result": "the real cause"},
    ]
    assert _cause(results) == "the real cause"


def test_closing_is_the_last_act_of_a_clean_process(tmp_path):
    code = f"""
import asyncio
from graphrag.store.store import Store
from graphrag.store.target import Target
async def main():
    target = Target.parse("surrealkv://{tmp_path}/s")
    async with await Store.open(target, embedder="e", dimension=2):
        pass
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_record_shows_as_the_database_writes_it():
    assert str(Record("entity", "a")) == "entity:a"


@pytest.mark.parametrize("changes", ["[{", "[1]", '[{"record": "entity:a"}]', "null"])
def test_a_damaged_event_of_the_log_is_named(changes):
    from graphrag.errors import StoreCorruptError
    from graphrag.store.rows import event_of

    row = {"id": "event:[g, 7]", "group_id": "g", "seq": 7, "at": day("2020-01-01")}
    with pytest.raises(StoreCorruptError, match=r"event event:\[g, 7\] of the log is damaged"):
        event_of({**row, "actor": "a", "kind": "add", "changes": changes})
