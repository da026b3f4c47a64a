"""A group as lines of JSON: written, made again elsewhere, and written again to the same bytes."""

import asyncio
import gzip
import json
import random
from base64 import b64decode

import pytest

from graphrag import GraphRAGError, InputError, QueryError, StoreError
from graphrag.io.jsonl import group_file, shapes
from graphrag.sync import GraphRAG as Blocking
from graphrag.temporal.moment import utc_now
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph, triples
from tests.engine.worlds import tell
from tests.serving import a_server


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Return a file with a group that has seen everything, and moments between its changes."""
    file = tmp_path_factory.mktemp("world") / "world.jsonl"

    async def make():
        async with open_graph() as graph:
            moments = [*await tell(graph, random.Random(3), 8), utc_now()]
            await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
            [closed] = (await graph.add_fact("Ann", "works_at", "Beta", valid_at="2023")).changed
            assert closed.invalidated_by
            await graph.add_fact("Annie", "likes", "tea")
            await graph.identity.merge("Ann", "Annie")
            moments.append(utc_now())
            await graph.add_fact("Zhang Wei 张", "lives_in", "東京", attributes={"none": None})
            await graph.add_episode(
                "Alice works_at Acme.",
                reference_time="2020-01-01",
                metadata={"none": None, "list": [1, 2.5, {"deep": None}]},
                saga="diary",
            )
            await graph.add_episode("No names here. " * 90, reference_time="2020")  # has passages
            await graph.log.revert(1, force=True)
            done = await graph.export.file(file)
            return moments, done, await picture(graph, moments)

    return file, *asyncio.run(make())


@pytest.fixture(scope="module")
async def whole(world):
    """Return a graph with that group."""
    async with open_graph() as graph:
        await graph.load.group(world[0])
        yield graph


async def picture(graph, moments, group="default"):
    """Return what a graph answers, now and of then."""
    found = []
    for known_at in (None, *moments):
        view = graph.group(group).at(known_at=known_at)
        stats = await view.stats()
        hits = (await view.search("who works at Acme?")).facts
        history = graph.group(group).at(known_at=known_at, history=True)
        ever = [
            fact
            for entity, _ in await history.audit.hubs(5)
            for fact in await history.facts(entity)
        ]
        found.append(
            (
                [stats.episodes, stats.entities, stats.facts, stats.facts_now, stats.events],
                [(hit.item.subject, hit.item.object, round(hit.score, 6)) for hit in hits],
                triples(ever),
            )
        )
    return found


async def test_the_second_export_has_the_same_bytes_and_the_graph_answers_the_same(world, tmp_path):
    file, moments, done, before = world
    assert {"passage", "fact", "mention", "community", "member", "saga", "event"} <= {*done.records}
    async with open_graph(f"surrealkv://{tmp_path}/store") as graph:
        made = await graph.load.group(file)
        assert (made.group, made.records, made.embedded, made.renewed) == (
            "default", done.records, 0, False,
        )  # fmt: skip
        await graph.export.file(tmp_path / "again.jsonl")
        assert (await graph.health.check_all()).findings == ()
        assert await picture(graph, moments) == before
        last = (await graph.log.events())[-1]
        await graph.log.revert(last)  # what came with the log goes on
        assert (await graph.health.check_all()).findings == ()
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()


async def test_the_engine_profile_gives_the_same_bytes_and_finds_everything(world, tmp_path):
    file, *_ = world
    async with open_graph(profile="engine") as graph:
        await graph.load.group(file)
        await graph.export.file(tmp_path / "again.jsonl")
        assert (await graph.health.indexes()).sound
        assert (await graph.health.check_all()).findings == ()
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()


async def test_a_group_beside_its_original_gets_a_name_and_ids_of_its_own(world, tmp_path):
    file, moments, _, before = world
    async with open_graph() as graph:
        await graph.load.group(file)
        twin = await graph.load.group(file, "twin")
        assert twin.renewed
        assert [group.name for group in await graph.groups().list()] == ["default", "twin"]
        assert (await graph.health.check_all()).findings == ()
        for group in ("default", "twin"):
            assert await picture(graph, moments, group) == before
        await graph.erase.group(confirm="default")
        assert await picture(graph, moments, "twin") == before


async def test_another_name_in_another_store_keeps_the_ids(world, tmp_path):
    file, *_ = world
    async with open_graph() as graph:
        made = await graph.load.group(file, "other name")
        assert not made.renewed
        assert (await graph.group("other name").health.check()).findings == ()
        await graph.group("other name").export.file(tmp_path / "again.jsonl")
    first, again = file.read_text(), (tmp_path / "again.jsonl").read_text()
    assert {line["id"] for line in lines(first) if "id" in line} == {
        line["id"] for line in lines(again) if "id" in line
    }


async def test_gzip_by_the_ending_has_the_same_lines_and_always_the_same_bytes(
    world, whole, tmp_path
):
    file, *_ = world
    packed = tmp_path / "world.jsonl.gz"
    await whole.export.file(packed)
    once = packed.read_bytes()
    await whole.export.file(packed)
    assert packed.read_bytes() == once
    assert gzip.decompress(once) == file.read_bytes()
    async with open_graph() as graph:
        assert (await graph.load.group(packed)).group == "default"


async def test_without_vectors_they_are_made_anew(world, whole, tmp_path):
    file, *_ = world
    bare = tmp_path / "bare.jsonl"
    await whole.export.file(bare, vectors=False)
    assert '"embedding":' not in bare.read_text()
    async with open_graph() as graph:
        made = await graph.load.group(bare)
        embedded = ("episode", "passage", "entity", "fact", "community")
        assert made.embedded == sum(made.records[kind] for kind in embedded)
        assert (await graph.health.check_all()).findings == ()
        await graph.export.file(tmp_path / "again.jsonl")
    first, again = (bare_lines(path) for path in (file, tmp_path / "again.jsonl"))
    assert again == first


async def test_another_embedder_makes_its_own_vectors(world):
    file, *_ = world
    async with open_graph(embedder=HashEmbedder(32)) as graph:
        assert (await graph.load.group(file)).embedded
        assert (await graph.health.check_all()).findings == ()


async def test_a_line_can_be_read_by_others(world):
    file, *_ = world
    header, *records, end = lines(file.read_text())
    assert header["format"] == "surreal-graphrag"
    assert header["embedder"] == {"name": "hash-64", "dimension": 64}
    assert end["lines"] == len(records) + 1
    fact = next(line for line in records if line["record"] == "fact")
    assert fact["subject_id"] in {line["id"] for line in records if line["record"] == "entity"}
    assert fact["created_at"].endswith("Z")
    assert len(b64decode(fact["embedding"])) == 4 * 64


async def test_it_is_no_table_of_facts_and_says_how_it_is_imported(world, whole):
    with pytest.raises(InputError, match=r"is a whole graph and no table .* load\.group\(\)"):
        await whole.load.facts(world[0])


def test_lines_can_carry_every_column_of_the_schema():
    kinds = {column.kind for shape in shapes().values() for column in shape.columns.values()}
    assert kinds <= {
        *("string", "datetime", "bool", "int", "float", "object", "bytes", "link"),
        *("array<string>", "array<object>"),
    }


async def test_on_a_server_nobody_else_can_come_in_between(world):
    file, *_ = world
    async with a_server() as (url, options):
        async with open_graph(url, **options) as graph, open_graph(url, **options) as other:
            assert (await other.stats()).facts == 0  # it has read the group, which is empty
            tried, seen = [], []

            def look(progress):
                if progress.table == "event" and not seen:
                    seen.append(asyncio.ensure_future(other.stats()))
                if progress.table == "fact":
                    telling = other.add_fact("Ann", "detests", "tea")
                    tried.extend(map(asyncio.ensure_future, (other.load.group(file), telling)))

            made = await graph.load.group(file, on_progress=look)
            importing, telling = await asyncio.gather(*tried, return_exceptions=True)
            assert isinstance(importing, GraphRAGError)
            [glance] = await asyncio.gather(*seen, return_exceptions=True)
            assert isinstance(glance, QueryError) or glance.events in (0, made.records["event"])
            late = not isinstance(telling, GraphRAGError)  # it came when all was there
            ours, theirs = await graph.stats(), await other.stats()
            assert ours.facts == theirs.facts > 1
            assert ours.events == made.records["event"] + late
            assert (await other.health.check_all()).findings == ()


def test_blocking(world, tmp_path):
    file, *_ = world
    with open_graph(kind=Blocking) as graph:
        graph.load.group(file)
        graph.export.file(tmp_path / "again.jsonl")
        view = graph.at(valid_at="2021")
        view.export.file(tmp_path / "then.csv")
        assert len(graph.export.networkx()) == graph.export.igraph().vcount()
        assert len(view.export.pandas().entities) == len(graph.export.networkx())
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()


async def test_queued_episodes_are_read_after_the_import(tmp_path):
    async with open_graph(workers=0) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020", wait=False)
        await graph.export.file(tmp_path / "queue.jsonl")
    async with open_graph() as graph:
        await graph.load.group(tmp_path / "queue.jsonl")
        await graph.queue.drain_all()
        assert [fact.object for fact in await graph.facts("Alice")] == ["Acme"]


async def test_a_group_that_is_there_is_left_alone(world):
    file, *_ = world
    async with open_graph() as graph:
        await graph.add_fact("Ann", "likes", "tea")
        with pytest.raises(InputError, match="there is a group 'default' already in "):
            await graph.load.group(file)
        assert [fact.object for fact in await graph.facts("Ann")] == ["tea"]


async def test_nothing_is_left_of_an_import_that_fails(world):
    file, *_ = world

    class Stop(Exception):
        pass

    def stop(progress):
        if progress.table == "fact":
            raise Stop

    async with open_graph() as graph:
        with pytest.raises(Stop):
            await graph.load.group(file, on_progress=stop)
        assert [group.name for group in await graph.groups().list()] == []
        assert (await graph.health.check_all()).records == 0
        await graph.load.group(file)
        assert (await graph.health.check_all()).findings == ()


async def test_a_cancelled_import_leaves_nothing(world):
    file, *_ = world
    async with open_graph() as graph:
        begun = asyncio.Event()
        importing = asyncio.create_task(
            graph.load.group(
                file, on_progress=lambda progress: progress.table == "entity" and begun.set()
            )
        )
        await begun.wait()
        importing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await importing
        assert [group.name for group in await graph.groups().list()] == []
        await graph.load.group(file)


async def test_until_the_end_nobody_sees_it_and_a_dead_import_can_be_started_again(
    world, tmp_path, monkeypatch
):
    file, moments, _, before = world
    url = f"surrealkv://{tmp_path}/store"

    async def died(*_):  # as a process that is killed does: nobody clears up
        raise KeyboardInterrupt

    async with open_graph(url) as graph:
        monkeypatch.setattr(group_file, "open_group", died)
        monkeypatch.setattr(group_file, "discard_group", died)
        with pytest.raises(KeyboardInterrupt):
            await graph.load.group(file)
        monkeypatch.undo()
        await graph.group("other").add_fact("Ann", "likes", "tea")
        with pytest.raises(QueryError, match="did not come to its end"):
            await graph.stats()
    async with open_graph(url) as graph:
        assert not (await graph.load.group(file)).renewed
        assert await picture(graph, moments) == before
        assert (await graph.health.check_all()).findings == ()


async def test_a_group_that_is_not_there_cannot_be_exported(tmp_path):
    async with open_graph() as graph:
        for file in ("a.jsonl", "a.csv"):
            with pytest.raises(InputError, match="there is no group 'stafff'"):
                await graph.group("stafff", strict=True).export.file(tmp_path / file)
        with pytest.raises(InputError, match="there is no group 'stafff'"):
            await graph.group("stafff").export.file(tmp_path / "a.jsonl")
        assert not list(tmp_path.iterdir())
        with pytest.raises(InputError, match=r"no ending that names a format: use \.jsonl"):
            await graph.export.file(tmp_path / "a.xlsx")
        await graph.add_fact("Ann", "likes", "tea")
        with pytest.raises(InputError, match="cannot write"):
            await graph.export.file(tmp_path / "nowhere" / "a.jsonl")
        with pytest.raises(InputError, match="hold a group whole"):
            await graph.at(valid_at="2020").export.file(tmp_path / "a.jsonl")
    assert not list(tmp_path.iterdir())


async def test_an_export_of_a_group_that_changes_all_the_time_gives_up_and_keeps_the_old_file(
    tmp_path, monkeypatch
):
    async with open_graph() as graph:
        await graph.add_fact("Ann", "likes", "tea")
        await graph.export.file(tmp_path / "a.jsonl")
        old = (tmp_path / "a.jsonl").read_bytes()
        seqs = iter(range(1, 100))

        async def moving(group):
            return next(seqs)

        monkeypatch.setattr(graph.handle.session.store, "last_seq", moving)
        with pytest.raises(StoreError, match="written to all the time"):
            await graph.export.file(tmp_path / "a.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    assert (tmp_path / "a.jsonl").read_bytes() == old


def bare_lines(file):
    return [
        {name: item for name, item in line.items() if name != "embedding"}
        for line in lines(file.read_text())[:-1]
    ]


def lines(text):
    return [json.loads(line) for line in text.split("\n") if line]
