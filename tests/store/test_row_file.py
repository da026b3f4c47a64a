"""Rows beside the store: what they give is what the store has, whatever happened in between."""

import asyncio
import json
import shutil
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graphrag.errors import GraphRAGError
from graphrag.models import Entity, Episode, Fact
from graphrag.store import row_file
from graphrag.store.places import Places, hash_of
from graphrag.store.row_file import RowFile
from tests.conftest import open_graph
from tests.store.test_held import STEPS, ids_of, step

KEYS = [("entity", f"e{number}") for number in range(40)]
OPENED: list[RowFile] = []
STAMPS = {"default": (7, 1_000_000)}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    """Let a file of few rows be worth keeping, and close what was opened."""
    monkeypatch.setattr(row_file, "_FEWEST", 1)
    OPENED.clear()
    yield
    for rows in OPENED:
        rows.close()


def image(number, text="", **more):
    return json.dumps({"name": f"name {number}", "text": text, **more})


def opened(folder, place="place"):
    OPENED.append(RowFile(folder, place))
    return OPENED[-1]


def filled(folder, rows=40, text=""):
    rows_of = opened(folder)
    rows_of.put((key, image(number, text)) for number, key in enumerate(KEYS[:rows]))
    return rows_of


def names(rows):
    found = rows.find(KEYS)
    return {id_: json.loads(told)["name"] for (_, id_), told in found.items()}


ALL = {f"e{number}": f"name {number}" for number in range(40)}


def test_rows_are_there_at_once_and_after_the_next_opening(tmp_path):
    first = filled(tmp_path)
    assert names(first) == ALL
    first.save(STAMPS)
    first.close()
    second = opened(tmp_path)
    assert second.stamps == STAMPS
    assert names(second) == ALL
    assert not names(opened(tmp_path, "another place"))


def test_what_was_not_saved_is_not_there_after_a_crash_and_the_rest_is(tmp_path):
    first = filled(tmp_path, 20)
    first.save(STAMPS)
    first.put([(KEYS[30], image(30))])
    first.drop([KEYS[0]])
    first._flush()
    again = opened(tmp_path)
    assert names(again) == {id_: ALL[id_] for _, id_ in KEYS[:20]}
    again.put([(KEYS[31], image("new"))])  # over what the crash left
    assert names(again)["e31"] == "name new"
    assert names(again)["e19"] == "name 19"


def test_a_row_that_changed_is_gone_or_the_new_one(tmp_path):
    rows = filled(tmp_path)
    rows.save(STAMPS)
    rows.drop([KEYS[3], KEYS[4], ("entity", "nobody")])
    rows.put([(KEYS[4], image("four"))])
    expected = {**ALL, "e4": "name four"}
    del expected["e3"]
    assert names(rows) == expected
    rows.save(STAMPS)
    rows.close()
    assert names(opened(tmp_path)) == expected


def test_a_file_of_many_dropped_rows_is_written_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(row_file, "_SPARE", 0)
    rows = filled(tmp_path, text="x" * 1000)
    rows.save(STAMPS)
    before = sum(path.stat().st_size for path in tmp_path.iterdir())
    rows.drop(KEYS[1:30])
    rows.save(STAMPS)
    left = {id_: name for id_, name in ALL.items() if id_ == "e0" or int(id_[1:]) >= 30}
    assert names(rows) == left
    rows.put([(KEYS[1], image(1))])
    rows.save(STAMPS)
    rows.close()
    assert names(opened(tmp_path)) == left | {"e1": "name 1"}
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < before / 2
    assert len([*tmp_path.glob("*.rows")]) == 1


def test_nothing_of_what_was_let_go_stays_on_the_disk(tmp_path):
    rows = filled(tmp_path, text="secret " * 40_000)
    rows.save(STAMPS)
    rows.clear()
    assert not [*tmp_path.iterdir()]
    assert not names(rows)
    rows.put([(KEYS[2], image(2))])
    rows.save(STAMPS)
    rows.close()
    assert names(opened(tmp_path)) == {"e2": "name 2"}


def test_few_rows_are_not_worth_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(row_file, "_FEWEST", 100)
    rows = filled(tmp_path)
    rows.save(STAMPS)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("part", ["places", "rows"])
@pytest.mark.parametrize("harm", ["cut", "garbage", "gone"])
def test_a_damaged_file_gives_no_row_rather_than_a_wrong_one(tmp_path, part, harm):
    rows = filled(tmp_path)
    rows.save(STAMPS)
    rows.close()
    [path] = tmp_path.glob(f"*.{part}")
    data = path.read_bytes()
    match harm:
        case "cut":
            path.write_bytes(data[: len(data) // 2])
        case "garbage":
            path.write_bytes(bytes(255 - byte for byte in data))
        case "gone":
            path.unlink()
    assert not names(opened(tmp_path))


def test_a_full_disk_costs_the_file_and_nothing_else(tmp_path, caplog):
    (tmp_path / "rows").write_text("in the way")
    rows = filled(tmp_path / "rows")
    rows.save(STAMPS)
    assert "nothing is lost" in caplog.text
    assert not names(rows)
    rows.put([(KEYS[1], image(1))])
    assert not names(rows)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=40))
@settings(deadline=None)
def test_places_are_a_mapping(steps):
    places, expected, at = Places(), {}, 0
    for number, verb in steps:
        match verb:
            case 0 | 1:
                at += 100
                expected[KEYS[number]] = at, number + 1
                places.enter(KEYS[number], expected[KEYS[number]])
            case 2:
                assert places.drop([KEYS[number]]) == (KEYS[number] in expected)
                expected.pop(KEYS[number], None)
            case 3:
                places.sort()
                assert places.in_order() == sorted(expected.values())
                places = Places(places.as_bytes())
        assert places.find(KEYS[:10]) == expected
        assert len(places) == len(expected)
        assert places.live == sum(size for _, size in expected.values())


def test_records_of_one_hash_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setattr("graphrag.store.places.hash_of", lambda key: hash_of(("entity", "same")))
    rows = filled(tmp_path, 2)
    assert names(rows) == {"e1": "name 1"}


async def check(graph, store):
    """Compare what is read from the file with what the store has."""
    for kind in (Fact, Entity, Episode):
        ids = await ids_of(store, kind)
        stored = await store._read(kind, ids)
        for forget_memory in (False, True):
            if forget_memory:
                store.held.release()
            assert store.held.find(kind, ids).items() <= stored.items()
            assert await store.get(kind, ids) == stored
        store.held.release()
        assert store.held.find(kind, ids) == stored


async def lived(steps, folder):
    url = f"surrealkv://{folder}/store"
    rows, kept = folder / "store" / "rows", folder / "rows"
    graph = open_graph(url)
    await graph.__aenter__()
    try:
        store = graph._open().store
        await step(graph, store, "tell", 0, 0, 2010)
        for number, one in enumerate(steps):
            if number % 3 == 2:
                await graph.close()
                if number % 2 and kept.exists():  # as a crash leaves it: an earlier one
                    shutil.rmtree(rows, ignore_errors=True)
                    shutil.copytree(kept, rows)
                elif rows.exists():
                    shutil.rmtree(kept, ignore_errors=True)
                    shutil.copytree(rows, kept)
                graph = open_graph(url)
                await graph.__aenter__()
                store = graph._open().store
                await graph.search("Ann")
            with suppress(GraphRAGError, ZeroDivisionError):
                await step(graph, store, *one)
            await check(graph, store)
    finally:
        await graph.close()


@given(STEPS.filter(lambda steps: len(steps) > 4))
@settings(
    max_examples=5,
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_what_the_file_gives_is_what_the_store_has(tmp_path_factory, steps):
    asyncio.run(lived(steps, tmp_path_factory.mktemp("lived")))


async def test_what_is_forgotten_is_not_left_beside_the_store(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await graph.add_episode("Ann works_at Acme from 2020-01-01.", reference_time="2020-02-01")
        await graph.add_episode("Bob works_at Acme from 2020-01-01.", reference_time="2020-02-01")
    folder = tmp_path / "store" / "rows"
    assert any(b"Ann works_at" in path.read_bytes() for path in folder.glob("*.rows"))
    async with open_graph(url) as graph:
        await graph.forget("Ann")
    assert not any(b"Ann" in path.read_bytes() for path in folder.glob("*"))
    async with open_graph(url) as graph:
        [fact] = (await graph.search("Bob", scopes=["facts"])).facts
        assert fact.item.subject == "Bob"
        await graph.forget(group="default")
        assert not folder.exists() or not [*folder.iterdir()]


async def facts_beside(url):
    """Return the facts as the file gives them, and as the store has them."""
    async with open_graph(url) as graph:
        store = graph._open().store
        await graph.search("Ann")
        store.held.release()
        ids = await ids_of(store, Fact)
        return store.held.find(Fact, ids), await store._read(Fact, ids)


async def told(url, *places):
    async with open_graph(url) as graph:
        for place in places:
            text = f"Ann knows {place} from 2020-01-01."
            await graph.add_episode(text, reference_time="2020-02-01")


async def test_after_a_crash_what_newer_events_touched_is_read_from_the_store(tmp_path):
    url, kept = f"surrealkv://{tmp_path}/store", tmp_path / "kept"
    folder = tmp_path / "store" / "rows"
    await told(url, "Rome", "Oslo")
    shutil.copytree(folder, kept)
    async with open_graph(url) as graph:
        rome = (await graph.search("Rome", scopes=["facts"])).facts[0]
        await graph.retract(rome.item, "wrong")
    shutil.rmtree(folder)
    shutil.copytree(kept, folder)
    beside, stored = await facts_beside(url)
    assert beside.keys() == stored.keys() - {rome.item.id}
    assert beside.items() <= stored.items()


async def test_rows_of_another_history_are_not_believed(tmp_path):
    mine, other = (f"surrealkv://{tmp_path}/{name}/store" for name in ("mine", "other"))
    await told(mine, "Rome")
    shutil.copytree(tmp_path / "mine", tmp_path / "other")
    await told(other, "Oslo")  # where the fact of Rome holds on
    async with open_graph(mine) as graph:
        rome = (await graph.search("Rome", scopes=["facts"])).facts[0]
        await graph.retract(rome.item, "wrong")
    folder = tmp_path / "mine" / "store" / "rows"
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "other" / "store" / "rows", folder)
    beside, stored = await facts_beside(mine)
    assert stored[rome.item.id].retracted_at is not None
    assert beside.items() <= stored.items()


def test_a_checkpoint_is_what_the_next_opening_finds_if_nothing_is_closed(tmp_path):
    rows = filled(tmp_path, 20)
    write = rows.checkpoint(STAMPS)
    rows.put([(KEYS[20], image(20))])
    rows.drop([KEYS[0]])
    write()
    after_crash = opened(tmp_path)
    assert names(after_crash) == {id_: ALL[id_] for _, id_ in KEYS[:20]}
    assert after_crash.stamps == STAMPS
    late = rows.checkpoint(STAMPS)
    rows.clear()
    late()
    assert not names(opened(tmp_path))
    assert not any(b"name 1" in path.read_bytes() for path in tmp_path.iterdir())


async def test_a_group_that_is_empty_does_not_cost_the_others_their_rows(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    await told(url, "Rome")
    async with open_graph(url) as graph:
        await graph._open().catalog.group("empty")
        await graph.add_episode("Bob knows Oslo from 2020-01-01.", reference_time="2020-02-01")
    async with open_graph(url) as graph:
        await graph._open().catalog.group("empty")
        assert len(graph._open().store.held.rows)
