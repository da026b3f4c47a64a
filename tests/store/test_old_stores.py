"""A store of version 0.2.0 is brought up to date when it is opened, even if that is cut short.

The stores in ``stores/`` were made by that version, one of each profile.
"""

import tarfile
from pathlib import Path

import pytest

from graphrag.store import migrate
from graphrag.store.connection import Connection
from graphrag.store.record import Record
from tests.conftest import open_graph

STORES = Path(__file__).parent / "stores"


@pytest.fixture(params=["process", "engine"])
def old(request, tmp_path):
    """Give the URL of a store of that version."""
    with tarfile.open(STORES / f"{request.param}.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    return f"surrealkv://{tmp_path}/old_{request.param}"


async def sound(graph):
    """Assert that everything that was there is there, with links instead of strings."""
    store = graph.handle.session.store
    assert not (await graph.health.check_all()).findings
    episodes, parents, heirs, passages, sagas = await store.query(
        "SELECT VALUE sources.episode FROM relates_to;"
        "SELECT VALUE parent.name FROM community WHERE parent != NONE;"
        "SELECT VALUE merged_into.name FROM entity WHERE merged_into != NONE;"
        "SELECT VALUE episode.name FROM passage;"
        "SELECT VALUE ->has_episode->episode.name FROM saga;"
    )
    assert all(isinstance(one, Record) for some in episodes for one in some)
    assert None not in (*parents, *passages) and heirs == ["Bob"]
    assert [sorted(names) for names in sagas] == [["", "one"]]
    found = await graph.at(valid_at="2021").facts("Alice")
    assert {fact.object for fact in found if fact.relation == "works_at"} == {"Acme"}
    hits = (await graph.search("where does Alice work", scopes=["facts"])).facts
    assert hits[0].item.object == "Globex"


async def test_a_store_of_the_last_version_is_opened_and_whole(old):
    async with open_graph(old) as graph:
        await sound(graph)
        if graph.handle.session.store.profile == "engine":
            assert (await graph.health.indexes()).sound
            [info] = await graph.handle.session.store.query("INFO FOR DB;")
            assert not {"term_count", "vector_page", "relates_to_words"} & info["tables"].keys()
    async with open_graph(old) as graph:
        await sound(graph)


@pytest.mark.parametrize("step", range(1, 12, 2))
async def test_a_process_that_dies_on_the_way_is_followed_by_the_next(old, step, monkeypatch):
    monkeypatch.setattr(migrate, "_PAGE", 20)
    whole, calls = Connection.transact, 0

    async def dying(self, statements, params):
        nonlocal calls
        calls += 1
        if calls == step:
            raise KeyboardInterrupt
        await whole(self, statements, params)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Connection, "transact", dying)
        async with open_graph(old):
            pass
    async with open_graph(old) as graph:
        await sound(graph)
