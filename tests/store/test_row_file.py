"""Rows beside the store: what they give is what the store has, whatever happened in between."""

import asyncio
import json
import os
import shutil
import stat
import sys
import tracemalloc
from contextlib import suppress
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graphrag.errors import GraphRAGError
from graphrag.model.values import Entity, Episode, Fact
from graphrag.store import cache_file, row_file
from graphrag.store.offsets import _PLACE, Places, hash_of
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


DAMAGES = st.tuples(
    st.sampled_from([".places", ".rows"]),
    st.floats(0, 1, exclude_max=True),
    st.one_of(st.integers(0, 7), st.binary(min_size=1, max_size=400)),
)
"""In which file, where in it, and the bit to flip or what to write there."""


@given(DAMAGES)
@settings(
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_wherever_a_file_is_damaged_it_gives_no_wrong_row(tmp_path_factory, caplog, damage):
    folder = tmp_path_factory.mktemp("rows")
    rows = filled(folder, text="so it was " * 5)
    rows.drop(KEYS[:3])
    rows.put([(KEYS[0], image("new"))])
    right = rows.find(KEYS)
    rows.save(STAMPS)
    rows.close()
    part, where, what = damage
    [path] = (path for path in folder.iterdir() if path.suffix == part)
    data = bytearray(path.read_bytes())
    at = int(where * len(data))
    if isinstance(what, int):
        data[at] ^= 1 << what
    else:
        data[at : at + len(what)] = what
    same = bytes(data) == path.read_bytes()
    path.write_bytes(data)
    caplog.clear()
    again = opened(folder)
    found = again.find(KEYS)
    assert found.items() <= right.items()
    assert same or part == ".rows" or not found
    for _ in range(3):
        again.find(KEYS)
    assert caplog.text.count("are of no use") == (found != right)
    again.put([(KEYS[7], image("seven"))])
    assert json.loads(again.find(KEYS[7:8])[KEYS[7]])["name"] == "name seven"
    again.save(STAMPS)
    again.close()
    assert names(opened(folder))["e7"] == "name seven"


def forged(folder, **head):
    """Return the path of a file of places that says what it likes, with the right checksums."""
    [path] = folder.glob("*.places")
    with path.open("rb") as file:
        told = cache_file.read_head(file)
        places = head.pop("places", file.read())
    told |= {"checksum": crc32(places), "count": len(places) // 24, **head}
    cache_file.write_whole(path, told, [places])
    return path


BIG = np.array([(5, 0, 2**32 - 1, 0)], dtype=_PLACE).tobytes()
FAR = np.array([(5, 2**64 - 4, 8, 0)], dtype=_PLACE).tobytes()
UNTIDY = np.array([(9, 0, 5, 0), (3, 2, 7, 0)], dtype=_PLACE).tobytes()


@pytest.mark.parametrize(
    "head",
    [
        {"places": BIG, "length": 2**40},
        {"places": FAR},
        {"places": UNTIDY},
        {"places": b"not so many"},
        {"length": 2**70},
        {"length": float("inf")},
        {"length": None},
        {"number": "../../victim"},
        {"number": 10**400},
        {"stamps": {"default": 7}},
        {"stamps": []},
        {"checksum": "x"},
        {"code": None},
    ],
    ids=str,
)
def test_a_file_that_somebody_made_gives_nothing_and_costs_nothing(tmp_path, head):
    rows = filled(tmp_path)
    rows.save(STAMPS)
    rows.close()
    forged(tmp_path, **head)
    tracemalloc.start()
    assert not names(opened(tmp_path))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_a_head_that_is_nested_without_end_is_no_head(tmp_path):
    rows = filled(tmp_path)
    rows.save(STAMPS)
    rows.close()
    [path] = tmp_path.glob("*.places")
    text = b'{"code": ' + b"[" * 500_000
    path.write_bytes(b"%08x %b\n" % (crc32(text), text))
    assert not names(opened(tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="links")
@pytest.mark.parametrize("part", [".places", ".rows", ".partial", "folder"])
def test_a_link_beside_a_store_is_not_followed(tmp_path, part):
    folder, victim = tmp_path / "rows", tmp_path / "victim"
    folder.mkdir()
    rows = filled(folder)
    rows.save(STAMPS)
    rows.close()
    victim.write_bytes(b"mine")
    [places] = folder.glob("*.places")
    if part == "folder":
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        path = (
            places.with_suffix(".partial")
            if part == ".partial"
            else next(path for path in folder.iterdir() if path.suffix == part)
        )
        path.unlink(missing_ok=True)
        path.symlink_to(victim)
    elsewhere = sorted((tmp_path / "elsewhere").glob("*"))
    rows = opened(folder)
    rows.put([(key, image(1)) for key in KEYS])
    rows.save(STAMPS)
    rows.close()
    assert victim.read_bytes() == b"mine"
    assert sorted((tmp_path / "elsewhere").glob("*")) == elsewhere


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_pipe_beside_a_store_is_not_waited_for(tmp_path):
    rows = filled(tmp_path)
    rows.save(STAMPS)
    rows.close()
    [path] = tmp_path.glob("*.places")
    path.unlink()
    os.mkfifo(path)
    assert not names(opened(tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_what_is_beside_a_store_is_for_its_owner_alone(tmp_path):
    before = os.umask(0o022)
    try:
        rows = filled(tmp_path / "rows")
        rows.save(STAMPS)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "rows").stat().st_mode) == 0o700
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "rows").iterdir()}
    assert modes == {0o600}


def test_a_full_disk_costs_the_file_and_nothing_else(tmp_path, caplog):
    (tmp_path / "rows").write_text("in the way")
    rows = filled(tmp_path / "rows")
    rows.save(STAMPS)
    assert "nothing is lost" in caplog.text
    assert not names(rows)
    rows.put([(KEYS[1], image(1))])
    assert not names(rows)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=40))
def test_places_are_a_mapping(steps):
    places, expected, at = Places(), {}, 0
    for number, verb in steps:
        match verb:
            case 0 | 1:
                at += 100
                expected[KEYS[number]] = at, number + 1, at ^ number
                places.enter([(KEYS[number], expected[KEYS[number]])])
            case 2:
                assert places.drop([KEYS[number]]) == (KEYS[number] in expected)
                expected.pop(KEYS[number], None)
            case 3:
                places.sort()
                assert places.in_order() == sorted(expected.values())
                places = Places(places.as_bytes())
        assert places.find(KEYS[:10]) == expected
        assert len(places) == len(expected)
        assert places.live == sum(size for _, size, _ in expected.values())


def test_records_of_one_hash_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setattr("graphrag.store.offsets.hash_of", lambda key: hash_of(("entity", "same")))
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
        store = graph.handle.session.store
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
                store = graph.handle.session.store
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
        await graph.erase.entity("Ann")
    assert not any(b"Ann" in path.read_bytes() for path in folder.glob("*"))
    async with open_graph(url) as graph:
        [fact] = (await graph.search("Bob", scopes=["facts"])).facts
        assert fact.item.subject == "Bob"
        await graph.erase.group(confirm="default")
        assert not folder.exists() or not [*folder.iterdir()]


async def facts_beside(url):
    """Return the facts as the file gives them, and as the store has them."""
    async with open_graph(url) as graph:
        store = graph.handle.session.store
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
        await graph.edit.retract(rome.item, "wrong")
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
        await graph.edit.retract(rome.item, "wrong")
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
        await graph.handle.session.catalog.group("empty")
        await graph.add_episode("Bob knows Oslo from 2020-01-01.", reference_time="2020-02-01")
    async with open_graph(url) as graph:
        await graph.handle.session.catalog.group("empty")
        assert len(graph.handle.session.store.held.rows)


@pytest.mark.parametrize("closed", ["before", "during", "after"])
def test_an_erase_during_a_checkpoint_leaves_nothing_and_the_file_in_use(
    tmp_path, monkeypatch, caplog, closed
):
    rows = filled(tmp_path / "rows")
    write, synchronize = rows.checkpoint(STAMPS), os.fsync

    def erasing(descriptor):
        if closed == "during":
            rows.clear()
        synchronize(descriptor)  # of a file that may be closed by now
        if closed == "after":
            rows.clear()

    if closed == "before":
        rows.clear()
    monkeypatch.setattr(row_file.os, "fsync", erasing)
    write()
    monkeypatch.undo()
    monkeypatch.setattr(row_file, "_FEWEST", 1)
    assert list((tmp_path / "rows").iterdir()) == []
    assert caplog.text == ""
    rows.put([(KEYS[0], image(0, "new"))])
    rows.save(STAMPS)
    assert opened(tmp_path / "rows").find(KEYS) == {KEYS[0]: image(0, "new").encode()}
