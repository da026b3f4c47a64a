"""A full disk, a torn log: what was refused is gone, what was acknowledged is kept."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from contextlib import contextmanager
from pathlib import Path

import pytest

from graphrag.errors import StoreCorruptError, StoreDiskError, StoreURLError, TransactionError
from graphrag.store import renewal
from graphrag.store.process import WriteAheadLog
from graphrag.store.record import Record
from graphrag.store.renewal import open_flushing
from graphrag.store.target import Target
from tests.benchmarks.full_disk import Way, fill
from tests.conftest import open_graph

if sys.platform == "win32":
    pytest.skip("limits and signals", allow_module_level=True)
import resource

ROOT = Path(__file__).parents[2]
BLOCK = 32_768
Usage = namedtuple("Usage", "total used free")


async def opened(path):
    engine = await open_flushing(Target.parse(f"surrealkv://{path}"))
    await engine.send("DEFINE TABLE IF NOT EXISTS scratch;", {})
    return engine


async def put(engine, number, size=10):
    """Write one row, and return why it was refused, if it was."""
    row = {"id": Record("scratch", number), "text": "x" * size}
    rows = await engine.send("BEGIN;\nINSERT INTO scratch $rows;\nCOMMIT;", {"rows": [row]})
    return None if rows[-1]["status"] == "OK" else rows[-1]["result"]


async def numbers(engine):
    [row] = await engine.send("SELECT VALUE record::id(id) FROM scratch;", {})
    return sorted(row["result"])


def log_of(path):
    [segment] = (path / "wal").glob("*.wal")
    return segment


def killed(path, copy):
    """Return a store as it would be if its process had been killed now."""
    shutil.copytree(path, copy)
    return copy


@contextmanager
def room_for(more, path):
    """Let files grow by some bytes more than the log of a store has, and no further."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log_of(path).stat().st_size + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    "end",
    [2 * BLOCK, 3 * BLOCK, 3 * BLOCK + 100, 2 * BLOCK + 3, 4 * BLOCK - 3, -300, -20_000],
)
@pytest.mark.parametrize("zeros", [0, 5_000])
async def test_after_a_torn_log_no_acknowledged_transaction_is_lost_at_the_next_kill(
    tmp_path, end, zeros
):
    engine = await opened(tmp_path / "store")
    for number in range(3):
        assert await put(engine, number) is None
    assert await put(engine, 3, 200_000) is None
    torn = killed(tmp_path / "store", tmp_path / "torn")
    await engine.close()
    size = log_of(torn).stat().st_size
    os.truncate(log_of(torn), size + end if end < 0 else end)
    with log_of(torn).open("ab") as log:
        log.write(bytes(zeros))  # as a file system leaves it that lost its power

    engine = await opened(torn)
    assert await numbers(engine) == [0, 1, 2]
    for number in range(10, 13):
        assert await put(engine, number) is None
    again = killed(torn, tmp_path / "again")
    await engine.close()
    engine = await opened(again)
    assert await numbers(engine) == [0, 1, 2, 10, 11, 12]
    await engine.close()


@pytest.mark.parametrize("place", ["checksum", "length", "kind", "content"])
@pytest.mark.parametrize("size", [100, 100_000])
async def test_a_log_with_damage_amid_its_records_is_refused_and_the_rest_can_be_kept(
    tmp_path, place, size
):
    engine = await opened(tmp_path / "store")
    assert await put(engine, 0) is None
    before = log_of(tmp_path / "store").stat().st_size
    for number in (1, 2):
        assert await put(engine, number, size) is None
    damaged = killed(tmp_path / "store", tmp_path / "damaged")
    await engine.close()
    with log_of(damaged).open("r+b") as log:
        at = before + {"checksum": 1, "length": 4, "kind": 6, "content": 90}[place]
        log.seek(at)
        [byte] = log.read(1)
        log.seek(at)
        log.write(bytes([byte ^ 4]))

    with pytest.raises(StoreCorruptError, match=rf"damaged at byte {before:,} .*cut the file to"):
        await opened(damaged)
    os.truncate(log_of(damaged), before)
    engine = await opened(damaged)
    assert await numbers(engine) == [0]
    await engine.close()


async def test_a_log_that_was_repaired_is_written_to_where_it_will_be_read(tmp_path):
    engine = await opened(tmp_path / "store")
    for number in range(3):
        assert await put(engine, number, 100) is None
    whole = log_of(tmp_path / "store").stat().st_size
    assert await put(engine, 3, 500) is None
    damaged = killed(tmp_path / "store", tmp_path / "damaged")
    await engine.close()
    with log_of(damaged).open("r+b") as log:
        log.seek(whole + 40)
        log.write(b"no checksum fits this")
    engine = await opened(damaged)
    assert await numbers(engine) == [0, 1, 2]
    assert await put(engine, 10) is None
    again = killed(damaged, tmp_path / "again")
    await engine.close()
    engine = await opened(again)
    assert await numbers(engine) == [0, 1, 2, 10]
    await engine.close()


@pytest.mark.parametrize(
    ("size", "more"), [(300, 0), (300, 100), (9_000, 4_000), (200_000, 0), (200_000, 70_000)]
)
@pytest.mark.parametrize("then", ["written to", "closed", "killed"])
async def test_what_a_full_disk_refused_does_not_come_back(tmp_path, size, more, then):
    path = tmp_path / "store"
    engine = await opened(path)
    for number in range(3):
        assert await put(engine, number, 1_000) is None
    with room_for(more, path):
        assert "os error" in await put(engine, 3, size)
        assert await numbers(engine) == [0, 1, 2]
    acknowledged = [0, 1, 2]
    match then:
        case "written to":
            assert await put(engine, 4) is None
            assert await numbers(engine) == [0, 1, 2, 4]
            acknowledged.append(4)
        case "killed":
            path = killed(path, tmp_path / "copy")
    await engine.close()
    engine = await opened(path)
    assert await numbers(engine) == acknowledged
    assert await put(engine, 3) is None  # of the same key
    assert not list(path.glob("refused-*"))
    await engine.close()


async def test_a_mark_of_a_log_that_is_in_tables_cuts_no_later_one(tmp_path):
    engine = await opened(tmp_path / "store")
    assert await put(engine, 0) is None
    [first] = (tmp_path / "store" / "wal").iterdir()
    await engine.close()
    engine = await opened(tmp_path / "store")
    assert await put(engine, 1) is None
    copy = killed(tmp_path / "store", tmp_path / "copy")
    await engine.close()
    assert not (copy / "wal" / first.name).exists()
    (copy / f"refused-{first.name}-10").touch()
    engine = await opened(copy)
    assert await numbers(engine) == [0, 1]
    await engine.close()


async def test_a_store_that_is_just_being_closed_is_mended_before_it_is_opened(
    tmp_path, monkeypatch
):
    engine = await opened(tmp_path / "store")
    await engine.close()
    (mark := tmp_path / "store" / "refused-00000000000000000009.wal-10").touch()
    mend, looks = WriteAheadLog.mend, []

    def late(log):
        looks.append(log)  # the lock is free a moment after the first look
        return len(looks) > 1 and mend(log)

    monkeypatch.setattr(WriteAheadLog, "mend", late)
    engine = await opened(tmp_path / "store")
    assert not mark.exists()
    await engine.close()


async def test_no_other_process_mends_a_log_that_is_being_written(tmp_path):
    engine = await opened(tmp_path / "store")
    assert await put(engine, 1, 100_000) is None
    os.truncate(log_of(tmp_path / "store"), 50_000)  # as if it were half written
    WriteAheadLog(tmp_path / "store").mend()
    assert log_of(tmp_path / "store").stat().st_size == 50_000
    await engine.close()


async def test_a_transaction_that_the_disk_has_no_room_for_is_not_tried(tmp_path, monkeypatch):
    free = [1 << 30]
    monkeypatch.setattr(renewal.shutil, "disk_usage", lambda _: Usage(0, 0, free[0]))
    async with open_graph(f"surrealkv://{tmp_path}/store") as graph:
        await graph.add_episode("Ann works_at Acme.", reference_time="2020-01-01")
        before = log_of(tmp_path / "store").stat().st_size
        free[0] = 1 << 20
        for _ in range(2):
            with pytest.raises(TransactionError, match=r"the disk of .*store is full: 1\.0 MB"):
                await graph.add_episode("Ann knows Bob.", reference_time="2020-01-02")
        assert log_of(tmp_path / "store").stat().st_size == before
        assert len((await graph.search("Ann")).facts) == 1
        free[0] = 1 << 30
        await graph.add_episode("Ann knows Bob.", reference_time="2020-01-02")
        assert (await graph.health.check_all()).sound


async def test_a_long_log_is_brought_into_tables_before_the_disk_is_too_full(tmp_path, monkeypatch):
    free = [1 << 30]
    monkeypatch.setattr(renewal.shutil, "disk_usage", lambda _: Usage(0, 0, free[0]))
    engine = await opened(tmp_path / "store")
    for number in range(3):
        assert await put(engine, number, 1 << 20) is None
    free[0] = 6 << 20  # enough for the log once more, not for that and the next
    assert await put(engine, 3, 300_000) is None
    assert list((tmp_path / "store").glob("sstables/*.sst"))
    assert await numbers(engine) == [0, 1, 2, 3]
    await engine.close()


async def test_transactions_side_by_side_are_all_kept_or_refused(tmp_path):
    engine = await opened(tmp_path / "store")
    with room_for(50_000, tmp_path / "store"):
        refused = await asyncio.gather(*(put(engine, number, 9_000) for number in range(12)))
    kept = [number for number, why in enumerate(refused) if why is None]
    assert 0 < len(kept)
    assert any(refused)
    assert await numbers(engine) == kept
    await engine.close()
    engine = await opened(tmp_path / "store")
    assert await numbers(engine) == kept
    await engine.close()


@pytest.mark.parametrize(
    "way",
    [
        Way(0, 300_000, "mixed", "close", False, True, True, limited=True),
        Way(1, 200_000, "small", "kill", False, False, True, limited=True),
        Way(2, 300_000, "large", "exit", False, True, False, limited=True),
    ],
    ids=str,
)
async def test_a_process_that_fills_the_disk_leaves_a_whole_graph(tmp_path, way):
    filled = await fill(way, tmp_path)
    assert filled.lost == filled.back == filled.findings == []
    assert filled.acknowledged and filled.refused


OPENING = """
import asyncio, os, resource, sys
from graphrag.errors import StoreError
from tests.conftest import open_graph

async def attempt(url):
    async with open_graph(url) as graph:
        await graph.add_episode("Ann works_at Acme.", reference_time="2020-01-01")

asyncio.run(attempt("mem://"))
match sys.argv[2]:
    case "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    case "read-only" if os.geteuid() == 0:
        os.seteuid(65534)
try:
    asyncio.run(attempt(sys.argv[1]))
except StoreError as error:
    os.write(1, f"{type(error).__name__} {error}".encode())
"""


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("full", ("StoreDiskError", "the disk is full", "make room")),
        ("read-only", ("StoreDiskError", "cannot be written to", "make it writable")),
    ],
)
@pytest.mark.parametrize("new", [True, False])
async def test_a_disk_that_cannot_be_written_to_is_said_when_it_is_opened(
    tmp_path, kind, words, new
):
    place = tmp_path / "place"
    place.mkdir()
    if not new:
        await (await opened(place / "store")).close()
    for path in (place, *place.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in (tmp_path, *list(tmp_path.parents)[:3]):
        path.chmod(0o755)  # who is nobody may look in here
    script = [sys.executable, "-c", OPENING, f"surrealkv://{place}/store", kind]
    try:
        done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, timeout=120)
    finally:
        for path in (place, *place.rglob("*")):
            path.chmod(0o755)
    assert all(word in done.stdout for word in words), (done.stdout, done.stderr)
    assert str(place) in done.stdout


def test_a_disk_error_is_no_error_of_the_url():
    assert not issubclass(StoreDiskError, ValueError)


@pytest.mark.parametrize("under", ["", "/store", "/store/deep"])
def test_a_folder_that_may_not_be_looked_into_is_said(tmp_path, monkeypatch, under):
    def refused(path, *_, **__):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refused)
    with pytest.raises(StoreURLError, match="cannot be looked into: Permission denied"):
        Target.parse(f"surrealkv://{tmp_path}{under}")
