"""A less trusted source neither closes nor outweighs a more trusted one; one call takes it back."""

import random
from datetime import UTC, datetime

import pytest

from graphrag import InputError
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.testing import ScriptedExtractor
from tests.conftest import open_graph

TRUST = {"trust": {"register": 1.0, "forum": -1.0}, "review_below": 0}
PEOPLE = ("Ann Lee", "Bob Ray", "Cleo Marsh", "Dan Hill")
PLACES = ("Acme", "Globex", "Initech", "Umbra")


def claim(subject, relation, object_, **times):
    text = f"{subject} {relation} {object_}."
    ends = Mention(subject, "person"), object_ and Mention(object_, "organization")
    return Claim(ends[0], relation, ends[1], text, 0, 1, **times)


def year(number):
    return datetime(number, 1, 1, tzinfo=UTC)


def attacks(draw, number):
    """Return what an attacker may say of one person, of eight shapes."""
    person, evil = draw.choice(PEOPLE), draw.choice(("Evil Corp", *PLACES))
    other = draw.choice([one for one in PEOPLE if one != person])
    since = year(draw.randrange(2005, 2026))
    return [
        claim(person, "works_at", evil, valid_at=since),
        claim(person, "works_at", draw.choice(PLACES), ends=True, invalid_at=since),
        claim(person, "works_at", None, ends=True, invalid_at=since),
        claim(person, "works_at", evil, corrects=True),
        claim(person, "died_in", evil, valid_at=since, kind="event"),
        claim(other, "married_to", person, valid_at=since),
        claim(person, "works_at", evil, valid_at=year(2030), kind="cancelled"),
        Claim(
            Mention(person, "person", aliases=(other, "The Fox"), attributes={"email": "x@evil"}),
            "lives_in",
            Mention(evil, "place"),
            f"{person} lives in {evil}.",
            0,
            1,
        ),
    ][number % 8]


async def known(graph, **view):
    facts = await (graph.at(**view) if view else graph).facts()
    return {
        (one.subject, one.relation, one.object, one.valid_at, one.invalid_at)
        for one in facts
        if one.retracted_at is None
    }


async def state_what_is_true(graph):
    for place, (person, company) in enumerate(zip(PEOPLE, PLACES, strict=True)):
        await graph.add_fact(
            person, "works_at", company, valid_at=str(2010 + place), source="register"
        )
        await graph.add_fact(person, "lives_in", f"{company} Town", source="register")
    await graph.add_fact("Ann Lee", "married_to", "Bob Ray", valid_at="2012", source="register")
    await graph.add_fact("Cleo Marsh", "married_to", "Eve Orr", valid_at="2012", source="register")
    await graph.add_fact("Dan Hill", "married_to", "Fay Orr", valid_at="2012", source="register")


async def test_no_attack_of_a_distrusted_source_closes_or_outweighs_what_is_trusted():
    draw = random.Random(7)
    said = {f"attack {number}": Extraction(claims=(attacks(draw, number),)) for number in range(80)}
    async with open_graph(extractor=ScriptedExtractor(said), **TRUST) as graph:
        await state_what_is_true(graph)
        before = await known(graph)
        names = {one.id: (one.name, one.aliases, one.attributes) for one in await graph.entities()}
        for number, text in enumerate(said):
            added = await graph.add_episode(
                text,
                reference_time=f"{2015 + number % 11}-0{1 + number % 9}-01",
                source_description="forum",
            )
            if number % 8 == 7:
                assert len(added.dropped) == 3, "nothing is left out in silence"
        assert before <= await known(graph)
        now = {one.id: (one.name, one.aliases, one.attributes) for one in await graph.entities()}
        assert names.items() <= now.items()
        assert [fact.object for fact in await graph.facts("Ann Lee", relation="works_at")] == [
            "Acme"
        ]
        assert not (await graph.health.check_all()).findings


async def test_what_gives_way_is_listed_as_contested_until_a_person_confirms_it():
    async with open_graph(**TRUST) as graph:
        true = await graph.add_fact(
            "Ann Lee", "works_at", "Acme", valid_at="2019", source="register"
        )
        new = await graph.add_fact("Ann Lee", "works_at", "Globex", valid_at="2021", source="forum")
        assert new.fact.closed_as == "overruled"
        assert new.fact.invalidated_by == true.fact.id
        listed = await graph.audit.contradictions()
        assert {one.fact.object for one in listed} | {one.other.object for one in listed} == {
            "Acme",
            "Globex",
        }
        await graph.edit.confirm(new.fact)
        assert [one.object for one in await graph.facts("Ann Lee")] == ["Globex"]
        assert not (await graph.health.check_all()).findings


@pytest.mark.parametrize(
    ("told", "confirmed"),
    [
        ({"valid_at": "2015"}, (2015, None)),
        ({"valid_at": "2017", "invalid_at": "2021"}, (2017, 2021)),
        ({"invalid_at": "2022"}, (2019, 2022)),
        ({"valid_at": "2020", "invalid_at": "2022"}, (2019, 2022)),
    ],
    ids=["begins earlier", "reaches over the start", "ends", "ends within"],
)
@pytest.mark.parametrize("first", ["register", "forum"])
async def test_a_less_trusted_source_gives_what_a_trusted_one_said_no_other_dates(
    told, confirmed, first
):
    says = {"register": {"valid_at": "2019"}, "forum": told}
    async with open_graph(**TRUST) as graph:
        written = {}
        for source in sorted(says, key=first.__ne__):
            job = "Ann Lee", "works_at", "Acme"
            written[source] = await graph.add_fact(*job, source=source, **says[source])
        [stands] = await graph.facts("Ann Lee")
        assert (stands.valid_at, stands.invalid_at) == (year(2019), None)
        [listed] = await graph.audit.contradictions()
        assert (listed.outcome, listed.rule) == ("overruled", None)
        assert listed.other.id == stands.id
        assert listed.fact.closed_as == "overruled"
        assert listed.fact.reason == "a more trusted source says: Ann Lee works at Acme."
        if first == "register":
            [note] = written["forum"].notes
            assert note.endswith(
                "gives way to what a more trusted source says: Ann Lee works at Acme."
            )
        assert not (await graph.health.check_all()).findings
        await graph.edit.confirm(listed.fact)
        [(*_, start, end)] = await known(graph, history=True)
        assert (start.year, end and end.year) == confirmed


async def test_a_less_trusted_date_refines_nothing_and_counts_as_a_source():
    async with open_graph(**TRUST) as graph:
        job = "Ann Lee", "works_at", "Acme"
        await graph.add_fact(*job, valid_at="2019", source="register")
        finer = await graph.add_fact(*job, valid_at="2019-06-10", source="forum")
        assert (finer.fact.valid_at, finer.notes) == (year(2019), ())
        assert finer.fact.provenance == ("register", "forum")


async def test_what_was_said_in_vain_before_is_one_contested_fact():
    async with open_graph(**TRUST) as graph:
        await graph.add_fact("Ann Lee", "works_at", "Acme", valid_at="2019", source="register")
        for company, since in [("Acme", "2015"), ("Globex", "2021")]:
            rumour = "Ann Lee", "works_at", company
            first = await graph.add_fact(*rumour, valid_at=since, source="forum")
            again = await graph.add_fact(*rumour, valid_at=since, source="forum")
            assert (again.new, again.fact.id, again.notes) == (False, first.fact.id, first.notes)
        assert len(await graph.audit.contradictions()) == 2


async def test_an_end_that_is_not_believed_is_said():
    quits = "Ann Lee quit her job."
    died = "Ann Lee died in Rome in 2021."
    said = {
        quits: Extraction(claims=(claim("Ann Lee", "works_at", None, ends=True),)),
        died: Extraction(
            claims=(claim("Ann Lee", "died_in", "Rome", valid_at=year(2021), kind="event"),)
        ),
    }
    async with open_graph(extractor=ScriptedExtractor(said), **TRUST) as graph:
        await graph.add_fact("Ann Lee", "works_at", "Acme", valid_at="2019", source="register")
        for text in said:
            added = await graph.add_episode(
                text, reference_time="2022-01-01", source_description="forum"
            )
            [note] = added.dropped
            assert "gives way to what a more trusted source says: Ann Lee works at Acme." in note
            assert note in (await graph.log.events())[-1].note


async def test_a_person_ends_what_a_trusted_source_said():
    async with open_graph(**TRUST) as graph:
        told = await graph.add_fact(
            "Ann Lee", "works_at", "Acme", valid_at="2019", source="register"
        )
        await graph.edit.invalidate(told.fact, at="2022-01-01")
        assert not await graph.facts("Ann Lee")


def rumours(draw):
    """Return what a forum and a register say, in any order, some of it the same."""
    told = []
    for number in range(12):
        person, company = draw.choice(PEOPLE), draw.choice(PLACES)
        relation = draw.choice(("works_at", "lives_in", "likes", "married_to"))
        other = draw.choice([one for one in PEOPLE if one != person])
        object_ = other if relation == "married_to" else company
        source = draw.choice(("register", "forum", "diary"))
        told.append((number, person, relation, object_, draw.randrange(2010, 2024), source))
    return told


async def tell(graph, told):
    for number, person, relation, object_, since, source in told:
        if number % 2:
            await graph.add_fact(person, relation, object_, valid_at=str(since), source=source)
        else:
            await graph.add_episode(
                f"text {number}", reference_time=f"{since}-06-01", source_description=source
            )


@pytest.mark.parametrize("seed", range(6))
async def test_a_source_taken_back_leaves_the_graph_that_never_heard_it(seed):
    draw = random.Random(seed)
    told = rumours(draw)
    said = {
        f"text {number}": Extraction(claims=(claim(person, relation, object_),))
        for number, person, relation, object_, _, _ in told
    }
    options = {"extractor": ScriptedExtractor(said), "trust": {"register": 1.0}}
    async with (
        open_graph(review_below=0, **options) as heard,
        open_graph(review_below=0, **options) as never,
    ):
        await tell(heard, told)
        await tell(never, [one for one in told if one[-1] != "forum"])
        whole = await known(heard, history=True)
        event = await heard.log.remove_source("forum", reason="rumours")
        assert event.kind == "remove_source"
        for view in ({}, {"history": True}, {"valid_at": "2016-01-01"}):
            assert await known(heard, **view) == await known(never, **view)
        people = [sorted(one.name for one in await graph.entities()) for graph in (heard, never)]
        assert people[0] == people[1]
        assert not (await heard.health.check_all()).findings
        await heard.log.revert(event)
        assert await known(heard, history=True) == whole
        assert not (await heard.health.check_all()).findings


async def test_a_source_that_nobody_knows_is_an_error():
    async with open_graph() as graph:
        await graph.add_fact("Ann Lee", "works_at", "Acme", source="register")
        with pytest.raises(InputError, match="from source 'forum'"):
            await graph.log.remove_source("forum")


def test_a_trust_that_is_no_number_is_an_error():
    from graphrag.ingest.ingestion import Trust

    with pytest.raises(InputError, match="trust of source 'web' is 'low'"):
        Trust({"web": "low"})


async def test_a_distrusted_source_renames_nobody():
    from graphrag.model.assertion import EntityName

    text = "Globex was renamed Umbra in 2022."
    renamed = Mention(
        "Globex", "organization", aliases=("Umbra",), names=(EntityName("Umbra", "name"),)
    )
    said = {text: Extraction(mentions=(renamed,))}
    async with open_graph(extractor=ScriptedExtractor(said), **TRUST) as graph:
        await graph.add_fact("Globex", "located_in", "Oslo", source="register")
        added = await graph.add_episode(text, source_description="forum")
        assert any("'Umbra' of 'Globex'" in one for one in added.dropped)
        assert (await graph.entity("Globex")).name == "Globex"
        assert not await graph.entities("Umbra")


async def test_what_a_repetition_closed_names_the_fact_that_keeps_it():
    async with open_graph(trust={"register": 1.0}) as graph:
        told = [("Trier", "register", None), ("Oslo", "", None), ("Xanten", "", None)]
        for place, source, at in [*told, ("Oslo", "", "2020")]:
            await graph.add_fact(
                "Ann Lee", "lives_in", place, valid_at="2010", source=source, reference_time=at
            )
        assert not (await graph.health.check_all()).findings
