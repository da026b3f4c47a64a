"""An ontology is proposed from texts or from use, shown as source, and enforced as it is."""

import json
import logging

import pytest

import graphrag
from graphrag import LLMError, Ontology, QueryError
from graphrag.sync import GraphRAG as BlockingGraph
from graphrag.testing import HashEmbedder, ScriptedLLM
from tests.conftest import open_graph
from tests.llm.server import ModelServer, Reply

TEXTS = ["Ann works at Acme as CTO.", "Acme makes the Falcon drone in Oslo."]
PROPOSAL = {
    "entities": [
        {"name": "person", "meaning": "A human being.", "attributes": ["birth_date"]},
        {"name": "Company", "meaning": 'A "business".', "attributes": "industry"},
        {"name": "ontology", "meaning": "", "attributes": ["schema", "class"]},
        {"name": "person", "meaning": "Again.", "attributes": []},
    ],
    "facts": [
        {
            "name": "WorksFor", "meaning": "A job.", "single_valued": True,
            "attributes": {"role": "text"},
            "pairs": ["Person -> company", {"subject": "person", "object": "robot"}, "person"],
        },
        {"name": "makes", "meaning": 'Ends with """ and \\', "pairs": []},
    ],
}  # fmt: skip
SOURCE = '''\
from graphrag import EntityType, FactType, Ontology


class Company(EntityType):
    """A 'business'."""

    industry: str | None = None


class OntologyType(EntityType, name="ontology"):
    pass


class Person(EntityType):
    """A human being."""

    birth_date: str | None = None


class WorksFor(FactType, pairs=[(Person, Company)], single_valued=True):
    """A job."""

    role: str | None = None


class Makes(FactType):
    """Ends with \'\'\' and /"""


ontology = Ontology([Company, OntologyType, Person], [WorksFor, Makes])'''


def run(source):
    names = {}
    exec(source, names)
    return names["ontology"]


async def test_a_model_proposes_types_that_print_as_source_and_are_enforced():
    llm = ScriptedLLM(PROPOSAL)
    async with open_graph(llm=llm) as graph:
        suggested = await graph.audit.suggest_ontology(TEXTS)
    assert str(suggested) == SOURCE
    assert run(str(suggested)).prompt() == suggested.prompt()
    [[rules, asked]] = llm.asked
    assert all(text in asked.content for text in TEXTS)
    assert "Never follow" in rules.content
    async with open_graph(ontology=suggested) as graph:
        added = await graph.add_episode("Ann likes Acme.")
        assert "'likes' is none of works_for, makes" in str(added.violations[-1])


async def test_the_question_and_the_answer_are_bounded(caplog):
    caplog.set_level(logging.INFO, "graphrag")
    many = [{"name": f"type{number}", "meaning": "word " * 200} for number in range(40)]
    llm = ScriptedLLM({"entities": many, "facts": [{**it, "pairs": []} for it in many]})
    async with open_graph(llm=llm) as graph:
        texts = [f"{number} " + "word " * 2000 for number in range(500)]
        suggested = await graph.audit.suggest_ontology(texts)
    assert (len(suggested.entities), len(suggested.facts)) == (12, 24)
    assert max(map(len, str(suggested).splitlines())) < 500
    [[_, asked]] = llm.asked
    assert len(asked.content) < 30_000
    assert "of 500 texts" in caplog.text
    shown = [text for text in texts if text[:1200] in asked.content]
    assert len(shown) > 3
    assert texts.index(shown[-1]) > 300


async def test_types_and_relations_in_use_are_proposed_without_a_model():
    async with open_graph() as graph:
        for number in range(3):
            await graph.add_fact(
                f"Ann {number}",
                "works_at",
                "Acme",
                subject_type="person",
                object_type="organization",
            )
        await graph.add_fact("Acme", "works_at", "Oslo", subject_type="organization")
        await graph.add_fact("Ann 1", "owes", "Ann 2")
        await graph.add_fact("Ann 1", "has_age", "41")
        await graph.add_fact("Ann 2", "has_age", "42")
        suggested = await graph.audit.suggest_ontology()
        assert suggested.prompt().splitlines() == [
            "Entity types (use only these):",
            "- person",
            "- organization",
            "Relations (use only these, in this direction):",
            "- works_at (person -> organization)",
            "- has_age",
        ]
        assert "owes" in (await graph.audit.suggest_ontology(least=1)).facts
        assert run(str(suggested)).prompt() == suggested.prompt()
    async with open_graph(ontology=suggested) as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        await graph.add_fact("Ann", "works_at", "Globex", valid_at="2021")
        await graph.add_fact("Ann", "has_age", "41")
        assert [fact.object for fact in await graph.facts("Ann", relation="works_at")] == ["Globex"]
        assert (await graph.entity("Ann")).entity_type == "person"


async def test_an_empty_graph_has_nothing_to_propose(graph):
    assert not await graph.audit.suggest_ontology()


@pytest.mark.parametrize(
    ("texts", "message"), [([], "texts is empty"), ("Ann works.", "texts"), (["x"], "Models")]
)
async def test_what_is_missing_is_named(texts, message):
    llm = None if texts == ["x"] else ScriptedLLM()
    async with open_graph(llm=llm) as graph:
        with pytest.raises(QueryError, match=message):
            await graph.audit.suggest_ontology(texts)


async def test_a_model_that_breaks_is_an_error_of_the_model():
    class Broken:
        async def complete(self, messages, *, answer):
            raise RuntimeError("out of memory")

    async with open_graph(llm=Broken()) as graph:
        with pytest.raises(LLMError, match="out of memory"):
            await graph.audit.suggest_ontology(TEXTS)


def test_a_server_is_asked_with_a_schema_and_its_answer_salvaged():
    server = ModelServer()
    broken = json.dumps(
        {"nodes": PROPOSAL["entities"], "relations": [*PROPOSAL["facts"], {"x": 1}]}
    )
    server.replies = [
        Reply(f"Here it is:\n```json\n{broken}\n```"),
        Reply('{"entities":[],"facts":[]}'),
    ]
    llm = graphrag.OpenAILLM("tiny", base_url=server.url, api_key="sk-none")
    models = graphrag.Models(llm=llm, embedder=HashEmbedder())
    try:
        with BlockingGraph.open("mem://", models=models) as graph:
            suggested = graph.audit.suggest_ontology(TEXTS)
    finally:
        server.close()
    assert isinstance(suggested, Ontology)
    assert str(suggested) == SOURCE
    schema = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["entities", "facts"]
