"""Rows beside the store: what they give is what the store has, whatever happened in between."""

import asyncio
import json
import os
import shutil
import sqlite3
import stat
import sys
import threading
import tracemalloc
from contextlib import closing, suppress
from zlib import crc32

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graphrag.errors import GraphRAGError
from graphrag.model.values import Entity, Episode, Fact
from graphrag.store import row_file
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
    rows_of.stamps.update(STAMPS)
    rows_of.put((key, image(number, text)) for number, key in enumerate(KEYS[:rows]))
    return rows_of


def names(rows):
    found = rows.find(KEYS)
    return {id_: json.loads(told)["name"] for (_, id_), told in found.items()}


ALL = {f"e{number}": f"name {number}" for number in range(40)}


def test_rows_are_there_at_once_and_after_the_next_opening(tmp_path):
    first = filled(tmp_path)
    assert names(first) == ALL
    first.save()
    first.close()
    second = opened(tmp_path)
    assert second.noted == STAMPS
    assert names(second) == ALL
    assert not names(opened(tmp_path, "another place"))


def test_what_was_not_saved_is_not_there_after_a_crash_and_the_rest_is(tmp_path):
    first = filled(tmp_path, 20)
    first.save()
    first.put([(KEYS[30], image(30))])
    first.drop([KEYS[0]])
    again = opened(tmp_path)
    assert names(again) == {id_: ALL[id_] for _, id_ in KEYS[:20]}
    first._flush()
    assert names(opened(tmp_path)) == {id_: ALL[id_] for _, id_ in (*KEYS[1:20], KEYS[30])}
    again.put([(KEYS[31], image("new"))])  # over what the crash left
    assert names(again)["e31"] == "name new"
    assert names(again)["e19"] == "name 19"


def test_a_row_that_changed_is_gone_or_the_new_one(tmp_path):
    rows = filled(tmp_path)
    rows.save()
    rows.drop([KEYS[3], KEYS[4], ("entity", "nobody")])
    rows.put([(KEYS[4], image("four"))])
    expected = {**ALL, "e4": "name four"}
    del expected["e3"]
    assert names(rows) == expected
    rows.save()
    rows.close()
    assert names(opened(tmp_path)) == expected


def test_nothing_is_stale_after_a_flush_that_was_interrupted(tmp_path, monkeypatch):
    rows = filled(tmp_path)
    rows.save()
    rows.drop([KEYS[3]])
    rows.put([(KEYS[4], image("four"))])

    def interrupt(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(row_file, "crc32", interrupt)
        rows.save()
    rows.stamps.update(default=(8, 2_000_000))
    rows.save()  # as of the newest event
    rows.close()
    again = opened(tmp_path)
    assert again.noted == {"default": (8, 2_000_000)}
    expected = {**ALL, "e4": "name four"}
    del expected["e3"]
    assert names(again) == expected


def test_a_file_does_not_grow_by_rows_that_were_dropped(tmp_path):
    rows = filled(tmp_path, text="x" * 1000)
    rows.save()
    rows.close()
    [path] = tmp_path.iterdir()
    before = path.stat().st_size
    for _ in range(20):
        rows.drop(KEYS[1:30])
        rows.save()
        rows.put((key, image(number, "x" * 1000)) for number, key in enumerate(KEYS[:30]))
        rows.save()
    assert names(rows) == ALL
    rows.close()
    assert names(opened(tmp_path)) == ALL
    assert path.stat().st_size < 1.2 * before


def test_nothing_of_what_was_let_go_stays_on_the_disk(tmp_path):
    rows = filled(tmp_path, text="secret " * 40_000)
    rows.save()
    rows.clear()
    assert not [*tmp_path.iterdir()]
    assert not names(rows)
    rows.put([(KEYS[2], image(2))])
    rows.save()
    rows.close()
    assert names(opened(tmp_path)) == {"e2": "name 2"}


def test_records_of_one_number_are_told_apart(tmp_path, monkeypatch):
    own = row_file._number
    monkeypatch.setattr(row_file, "_number", lambda key: 5 if key[0] == "entity" else own(key))
    rows = filled(tmp_path, 2)
    rows.save()
    assert names(rows) == {"e1": "name 1"}  # the one that was written last
    assert not rows.fault()
    rows.drop([KEYS[0]])
    rows.save()
    assert names(rows) == {}  # never that of another
    rows.put([(KEYS[0], image(0))])
    rows.save()
    assert names(rows) == {"e0": "name 0"}


def test_what_cannot_be_deleted_is_not_read_again(tmp_path, monkeypatch, caplog):
    rows = filled(tmp_path)
    rows.save()

    def refuse(*_, **__):
        raise PermissionError("held by somebody")

    with monkeypatch.context() as patch:
        patch.setattr(row_file.Path, "unlink", refuse)
        with pytest.raises(PermissionError):
            rows.clear()
    rows.stamps.update(default=(9, 1_000_000))
    rows.put([(KEYS[0], image(0))])
    rows.save()
    assert names(rows) == {}


def test_a_file_of_another_version_is_begun_anew(tmp_path, monkeypatch):
    rows = filled(tmp_path, text="x" * 1000)
    rows.save()
    rows.close()
    monkeypatch.setattr(row_file, "newest", lambda: -1)
    assert names(opened(tmp_path)) == {}
    assert [path.stat().st_size < 20_000 for path in tmp_path.glob("*.sqlite3")] == [True]


def test_a_file_of_more_groups_than_are_read_is_begun_anew(tmp_path, monkeypatch):
    rows = filled(tmp_path)
    rows.stamps.update({f"group {number}": (1, 1) for number in range(3)})
    rows.save()
    rows.close()
    monkeypatch.setattr(row_file, "_MOST_STAMPS", 4)
    assert len(opened(tmp_path).noted) == 4
    monkeypatch.setattr(row_file, "_MOST_STAMPS", 3)
    again = opened(tmp_path)
    assert not again.noted and not names(again)


def test_few_rows_are_not_worth_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(row_file, "_FEWEST", 100)
    rows = filled(tmp_path)
    rows.save()
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("harm", ["cut", "garbage", "gone"])
def test_a_damaged_file_gives_no_row_rather_than_a_wrong_one(tmp_path, harm):
    rows = filled(tmp_path)
    rows.save()
    rows.close()
    [path] = tmp_path.iterdir()
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
    st.sampled_from(["closed", "killed"]),
    st.floats(0, 1, exclude_max=True),
    st.one_of(st.integers(0, 7), st.binary(min_size=1, max_size=400)),
)
"""How it was left, where in the file of rows, and the bit to flip or what to write there."""


@given(DAMAGES)
@settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_wherever_a_file_is_damaged_it_gives_no_wrong_row(tmp_path_factory, caplog, damage):
    folder = tmp_path_factory.mktemp("rows")
    rows = filled(folder, text="so it was " * 5)
    rows.save()
    rows.drop(KEYS[:3])
    rows.put([(KEYS[0], image("new"))])
    rows.stamps["default"] = newest = 8, 2_000_000
    right = rows.find(KEYS)
    rows.save()
    left, where, what = damage
    if left == "killed":
        rows, folder = None, shutil.copytree(folder, folder / "killed")
    else:
        rows.close()
    path = max(folder.iterdir(), key=lambda file: file.suffix.endswith("wal"))
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
    if left == "closed":
        assert found.items() <= right.items()
        assert found == right or caplog.text or again.fault()
    else:  # an end that is lost leaves what was before, which says so
        assert found.items() <= right.items() or again.noted.get("default") != newest
    for _ in range(3):
        again.find(KEYS)
    assert caplog.text.count("are of no use") <= 1
    assert not same or found == right
    again.put([(KEYS[7], image("seven"))])
    assert json.loads(again.find(KEYS[7:8])[KEYS[7]])["name"] == "name seven"
    again.save()
    again.close()
    assert names(opened(folder))["e7"] == "name seven"


def checked(name, data):
    key = (*name.split(":"),)
    frame = row_file._name(key) + data
    return row_file._number(key), crc32(frame), frame


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("CREATE TABLE more (x)", ()),
        ("CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM rows; END", ()),
        ("CREATE VIEW more AS SELECT * FROM rows", ()),
        ("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", checked("entity:e1", bytes(3 << 20))),
        ("UPDATE rows SET frame = 5", ()),
        ("UPDATE rows SET checksum = 'x'", ()),
        ("UPDATE rows SET frame = frame || 'x'", ()),
        ("INSERT INTO rows VALUES (?, ?, ?)", checked("group_info:a", b"[" * 500_000)),
        ("INSERT INTO rows VALUES (?, ?, ?)", checked("group_info:a", b"[1, Infinity]")),
        ("INSERT INTO rows VALUES (?, ?, ?)", checked("group_info:a", b"7")),
        ("INSERT INTO rows VALUES (?, ?, ?)", checked("group_info:a", b"[1, null]")),
        ("INSERT INTO rows VALUES (?, ?, ?)", checked(f"group_info:{'a' * 5_000}", b"[1, 2]")),
        ("INSERT INTO rows VALUES (-5, 1, zeroblob(64 << 20))", ()),
        ("UPDATE rows SET frame = zeroblob(9 << 20)", ()),
        ("PRAGMA user_version = 7", ()),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)
def test_a_file_that_somebody_made_gives_nothing_and_costs_nothing(tmp_path, sql, values):
    rows = filled(tmp_path)
    rows.save()
    rows.close()
    [path] = tmp_path.iterdir()
    with closing(sqlite3.connect(path)) as database, database, suppress(sqlite3.IntegrityError):
        database.execute(sql, values)
    tracemalloc.start()
    try:
        again = opened(tmp_path)
        assert not names(again)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
    again.put([(KEYS[7], image("seven"))])
    assert names(again) == {"e7": "name seven"}


@pytest.mark.skipif(sys.platform == "win32", reason="links")
@pytest.mark.parametrize("part", ["", "-wal", "-shm", "-journal", "folder"])
def test_a_link_beside_a_store_is_not_followed(tmp_path, part):
    folder, victim = tmp_path / "rows", tmp_path / "victim"
    folder.mkdir()
    rows = filled(folder)
    rows.save()
    rows.close()
    victim.write_bytes(b"mine")
    [path] = folder.iterdir()
    if part == "folder":
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        path = path.with_name(path.name + part)
        path.unlink(missing_ok=True)
        path.symlink_to(victim)
    elsewhere = sorted((tmp_path / "elsewhere").glob("*"))
    rows = opened(folder)
    rows.put([(key, image(1)) for key in KEYS])
    rows.save()
    rows.close()
    assert victim.read_bytes() == b"mine"
    assert sorted((tmp_path / "elsewhere").glob("*")) == elsewhere


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_pipe_beside_a_store_is_not_waited_for(tmp_path):
    rows = filled(tmp_path)
    rows.save()
    rows.close()
    [path] = tmp_path.iterdir()
    path.unlink()
    os.mkfifo(path)
    assert not names(opened(tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_what_is_beside_a_store_is_for_its_owner_alone(tmp_path):
    before = os.umask(0o022)
    try:
        filled(tmp_path / "rows").save()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "rows").stat().st_mode) == 0o700
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "rows").iterdir()}
    assert modes == {0o600} and len([*(tmp_path / "rows").iterdir()]) == 3


def test_a_full_disk_costs_the_file_and_nothing_else(tmp_path, caplog):
    (tmp_path / "rows").write_text("in the way")
    rows = filled(tmp_path / "rows")
    rows.save()
    assert "nothing is lost" in caplog.text
    assert not names(rows)
    rows.put([(KEYS[1], image(1))])
    assert not names(rows)


async def check(graph, store):
    """Compare what is read from the file with what the store has."""
    for kind in (Fact, Entity, Episode):
        ids = await ids_of(store, kind)
        stored = await store._read(kind, ids)
        for forget_memory in (False, True):
            if forget_memory:
                store.cache.release()
            assert store.cache.find(kind, ids).items() <= stored.items()
            assert await store.get(kind, ids) == stored
        store.cache.release()
        assert store.cache.find(kind, ids) == stored


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
    max_examples=3,
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
    assert any(b"Ann works_at" in path.read_bytes() for path in folder.iterdir())
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
        store.cache.release()
        ids = await ids_of(store, Fact)
        return store.cache.find(Fact, ids), await store._read(Fact, ids)


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
    write = rows.checkpoint()
    rows.put([(KEYS[20], image(20))])
    rows.drop([KEYS[0]])
    write()
    after_crash = opened(tmp_path)
    assert names(after_crash) == {id_: ALL[id_] for _, id_ in KEYS[:20]}
    assert after_crash.noted == STAMPS
    late = rows.checkpoint()
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
        store = graph.handle.session.store
        assert store.cache.rows.find([("relates_to", id_) for id_ in await ids_of(store, Fact)])


@pytest.mark.parametrize("closed", ["before", "during", "after"])
def test_an_erase_during_a_checkpoint_leaves_nothing_and_the_file_in_use(
    tmp_path, monkeypatch, caplog, closed
):
    rows = filled(tmp_path / "rows")
    write, connect = rows.checkpoint(), sqlite3.connect
    erasing = threading.Thread(target=rows.clear)

    def connecting(*given, **options):
        database = connect(*given, **options)
        erasing.start()
        erasing.join(0.2)
        return database

    if closed == "before":
        rows.clear()
    if closed == "during":
        monkeypatch.setattr(sqlite3, "connect", connecting)
    write()
    monkeypatch.undo()
    monkeypatch.setattr(row_file, "_FEWEST", 1)
    if closed == "during":
        erasing.join()
    if closed == "after":
        rows.clear()
    assert list((tmp_path / "rows").iterdir()) == []
    assert caplog.text == ""
    rows.put([(KEYS[0], image(0, "new"))])
    rows.save()
    assert opened(tmp_path / "rows").find(KEYS) == {KEYS[0]: image(0, "new").encode()}
