"""What people put in attributes is theirs: no name of one switches a rule or is read as ours."""

import pytest

from graphrag import FactType, Field, Ontology
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph, triples

NAMES = ("untyped", "as_given", "source", "provenance", "closed_as")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [True, "letter", ["letter"]])
async def test_an_attribute_of_any_name_leaves_the_rules_on(graph, name, value):
    given = {"attributes": {name: value}}
    await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020", **given)
    told = await graph.add_fact("Alice", "works_at", "Globex", valid_at="2023", **given)
    assert [fact.object for fact in told.changed] == ["Acme"]
    assert [fact.object for fact in await graph.facts("Alice")] == ["Globex"]
    assert told.fact.attributes == {name: value}


@pytest.mark.parametrize("value", ["letter", ["letter"], {"a": 1}, None])
async def test_an_attribute_called_source_is_no_source(graph, value):
    given = {"valid_at": "2020", "attributes": {"source": value}}
    await graph.add_fact("Alice", "likes", "tea", source="crm", **given)
    again = await graph.add_fact("Alice", "likes", "tea", source="form", **given)
    assert (again.new, again.fact.attributes) == (False, {"source": value})
    assert again.fact.provenance == ("crm", "form")
    assert len(await graph.facts("Alice")) == 1


async def test_open_contradictions_are_found_whatever_attributes_say(graph):
    for firm, name in (("Acme", "as_given"), ("Globex", "untyped")):
        fact = {"subject": "Alice", "relation": "works_at", "object": firm, "valid_at": "2020"}
        await graph.load.facts([{**fact, f"attributes.{name}": True}], judge=firm == "Acme")
    [one] = await graph.audit.contradictions()
    assert (one.outcome, one.rule) == ("open", "single_valued")
    assert {one.fact.as_given, one.other.as_given} == {False, True}


async def test_a_declared_attribute_called_untyped_is_kept_by_an_ontology():
    class WorksAt(FactType, single_valued=True):
        """A job."""

        untyped: bool | None = None
        source: str | None = None

    ontology = Ontology(facts=[WorksAt])
    async with open_graph(ontology=ontology) as graph:
        given = {"attributes": {"untyped": True, "source": "letter"}, "source": "crm"}
        await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020", **given)
        told = await graph.add_fact("Alice", "works_at", "Globex", valid_at="2023", **given)
        assert [fact.object for fact in told.changed] == ["Acme"]
        assert told.fact.attributes == {"untyped": True, "source": "letter"}
        assert (told.fact.untyped, told.fact.provenance) == (False, ("crm",))


async def test_what_was_told_where_can_be_asked_for_and_is_in_every_copy(graph, tmp_path):
    rows = [
        {"subject": "Alice", "relation": "likes", "object": "tea", "valid_at": "2020"},
        {"subject": "Alice", "relation": "likes", "object": "chess", "valid_at": "2020"},
    ]
    await graph.load.facts(rows, source="hr, old.csv", judge=False)
    await graph.load.facts(rows[:1], source="crm.csv", judge=False)
    where = Field.provenance.contains("crm.csv")
    found = await graph.search("Alice likes", scopes=["facts"], where=where)
    assert [hit.item.object for hit in found] == ["tea"]
    stored = {fact.object: fact.provenance for fact in await graph.facts("Alice")}
    assert stored == {"tea": ("hr, old.csv", "crm.csv"), "chess": ("hr, old.csv",)}
    for ending in ("csv", "graphml"):
        await graph.export.file(tmp_path / f"graph.{ending}")
        await graph.group(ending).load.facts(tmp_path / f"graph.{ending}")
        facts = await graph.group(ending).facts("Alice")
        assert {fact.object: fact.provenance for fact in facts} == stored
    await graph.export.file(tmp_path / "graph.jsonl")
    await graph.load.group(tmp_path / "graph.jsonl", "whole")
    assert triples(await graph.group("whole").facts("Alice")) == triples(await graph.facts("Alice"))
    whole = await graph.group("whole").facts("Alice")
    assert {fact.object: fact.provenance for fact in whole} == stored


async def test_marks_outlive_a_restart_and_are_told_of_the_past(tmp_path):
    url = f"surrealkv://{tmp_path / 'store'}"
    row = {"subject": "Alice", "relation": "works_at", "valid_at": "2020"}
    async with open_graph(url, embedder=HashEmbedder()) as graph:
        await graph.load.facts([{**row, "object": "Acme"}, {**row, "object": "Beta"}], judge=False)
        then = (await graph.log.events())[-1].at
    async with open_graph(url, embedder=HashEmbedder()) as graph:
        assert [fact.as_given for fact in await graph.facts("Alice")] == [True, True]
        assert list(await graph.at(known_at=then).audit.contradictions()) == []
        assert (await graph.health.check_all()).sound
