"""A graph on a server: the engine of this process behind a socket stands in for SurrealDB's.

It answers the same calls in the same encoding, but all its clients share one session.
"""

import pytest

from graphrag import GraphRAG, StoreAuthError, StoreUnreachableError
from tests.conftest import open_graph, triples
from tests.serving import served


@pytest.mark.parametrize("scheme", ["ws", "http"])
async def test_a_graph_on_a_server_is_the_same_graph(scheme):
    async with served() as place, open_graph(f"{scheme}://{place}") as graph:
        await graph.add_episode(
            "Alice works_at Acme.", reference_time="2020-01-01", metadata={"a": None, "b": [1, 2.5]}
        )
        await graph.add_episode("Alice works_at Beta.", reference_time="2021-01-01")
        assert triples(await graph.at(history=True).facts("Alice")) == {
            ("Alice", "works_at", "Acme", "2020-01-01", "2021-01-01"),
            ("Alice", "works_at", "Beta", "2021-01-01", None),
        }
        results = await graph.at(valid_at="2020-06-01").search("Alice Acme")
        assert [hit.item.object for hit in results] == ["Acme"]
        assert results.episodes[0].item.metadata == {"a": None, "b": [1, 2.5]}
        assert [event.seq for event in await graph.log.events()] == [1, 2]


async def test_two_writers_on_a_server_agree():
    async with served() as place, open_graph(f"ws://{place}") as one:
        await one.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
        async with open_graph(f"ws://{place}") as other:
            await other.add_episode("Alice works_at Beta.", reference_time="2021-01-01")
            added = await one.add_episode("Alice likes Beta.", reference_time="2021-02-01")
            assert added.entities == ()
            assert [fact.object for fact in await one.facts("Alice")] == ["Beta", "Beta"]
            assert (await other.stats()).facts == 3


@pytest.mark.parametrize("scheme", ["ws", "http"])
async def test_root_may_enter_and_a_wrong_password_may_not(scheme):
    root = "DEFINE USER root ON ROOT PASSWORD 'p@ss' ROLES OWNER;"
    async with served(root) as place:
        async with open_graph(f"{scheme}://root:p%40ss@{place}") as graph:
            assert [group.name for group in await graph.groups().list()] == []
        with pytest.raises(StoreAuthError, match="check user, password") as raised:
            async with open_graph(f"{scheme}://{place}", user="root", password="wr0ng"):
                pass
        assert "wr0ng" not in str(raised.value)


async def test_a_server_that_goes_away_is_named():
    async with served() as place:
        graph: GraphRAG = open_graph(f"http://{place}")
        await graph.__aenter__()
    with pytest.raises(StoreUnreachableError, match="lost http://127"):
        await graph.stats()
    await graph.close()
