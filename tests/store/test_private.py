"""``mem://`` is a folder that nobody else sees, and that goes with its graph or its process."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from graphrag.errors import StoreURLError
from graphrag.store import private
from graphrag.store.private import PrivateFolder
from graphrag.sync import GraphRAG as BlockingGraph
from tests.conftest import open_graph


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Give the place of this test's folders, apart from those of other tests."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(private, "_MEMORY", memory)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return memory


def child(place, code):
    """Start a process with a private folder."""
    head = (
        f"import os, sys; from pathlib import Path; from graphrag.store import private; "
        f"private._MEMORY = Path({str(place)!r}); folder = private.PrivateFolder(); "
    )
    return subprocess.Popen(
        [sys.executable, "-c", head + code],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )


async def test_a_graph_in_memory_is_in_such_a_folder_until_it_is_closed(place):
    async with open_graph() as graph:
        await graph.add_episode("Alice works_at Acme.")
        assert repr(graph) == "GraphRAG('mem://', open)"
        [folder] = place.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {path.name for path in folder.iterdir()} == {"lock", "store"}
        assert not {"rows", "columns"} & {path.name for path in (folder / "store").iterdir()}
    assert not list(place.iterdir())


async def test_graphs_in_memory_know_nothing_of_each_other(place):
    async with open_graph() as one, open_graph() as other:
        await one.add_episode("Alice works_at Acme.")
        assert len(list(place.iterdir())) == 2
        assert (await one.stats()).facts == 1
        assert (await other.stats()).facts == 0


def test_a_blocking_graph_in_memory_leaves_nothing(place):
    with open_graph(kind=BlockingGraph) as graph:
        graph.add_episode("Alice works_at Acme.")
        assert len(list(place.iterdir())) == 1
    assert not list(place.iterdir())


async def test_without_any_place_for_it_the_error_names_the_place(place, tmp_path, monkeypatch):
    monkeypatch.setattr(private, "_ROOM", 1 << 60)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(StoreURLError, match=r"mem://.*No such file.*missing"):
        await open_graph()


def test_the_end_of_the_process_removes_what_nobody_closed(place):
    process = child(place, "print(folder.path.is_dir())")
    assert process.communicate() == ("True\n", None)
    assert process.returncode == 0
    assert not list(place.iterdir())


def test_what_a_killed_process_left_is_removed_by_the_next_one(place):
    process = child(place, "print(folder.path, flush=True); input()")
    path = Path(process.stdout.readline().strip())
    (path / "file").write_text("text")
    with_it = PrivateFolder()
    assert path.exists(), "its process is alive"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert path.exists()
    after_it = PrivateFolder()
    assert set(place.iterdir()) == {with_it.path, after_it.path}
    with_it.close()
    after_it.close()
    after_it.close()
    assert not list(place.iterdir())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_leaves_the_folder_to_its_parent(place):
    code = "pid = os.fork(); pid or sys.exit(); os.waitpid(pid, 0); print(folder.path.is_dir())"
    process = child(place, code)
    assert process.communicate() == ("True\n", None)
    assert not list(place.iterdir())


async def test_folders_made_and_removed_at_once_are_never_taken_for_stale_ones(place):
    async def make():
        for _ in range(20):
            folder = await asyncio.to_thread(PrivateFolder)
            (folder.path / "file").write_text("text")
            await asyncio.to_thread(folder.close)

    await asyncio.gather(*(make() for _ in range(8)))
    assert not list(place.iterdir())


def test_where_memory_has_no_room_it_is_a_temporary_folder(place, tmp_path, monkeypatch):
    monkeypatch.setattr(private, "_ROOM", 1 << 60)
    folder = PrivateFolder()
    assert folder.path.parent == tmp_path
    folder.close()
    assert list(tmp_path.iterdir()) == [place]


def test_a_link_with_such_a_name_is_left_alone(place, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("text")
    (place / "graphrag-mem-link").symlink_to(elsewhere)
    PrivateFolder().close()
    assert [path.name for path in elsewhere.iterdir()] == ["file"]


def test_memory_grows_with_the_rows_of_a_transaction_not_with_their_square():
    """4,000 rows took 2 GB in the engine's own store in memory."""
    code = """
import asyncio, resource
from graphrag.store.connection import Connection
from graphrag.store.target import Target

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

async def main():
    connection = Connection(Target.parse("mem://"))
    await connection.open()
    await connection.query("DEFINE TABLE many; DEFINE INDEX kinds ON many FIELDS kind;")
    before = peak()
    rows = [{"id": number, "kind": "one", "text": "word " * 40} for number in range(4000)]
    await connection.transact("INSERT INTO many $rows RETURN NONE;", {"rows": rows})
    await connection.close()
    print(peak() - before)

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300
