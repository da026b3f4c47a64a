"""A view as a network or as data frames."""

import sys
from datetime import UTC, datetime

import igraph
import networkx
import pandas
import pytest

from graphrag import MissingExtraError, QueryError
from tests.conftest import open_graph


def edges(network):
    name = network.nodes(data="name")
    return {(name[a], told["relation"], name[b]) for a, b, told in network.edges(data=True)}


NOW = {
    ("Alice", "works_at", "Globex"),
    ("Zhang Wei 张", "likes", '=cmd|"x"'),
    ("Alice", "knows", "Bob"),
}


async def test_networkx_shows_what_holds_at_the_view(graph):
    now = await graph.export.networkx()
    assert isinstance(now, networkx.MultiDiGraph)
    assert edges(now) == NOW
    assert edges(await graph.at(history=True).export.networkx()) == NOW | {
        ("Alice", "works_at", "Acme")
    }
    assert ("Alice", "works_at", "Acme") in edges(await graph.at(valid_at="2021").export.networkx())
    assert len(now) == (await graph.stats()).entities
    then = await graph.at(known_at=graph.before).export.networkx()
    assert ("Ally", "knows", "Bob") in edges(then)


async def test_attributes_are_values_with_aware_moments(graph):
    network = await graph.export.networkx()
    [(source, target, key, told)] = [
        edge for edge in network.edges(keys=True, data=True) if edge[3]["relation"] == "works_at"
    ]
    [fact] = [fact for fact in await graph.facts("Alice") if fact.relation == "works_at"]
    assert (source, target, key) == (fact.subject_id, fact.object_id, fact.id)
    assert told["valid_at"] == datetime(2023, 1, 1, tzinfo=UTC)
    assert told["invalid_at"] is None
    assert told["episodes"] == list(fact.episodes)
    assert network.nodes[source]["aliases"] == ["Ally"]
    assert network.graph == {
        "group": "default", "valid_at": None, "known_at": None, "history": False,
    }  # fmt: skip


async def test_igraph_is_the_same_network(graph):
    ours, theirs = await graph.export.igraph(), await graph.export.networkx()
    assert isinstance(ours, igraph.Graph)
    assert ours.is_directed()
    assert (ours.vcount(), ours.ecount()) == (len(theirs), theirs.number_of_edges())
    assert {
        (ours.vs[edge.source]["name"], edge["relation"], ours.vs[edge.target]["name"])
        for edge in ours.es
    } == edges(theirs)
    assert set(ours.es["id"]) == {key for *_, key in theirs.edges(keys=True)}


async def test_pandas_has_a_table_of_facts_and_one_of_entities(graph):
    facts, entities = await graph.at(history=True).export.pandas()
    assert set(zip(facts.subject, facts.relation, facts.object, strict=True)) == NOW | {
        ("Alice", "works_at", "Acme")
    }
    assert str(facts.valid_at.dtype) == "datetime64[us, UTC]"
    exact = facts[facts.relation == "knows"].valid_at.iloc[0]
    assert exact == pandas.Timestamp("2021-02-03T04:05:06.000007Z")
    assert entities.set_index("name").degree["Alice"] == 3
    assert entities.set_index("name").degree["Lonely"] == 0


async def test_an_empty_graph_has_the_same_columns_and_a_group_that_is_not_there_none():
    async with open_graph() as graph:
        assert (await graph.export.networkx()).number_of_nodes() == 0
        assert (await graph.export.igraph()).vcount() == 0
        facts, entities = await graph.export.pandas()
        assert (len(facts), len(entities)) == (0, 0)
        assert {"subject", "valid_at", "attributes"} <= {*facts.columns}
        with pytest.raises(QueryError, match="there is no group 'stafff'"):
            await graph.group("stafff", strict=True).export.networkx()
        assert (await graph.group("stafff").export.networkx()).number_of_nodes() == 0


@pytest.mark.parametrize("library", ["networkx", "pandas"])
async def test_a_library_that_is_missing_is_named_with_its_extra(graph, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'surreal-graphrag\[analysis\]'"):
        await getattr(graph.export, library)()


async def test_a_network_is_imported_with_its_nodes(graph):
    network = await graph.at(history=True).export.networkx()
    async with open_graph() as other:
        report = await other.load.facts(network, judge=False)
        assert (report.facts, report.entities) == (len(network.edges), len(network.nodes))
        again = await other.at(history=True).export.networkx()
        assert edges(again) == edges(network)
        assert (await other.entity("Ally")).name == "Alice"
        assert (await other.entity("Lonely")).entity_type == "place"
        assert (await other.load.facts(network, judge=False)).facts == 0
        assert (await other.health.check_all()).findings == ()


async def test_a_network_of_somebody_else():
    network = networkx.DiGraph()
    network.add_node(1, label="Ann", type="person", born=1990)
    network.add_node("Acme")
    network.add_edge(1, "Acme", label="works at", since="2020", valid_at="2020-01-01")
    async with open_graph() as graph:
        await graph.load.facts(network, source="staff")
        [fact] = await graph.facts("Ann")
        assert (fact.relation, fact.object) == ("works_at", "Acme")
        assert (fact.attributes, fact.provenance) == ({"since": "2020"}, ("staff",))
        assert (await graph.entity("Ann")).attributes == {"born": 1990}


async def test_what_a_network_lacks_is_named_before_anything_is_told():
    async with open_graph() as graph:
        for network, match in (
            (networkx.DiGraph([(1, 2)]), r"edge 1 to 2: it has no relation"),
            (networkx.DiGraph([(1, 2, {"label": 7})]), r"edge 1 to 2: relation 7 is no name"),
            (networkx.DiGraph([(1, 1, {"label": "part_of"})]), "both ends are the same entity"),
        ):
            with pytest.raises(Exception, match=match):
                await graph.load.facts(network)
        bad = networkx.DiGraph()
        bad.add_node(1, name=["x"])
        with pytest.raises(Exception, match="node 1: name a list of 1 is no name"):
            await graph.load.facts(bad)
        with pytest.raises(Exception, match="columns are for tables"):
            await graph.load.facts(networkx.DiGraph(), columns={"subject": "x"})
        assert (await graph.stats()).facts == 0
