"""What does not fit the declared types is refused or kept untyped, and always reported."""

from datetime import date
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from graphrag import EntityType, Extraction, FactType, Identifier, Ontology
from graphrag.errors import InputError
from graphrag.model.extraction import Claim, Mention
from graphrag.ontology.relations import Relation, Relations
from graphrag.testing import ScriptedExtractor
from tests.conftest import open_graph, triples


class Person(BaseModel):
    """A human being."""

    email: Annotated[str, Identifier] | None = None
    age: int | None = Field(None, gt=0, description="in years")
    born: date | None = None

    @field_validator("email")
    @classmethod
    def has_an_at(cls, email):
        if email is not None and "@" not in email:
            raise ValueError("no @ in it")
        return email


class Manager(Person):
    """A person with reports."""


class Company(EntityType, name="organization"):
    """A business."""

    registry_number: Annotated[str, Identifier]
    size: Literal["small", "large"] | None = None


class Place(BaseModel):
    pass


class WorksAt(FactType, pairs=[(Person, Company)], single_valued=True, inverse_of="employs"):
    """A person has a job at a company."""

    role: str | None = None


class MarriedTo(FactType, pairs=[(Person, "person")], single_valued=True, symmetric=True):
    """Two people are married."""


TYPES = {"entities": [Person, Manager, Company], "facts": [WorksAt, MarriedTo]}
ALICE, BOB = Mention("Alice", "person"), Mention("Bob", "manager")
ACME, PARIS = Mention("Acme", "organization"), Mention("Paris", "place")
ZORG = Mention("Zorg")


def claim(subject, relation, object_, **rest):
    text = f"{subject.name} {relation} {object_.name if object_ else 'nothing'}."
    return Claim(subject, relation, object_, text, 0, len(text), **rest)


def checked(ontology, *claims, mentions=()):
    extraction, violations = ontology.check(Extraction(tuple(mentions), claims))
    return extraction, [(violation.kind, violation.kept) for violation in violations]


REFUSE = Ontology(**TYPES, on_violation="refuse")
UNTYPED = Ontology(**TYPES)


def test_without_an_ontology_everything_is_allowed():
    told = Extraction((PARIS,), (claim(ACME, "likes", PARIS),))
    assert Ontology().check(told) == (told, ())
    assert Ontology().prompt() == ""
    assert not Ontology()


@pytest.mark.parametrize(
    "fitting",
    [
        claim(ALICE, "works_at", ACME),
        claim(BOB, "works_at", ACME),  # a subclass of an allowed type
        claim(ZORG, "works_at", ACME),  # of unknown type
        claim(ALICE, "works_at", None, ends=True),
        claim(ACME, "employs", ALICE),  # from the other end
        claim(ALICE, "married_to", BOB),
    ],
    ids=lambda fitting: fitting.text,
)
def test_what_fits_stays_as_it_is(fitting):
    assert checked(REFUSE, fitting) == (Extraction(claims=(fitting,)), [])


@pytest.mark.parametrize(
    ("wrong", "kinds"),
    [
        (claim(ALICE, "works_at", BOB), {"pair"}),
        (claim(ACME, "works_at", ALICE), {"pair"}),
        (claim(ALICE, "employs", ACME), {"pair"}),
        (claim(ACME, "works_at", None, ends=True), {"pair"}),
        (claim(ALICE, "likes", BOB), {"relation"}),
        (claim(ALICE, "works_at", PARIS), {"entity_type"}),
    ],
    ids=lambda told: told.text if isinstance(told, Claim) else None,
)
def test_refused_claims_are_left_out_and_reported(wrong, kinds):
    extraction, violations = checked(REFUSE, wrong)
    assert extraction.claims == ()
    assert {kind for kind, _ in violations} == kinds
    assert not any(kept for _, kept in violations)


def test_an_entity_of_an_unknown_type_becomes_a_thing_or_is_left_out():
    assert checked(UNTYPED, mentions=[PARIS]) == (
        Extraction((Mention("Paris", "thing"),)), [("entity_type", True)],
    )  # fmt: skip
    assert checked(REFUSE, mentions=[PARIS]) == (Extraction(), [("entity_type", False)])


def test_an_unknown_relation_is_kept_as_a_free_one():
    told = claim(ALICE, "likes", BOB)
    assert checked(UNTYPED, told) == (Extraction(claims=(told,)), [("relation", True)])


def test_a_forbidden_pair_is_kept_with_a_mark():
    extraction, violations = checked(UNTYPED, claim(ALICE, "works_at", BOB))
    [kept] = extraction.claims
    assert (kept.relation, kept.attributes, kept.untyped) == ("works_at", {}, True)
    assert violations == [("pair", True)]


@pytest.mark.parametrize("on_violation", ["refuse", "untyped"])
def test_what_is_excluded_is_left_out_whatever_else_is_chosen(on_violation):
    ontology = Ontology(excluded=[Place, "likes"], on_violation=on_violation)
    told = [claim(ALICE, "likes", BOB), claim(ALICE, "lives_in", PARIS), claim(ALICE, "knows", BOB)]
    extraction, violations = checked(ontology, *told, mentions=[PARIS, ALICE])
    assert [one.relation for one in extraction.claims] == ["knows"]
    assert extraction.mentions == (ALICE,)
    assert ("excluded", False) in violations


def attributes_of(entity_type, given, ontology=UNTYPED):
    extraction, violations = ontology.check(
        Extraction((Mention("X", entity_type, attributes=given),))
    )
    return extraction.mentions[0].attributes, [str(violation) for violation in violations]


def test_attributes_are_stored_as_what_they_are_declared():
    given = {"email": "a@b.org", "age": "41", "born": "1983-05-01"}
    assert attributes_of("person", given) == (
        {"email": "a@b.org", "age": 41, "born": "1983-05-01"}, [],
    )  # fmt: skip


def test_a_required_attribute_that_the_text_does_not_give_is_no_violation():
    assert attributes_of("organization", {"size": "small"}) == ({"size": "small"}, [])
    assert attributes_of("organization", {"registry_number": None}) == ({}, [])


def test_an_attribute_that_is_not_valid_is_left_out_and_the_others_stay():
    kept, violations = attributes_of(
        "person", {"email": "nobody", "age": -1, "born": "1983-05-01", "shoes": 42}
    )
    assert kept == {"born": "1983-05-01"}
    assert violations == [
        "X (person): attribute 'shoes', it is not declared; left out",
        "X (person): attribute 'email', 'nobody': Value error, no @ in it; left out",
        "X (person): attribute 'age', -1: Input should be greater than 0; left out",
    ]


def test_a_model_may_take_attributes_that_it_does_not_declare():
    class Product(BaseModel):
        model_config = ConfigDict(extra="allow")
        price: float | None = None

    ontology = Ontology([Product])
    assert attributes_of("product", {"colour": "red", "price": "2"}, ontology) == (
        {"colour": "red", "price": 2.0}, [],
    )  # fmt: skip


def test_a_validator_of_the_whole_model_refuses_all_its_attributes():
    class Term(BaseModel):
        first: int | None = None
        last: int | None = None

        @model_validator(mode="after")
        def in_order(self):
            if self.first and self.last and self.first > self.last:
                raise ValueError("ends before it begins")
            return self

    ontology = Ontology([Term])
    assert attributes_of("term", {"first": 1, "last": 2}, ontology)[0] == {"first": 1, "last": 2}
    kept, violations = attributes_of("term", {"first": 3, "last": 2}, ontology)
    assert kept == {}
    assert len(violations) == 2


def test_attributes_of_a_fact_are_checked_too():
    good, bad = {"role": "chief"}, {"role": "chief", "desk": 3}
    extraction, violations = checked(
        UNTYPED,
        claim(ALICE, "works_at", ACME, attributes=good),
        claim(BOB, "works_at", ACME, attributes=bad),
    )
    assert [one.attributes for one in extraction.claims] == [good, good]
    assert violations == [("attribute", False)]


def test_checking_twice_changes_nothing_more():
    told = Extraction((PARIS, ALICE), (claim(ALICE, "works_at", ACME, attributes={"role": "x"}),))
    once, _ = UNTYPED.check(told)
    assert UNTYPED.check(once) == (once, ())


def test_identifier_fields_are_known_by_type():
    assert UNTYPED.identifiers == {
        "person": ("email",), "manager": ("email",), "organization": ("registry_number",),
    }  # fmt: skip


def test_relations_come_from_the_fact_types_on_top_of_the_base():
    relations = UNTYPED.relations()
    assert relations["works_at"].single_valued
    assert relations.straight("employs") == "works_at"
    assert relations["lives_in"].single_valued
    only = UNTYPED.relations(Relations([Relation("owns")]))
    assert "owns" in only
    assert "lives_in" not in only


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: Ontology([Person, Person]), "two entity types are called 'person'"),
        (lambda: Ontology([], [WorksAt, WorksAt]), "two fact types are called 'works_at'"),
        (lambda: Ontology([Person], [WorksAt]), "pairs 'organization', which is no entity type"),
        (lambda: Ontology([Person], excluded=["person"]), "both declared and excluded"),
        (lambda: Ontology(on_violation="ignore"), "use 'untyped' or 'refuse'"),
        (lambda: Ontology(excluded=["not a name"]), "cannot name a type"),
    ],
)
def test_types_that_contradict_each_other_are_refused(declare, message):
    with pytest.raises(InputError, match=message):
        declare()


def test_the_prompt_says_it_all_shortly():
    ontology = Ontology(**TYPES, excluded=["weather"], instructions="Ignore gossip.")
    assert ontology.prompt().splitlines() == [
        "Entity types (use only these):",
        "- person: A human being. Attributes: email (string, identifier), age (integer, in years), "
        "born (date).",
        "- manager: A person with reports. Attributes: email (string, identifier), "
        "age (integer, in years), born (date).",
        "- organization: A business. Attributes: registry_number (string, identifier), "
        "size (one of small | large).",
        "Relations (use only these, in this direction):",
        "- works_at (manager -> organization, person -> organization): A person has a job at a "
        "company. One at a time. Inverse: employs. Attributes: role (string).",
        "- married_to (manager -> manager, manager -> person, person -> manager, "
        "person -> person): Two people are married. One at a time.",
        "Never report: weather.",
        "Ignore gossip.",
    ]


# -- in a graph ------------------------------------------------------------------------------------


async def test_an_open_graph_reports_violations(caplog):
    async with open_graph(ontology=REFUSE) as graph:
        added = await graph.add_episode("Alice works_at Acme. Alice works_at Paris.")
        assert triples(added.facts) == {("Alice", "works_at", "Acme", *dates(added))}
        assert [violation.about for violation in added.violations] == [
            "Paris (place)", "Alice works_at Paris",
        ]  # fmt: skip
        assert await graph.entity("Paris") is None
        assert "Alice works_at Paris" in caplog.text


def dates(added):
    return added.episode.valid_at.date().isoformat(), None


async def test_a_fact_between_wrong_types_ends_nothing_and_nothing_ends_it():
    async with open_graph(ontology=UNTYPED) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
        await graph.add_episode("Alice works_at Paris.", reference_time="2021-01-01")
        assert {fact.object for fact in await graph.facts("Alice")} == {"Acme", "Paris"}
        await graph.add_episode("Alice works_at Beta.", reference_time="2022-01-01")
        assert {fact.object for fact in await graph.facts("Alice")} == {"Beta", "Paris"}


async def test_the_type_that_the_graph_knows_counts_where_the_text_gives_none():
    told = {
        "first": Extraction((PARIS, ALICE)),
        "second": Extraction(claims=(claim(Mention("Alice"), "works_at", Mention("Paris")),)),
    }
    ontology = Ontology([Person, Company, Place], [WorksAt], on_violation="refuse")
    async with open_graph(extractor=ScriptedExtractor(told), ontology=ontology) as graph:
        await graph.add_episode("first")
        added = await graph.add_episode("second")
        assert added.facts == ()
        assert [violation.kind for violation in added.violations] == ["pair"]


async def test_rules_read_under_an_ontology():
    ontology = Ontology(entities=[Person, Company], facts=[WorksAt], on_violation="refuse")
    async with open_graph(extractor=None, ontology=ontology) as graph:
        added = await graph.add_episode("Alice Johnson works at Acme Corp and lives in Paris.")
        assert [fact.relation for fact in added.facts] == ["works_at"]
        assert added.violations


async def test_a_correction_by_hand_meets_the_ontology_too():
    async with open_graph(ontology=REFUSE) as graph:
        added = await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
        await graph.add_episode("Bob works_at Acme.", reference_time="2020-01-01")
        [fact] = added.facts
        with pytest.raises(InputError, match="'likes' is none of works_at, married_to"):
            await graph.edit.correct(fact, relation="likes")
        with pytest.raises(InputError, match="does not lead from person to person"):
            await graph.edit.correct(fact, object="Bob")
        assert await graph.facts("Alice") == [fact]


async def test_a_correction_by_hand_is_stored_in_one_direction():
    async with open_graph(ontology=UNTYPED) as graph:
        await graph.add_episode("Alice works_at Globex.", reference_time="2020-01-01")
        added = await graph.add_episode("Bob works_at Acme.", reference_time="2021-01-01")
        [wrong], alice = added.facts, await graph.entity("Alice")
        right = await graph.edit.correct(wrong, subject="Acme", relation="employs", object=alice)
        assert (right.subject, right.relation, right.object) == ("Alice", "works_at", "Acme")
        assert right.attributes == {}
        # It is judged as what it is: one job at a time.
        assert [fact.object for fact in await graph.facts("Alice")] == ["Acme"]


async def test_facts_told_directly_meet_the_ontology_too():
    async with open_graph(ontology=REFUSE) as graph:
        with pytest.raises(InputError, match="does not lead from organization to person"):
            await graph.add_fact(
                "Acme", "works_at", "Alice", subject_type="organization", object_type="person"
            )
        assert await graph.entity("Acme") is None


@pytest.mark.parametrize("relation", ["costs", "earns", "has_value", "has_score"])
def test_a_relation_to_a_number_holds_one(relation):
    assert Relations()[relation].single_valued
