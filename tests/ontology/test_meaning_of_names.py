"""Declared relations are read as the built-in ones that their names mean, if that is sure."""

import logging

import pytest
from pydantic import BaseModel

from graphrag import FactType, OnnxEmbedder, Ontology, Relation, Relations
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph, triples

EMBEDDER = OnnxEmbedder()
BY_WORDS = {
    "WorksFor": "works_at", "EmployedBy": "works_at", "LivesIn": "lives_in",
    "MarriedTo": "married_to", "SpouseOf": "married_to", "ReportsTo": "reports_to",
    "LocatedIn": "located_in", "Owns": "owned_by", "Likes": "likes", "WORKS_FOR": "works_at",
}  # fmt: skip
BY_MEANING = {
    "HeadquarteredIn": "located_in", "Birthplace": "born_in", "HusbandOf": "married_to",
    "Wife": "married_to", "Hates": "dislikes", "CoworkerOf": "colleague_of", "JobAt": "works_at",
}  # fmt: skip
OF_THEIR_OWN = (
    "ParentOf ChildOf Competes CompetesWith Sues Mentors SuppliesTo MadeBy ResidesAt FiredBy "
    "ResignedFrom PreviouslyEmployedBy InvestsIn BornOn WorksOn LivesNear TraveledTo LedTo "
    "ExHusbandOf SubsidiaryOf"
).split()


def declared(*names):
    return Ontology(facts={name: BaseModel for name in names})


async def read(ontology, embedder=EMBEDDER, **options):
    """Return what a graph reads each declared relation as."""
    async with open_graph(ontology=ontology, embedder=embedder, **options) as graph:
        relations = graph.handle.session.relations
        return {name: relations.canonical(name)[0] for name in ontology.facts}


@pytest.mark.parametrize(("name", "meant"), (BY_WORDS | BY_MEANING).items())
async def test_a_name_is_read_as_what_it_means(name, meant):
    assert {*(await read(declared(name))).values()} == {meant}


async def test_what_is_found_by_meaning_is_told_once(caplog):
    await read(declared(*BY_WORDS.keys() - {"WORKS_FOR"}, *BY_MEANING))
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == len(BY_MEANING)
    assert any("'headquartered_in' is read as 'located_in'" in line for line in told)


async def test_a_name_that_may_mean_something_else_stays_a_relation_of_its_own(caplog):
    assert all(own == meant for own, meant in (await read(declared(*OF_THEIR_OWN))).items())
    assert not caplog.records


async def test_an_embedder_that_knows_no_meaning_finds_none():
    ontology = declared(*BY_MEANING, *OF_THEIR_OWN)
    assert all(own == meant for own, meant in (await read(ontology, HashEmbedder())).items())


async def test_what_is_declared_wins(caplog):
    class HeadquarteredIn(FactType, synonym_of="lives_in"):
        """Where a company has its seat."""

    class Birthplace(FactType, single_valued=True):
        """Where a work was first shown."""

    relations = Relations().having(Relation("hates"), Relation("job_at", synonym_of="studies_at"))
    ontology = Ontology(facts=[HeadquarteredIn, Birthplace, *declared_classes("Hates", "JobAt")])
    assert await read(ontology, relations=relations) == {
        "headquartered_in": "lives_in",
        "birthplace": "birthplace",
        "hates": "hates",
        "job_at": "studies_at",
    }
    assert not caplog.records


def declared_classes(*names):
    return [type(name, (BaseModel,), {"__doc__": ""}) for name in names]


async def test_facts_of_both_names_are_one_relation():
    ontology = declared("HeadquarteredIn")
    async with open_graph(ontology=ontology, embedder=EMBEDDER) as graph:
        await graph.add_fact("Acme", "located_in", "Oslo", valid_at="2020")
        await graph.add_fact("Acme", "headquartered_in", "Rome", valid_at="2022")
        assert triples(await graph.at(history=True).facts("Acme", relation="located_in")) == {
            ("Acme", "located_in", "Oslo", "2020-01-01", "2022-01-01"),
            ("Acme", "headquartered_in", "Rome", "2022-01-01", None),
        }


async def test_an_embedder_that_fails_is_told_and_the_graph_opens(caplog):
    class Broken(HashEmbedder):
        async def embed(self, texts, *, purpose):
            raise RuntimeError("no network")

    caplog.set_level(logging.WARNING)
    found = await read(declared("HeadquarteredIn", "WorksFor"), Broken())
    assert found == {"headquartered_in": "headquartered_in", "works_for": "works_at"}
    assert "no network" in caplog.text


@pytest.mark.parametrize("relations", [Relations([]), Relations([Relation("based_in")])])
async def test_only_relations_of_the_graph_are_meant(relations):
    assert await read(declared("HusbandOf"), relations=relations) == {"husband_of": "husband_of"}
