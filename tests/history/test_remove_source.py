"""A source that was taken back leaves the graph that never heard it, and takes no time."""

import random

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.model.assertion import EntityName
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.store.log import events_with
from graphrag.temporal.moment import to_micros
from graphrag.testing import ScriptedExtractor
from tests.conftest import open_graph

PEOPLE = ("Ann Lee", "Bob Ray", "Cleo Marsh", "Dan Hill")
PLACES = ("Acme", "Globex", "Initech", "Umbra")
NEW = {"Acme": "Vandelay", "Globex": "Soylent"}
SOURCES = ("register", "forum", "diary")
NAMING = ("named", "renamed", "formerly")
MOMENTS = ({}, {"history": True}, *({"valid_at": f"{year}-03-01"} for year in (2012, 2016, 2021)))


def history(draw):
    """Return what several sources say: of some it is the same, and some give other names."""
    said = []
    for number in range(14):
        person, place = draw.choice(PEOPLE), draw.choice(PLACES)
        source, since = draw.choice(SOURCES), draw.randrange(2010, 2024)
        relation = draw.choice(("works_at", "lives_in", "likes", "left", "named"))
        said.append((number, person, relation, place, since, source))
    return said


def extraction(number, person, relation, place, source):
    """Return what is read in the text of a source."""
    who, where = Mention(person, "person"), Mention(place, "organization")
    text = f"{person} {relation} {place}."
    if relation == "named":
        # Each source has a name of its own for each, which nobody else uses.
        other = f"{place} {source}"
        called = EntityName(other, "name"), EntityName(place, "former")
        return Extraction(
            mentions=(Mention(place, "organization", aliases=(other,), names=called),)
        )
    if relation == "renamed":
        called = EntityName(NEW[place], "name"), EntityName(place, "former")
        return Extraction(
            mentions=(Mention(place, "organization", aliases=(NEW[place],), names=called),)
        )
    if relation == "formerly":
        called = EntityName(NEW[place], "name"), EntityName(place, "former")
        return Extraction(
            mentions=(Mention(NEW[place], "organization", aliases=(place,), names=called),)
        )
    if relation == "left":
        return Extraction(claims=(Claim(who, "works_at", None, text, 0, 1, ends=True),))
    return Extraction(claims=(Claim(who, relation, where, text, 0, 1),))


async def tell(graph, said):
    for number, person, relation, place, since, source in said:
        if number % 2 and relation not in ("left", *NAMING):
            await graph.add_fact(person, relation, place, valid_at=str(since), source=source)
        else:
            await graph.add_episode(
                f"text {number}", reference_time=f"{since}-06-01", source_description=source
            )


async def state(graph, view):
    """Return what a view shows, without ids."""
    seen = graph.at(**view) if view else graph
    names = {one.id: one.name for one in await graph.at(history=True).entities()}
    facts = {
        (
            *(names[fact.subject_id], fact.relation, names[fact.object_id]),
            *(fact.valid_at, fact.invalid_at),
            *(fact.closed_as, fact.observed, frozenset(fact.provenance), len(fact.sources)),
        )
        for fact in await seen.facts()
        if fact.retracted_at is None
    }
    entities = {
        (one.name, frozenset(one.aliases), frozenset(name.name for name in one.names))
        for one in await seen.entities()
        if one.removed_at is None  # a view of all times has what was removed, too
    }
    return facts, entities


def graph_of(said):
    texts = {
        f"text {number}": extraction(number, person, relation, place, source)
        for number, person, relation, place, _, source in said
    }
    return open_graph(review_below=0, extractor=ScriptedExtractor(texts))


async def assert_as_if_never_heard(said):
    """Take the forum back, compare with a graph that never heard it, and undo that."""
    async with graph_of(said) as heard, graph_of(said) as never:
        await tell(heard, said)
        await tell(never, [one for one in said if one[-1] != "forum"])
        before = [await state(heard, view) for view in MOMENTS]
        event = await heard.log.remove_source("forum")
        for view in MOMENTS:
            assert await state(heard, view) == await state(never, view)
        assert not (await heard.health.check_all()).findings
        await heard.log.revert(event)
        assert [await state(heard, view) for view in MOMENTS] == before


@pytest.mark.parametrize("seed", range(40))
async def test_the_graph_is_as_if_the_source_had_never_been_heard(seed):
    said = [*history(random.Random(seed)), (14, "Ann Lee", "likes", "Acme", 2015, "forum")]
    await assert_as_if_never_heard(said)


async def test_its_name_goes_from_what_others_say_and_returns_with_it():
    async with open_graph() as graph:
        for source in ("register", "forum"):
            await graph.add_fact("Ann Lee", "works_at", "Acme", valid_at="2015", source=source)
        event = await graph.log.remove_source("forum")
        [fact] = await graph.facts("Ann Lee")
        assert fact.provenance == ("register",)
        await graph.log.revert(event)
        [fact] = await graph.facts("Ann Lee")
        assert set(fact.provenance) == {"register", "forum"}


async def test_what_it_renamed_has_its_name_back_in_the_facts_of_others():
    said = [(0, "Ann Lee", "named", "Acme", 2012, "forum")]
    async with graph_of(said) as graph:
        await tell(graph, said)
        job = await graph.add_fact("Ann Lee", "works_at", "Acme", valid_at="2015", source="diary")
        assert job.fact.object == "Acme forum"
        event = await graph.log.remove_source("forum")
        [fact] = await graph.facts("Ann Lee")
        assert (fact.object, fact.text) == ("Acme", "Ann Lee works at Acme.")
        await graph.log.revert(event)
        [fact] = await graph.facts("Ann Lee")
        assert fact.object == "Acme forum"


async def test_who_was_spoken_of_by_others_in_vain_stays():
    async with open_graph() as graph:
        await graph.add_fact("Ann Lee", "likes", "jazz", source="forum")
        other = await graph.add_fact("Ann Lee", "likes", "chess", source="register")
        await graph.edit.retract(other.fact, "a joke")
        await graph.log.remove_source("forum")
        assert sorted(one.name for one in await graph.entities()) == ["Ann Lee", "chess"]


async def test_the_log_and_the_other_facts_are_not_read():
    async with open_graph() as graph:
        rows = [
            {"subject": f"Person {n}", "relation": "likes", "object": f"Thing {n % 7}"}
            for n in range(60)
        ]
        await graph.load.facts(rows, source="register", batch=10)
        await graph.add_fact("Ann Lee", "likes", "Thing 1", source="forum")
        await graph.add_episode("Bob works_at Acme.", source_description="forum")
        await graph.load.facts([{**row, "relation": "knows"} for row in rows], batch=10)
        store, read = graph.handle.session.store, []
        query = store._connection.query

        async def counted(sql, params=None):
            results = await query(sql, params)
            if "time::micros(at)" not in sql:  # of events only their moments, by halves
                read.extend(row for rows in results for row in rows)
            return results

        store._connection.query = counted
        await graph.log.remove_source("forum")
        assert len(read) < 40


async def test_what_a_queued_text_gave_goes_with_it_however_late_it_was_read():
    text = "Ann Lee is an engineer."
    told = Mention("Ann Lee", "person", attributes={"job": "engineer"}, aliases=("Annie",))
    extractor = ScriptedExtractor({text: Extraction(mentions=(told,))})
    async with open_graph(extractor=extractor, workers=0) as graph:
        await graph.add_entity("Ann Lee", entity_type="person")
        await graph.add_episode(text, source_description="forum", wait=False)
        for place in PLACES:
            await graph.add_fact("Ann Lee", "likes", place)
        await graph.queue.drain()
        for place in PLACES:
            await graph.add_fact("Bob Ray", "likes", place)
        entity = await graph.entity("Ann Lee")
        assert entity.attributes == {"job": "engineer"}
        await graph.log.remove_source("forum")
        entity = await graph.entity("Ann Lee")
        assert entity.attributes == {}


@pytest.mark.parametrize("shift", (-3600_000_000, 0, 3600_000_000))
async def test_events_are_found_by_what_they_wrote_even_if_a_clock_was_wrong(shift):
    async with open_graph() as graph:
        for place in PLACES:
            await graph.add_fact("Ann Lee", "likes", place)
        store = graph.handle.session.store
        [event] = await store.events("default", after=2, limit=1)
        [fact] = [one.record for one in event.changes if one.record.startswith("relates_to:")]
        made = {fact: to_micros(event.at, 0) - 1 + shift}
        assert await events_with(store, "default", made) == [event]
        assert await events_with(store, "default", {}) == []


def renamings(draw):
    """Return what sources say, some by a name that only the forum gave, at a time of its own."""
    said = [
        (2 * number, "Ann Lee", draw.choice(NAMING[1:]), place, 2009, "forum")
        for number, place in enumerate(NEW)
    ]
    for number in range(4, 18):
        person, place = draw.choice(PEOPLE), draw.choice((*PLACES, *NEW.values()))
        relation = draw.choice(("works_at", "lives_in", "likes"))
        said.append((number, person, relation, place, 2006 + number, draw.choice(SOURCES)))
    return said


@pytest.mark.parametrize("seed", range(30))
async def test_what_only_its_names_joined_is_apart_again(seed):
    said = renamings(random.Random(seed))
    await assert_as_if_never_heard(said)


async def test_what_was_said_by_a_name_that_is_taken_back_is_of_another_entity():
    said = [(0, "Ann Lee", "renamed", "Acme", 2012, "forum")]
    async with graph_of(said) as graph:
        await tell(graph, said)
        await graph.add_fact("Ann Lee", "works_at", "Acme", valid_at="2015", source="diary")
        await graph.add_fact("Bob Ray", "works_at", "Vandelay", valid_at="2015", source="diary")
        assert len(await graph.facts("Acme")) == 2
        event = await graph.log.remove_source("forum")
        assert [fact.subject for fact in await graph.facts("Acme")] == ["Ann Lee"]
        assert [fact.subject for fact in await graph.facts("Vandelay")] == ["Bob Ray"]
        await graph.log.revert(event)
        assert len(await graph.facts("Acme")) == 2
        assert not (await graph.health.check_all()).findings


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("Globex was renamed Initech in 2014.", "Globex", "Initech"),
        ("Globex, also known as Initech, makes cars.", "Globex", "Initech"),
        ("Initech, formerly Globex, makes cars.", "Globex", "Initech"),
    ],
)
async def test_two_names_that_a_text_joined_are_two_entities_without_it(text, one, other):
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_episode(text, reference_time="2014-06-01", source_description="forum")
        await graph.add_fact(one, "likes", "jazz", source="diary")
        await graph.add_fact(other, "likes", "chess", source="diary")
        assert len({fact.subject_id for fact in await graph.facts(relation="likes")}) == 1
        await graph.log.remove_source("forum")
        found = {(fact.subject, fact.object) for fact in await graph.facts(relation="likes")}
        assert found == {(one, "jazz"), (other, "chess")}


async def test_what_it_renamed_has_its_name_back_in_the_summaries_of_its_neighbours():
    said = [(0, "Ann Lee", "named", "Acme", 2012, "forum")]
    async with graph_of(said) as graph:
        await graph.add_fact("Ann Lee", "works_at", "Acme", valid_at="2015", source="diary")
        await tell(graph, said)
        await graph.add_fact("Ann Lee", "likes", "jazz", source="diary")
        assert "works at Acme forum" in (await graph.entity("Ann Lee")).summary
        event = await graph.log.remove_source("forum")
        assert "works at Acme (" in (await graph.entity("Ann Lee")).summary
        await graph.log.revert(event)
        assert "works at Acme forum" in (await graph.entity("Ann Lee")).summary
