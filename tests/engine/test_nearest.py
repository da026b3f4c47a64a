"""The index of vectors is built anew when many wait for it, and searches find all meanwhile."""

import asyncio

import numpy as np
import pytest

from graphrag.engine.nearest import Waiting, build_nearest
from graphrag.errors import StoreError
from graphrag.schema import METHODS, NEAREST
from tests.conftest import open_graph

ROWS = 400
TABLE = "relates_to_vector_default"


@pytest.fixture
async def graph():
    """Give a graph with search tables, and vectors of facts past its methods."""
    async with open_graph(profile="engine") as opened:
        await opened.add_fact("Alice", "knows", "Bob")
        store = opened.handle.session.store
        vectors = np.random.default_rng(0).standard_normal((ROWS, store.dimension))
        rows = [{"vector": vector.tolist(), "place": n} for n, vector in enumerate(vectors)]
        for start in range(0, ROWS, 50):
            await store.query(f"INSERT INTO {TABLE} $rows;", rows=rows[start : start + 50])
        yield opened


async def nearest(store, vector):
    """Return the places of the rows that are nearest, and how far they are."""
    [rows] = await store.query(
        f"SELECT VALUE [place, vector::distance::knn()] FROM {TABLE} WHERE vector <|3,40|> $at;",
        at=vector.tolist(),
    )
    return rows


async def indexes(store):
    [info] = await store.query(f"INFO FOR TABLE {TABLE};")
    return set(info["indexes"])


async def test_searches_beside_a_build_find_what_is_near(graph):
    store = graph.handle.session.store
    vectors = np.random.default_rng(0).standard_normal((ROWS, store.dimension))
    building = asyncio.create_task(
        build_nearest(store, "relates_to", "default", METHODS[0], few=100)
    )
    asked = 0
    while not building.done() or asked < 20:
        rows = await nearest(store, vectors[asked % ROWS])
        assert len(rows) == 3 and None not in (far for _, far in rows)
        assert asked % ROWS in {place for place, _ in rows}
        asked += 1
    assert await building == ROWS + 1
    assert await indexes(store) == {NEAREST[1]}
    await build_nearest(store, "relates_to", "default", METHODS[0], few=100)
    assert await indexes(store) == {NEAREST[0]}


async def test_what_a_dead_process_began_to_build_is_begun_again(graph):
    store = graph.handle.session.store
    definition = METHODS[0].format(dimension=store.dimension)
    await store.query(f"DEFINE INDEX {NEAREST[1]} ON {TABLE} FIELDS vector {definition};")
    await build_nearest(store, "relates_to", "default", METHODS[0], few=100)
    assert await indexes(store) == {NEAREST[1]}
    assert (await nearest(store, np.ones(store.dimension)))[0][1] is not None


async def test_an_index_is_built_when_enough_wait_and_again_when_as_many_came(graph):
    store, waiting = graph.handle.session.store, Waiting(few=300)
    await waiting.add("default", {"relates_to": 1}, METHODS[0], store)
    assert await indexes(store) == {NEAREST[1]}
    await waiting.add("default", {"relates_to": 298}, METHODS[0], store)
    assert await indexes(store) == {NEAREST[1]}
    await waiting.add("default", {"relates_to": 1}, METHODS[0], store)
    assert await indexes(store) == {NEAREST[0]}


async def test_a_database_without_diskann_gets_hnsw(monkeypatch):
    async with open_graph(profile="engine") as graph:
        store = graph.handle.session.store
        whole = type(store).query

        async def older(self, sql, **params):
            if "DISKANN" in sql:
                raise StoreError("the database refused a query: Parse error: DISKANN")
            return await whole(self, sql, **params)

        monkeypatch.setattr(type(store), "query", older)
        await graph.add_fact("Alice", "knows", "Bob")
        [info] = await store.query(f"INFO FOR TABLE {TABLE};")
        assert "HNSW" in info["indexes"][NEAREST[0]]
        assert (await graph.search("who does Alice know")).facts
