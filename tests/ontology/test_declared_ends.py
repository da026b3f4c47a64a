"""What a table does not say of types, the declared ends of its relations say."""

import pytest
from pydantic import BaseModel

from graphrag import EntityType, FactType, Ontology
from tests.conftest import open_graph


class Person(BaseModel):
    """A human being."""

    born: int | None = None


class Manager(Person):
    """Who leads others."""


class Company(EntityType, name="organization"):
    """A business."""


class Town(EntityType, name="place"):
    """A town."""


class WorksAt(FactType, pairs=[(Person, Company)], single_valued=True, inverse_of="employs"):
    """A job."""


class MarriedTo(FactType, pairs=[(Person, Person)], symmetric=True):
    """A marriage."""


class FoundIn(FactType, pairs=[(Company, Town), (Person, Town)]):
    """Where something is."""


class Twinned(FactType, pairs=[(Town, Town), (Company, Company)], symmetric=True):
    """Friendship between towns, or between companies."""


ONTOLOGY = Ontology(
    entities=[Person, Manager, Company, Town], facts=[WorksAt, MarriedTo, FoundIn, Twinned]
)


def rows(*lines):
    return [
        dict(zip(("subject", "relation", "object"), line.split(), strict=True)) for line in lines
    ]


async def types(graph, *names):
    return [(await graph.entity(name)).entity_type for name in names]


@pytest.fixture
async def graph():
    async with open_graph(ontology=ONTOLOGY) as opened:
        yield opened


async def test_imported_entities_have_the_types_of_their_relations(graph):
    await graph.load.facts(
        rows("Ann works_at Acme", "Acme employs Bo", "Cy married_to Dee", "Acme found_in Oslo")
    )
    assert await types(graph, "Ann", "Bo", "Cy", "Dee") == ["person"] * 4
    assert await types(graph, "Acme", "Oslo") == ["organization", "place"]
    assert (await graph.stats()).types == {"person": 4, "organization": 1, "place": 1}


@pytest.mark.parametrize("batch", [1, 2, 1000])
async def test_only_what_is_certain_is_taken(graph, batch):
    await graph.load.facts(
        rows("Ann found_in Oslo", "Bergen twinned Voss", "Ann likes tea", "Oslo twinned Molde"),
        batch=batch,
    )
    # A person or a company is in Oslo; towns or companies are twinned, and one is known.
    assert await types(graph, "Ann", "Oslo", "Bergen", "Voss", "tea", "Molde") == [
        *("thing", "place", "thing", "thing", "thing", "place")
    ]


async def test_what_is_told_or_known_comes_first(graph, caplog):
    await graph.add_entity("Ann", entity_type="manager")
    await graph.add_fact("Ann", "works_at", "Acme")
    assert await types(graph, "Ann", "Acme") == ["manager", "organization"]
    told = await graph.add_fact("Bo", "works_at", "Oslo", object_type="place")
    assert told.fact.untyped and "does not lead from thing to place" in caplog.text
    assert await types(graph, "Bo") == ["thing"]


@pytest.mark.parametrize("batch", [1, 2, 1000])
async def test_a_name_that_the_table_uses_for_two_kinds_is_one_entity_of_the_first(graph, batch):
    table = rows("Bo works_at Jordan", "Ann married_to Jordan", "Jordan found_in Oslo")
    await graph.load.facts(table, batch=batch)
    assert await types(graph, "Jordan", "Ann", "Bo") == ["organization", "thing", "person"]
    assert [fact.untyped for fact in await graph.facts("Ann")] == [True]


async def test_an_entity_that_was_a_thing_learns_its_type(graph):
    ann = await graph.add_entity("Ann")
    assert ann.entity_type == "thing"
    told = await graph.add_fact(ann, "works_at", "Acme")
    assert told.fact.subject_id == ann.id
    assert await types(graph, "Ann") == ["person"]


async def test_attributes_are_checked_by_the_type_that_is_taken(graph):
    row = {**rows("Ann works_at Acme")[0], "subject_attributes": {"born": 1980, "shoes": 38}}
    await graph.load.facts([row])
    assert (await graph.entity("Ann")).attributes == {"born": 1980}


async def test_seeds_and_networks_have_them_too(graph):
    seeded = graph.group("seeded")
    await seeded.load.seed({"Ann": {"works_at": "Acme"}})
    assert await types(seeded, "Ann", "Acme") == ["person", "organization"]


def warnings(caplog):
    return [one for one in caplog.records if one.levelname == "WARNING"]


CARD = """BEGIN:VCARD
VERSION:4.0
FN:{name}
EMAIL:{name}@example.org
TEL:+47 555 0100
ORG:Acme
END:VCARD
"""
MEETING = """BEGIN:VEVENT
UID:standup-{number}
SUMMARY:Standup {number}
DTSTART:20240318T090000Z
ATTENDEE;CN=Ann:mailto:ann@example.org
END:VEVENT
"""


async def test_of_a_vcard_the_ontology_leaves_out_only_attributes(graph, tmp_path, caplog):
    (tmp_path / "all.vcf").write_text("".join(CARD.format(name=name) for name in ("Ann", "Bo")))
    report = await graph.load.contacts(tmp_path / "all.vcf")
    assert (report.facts, report.violations > 0) == (2, True)
    assert (await graph.entity("Ann")).attributes == {}
    assert await types(graph, "Ann", "Acme") == ["person", "organization"]
    [warning] = warnings(caplog)
    assert "attribute 'email', it is not declared; left out (4 times)" in warning.getMessage()


async def test_a_calendar_says_once_what_does_not_fit(graph, tmp_path, caplog):
    events = "".join(MEETING.format(number=number) for number in range(300))
    (tmp_path / "all.ics").write_text(f"BEGIN:VCALENDAR\n{events}END:VCALENDAR\n")
    report = await graph.load.calendar(tmp_path / "all.ics")
    assert report.facts == 300 and report.violations >= 300
    [warning] = warnings(caplog)
    assert "'event' is none of person" in warning.getMessage()
    assert len(warning.getMessage()) < 1000


async def test_a_table_says_once_what_does_not_fit(graph, caplog):
    table = rows(*(f"Ann likes T{number}" for number in range(7)))
    report = await graph.load.facts(table, batch=2)
    assert report.violations == 7
    [warning] = warnings(caplog)
    assert "row 1: Ann likes T0: 'likes' is none of" in warning.getMessage()
    assert "(7 times)" in warning.getMessage()
    caplog.clear()
    await graph.add_fact("Ann", "likes", "tea")
    assert len(warnings(caplog)) == 1


class Employee(BaseModel):
    """Who has a job."""


class Firm(BaseModel):
    """Who gives one."""


class EmployedAt(FactType, name="works_at", pairs=[(Employee, Firm)]):
    """A job."""


async def test_what_a_contact_is_taken_for_gives_way_to_the_declared_ends(tmp_path, caplog):
    (tmp_path / "all.vcf").write_text(CARD.format(name="Ann") + CARD.format(name="Bo"))
    ontology = Ontology(entities=[Employee, Firm], facts=[EmployedAt])
    async with open_graph(ontology=ontology) as graph:
        await graph.load.contacts(tmp_path / "all.vcf")
        assert await types(graph, "Ann", "Bo", "Acme") == ["employee", "employee", "firm"]
        assert len(await graph.entities()) == 3
        facts = await graph.facts(relation="works_at")
        assert len(facts) == 2 and not any(fact.untyped for fact in facts)
    assert "works_at" not in caplog.text
