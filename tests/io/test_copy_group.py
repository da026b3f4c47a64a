"""One group is copied, within a store or into another, as a graph of its own."""

import random

import pytest

from graphrag import EmbedderMismatchError, InputError, QueryError, copy_store
from graphrag.io.transfer import Renaming
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph
from tests.engine.worlds import tell

SECRET = "019d0000-0000-7000-8000-000000000000"
"""An id as somebody may have written one in a text: not ours to rename."""


@pytest.fixture(params=["process"])
async def graph(request):
    async with open_graph(profile=request.param) as opened:
        await tell(opened, random.Random(2), 8, group="a")
        await opened.group("a").add_episode(f"Alice works_at Acme. See {SECRET}.")
        await opened.group("other").add_episode("Bob works_at Beta.")
        yield opened


async def shown(graph, group):
    """Return what a group tells, whatever its name and ids are."""
    results = await graph.group(group).search("where does Alice work?", limit=20)
    log = await graph.group(group).log.events()
    return {
        "stats": {**vars_of(await graph.group(group).stats()), "group": ""},
        "facts": [(hit.item.text, hit.item.valid_at, round(hit.score, 6)) for hit in results],
        "entities": [(hit.item.name, hit.item.summary) for hit in results.entities],
        "episodes": [hit.item.content for hit in results.episodes],
        "communities": [
            (one.name, len(one.members)) for one in await graph.group(group).communities.list()
        ],
        "log": [(event.seq, event.at, event.kind, len(event.changes)) for event in log],
        "sagas": await graph.group(group).sagas.list(),
    }


def vars_of(value):
    return {name: getattr(value, name) for name in type(value).__slots__}


@pytest.mark.parametrize("graph", ["process", "engine"], indirect=True)
async def test_a_copy_within_a_store_tells_the_same_and_is_a_graph_of_its_own(graph):
    await graph.group("a").export.copy("b")
    assert await shown(graph, "b") == await shown(graph, "a")
    assert (await graph.health.check_all()).sound
    [one, copy, _] = await graph.groups().list()
    assert (one.facts, one.changed_at) == (copy.facts, copy.changed_at)
    ids = {
        change.record for event in await graph.group("a").log.events() for change in event.changes
    }
    assert ids.isdisjoint(
        change.record for event in await graph.group("b").log.events() for change in event.changes
    )
    assert any(
        SECRET in hit.item.content for hit in (await graph.group("b").search("Acme")).episodes
    )
    # What happens to one does not happen to the other, in the past either.
    before = await shown(graph, "a")
    await graph.group("b").add_episode("Alice works_at Globex from 2030.")
    await graph.group("b").log.revert(1, force=True)
    await graph.group("b").erase.entity("Alice Stone", dry_run=True)
    await graph.group("b").erase.group(confirm="b")
    assert await shown(graph, "a") == before
    assert (await graph.health.check_all()).sound


@pytest.mark.parametrize("profile", ["process", "engine"])
async def test_a_group_goes_into_another_store_beside_what_is_there(graph, profile):
    async with open_graph(profile=profile) as target:
        await target.group("kept").add_episode("Cid likes tea.")
        await graph.group("a").export.copy(into=target)
        await graph.group("a").export.copy("again", into=target)
        assert [group.name for group in await target.groups().list()] == ["a", "again", "kept"]
        assert await shown(target, "a") == await shown(graph, "a")
        assert await shown(target, "again") == await shown(graph, "a")
        assert (await target.group("a").log.events())[0].changes == (
            (await graph.group("a").log.events())[0].changes
        )
        assert (await target.health.check_all()).sound
        if profile == "engine":
            assert (await target.health.indexes()).sound


async def test_groups_are_copied_between_urls_and_a_store_into_itself(tmp_path):
    one, other = f"surrealkv://{tmp_path}/one", f"surrealkv://{tmp_path}/other"
    async with open_graph(one) as graph:
        await graph.group("a").add_episode("Alice works_at Acme.")
        await graph.group("b").add_episode("Bob works_at Beta.")
    told = []
    report = await copy_store(one, one, group="a", name="c", on_progress=told.append)
    assert report.rows["relates_to"] == 1
    assert {"relates_to", "event"} <= {progress.table for progress in told}
    assert all(progress.rate > 0 for progress in told)
    await copy_store(one, other, group="c", name="d")
    await copy_store(one, other, group="b")
    async with open_graph(other) as graph:
        assert [group.name for group in await graph.groups().list()] == ["b", "d"]
        assert (await graph.health.check_all()).sound


async def test_what_cannot_be_copied_is_refused_and_nothing_is_written(graph):
    with pytest.raises(InputError, match="no group 'nope': groups"):
        await graph.group("nope").export.copy("b")
    with pytest.raises(InputError, match="onto itself"):
        await graph.group("a").export.copy()
    with pytest.raises(InputError, match="there is a group 'other' already in "):
        await graph.group("a").export.copy("other")
    async with open_graph(embedder=HashEmbedder(32)) as target:
        with pytest.raises(EmbedderMismatchError, match="replay"):
            await graph.group("a").export.copy(into=target)
        assert [group.name for group in await target.groups().list()] == []
    with pytest.raises(InputError, match="say which group"):
        await copy_store("mem://", "mem://", name="b")
    assert [group.name for group in await graph.groups().list()] == ["a", "other"]


async def test_a_copy_that_stopped_is_closed_and_begins_anew(graph):
    def stop(progress):
        if progress.table == "relates_to":
            raise KeyError

    with pytest.raises(KeyError):
        await graph.group("a").export.copy("b", on_progress=stop)
    with pytest.raises(QueryError, match=r"group\('b'\)\.erase\.group\(confirm='b'\)"):
        await graph.group("b").search("Alice")
    await graph.group("a").export.copy("b")
    assert await shown(graph, "b") == await shown(graph, "a")
    assert (await graph.health.check_all()).sound


def test_new_ids_sort_as_the_old_ones_and_differ_by_name():
    ids = [f"019d2c5b-7a{n:02x}-7{n:03x}-8a{n:02x}-1234567890ab" for n in range(40)]
    renamed = [[Renaming("a", name, renews=True).id(id_) for id_ in ids] for name in ("b", "c")]
    assert all(some == sorted(some) for some in renamed)
    assert len({*ids, *renamed[0], *renamed[1]}) == 120
    pair = Renaming("a", "b", renews=True).id(f"{ids[1]}>{ids[0]}")
    assert pair == f"{renamed[0][1]}>{renamed[0][0]}"
    assert Renaming("a", "b", renews=False).id(ids[0]) == ids[0]
