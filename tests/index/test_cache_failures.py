"""What fails beside a store fails nothing else: no write, no answer, no closing."""

import os
import shutil

import pytest

from graphrag.errors import StoreError
from graphrag.index import checkpoints
from graphrag.store import row_file
from tests.conftest import open_graph

NAMES = "Ann Bob Cid Dora Eve Finn Gus Hana Ivo Jo".split()


@pytest.fixture(autouse=True)
def _everything_is_saved_at_once(monkeypatch):
    monkeypatch.setattr(checkpoints, "LARGE", 1)
    monkeypatch.setattr(checkpoints, "MANY", 1)
    monkeypatch.setattr(row_file, "_FEWEST", 1)
    monkeypatch.setattr(row_file, "_FLUSH", 1)


def in_the_way(folder):
    """Put a folder wherever a file beside the store is, or would be."""
    for path in list(folder.iterdir()) if folder.is_dir() else ():
        path.unlink()
        path.mkdir()
        (path / "kept").touch()
    if not folder.exists():
        folder.write_text("no folder")


def forbid_writing(folder):
    """Let the open file of rows be one that can be neither written nor read."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number in map(int, os.listdir("/dev/fd")):
        if os.path.realpath(f"/dev/fd/{number}").startswith(str(folder)):
            os.dup2(nothing, number)
    os.close(nothing)


async def harm(graph, path, how):
    await graph.handle.session.catalog._checkpoints._written("default")
    match how:
        case "handle":
            forbid_writing(path / "rows")
        case "rows" | "columns":
            rows = graph.handle.session.store.cache.rows
            rows.close()
            in_the_way(path / how)
        case "replaced":
            for folder in ("rows", "columns"):
                shutil.rmtree(path / folder)
                (path / folder).write_text("no folder")


@pytest.mark.parametrize("how", ["handle", "rows", "columns", "replaced"])
async def test_a_cache_that_fails_costs_a_warning(tmp_path, caplog, how):
    url, path = f"surrealkv://{tmp_path}/store", tmp_path / "store"
    acknowledged = []

    async def tell(graph, name):
        added = await graph.add_episode(f"{name} works_at Acme.", reference_time="2020-02-01")
        acknowledged.append(added.episode.id)

    async with open_graph(url) as graph:
        for name in NAMES[:3]:
            await tell(graph, name)
        await harm(graph, path, how)
        for name in NAMES[3:]:
            await tell(graph, name)
            assert len((await graph.search(name, scopes=["facts"])).facts) >= 1
        assert (await graph.health.check_all()).sound
    said = [record for record in caplog.records if record.levelname == "WARNING"]
    assert {record.name for record in said} == {"graphrag"}
    of_rows = [record for record in said if "rows beside" in record.message]
    assert len(of_rows) == (how != "columns")
    assert len(said) - len(of_rows) == (how in ("columns", "replaced"))
    async with open_graph(url) as graph:
        found = (await graph.search("Acme", scopes=["episodes"], limit=50)).episodes
        assert {hit.item.id for hit in found} == set(acknowledged)
        assert {fact.subject for fact in await graph.facts("Acme")} == set(NAMES)
        assert (await graph.health.check_all()).sound


@pytest.mark.parametrize("how", ["rows", "columns"])
@pytest.mark.parametrize("what", ["entity", "group"])
async def test_what_cannot_be_erased_beside_the_store_is_not_said_to_be(tmp_path, how, what):
    url, path = f"surrealkv://{tmp_path}/store", tmp_path / "store"
    async with open_graph(url) as graph:
        for name in NAMES[:3]:
            await graph.add_episode(f"{name} works_at Acme.", reference_time="2020-02-01")
    async with open_graph(url) as graph:
        await graph.search("Ann")
        await harm(graph, path, how)

        async def erase():
            if what == "group":
                await graph.erase.group(confirm="default")
            else:
                await graph.erase.entity("Ann")

        with pytest.raises(StoreError, match=r"nothing was .* cannot be deleted .* try again"):
            await erase()
        assert len(await graph.facts("Acme")) == 3
        (path / how).rename(tmp_path / "out of the way")
        await erase()
        names = [] if what == "group" else ["Bob", "Cid"]
        assert [group.name for group in await graph.groups().list()] == (
            [] if what == "group" else ["default"]
        )
        for name in names:
            assert len(await graph.facts(name)) == 1
