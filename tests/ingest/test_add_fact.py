"""Facts and entities told directly: identity, contradiction, times, errors."""

import pytest

from graphrag import InputError, PolicyError, TimeError
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.ingest.policy import AppendOnly
from tests.conftest import day, open_graph, triples


async def history(graph, entity):
    return triples(await graph.at(history=True).facts(entity))


async def test_a_fact_makes_its_entities_and_is_found(graph):
    told = await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020", subject_type="person")
    assert told.new and {entity.name for entity in told.entities} == {"Alice", "Acme"}
    assert told.fact.text == "Alice works at Acme." and told.fact.origin == "manual"
    assert [hit.item.id for hit in (await graph.search("where does Alice work?")).facts] == [
        told.fact.id
    ]
    assert (await graph.entity("Alice")).entity_type == "person"
    assert [event.kind for event in await graph.log.events()] == ["add_fact"]


async def test_a_later_value_closes_the_earlier_one_and_says_so(graph):
    acme = await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020")
    globex = await graph.add_fact("alice", "works at", "Globex", valid_at="2023")
    [closed] = globex.changed
    assert closed.id == acme.fact.id and closed.invalid_at == day("2023-01-01")
    assert closed.invalidated_by == globex.fact.id and "Globex" in closed.reason
    assert [entity.name for entity in globex.entities] == ["Globex"]


async def test_it_meets_the_facts_of_episodes_by_the_same_rules(graph):
    await graph.add_episode("Alice works_at Acme from 2020.", reference_time="2020-05-01")
    told = await graph.add_fact("Alice", "works_at", "Globex", valid_at="2023")
    assert [fact.object for fact in told.changed] == ["Acme"]
    added = await graph.add_episode(
        "Alice works_at Initech from 2024.", reference_time="2024-05-01"
    )
    assert [fact.object for fact in added.changed] == ["Globex"]


async def test_repeating_a_fact_adds_its_source_and_nothing_else(graph):
    first = await graph.add_fact("Alice", "likes", "tea", valid_at="2020", source="crm")
    same = await graph.add_fact("Alice", "likes", "tea", valid_at="2020", source="crm")
    assert not same.new and same.fact == first.fact and same.changed == ()
    other = await graph.add_fact("Alice", "likes", "tea", valid_at="2020", source="letter")
    assert not other.new and other.fact.provenance == ("crm", "letter")
    assert len(await graph.log.events()) == 2


async def test_without_any_time_a_fact_held_always_so_far(graph):
    told = await graph.add_fact("Alice", "lives_in", "Paris")
    assert told.fact.valid_at is None and not told.fact.observed
    assert len(await graph.at(valid_at="1900").facts("Alice")) == 1


async def test_with_a_reference_time_alone_it_is_known_to_hold_since_then(graph):
    told = await graph.add_fact("Alice", "lives_in", "Paris", reference_time="2024-03-01")
    assert told.fact.observed and told.fact.valid_at == day("2024-03-01")


async def test_what_was_over_when_it_was_told_has_no_known_start(graph):
    told = await graph.add_fact(
        "Alice", "lives_in", "Paris", invalid_at="2020", reference_time="2024"
    )
    assert told.fact.valid_at is None and told.fact.invalid_at == day("2020-01-01")


async def test_lifetimes_given_whole_that_meet_are_one_fact(graph):
    await graph.add_fact("Ann", "visits", "Rome", valid_at="2001", invalid_at="2007")
    told = await graph.add_fact("Ann", "visits", "Rome", valid_at="2005", invalid_at="2010")
    assert not told.new
    assert await history(graph, "Ann") == {("Ann", "visits", "Rome", "2001-01-01", "2010-01-01")}


async def test_ends_may_be_entities_or_ids(graph):
    alice = await graph.add_entity("Alice", entity_type="person")
    acme = await graph.add_entity("Acme")
    told = await graph.add_fact(alice, "works_at", acme.id)
    assert (told.fact.subject_id, told.fact.object_id) == (alice.id, acme.id)
    assert told.entities == ()


async def test_an_inverse_relation_is_stored_from_the_other_end(graph):
    told = await graph.add_fact("Acme", "employs", "Alice", valid_at="2020")
    assert (told.fact.subject, told.fact.relation, told.fact.object) == (
        "Alice",
        "works_at",
        "Acme",
    )
    assert told.fact.text == "Acme employs Alice."


async def test_a_doubtful_fact_waits_for_review(graph):
    told = await graph.add_fact("Alice", "works_at", "Acme", confidence=0.3)
    assert told.fact.pending
    assert [waiting.fact.id for waiting in await graph.edit.pending()] == [told.fact.id]


async def test_an_entity_gains_aliases_type_and_attributes(graph):
    first = await graph.add_entity("Bob")
    again = await graph.add_entity(
        "Bob", entity_type="person", aliases=["Bobby"], attributes={"email": "bob@example.org"}
    )
    assert again.id == first.id and again.entity_type == "person"
    assert (await graph.entity("Bobby")).attributes == {"email": "bob@example.org"}
    events = len(await graph.log.events())
    await graph.add_entity(
        "Bob", entity_type="person", aliases=["Bobby"], attributes={"email": "bob@example.org"}
    )
    assert len(await graph.log.events()) == events


async def test_summaries_follow(graph):
    await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020")
    await graph.add_fact("Alice", "works_at", "Globex", valid_at="2023")
    assert (await graph.entity("Alice")).summary == (
        "works at Globex (from 2023-01-01); works at Acme (2020-01-01 to 2023-01-01)"
    )
    assert not (await graph.health.check_all()).findings


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (("", "knows", "Bob"), {}, InputError, "subject '' is no name"),
        (("Ann", " ", "Bob"), {}, InputError, "relation"),
        (("Ann", "knows", "!!"), {}, InputError, "object '!!' is no name"),
        (("Ann", "married_to", "ann"), {}, InputError, "same entity"),
        (("Ann", "knows", "Bob"), {"confidence": 2}, InputError, "from 0 to 1"),
        (("Ann", "knows", "Bob"), {"valid_at": "soonish"}, TimeError, "valid_at"),
        (
            ("Ann", "knows", "Bob"),
            {"valid_at": "2020", "invalid_at": "2020"},
            InputError,
            "not after",
        ),
        (("Ann", "knows", "Bob"), {"attributes": {"a": object()}}, InputError, "JSON"),
    ],
)
async def test_what_cannot_be_used_is_named_and_changes_nothing(
    graph, arguments, options, error, words
):
    with pytest.raises(error, match=words):
        await graph.add_fact(*arguments, **options)
    assert await graph.log.events() == [] and await graph.groups().list() == []


@pytest.mark.parametrize("name", ["", " ", "a\0b", "g" * 201, None, 3])
async def test_a_graph_of_an_impossible_group_is_refused(graph, name):
    with pytest.raises(InputError, match=r"group|name (None|3): give text"):
        graph.group(name)


async def test_an_entity_of_another_group_is_refused(graph):
    alice = await graph.group("one").add_entity("Alice")
    with pytest.raises(InputError, match="not in group 'two'"):
        await graph.group("two").add_fact(alice, "knows", "Bob")


async def test_the_write_policy_is_asked():
    class NoFacts:
        def refuse(self, mutation):
            return "closed on Sundays" if mutation.table == "relates_to" else None

    async with open_graph(policy=NoFacts()) as graph:
        with pytest.raises(PolicyError, match="closed on Sundays"):
            await graph.add_fact("Alice", "works_at", "Acme")
        assert await graph.entity("Alice") is None
    async with open_graph(policy=AppendOnly()) as graph:
        await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020")
        assert (await graph.add_fact("Alice", "works_at", "Globex", valid_at="2021")).changed


@pytest.mark.parametrize(
    ("kind", "times", "life"),
    [
        ("event", {"valid_at": "2021-05-03"}, "on 2021-05-03"),
        ("was", {"reference_time": "2020"}, "at some time before 2020-01-01"),
        ("was", {"valid_at": "2015", "reference_time": "2020"}, "2015-01-01 to 2020-01-01"),
        ("timeless", {"reference_time": "1980-05-03"}, "at all times"),
        ("planned", {"valid_at": "2090"}, "from 2090-01-01"),
    ],
)
async def test_a_fact_has_the_kind_of_time_that_is_given(graph, kind, times, life):
    told = await graph.add_fact("Ann", "visits", "Rome", kind=kind, **times)
    assert (told.fact.kind, repr(told.fact)) == (kind, f"Fact(Ann visits Rome, {life})")
    assert (await graph.health.check_all()).findings == ()


async def test_a_text_that_calls_a_planned_fact_off_is_named_and_ends_nothing():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_fact(
            "Ann Lee", "lives_in", "Oslo", kind="planned", valid_at="2030", reference_time="2024"
        )
        added = await graph.add_episode(
            "Ann Lee won't be moving to Oslo after all.", reference_time="2025-01-01"
        )
        assert "edit.retract" in added.dropped[0]
        assert len(await graph.at(valid_at="2031").facts("Ann Lee")) == 1


@pytest.mark.parametrize(
    ("kind", "times", "words"),
    [
        ("event", {}, "kind is 'event': give the date as valid_at"),
        ("planned", {}, "kind is 'planned': give the date as valid_at"),
        ("cancelled", {}, "edit.retract"),
        ("often", {}, "choose from state, was, event, timeless, planned"),
        ("was", {"valid_at": "2021", "reference_time": "2020"}, "not after valid_at"),
        ("was", {"reference_time": "2090"}, "over by reference_time 2090.*still to come"),
        ("was", {"valid_at": "2020", "reference_time": "2090"}, "still to come"),
        ("timeless", {"valid_at": "1980"}, "neither begins nor ends: leave out valid_at"),
        ("timeless", {"invalid_at": "1980"}, "leave out invalid_at"),
        ("timeless", {"valid_at": "1980", "invalid_at": "1990"}, "valid_at and invalid_at"),
    ],
)
async def test_a_kind_with_times_that_do_not_fit_it_is_refused(graph, kind, times, words):
    with pytest.raises(InputError, match=words):
        await graph.add_fact("Ann", "visits", "Rome", kind=kind, **times)
    assert not await graph.entities()


async def test_a_table_brings_back_what_a_text_of_the_future_says_was_so(graph):
    row = {"subject": "Ann", "relation": "works_at", "object": "Acme"}
    await graph.load.facts([row | {"invalid_at": "2090-05-01", "closed_as": "past"}])
    [fact] = await graph.at(history=True).facts("Ann")
    assert repr(fact) == "Fact(Ann works at Acme, at some time before 2090-05-01)"
    assert await graph.facts("Ann") == await graph.at(valid_at="2091").facts("Ann") == []


async def test_the_log_names_who_told_a_fact(graph):
    await graph.add_fact("Ann", "likes", "tea", actor="ben")
    assert (await graph.log.events(limit=1))[-1].actor == "ben"
