"""A store is copied whole, between places and profiles, and compared."""

import random

import pytest

from graphrag import copy_store
from graphrag.errors import StoreError
from graphrag.io.transfer import CopyProgress
from graphrag.store.pages import read_pages, tables
from tests.conftest import open_graph, triples
from tests.engine.test_derived import derived
from tests.engine.worlds import tell
from tests.serving import a_server


@pytest.fixture
async def source(tmp_path):
    url = f"surrealkv://{tmp_path}/source"
    async with open_graph(url) as graph:
        await tell(graph, random.Random(1), 8)
        await graph.group("other").add_episode(
            "Alice works_at Acme.",
            reference_time="2020-01-01",
            metadata={"none": None, "list": [1, 2.5, None, {"deep": None}]},
        )
    return url


async def everything(url, **options):
    """Return what two equal stores have in common: every row of every table."""
    async with open_graph(url, **options) as graph:
        store = graph.handle.session.store
        found = {}
        for table in await tables(store):
            rows = [row async for page in read_pages(store, table.name) for row in page]
            found[table.name] = [{**row, "id": key(row["id"].id)} for row in rows]
        return found


def key(id_):
    return id_ if isinstance(id_, str) else tuple(id_)


async def test_a_copy_is_equal_row_by_row(source, tmp_path):
    copied = await copy_store(source, f"surrealkv://{tmp_path}/copy")
    assert await everything(f"surrealkv://{tmp_path}/copy") == await everything(source)
    assert copied.profile == "process"
    assert copied.rows["episode"] == 9


async def test_nothing_is_lost_on_the_way_into_the_engine_profile_and_back(source, tmp_path):
    there, back = f"surrealkv://{tmp_path}/there", f"surrealkv://{tmp_path}/back"
    first = await copy_store(source, there, profile="engine")
    second = await copy_store(there, back)
    assert first.checksum == second.checksum
    assert await everything(back) == await everything(source)
    async with open_graph(there) as graph:
        assert (await graph.health.indexes()).sound
        assert (await graph.health.check_all()).sound
    async with open_graph(back) as graph:
        [episode] = (await graph.group("other").search("Alice Acme")).episodes
        assert episode.item.metadata["list"] == [1, 2.5, None, {"deep": None}]


async def test_a_store_is_copied_to_a_server_and_from_it(source, tmp_path):
    async with a_server() as (url, options):
        place = {key: value for key, value in options.items() if key in ("user", "password")}
        there = {
            f"to_{key}": value for key, value in options.items() if key in ("namespace", "database")
        }
        await copy_store(source, url, profile="engine", **place, **there)
        async with open_graph(url, **options) as graph:
            assert len(triples(await graph.group("other").facts("Alice"))) == 1
        assert await everything(url, **options) == await everything(source)


async def test_an_interrupted_copy_goes_on_and_cannot_be_mistaken_for_a_graph(source, tmp_path):
    target = f"surrealkv://{tmp_path}/copy"

    class Stop(Exception):
        pass

    def stop(progress: CopyProgress):
        if progress.table == "relates_to":
            raise Stop

    with pytest.raises(Stop):
        await copy_store(source, target, on_progress=stop)
    with pytest.raises(StoreError, match="unfinished copy"):
        async with open_graph(target):
            pass
    written = []
    await copy_store(source, target, on_progress=written.append)
    assert not {"entity", "episode"} & {progress.table for progress in written}
    assert await everything(target) == await everything(source)


@pytest.mark.parametrize("at", ["rows of entity", "rows of episode"])
async def test_an_interrupted_copy_goes_on_with_what_the_engine_profile_derives(
    source, tmp_path, at
):
    whole, target = f"surrealkv://{tmp_path}/whole", f"surrealkv://{tmp_path}/copy"
    every, begun = await steps_of(source, whole), await steps_of(source, target, stop_at=at)
    assert begun + (await steps_of(source, target))[1:] == every
    async with open_graph(whole) as one, open_graph(target) as other:
        assert await derived(other) == await derived(one)
        assert (await other.health.indexes()).sound


async def test_what_was_derived_before_the_source_grew_is_derived_anew(source, tmp_path):
    target = f"surrealkv://{tmp_path}/copy"
    await steps_of(source, target, stop_at="rows of episode")
    async with open_graph(source) as graph:
        await graph.group("zoo").add_episode("Bob works_at Globex.", reference_time="2024-01-01")
    assert "rows of relates_to" in await steps_of(source, target)
    async with open_graph(target) as graph:
        assert (await graph.health.indexes()).sound
        assert (await graph.group("zoo").search("Globex")).facts[0].item.object == "Globex"


async def steps_of(source, target, stop_at=None):
    """Copy into the engine profile, and return what was told of, as far as it came."""
    told = {}

    def note(progress):
        told[progress.table] = None
        if progress.table == stop_at:
            raise InterruptedError

    try:
        await copy_store(source, target, profile="engine", on_progress=note)
    except InterruptedError:
        assert stop_at is not None
    return [*told]


async def test_another_source_cannot_finish_it(source, tmp_path):
    target, other = f"surrealkv://{tmp_path}/copy", f"surrealkv://{tmp_path}/other"
    async with open_graph(other) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")

    def stop(progress):
        raise KeyError

    with pytest.raises(KeyError):
        await copy_store(source, target, on_progress=stop)
    with pytest.raises(StoreError, match="unfinished copy of"):
        await copy_store(other, target)


async def test_a_target_that_holds_something_is_refused(source, tmp_path):
    target = f"surrealkv://{tmp_path}/target"
    async with open_graph(target) as graph:
        await graph.add_episode("Bob works_at Beta.", reference_time="2020-01-01")
    with pytest.raises(StoreError, match="is not empty: it has groups 'default'"):
        await copy_store(source, target)
    with pytest.raises(StoreError, match="into itself"):
        await copy_store(source, source)


async def test_a_source_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(StoreError, match="there is no graph at"):
        await copy_store(f"surrealkv://{tmp_path}/nowhere", f"surrealkv://{tmp_path}/target")
    assert not list(tmp_path.iterdir())
