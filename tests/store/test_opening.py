"""What a store is opened in: a process, its limits and a folder; and what changes of them later."""

import asyncio
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from graphrag.errors import StoreError
from tests.conftest import open_graph, triples

ROOT = Path(__file__).parents[2]


async def test_cancelled_at_any_moment_the_store_can_be_opened_again(tmp_path):
    url = f"surrealkv://{tmp_path}/store"

    async def stay():
        async with open_graph(url):
            await asyncio.sleep(60)

    for delay in range(10):
        opening = asyncio.create_task(stay())
        await asyncio.sleep(delay * 0.003)
        opening.cancel()
        await asyncio.wait([opening])
        assert opening.cancelled()
    async with open_graph(url) as graph:
        assert [group.name for group in await graph.groups().list()] == []


def run_alone(script, *given):
    """Run a script in a process of its own and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, given)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


FORKING = """
import asyncio, os, signal, sys
from graphrag.errors import StoreError
from graphrag.sync import GraphRAG as Blocking
from tests.conftest import open_graph

loop = asyncio.new_event_loop()
graph = loop.run_until_complete(open_graph(sys.argv[1]).__aenter__())
blocking = open_graph(sys.argv[2], kind=Blocking)
told = dict(content="Ann works_at Acme.", reference_time="2020-02-01")
loop.run_until_complete(graph.add_episode(**told))
blocking.add_episode(**told)
view = graph.at(valid_at="2021-01-01")
child = os.fork()
if not child:
    signal.alarm(30)  # what hangs dies
    for ask in (
        lambda: asyncio.run(graph.search("Ann")),
        lambda: asyncio.run(graph.add_episode(**told)),
        lambda: asyncio.run(view.facts("Ann")),
        lambda: blocking.search("Ann"),
        lambda: blocking.add_episode(**told),
    ):
        try:
            ask()
        except StoreError as error:
            assert "this one is a fork" in str(error), error
            assert str(os.getppid()) in str(error), error
        else:
            os._exit(1)
    asyncio.run(graph.close())
    blocking.close()
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert len(blocking.search("Ann").facts) == 1
blocking.close()
assert len(loop.run_until_complete(graph.search("Ann")).facts) == 1
loop.run_until_complete(graph.close())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="fork")
def test_a_fork_is_told_at_once_that_the_graph_is_not_its_own(tmp_path):
    run_alone(FORKING, *(f"surrealkv://{tmp_path}/{name}" for name in ("one", "other")))


LIMITED = """
import asyncio, resource, sys
import surrealdb_embedded
from graphrag.errors import StoreError
from graphrag.store.process import _addresses, _descriptors
from tests.conftest import open_graph

async def attempt(kind, most):
    before = resource.getrlimit(kind)
    resource.setrlimit(kind, (most, before[1]))
    try:
        async with open_graph("surrealkv://" + sys.argv[1]) as graph:
            await graph.groups().list()
    except StoreError as error:
        print(error)
    else:
        print("opened")
    finally:
        resource.setrlimit(kind, before)

for free in (20, 47, 100):
    asyncio.run(attempt(resource.RLIMIT_NOFILE, _descriptors() + free))
for free in (1 << 30, 5 << 29, 12 << 30):
    asyncio.run(attempt(resource.RLIMIT_AS, _addresses() + free))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits")
def test_what_the_engine_would_abort_for_want_of_is_said_first(tmp_path):
    printed = run_alone(LIMITED, tmp_path / "store").splitlines()
    files, memory = "free file descriptors", "of address space"
    expected = [files, files, "opened", memory, memory, "opened"]
    assert [said in line for said, line in zip(expected, printed, strict=True)] == [True] * 6


@pytest.mark.parametrize("how", ["deleted", "emptied", "moved", "replaced"])
async def test_a_store_whose_folder_is_gone_acknowledges_nothing(tmp_path, how):
    path = tmp_path / "store"
    async with open_graph(f"surrealkv://{path}") as graph:
        await graph.add_episode("Ann works_at Acme.", reference_time="2020-02-01")
        match how:
            case "deleted":
                shutil.rmtree(path)
            case "emptied":
                for part in path.iterdir():
                    shutil.rmtree(part) if part.is_dir() else part.unlink()
            case "moved":
                path.rename(tmp_path / "elsewhere")
            case "replaced":
                shutil.rmtree(path)
                async with open_graph(f"surrealkv://{path}") as other:
                    await other.add_episode("Bob works_at Beta.", reference_time="2020-02-01")
        for text in ("Ann knows Bob.", "Bob knows Ann."):
            with pytest.raises(StoreError, match=r"nothing was written: .* was deleted, moved"):
                await graph.add_episode(text, reference_time="2020-03-01")
        assert len((await graph.search("Ann")).facts) == 1
    if how == "moved":
        async with open_graph(f"surrealkv://{tmp_path}/elsewhere") as graph:
            assert triples(await graph.facts("Ann")) == {
                ("Ann", "works_at", "Acme", "2020-02-01", None)
            }
            assert (await graph.health.check_all()).sound


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
async def test_a_new_store_is_for_its_owner_alone(tmp_path):
    before = os.umask(0o022)
    try:
        async with open_graph(f"surrealkv://{tmp_path}/new/store") as graph:
            await graph.add_episode("Ann works_at Acme.", reference_time="2020-02-01")
        shared = tmp_path / "shared"
        shared.mkdir(0o750)
        async with open_graph(f"surrealkv://{shared}") as graph:
            [group.name for group in await graph.groups().list()]
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new/store").stat().st_mode) == 0o700
    assert stat.S_IMODE(shared.stat().st_mode) == 0o750  # somebody chose that


GUESTS = {
    "search": lambda graph: graph.search("Ann"),
    "add_fact": lambda graph: graph.add_fact("Bob", "likes", "tea"),
    "add_episode": lambda graph: graph.add_episode("Ann likes tea.", reference_time="2020-01-01"),
    "view": lambda graph: graph.at(valid_at="2024-01-01").facts("Ann"),
    "group": lambda graph: graph.group("other").facts("Ann"),
    "load": lambda graph: graph.load.facts([{"subject": "A", "relation": "likes", "object": "B"}]),
    "erase": lambda graph: graph.erase.entity("Ann"),
    "check": lambda graph: graph.health.check(),
    "close": lambda graph: graph.close(),
}


@pytest.mark.parametrize("name", GUESTS)
async def test_a_guest_from_another_event_loop_is_told_so_and_the_owner_goes_on(name):
    async with open_graph() as graph:
        await graph.add_fact("Ann", "likes", "tea")

        def guest():
            with pytest.raises(StoreError, match="opened in another event loop"):
                asyncio.run(GUESTS[name](graph))

        asking = asyncio.create_task(asyncio.to_thread(guest))
        number = 0
        while not asking.done() or number < 3:
            await graph.add_fact("Ann", "knows", f"Bob{number}")
            number += 1
        await asking
        assert len(await graph.facts("Ann")) == number + 1
        assert (await graph.health.check_all()).sound


def test_a_graph_whose_loop_has_ended_can_be_closed_in_another():
    graph = open_graph()
    asyncio.run(graph.__aenter__())
    asyncio.run(graph.close())
    asyncio.run(graph.close())
