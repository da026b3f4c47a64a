"""A view as CSV, GraphML and Turtle: what others read, and what comes back."""

import csv
import gzip
import io
import json

import igraph
import networkx
import pytest
import rdflib

from graphrag import InputError
from graphrag.io.interchange import RELATIONS, TERMS, TYPES, iri
from tests.conftest import open_graph

EVERY = {
    ("Alice", "works_at", "Acme", "2020-01-01T00:00:00Z", "2023-01-01T00:00:00Z"),
    ("Alice", "works_at", "Globex", "2023-01-01T00:00:00Z", ""),
    ("Alice", "knows", "Bob", "2021-02-03T04:05:06.000007Z", ""),
    ("Zhang Wei 张", "likes", '\'=cmd|"x"', "", ""),
}


def rows_of(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline=""), strict=True))


def told(rows):
    names = ("subject", "relation", "object", "valid_at", "invalid_at")
    return {tuple(row[name] for name in names) for row in rows}


# -- CSV ---------------------------------------------------------------------------------------


async def test_csv_has_facts_of_all_times_and_none_that_was_taken_back(graph, tmp_path):
    done = await graph.export.file(tmp_path / "facts.csv")
    data = (tmp_path / "facts.csv").read_bytes()
    assert told(rows_of(data)) == EVERY
    assert done.records == {"fact": 4}
    assert b"\n" not in data.replace(b"\r\n", b"")  # RFC 4180
    await graph.at(valid_at="2021-06").export.file(tmp_path / "then.csv.gz")
    then = rows_of(gzip.decompress((tmp_path / "then.csv.gz").read_bytes()))
    assert {row["object"] for row in then} == {"Acme", "Bob", '\'=cmd|"x"'}
    await graph.at(known_at=graph.before).export.file(tmp_path / "known.csv")
    known = rows_of((tmp_path / "known.csv").read_bytes())
    assert ("Ally", "knows") in {(row["subject"], row["relation"]) for row in known}


async def test_csv_comes_back_as_it_was(graph, tmp_path):
    await graph.export.file(tmp_path / "facts.csv.gz")
    async with open_graph() as other:
        await other.load.facts(tmp_path / "facts.csv.gz", judge=False)
        await other.export.file(tmp_path / "again.csv")
        sentences = {fact.text for fact in await other.facts("Zhang Wei 张")}
    assert told(rows_of((tmp_path / "again.csv").read_bytes())) == EVERY
    assert sentences == {"He likes\r\n\tit, «so»."}


async def test_a_seen_start_stays_a_seen_one_and_an_unknown_one_unknown(tmp_path):
    async with open_graph() as graph:
        await graph.add_fact("Ann", "likes", "tea", reference_time="2021-01-01")
        await graph.add_fact("Ann", "likes", "jazz")
        await graph.export.file(tmp_path / "facts.csv")
    async with open_graph() as other:
        await other.load.facts(tmp_path / "facts.csv")
        likes = {fact.object: fact for fact in await other.facts("Ann")}
    assert likes["tea"].observed
    assert likes["tea"].valid_at.year == 2021
    assert (likes["jazz"].observed, likes["jazz"].valid_at) == (False, None)


# -- GraphML -----------------------------------------------------------------------------------


async def test_graphml_is_read_by_networkx_and_igraph(graph, tmp_path):
    file = tmp_path / "graph.graphml"
    await graph.export.file(file)
    theirs = networkx.read_graphml(file, force_multigraph=True)
    assert theirs.is_directed()
    assert (len(theirs), theirs.number_of_edges()) == ((await graph.stats()).entities, 4)
    label = dict(theirs.nodes(data="label"))
    found = {(label[a], told["label"], label[b]): told for a, b, told in theirs.edges(data=True)}
    acme = found["Alice", "works_at", "Acme"]
    assert acme["invalid_at"] == "2023-01-01T00:00:00Z"
    assert acme["observed"] is False
    assert acme["confidence"] == 1.0
    assert json.loads(acme["episodes"])
    assert found["Zhang Wei 张", "likes", '=cmd|"x"']["text"] == "He likes\r\n\tit, «so»."
    assert igraph.Graph.Read_GraphML(str(file)).ecount() == 4


async def test_graphml_comes_back_as_it_was(graph, tmp_path):
    await graph.export.file(tmp_path / "graph.graphml.gz")
    async with open_graph() as other:
        report = await other.load.facts(tmp_path / "graph.graphml.gz", judge=False)
        assert (report.facts, report.entities) == (4, (await graph.stats()).entities)
        await other.export.file(tmp_path / "again.csv")
        assert (await other.entity("Nowhere")).name == "Lonely"
    assert told(rows_of((tmp_path / "again.csv").read_bytes())) == EVERY


YED = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
 <key id="d0" for="node" yfiles.type="nodegraphics"/><key id="d1" for="edge" yfiles.type="edgegraphics"/>
 <key id="d2" for="edge" attr.name="confidence" attr.type="double"><default>0.9</default></key>
 <graph edgedefault="directed">
  <node id="n0"><data key="d0"><y:ShapeNode><y:NodeLabel>Ann</y:NodeLabel></y:ShapeNode></data></node>
  <node id="n1"><data key="d0"><y:ShapeNode><y:NodeLabel>Acme</y:NodeLabel></y:ShapeNode></data></node>
  <edge id="e0" source="n0" target="n1"><data key="d1"><y:PolyLineEdge><y:EdgeLabel>leads</y:EdgeLabel>
  </y:PolyLineEdge></data></edge>
 </graph>
</graphml>"""  # noqa: E501


async def test_graphml_that_was_drawn_by_hand(tmp_path):
    (tmp_path / "drawn.graphml").write_text(YED)
    async with open_graph() as graph:
        await graph.load.facts(str(tmp_path / "drawn.graphml"))
        [fact] = await graph.facts("Ann")
    assert (fact.relation, fact.object, fact.confidence) == ("leads", "Acme", 0.9)


NESTED = """<graphml><key id="k" attr.name="relation" attr.type="string" for="all">
<default>knows</default></key><graph edgedefault="undirected"><node id="a"/>
<node id="g"><graph><node id="b"/><edge source="b" target="a"/></graph></node></graph>
<graph><node id="c"/><edge id="e" source="c" target="b"/></graph></graphml>"""


async def test_graphml_of_several_graphs_without_directions_keeps_every_edge_as_it_is(tmp_path):
    (tmp_path / "nested.graphml").write_text(NESTED)
    async with open_graph() as graph:
        await graph.load.facts(tmp_path / "nested.graphml")
        facts = [(fact.subject, fact.object) for fact in await graph.facts(relation="knows")]
    assert sorted(facts) == [("b", "a"), ("c", "b")]


BOMB = """<!DOCTYPE graphml [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>
<graphml><graph><node id="&b;"/></graph></graphml>"""
OUTSIDE = """<!DOCTYPE graphml [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<graphml><graph><node id="n"/></graph></graphml>"""
GRAPH = '<graphml><key id="k" attr.name="{}" attr.type="{}" for="all"/><graph>{}</graph></graphml>'
NODES = '<node id="a"/><node id="b"/>'


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (BOMB, "it declares entities"),
        (OUTSIDE, "it declares entities"),
        ("<graphml><graph>", "is no XML that can be read"),
        ("<svg/>", "is no GraphML"),
        ("", "is no XML that can be read"),
        (
            GRAPH.format("x", "int", '<node id="a"><data key="k">x</data></node>'),
            "node 'a': x is 'x', no int",
        ),
        (GRAPH.format("x", "int", "<node/>"), "a node has no id"),
        (GRAPH.format("x", "int", '<node id="a"/><node id="a"/>'), "node 'a': it is there twice"),
        (
            GRAPH.format("x", "int", NODES + '<edge source="a" target="c"/>'),
            "edge 'a' to 'c': it leads to 'c', which is no node of the graph",
        ),
        (GRAPH.format("x", "int", NODES + '<edge source="a" target="b"/>'), "no relation"),
        (
            GRAPH.format("aliases", "string", '<node id="a"><data key="k">[</data></node>'),
            "its aliases are no JSON",
        ),
    ],
)
async def test_graphml_that_is_broken_or_meant_to_harm_is_refused(tmp_path, text, match):
    (tmp_path / "bad.graphml").write_text(text)
    async with open_graph() as graph:
        with pytest.raises(InputError, match=match) as caught:
            await graph.load.facts(tmp_path / "bad.graphml")
        assert "bad.graphml" in str(caught.value)
        assert [group.name for group in await graph.groups().list()] == []


# -- Turtle ------------------------------------------------------------------------------------


async def test_turtle_has_statements_with_lifetimes_and_plain_triples_of_what_holds(
    graph, tmp_path
):
    await graph.export.file(tmp_path / "graph.ttl")
    found = rdflib.Graph().parse(tmp_path / "graph.ttl")
    terms, rdf, rdfs = rdflib.Namespace(TERMS), rdflib.RDF, rdflib.RDFS
    statements = {
        (
            found.value(found.value(one, rdf.subject), rdfs.label).toPython(),
            found.value(one, rdf.predicate).removeprefix(RELATIONS),
            found.value(found.value(one, rdf.object), rdfs.label).toPython(),
            *(
                "" if at is None else at.toPython().isoformat().replace("+00:00", "Z")
                for at in (found.value(one, terms.valid_at), found.value(one, terms.invalid_at))
            ),
        )
        for one in found.subjects(rdf.type, rdf.Statement)
    }
    assert statements == {(*row[:2], row[2].removeprefix("'"), *row[3:]) for row in EVERY}
    [globex] = [fact for fact in await graph.facts("Alice") if fact.object == "Globex"]
    relation = rdflib.URIRef(f"{RELATIONS}works_at")
    assert list(found.subject_objects(relation)) == [
        (rdflib.URIRef(iri(globex.subject_id)), rdflib.URIRef(iri(globex.object_id)))
    ]
    statement = rdflib.URIRef(iri(globex.id))
    assert found.value(statement, terms.valid_at).toPython() == globex.valid_at
    assert found.value(statement, terms.confidence).toPython() == 1.0
    places = found.subjects(rdf.type, rdflib.URIRef(f"{TYPES}place"))
    assert [found.value(place, rdfs.label).toPython() for place in places] == ["Lonely"]


async def test_turtle_of_a_moment_states_what_held_then(graph, tmp_path):
    await graph.at(valid_at="2021").export.file(tmp_path / "then.ttl")
    found = rdflib.Graph().parse(tmp_path / "then.ttl")
    answer = found.query(
        "SELECT ?name WHERE { ?who <urn:surreal-graphrag:relation:works_at> ?firm . "
        "?firm rdfs:label ?name }"
    )
    assert [str(row.name) for row in answer] == ["Acme"]
