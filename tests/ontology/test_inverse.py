"""A fact told from the other end is the same fact."""

import pytest

from graphrag.errors import InputError
from graphrag.model.extraction import Extraction, Mention
from graphrag.ontology.conform import straightened
from graphrag.ontology.relations import Relation, Relations
from tests.conftest import open_graph, triples


def test_the_one_that_names_no_inverse_is_stored():
    relations = Relations([Relation("works_at"), Relation("employs", inverse_of="works_at")])
    assert relations.straight("employs") == "works_at"
    assert relations.straight("works_at") is None


def test_the_only_one_declared_is_stored():
    relations = Relations([Relation("works_at", inverse_of="employs")])
    assert relations.straight("employs") == "works_at"
    assert relations.straight("works_at") is None


def test_of_two_that_name_each_other_the_first_is_stored():
    relations = Relations([Relation("a", inverse_of="b"), Relation("b", inverse_of="a")])
    assert (relations.straight("a"), relations.straight("b")) == (None, "a")


def test_an_inverse_says_what_it_holds_one_of_from_its_own_end():
    relations = Relations(
        [Relation("leads"), Relation("led_by", single_valued=True, inverse_of="leads")]
    )
    assert relations["leads"].single_holder
    assert not relations["leads"].single_valued


def test_exclusion_holds_both_ways_however_it_is_declared():
    relations = Relations([Relation("likes", exclusive_with=("hates",))])
    assert relations["hates"].exclusive_with == ("likes",)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ([Relation("a", inverse_of="a")], "inverse of itself"),
        ([Relation("a", symmetric=True, inverse_of="b")], "inverse of itself"),
        ([Relation("a", inverse_of="b"), Relation("b", inverse_of="c")], "has another"),
        ([Relation("a", inverse_of="c"), Relation("b", inverse_of="c")], "has another"),
        (
            [Relation("a"), Relation("b", inverse_of="a"), Relation("c", exclusive_with=("b",))],
            "cannot exclude 'b'",
        ),
        (
            [Relation("a"), Relation("b", inverse_of="a", exclusive_with=("c",))],
            "cannot exclude 'c'",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(declared, message):
    with pytest.raises(InputError, match=message):
        Relations(declared)


def test_an_extraction_without_inverse_claims_stays_itself():
    extraction = Extraction(mentions=(Mention("Alice"),))
    assert straightened(extraction, Relations()) is extraction


RELATIONS = Relations().having(Relation("does_employ", inverse_of="works_at"))


async def test_an_inverse_telling_is_stored_in_one_direction():
    async with open_graph(relations=RELATIONS) as graph:
        await graph.add_episode("Acme does_employ Alice from 2020-01-01.")
        assert triples(await graph.facts("Alice")) == {
            ("Alice", "works_at", "Acme", "2020-01-01", None)
        }
        [fact] = await graph.facts("Alice")
        assert fact.text == "Acme does_employ Alice from 2020-01-01."


async def test_an_inverse_telling_repeats_the_straight_one():
    async with open_graph(relations=RELATIONS) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
        again = await graph.add_episode("Acme does_employ Alice.", reference_time="2021-01-01")
        assert again.facts == ()
        [fact] = await graph.facts("Alice")
        assert len(fact.sources) == 2


async def test_an_inverse_telling_closes_what_the_straight_one_would():
    async with open_graph(relations=RELATIONS) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
        await graph.add_episode("Globex does_employ Alice.", reference_time="2021-01-01")
        assert triples(await graph.at(history=True).facts("Alice")) == {
            ("Alice", "works_at", "Acme", "2020-01-01", "2021-01-01"),
            ("Alice", "works_at", "Globex", "2021-01-01", None),
        }


async def test_an_inverse_end_closes_the_straight_fact():
    async with open_graph(relations=RELATIONS) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
        await graph.add_episode("Acme ends:does_employ Alice.", reference_time="2021-01-01")
        assert await graph.facts("Alice") == []
