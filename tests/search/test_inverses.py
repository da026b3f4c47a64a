"""Facts are stored one way; who asks for the inverse of their relation means them."""

import pytest

from graphrag import Field, Within
from graphrag.ontology.relations import Relation, Relations
from tests.conftest import open_graph

EMPLOYS = Field.relation == "employs"
WORKS = Field.relation == "works_at"
KNOWS = Field.relation == "knows"


@pytest.fixture
async def people():
    async with open_graph() as graph:
        await graph.add_fact("Ann", "works_at", "Acme")
        await graph.add_fact("Bob", "works_at", "Acme")
        await graph.add_fact("Ann", "knows", "Cid")
        await graph.add_fact("Bob", "likes", "Cid")
        yield graph


async def found(graph, **options):
    results = await graph.search("Ann Bob Cid Acme", scopes=["facts"], **options)
    return {(hit.item.subject, hit.item.relation) for hit in results.facts}


@pytest.mark.parametrize(
    ("where", "same"),
    [
        (EMPLOYS, WORKS),
        (~EMPLOYS, ~WORKS),
        (EMPLOYS | KNOWS, WORKS | KNOWS),
        (EMPLOYS & ~KNOWS, WORKS & ~KNOWS),
        (Field.relation != "employs", Field.relation != "works_at"),
        (Field.relation.in_(["employs", "knows"]), Field.relation.in_(["works_at", "knows"])),
    ],
    ids=repr,
)
async def test_a_filter_by_a_relation_finds_what_its_inverse_says(people, where, same):
    told = await found(people, where=where)
    assert told == await found(people, where=same)
    assert told != await found(people)


async def test_a_search_near_something_goes_along_the_inverse(people):
    near = await found(people, within=Within("Ann", relations=["employs"]))
    assert near == {("Ann", "works_at"), ("Bob", "works_at")}


def test_what_nothing_is_the_inverse_of_stands_alone():
    relations = Relations([Relation("parent_of", inverse_of="child_of"), Relation("likes")])
    assert relations.same("likes") == ["likes"]
    assert relations.same("unheard_of") == ["unheard_of"]
    assert set(relations.same("child_of")) == {"parent_of", "child_of"}
    assert set(relations.same("parent_of")) == {"parent_of", "child_of"}
