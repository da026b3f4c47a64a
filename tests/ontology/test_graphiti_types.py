"""Types as Graphiti's users have them: plain pydantic models in mappings, with a map of pairs."""

import pytest
from pydantic import BaseModel

from graphrag import FactType, InputError, LLMExtractor, NewEpisode, Ontology
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.testing import ScriptedLLM
from tests.conftest import open_graph, triples


class Person(BaseModel):
    """A human being."""

    age: int | None = None


class Company(BaseModel):
    """A business."""

    industry: str | None = None


class WorksFor(BaseModel):
    """A person works for a company."""

    role: str | None = None


class Investment(BaseModel):
    """Somebody has put money into something."""


ENTITIES = {"Person": Person, "Company": Company}
EDGES = {"WorksFor": WorksFor, "INVESTS_IN": Investment}
EDGE_TYPE_MAP = {
    ("Person", "Company"): ["WorksFor"],
    ("Person", "Entity"): ["INVESTS_IN"],
    ("Company", "Entity"): ["INVESTS_IN"],
}
TYPES = Ontology(ENTITIES, EDGES, pairs=EDGE_TYPE_MAP)


def test_mappings_name_types_and_the_map_says_what_they_link():
    assert TYPES.prompt().splitlines() == [
        "Entity types (use only these):",
        "- person: A human being. Attributes: age (integer).",
        "- company: A business. Attributes: industry (string).",
        "Relations (use only these, in this direction):",
        "- works_for (person -> company): A person works for a company. Attributes: role (string).",
        "- invests_in (company -> thing, person -> thing): Somebody has put money into something.",
    ]


def test_a_key_may_give_a_class_another_name():
    ontology = Ontology(
        {"organization": Company}, {"Owns": WorksFor}, pairs={(Company, "Entity"): ["Owns"]}
    )
    assert "owns (organization -> thing)" in ontology.prompt()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"pairs": {("Person", "Company"): ["RelatesTo"]}},
            r"pairs\[.*\] names 'RelatesTo'.*works_for",
        ),
        (
            {"pairs": {("Person", "Firm"): ["WorksFor"]}},
            "'works_for' pairs 'Firm'.*person, company",
        ),
        ({"pairs": [("Person", "Company")]}, r"pairs: give \{"),
        ({"pairs": {"Person": ["WorksFor"]}}, r"pairs: give \{"),
        (
            {"entities": {"Person": Person, "PERSON": Company}},
            "two entity types are called 'person'",
        ),
        ({"entities": {"Person": "Person"}}, "entity type 'Person' is no pydantic model"),
    ],
)
def test_what_is_wrong_is_named_with_its_argument(arguments, message):
    with pytest.raises(InputError, match=message):
        Ontology(**{"entities": ENTITIES, "facts": EDGES, **arguments})


async def test_facts_read_without_a_model_fit_the_types_that_mean_the_same():
    async with open_graph(ontology=TYPES, extractor=NeuralExtractor()) as graph:
        first = await graph.add_episode("Alice Johnson works for Acme Corp.", reference_time="2020")
        await graph.add_episode("Alice Johnson works at Globex Inc.", reference_time="2021")
        await graph.add_fact("Alice Johnson", "works_for", "Initech", valid_at="2022")
        assert first.violations == ()
        assert {entity.entity_type for entity in await graph.entities()} == {"person", "company"}
        assert triples(await graph.at(history=True).facts("Alice Johnson")) == {
            ("Alice Johnson", "works_at", "Acme Corp", "2020-01-01", "2021-01-01"),
            ("Alice Johnson", "works_at", "Globex Inc", "2021-01-01", "2022-01-01"),
            ("Alice Johnson", "works_for", "Initech", "2022-01-01", None),
        }
        for name in ("works_for", "works_at"):
            assert len(await graph.facts("Alice Johnson", relation=name)) == 1


async def test_a_fact_between_declared_types_that_do_not_fit_is_untyped_as_before():
    async with open_graph(ontology=TYPES) as graph:
        await graph.add_entity("Ann", entity_type="person")
        await graph.add_entity("Acme", entity_type="company")
        assert (await graph.add_fact("Acme", "works_for", "Ann")).fact.untyped
        assert (await graph.add_fact("Acme", "works_at", "Ann")).fact.untyped
        assert not (await graph.add_fact("Ann", "employed_by", "Acme")).fact.untyped


READING = {
    "entities": [
        {"name": "Ann", "type": "person", "attributes": {}},
        {"name": "Acme", "type": "company"},
    ],
    "facts": [
        {
            "subject": "Ann", "relation": "works_for", "object": "Acme",
            "quote": "Ann works for Acme as CTO", "attributes": {"role": "CTO"},
        }
    ],
}  # fmt: skip


async def test_types_may_be_those_of_one_call():
    llm = ScriptedLLM(READING, {"entities": [], "facts": []})
    async with open_graph(extractor=LLMExtractor(llm)) as graph:
        added = await graph.add_episode("Ann works for Acme as CTO.", ontology=TYPES)
        assert [fact.attributes for fact in added.facts] == [{"role": "CTO"}]
        assert {entity.entity_type for entity in added.entities} == {"person", "company"}
        await graph.add_episode("Nothing else.")
        first, second = (question[0].content for question in llm.asked)
        assert TYPES.prompt() in first
        assert "works_for (person" not in second


async def test_types_of_one_call_check_and_then_are_gone():
    acquaintance = Ontology(facts={"Knows": Investment}, on_violation="refuse")
    async with open_graph() as graph:
        added = await graph.add_episode("Ann works_at Acme from 2020.", ontology=acquaintance)
        assert [violation.kind for violation in added.violations] == ["relation"]
        assert added.facts == ()
        report = await graph.add_episodes([NewEpisode("Bo works_at Acme.")], ontology=acquaintance)
        assert report.violations == 1
        added = await graph.add_episode("Cy works_at Acme from 2020.")
        assert len(added.facts) == 1
        again = await graph.add_fact("Ann", "works_at", "Acme", object_type="company")
        assert again.new


async def test_types_of_one_call_have_no_rules_that_later_writes_would_not_know():
    class LivesWith(FactType, single_valued=True):
        """A shared home."""

    class WorksAt(FactType, single_valued=True):
        """A job, as the graph has it."""

    async with open_graph() as graph:
        with pytest.raises(InputError, match=r"ontology: 'lives_with' has rules.*Rules\(ontology"):
            await graph.add_episode("Ann lives_with Bo.", ontology=Ontology(facts=[LivesWith]))
        added = await graph.add_episode("Ann works_at Acme.", ontology=Ontology(facts=[WorksAt]))
        assert len(added.facts) == 1
        with pytest.raises(InputError, match=r"ontology: .*wait=True"):
            await graph.add_episode("Ann lives_with Bo.", ontology=TYPES, wait=False)
        with pytest.raises(InputError, match=r"ontology .*: give Ontology"):
            await graph.add_episode("Ann lives_with Bo.", ontology=ENTITIES)
