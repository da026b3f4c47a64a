"""The index of vectors is built anew when many wait for it, and searches find all meanwhile."""

import asyncio

import numpy as np
import pytest

from graphrag.engine.rows import PendingVectors, build_nearest
from graphrag.errors import StoreError
from graphrag.schema import METHODS
from graphrag.store.record import Record
from tests.conftest import open_graph

ROWS = 900
TABLE = "relates_to_vector_default"


@pytest.fixture(params=METHODS, ids=["diskann", "hnsw"])
def methods(request):
    """Give each kind of index."""
    return request.param


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


async def nearest(store, vector, what="place"):
    """Return the places of the rows that are nearest, and how far they are."""
    [rows] = await store.query(
        f"SELECT VALUE [{what}, vector::distance::knn()] FROM {TABLE} WHERE vector <|3,40|> $at;",
        at=list(map(float, vector)),
    )
    return rows


async def covered(store):
    """Return how many rows the index was built over."""
    [rows] = await store.query(f"SELECT VALUE indexed FROM meta:{TABLE};")
    return rows[0]


async def test_searches_beside_a_build_find_what_is_near(graph, methods):
    store = graph.handle.session.store
    vectors = np.random.default_rng(0).standard_normal((ROWS, store.dimension))
    building = asyncio.create_task(build_nearest(store, "relates_to", "default", methods, few=100))
    asked = 0
    while not building.done() or asked < 20:
        rows = await nearest(store, vectors[asked % ROWS])
        assert len(rows) == 3 and None not in (far for _, far in rows)
        assert asked % ROWS in {place for place, _ in rows}
        asked += 1
    assert await building == ROWS + 1
    assert (await nearest(store, vectors[0]))[0][0] == 0


async def test_a_write_beside_a_build_is_in_the_index(graph, methods):
    building = asyncio.create_task(
        build_nearest(graph.handle.session.store, "relates_to", "default", methods, few=100)
    )
    await asyncio.sleep(0.01)
    store, written = graph.handle.session.store, []
    for name in ("Carol", "Dan", "Eve"):
        written.append((await graph.add_fact("Alice", "knows", name)).fact)
    await building
    for fact in written:
        [[vector]] = await store.query("SELECT VALUE vector FROM $row;", row=Record(TABLE, fact.id))
        assert fact.id in {id_ for id_, _ in await nearest(store, vector, "record::id(id)")}


async def test_an_index_is_built_when_enough_wait_and_again_when_as_many_came(graph):
    store, waiting = graph.handle.session.store, PendingVectors(few=400)
    await waiting.add("default", {"relates_to": 1}, METHODS[0], store)
    assert await covered(store) == ROWS + 1
    await store.query(f"CREATE {TABLE} SET vector = $at;", at=[1.0] * store.dimension)
    await waiting.add("default", {"relates_to": 448}, METHODS[0], store)
    assert await covered(store) == ROWS + 1
    await waiting.add("default", {"relates_to": 1}, METHODS[0], store)
    assert await covered(store) == ROWS + 2


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
        assert "HNSW" in info["indexes"]["nearest"]
        assert (await graph.search("who does Alice know")).facts
