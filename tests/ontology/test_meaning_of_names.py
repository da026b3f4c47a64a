"""Declared relations are read as the built-in ones that their names mean by their words."""

import pytest
from pydantic import BaseModel

from graphrag import FactType, Ontology, Relation, Relations
from tests.conftest import open_graph, triples

BY_WORDS = {
    "WorksFor": "works_at", "EmployedBy": "works_at", "LivesIn": "lives_in",
    "MarriedTo": "married_to", "SpouseOf": "married_to", "ReportsTo": "reports_to",
    "LocatedIn": "located_in", "Owns": "owned_by", "Likes": "likes", "WORKS_FOR": "works_at",
}  # fmt: skip
OF_THEIR_OWN = (
    "ParentOf ChildOf Competes CompetesWith Sues Mentors SuppliesTo MadeBy ResidesAt FiredBy "
    "ResignedFrom PreviouslyEmployedBy InvestsIn BornOn WorksOn LivesNear TraveledTo LedTo "
    "ExHusbandOf SubsidiaryOf"
).split()


def declared(*names):
    return Ontology(facts={name: BaseModel for name in names})


async def read(ontology, **options):
    """Return what a graph reads each declared relation as."""
    async with open_graph(ontology=ontology, **options) as graph:
        relations = graph.handle.session.relations
        return {name: relations.canonical(name)[0] for name in ontology.facts}


@pytest.mark.parametrize(("name", "meant"), BY_WORDS.items())
async def test_a_name_is_read_as_what_it_means(name, meant):
    assert {*(await read(declared(name))).values()} == {meant}


async def test_a_name_that_may_mean_something_else_stays_a_relation_of_its_own():
    assert all(own == meant for own, meant in (await read(declared(*OF_THEIR_OWN))).items())


async def test_what_is_declared_wins():
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


def declared_classes(*names):
    return [type(name, (BaseModel,), {"__doc__": ""}) for name in names]


async def test_facts_of_both_names_are_one_relation():
    async with open_graph(ontology=declared("WorksFor")) as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        await graph.add_fact("Ann", "works_for", "Beta", valid_at="2022")
        assert triples(await graph.at(history=True).facts("Ann", relation="works_at")) == {
            ("Ann", "works_at", "Acme", "2020-01-01", "2022-01-01"),
            ("Ann", "works_for", "Beta", "2022-01-01", None),
        }


async def test_a_name_is_read_by_the_relations_of_the_graph_alone():
    relations = Relations([Relation("based_in")])
    assert await read(declared("WorksFor"), relations=relations) == {"works_for": "works_for"}
