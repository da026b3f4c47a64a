"""Vectors in pages: every row once, found by its vector, whatever is written, moved or erased."""

import numpy as np
import pytest

from graphrag.engine.cells import arrange
from graphrag.engine.vector_pages import Page, added, nearest, without
from graphrag.errors import StoreError
from tests.conftest import open_graph

DIMENSION = 16


def vectors(count, seed=0):
    """Return as many unit vectors, by id."""
    some = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    some /= np.linalg.norm(some, axis=1, keepdims=True)
    return {f"{number:05}": vector for number, vector in enumerate(some)}


async def write(store, known, group="g"):
    await store.transact("INSERT INTO vector_page $rows;", rows=added(group, "entity", known))


async def found(store, vector, group="g"):
    return await nearest(store, group, "entity", vector)


@pytest.fixture
async def store():
    async with open_graph(profile="engine") as graph:
        yield graph.handle.session.store


def test_a_page_gives_back_its_ids_and_nearly_its_vectors():
    known = vectors(50)
    page = Page.read([Page.of([*known], np.stack([*known.values()])).row("id")])
    assert page.ids == [*known]
    assert np.abs(page.vectors() - np.stack([*known.values()])).max() < 0.01


async def test_what_several_transactions_added_is_compared_with_a_vector(store):
    known = vectors(2_500)
    for start in (0, 10, 1_100):
        stop = {0: 10, 10: 1_100, 1_100: 2_500}[start]
        await write(store, dict([*known.items()][start:stop]))
    await write(store, vectors(5, seed=1), group="other")
    for id_ in ("00000", "01099", "02499"):
        near = await found(store, known[id_])
        assert near.ids[0] == id_
        assert len(near.ids) == 2_500
        assert (np.diff(near.scores) <= 0).all()
        exact = [float(known[other] @ known[id_]) for other in near.ids]
        assert np.abs(near.scores - exact).max() < 0.02


async def test_a_group_without_vectors_has_nothing_near(store):
    assert (await found(store, vectors(1)["00000"])).ids == []


async def test_what_is_taken_out_is_in_no_page(store):
    known = vectors(30)
    await write(store, dict([*known.items()][:20]))
    await write(store, dict([*known.items()][20:]))
    gone = {*[*known][15:]}
    left, emptied = await without("g", {"entity": gone}, store.query)
    assert [len(row["ids"].split()) for row in left] == [15]
    assert len(emptied) == 1
    await store.transact(
        "FOR $page IN $left { UPDATE $page.id CONTENT $page }; DELETE $emptied;",
        left=left,
        emptied=emptied,
    )
    assert {*(await found(store, known["00000"])).ids} == known.keys() - gone


@pytest.mark.parametrize("few", [10_000, 100])
async def test_building_loses_nothing_and_writes_may_follow(store, few):
    known, told = vectors(2_000), []
    for start in range(0, 2_000, 80):
        await write(store, dict([*known.items()][start : start + 80]))
    for round_ in range(2):
        await arrange(store, "g", "entity", told.append, few=few)
        assert sum(told) == 2_000 + round_
        [pages] = await store.query("SELECT VALUE ids FROM vector_page;")
        assert sorted(id_ for ids in pages for id_ in ids.split()) == sorted(known)
        near = await found(store, known["00007"])
        assert near.ids[0] == "00007"
        late = {f"late{round_}": vectors(1, seed=9 + round_)["00000"]}
        await write(store, late)
        known |= late
        assert (await found(store, known[f"late{round_}"])).ids[0] == f"late{round_}"
        told.clear()


async def test_only_near_cells_of_many_are_read(store):
    known = vectors(8_000)
    await write(store, known)
    await arrange(store, "g", "entity", lambda rows: None, few=100)
    near = await found(store, known["00042"])
    assert near.ids[0] == "00042"
    assert len(near.ids) < 8_000
    exact = sorted(known, key=lambda id_: -float(known[id_] @ known["00042"]))[:10]
    assert len({*exact} & {*near.ids[:15]}) >= 9


async def test_what_a_build_left_that_came_to_no_end_is_not_found_and_goes(store):
    known = vectors(300)
    await write(store, known)
    await arrange(store, "g", "entity", lambda rows: None, few=100)

    def stop(rows):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        await arrange(store, "g", "entity", stop, few=100)
    assert sorted((await found(store, known["00000"])).ids) == sorted(known)
    await arrange(store, "g", "entity", lambda rows: None, few=100)
    [pages] = await store.query("SELECT VALUE ids FROM vector_page;")
    assert sorted(id_ for ids in pages for id_ in ids.split()) == sorted(known)


class Busy:
    """A store that is written to as soon as somebody has asked how far a group is."""

    def __init__(self, graph):
        self._graph = graph
        self._store = graph.handle.session.store

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def newest(self, group):
        found = await self._store.newest(group)
        await self._graph.add_episode(f"Bob likes tea {found[0]}.")
        return found


async def test_who_writes_while_a_group_is_built_is_told_and_nothing_is_lost():
    async with open_graph(profile="engine") as graph:
        for number in range(20):
            await graph.add_episode(f"Alice knows Bob{number}.")
        with pytest.raises(StoreError, match="written to while its index was built"):
            await arrange(Busy(graph), "default", "entity", lambda rows: None, few=5)
        assert (await graph.health.indexes()).sound


async def test_pages_of_single_writes_are_joined(monkeypatch):
    monkeypatch.setattr("graphrag.engine.vector_pages.LARGEST", 8)
    monkeypatch.setattr("graphrag.engine.rows._TURN", 1)
    async with open_graph(profile="engine") as graph:
        for number in range(30):
            await graph.add_fact(f"Ann {number}", "knows", "Bob")
        await graph.edit.retract((await graph.facts("Ann 3"))[0], reason="a test")
        store = graph.handle.session.store
        for table, count in (("relates_to", 30), ("entity", 31)):
            rows = await pages(store, table)
            assert sorted(rows, reverse=True)[:3] == [8, 8, 8]
            assert (sum(rows), len(rows) <= 6) == (count, True)
        assert not (await graph.health.indexes()).findings
        assert (await graph.search("Ann 17 knows Bob", limit=1)).facts[0].item.subject == "Ann 17"


async def pages(store, table, group="default"):
    """Return how many rows each page of a table has."""
    [found] = await store.query(
        "SELECT VALUE ids FROM vector_page:[$group, $table, NONE]..=[$group, $table, ..];",
        group=group,
        table=table,
    )
    return [ids.count("\n") + 1 for ids in found]
