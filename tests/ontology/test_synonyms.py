"""Relations that say the same from the same end are read as one."""

import pytest

from graphrag import Field, InputError, Relation, Relations
from tests.conftest import open_graph

RELATIONS = Relations().having(
    Relation("job", synonym_of="works_at"), Relation("hires", synonym_of="employs")
)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("works_at", ("works_at", False)),
        ("job", ("works_at", False)),
        ("employs", ("works_at", True)),
        ("hires", ("works_at", True)),
        ("knows", ("knows", False)),
    ],
)
def test_a_relation_is_read_as_one_that_says_the_same(name, read):
    assert RELATIONS.canonical(name) == read


def test_a_name_means_all_that_say_the_same():
    assert RELATIONS.alike(["hires"], ["job", "knows", "works_at"]) == ["job", "works_at"]
    assert set(RELATIONS.same("job")) == {
        "job",
        "works_at",
        "works_for",
        "employed_by",
        "employs",
        "hires",
    }


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("job=job", "job -> job is a cycle"),
        ("job=post post=job", "job -> post -> job is a cycle"),
        ("task=job job=post post=job", "job -> post -> job is a cycle"),
    ],
)
def test_a_cycle_of_synonyms_is_named(declared, words):
    pairs = (pair.split("=") for pair in declared.split())
    with pytest.raises(InputError, match=f"^{words} of synonyms"):
        Relations(Relation(name, synonym_of=synonym) for name, synonym in pairs)


@pytest.mark.parametrize(
    "declared",
    [
        [Relation("job", synonym_of="post"), Relation("post", inverse_of="job")],
        [Relation("job", synonym_of="post", inverse_of="hires"), Relation("hires")],
    ],
)
def test_a_synonym_with_an_inverse_is_refused(declared):
    with pytest.raises(InputError, match="synonym"):
        Relations(declared)


async def test_a_filter_finds_what_was_told_under_another_name():
    async with open_graph(relations=RELATIONS) as graph:
        await graph.add_fact("Ann", "job", "Acme")
        found = await graph.search("Ann", where=Field.relation == "works_at", scopes=["facts"])
        assert [hit.item.relation for hit in found.facts] == ["job"]
