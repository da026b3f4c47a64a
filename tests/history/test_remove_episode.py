"""An episode goes with what rests on it alone, and what it had closed returns."""

import pytest

from graphrag import InputError
from tests.conftest import day, open_graph, triples
from tests.edit.faint import whole


async def test_its_facts_and_entities_go_and_earlier_moments_show_them(graph):
    first = await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    before = (await graph.log.events())[-1].at
    event = await graph.log.remove_episode(first.episode, reason="a joke", actor="ann")
    assert (event.kind, event.actor, event.note) == ("remove_episode", "ann", "a joke")
    assert await graph.entity("Alice") is None
    found = await graph.search("Alice works at Acme")
    assert not found.facts and not found.entities and not found.episodes
    then = graph.at(known_at=before)
    assert (await then.entity("Alice")).removed_at is None
    assert len(await then.facts("Alice")) == 1
    assert [hit.item.id for hit in (await then.search("Alice Acme")).episodes] == [first.episode.id]
    await whole(graph)


async def test_what_others_state_stays_without_that_source(graph):
    one = await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    two = await graph.add_episode("Alice works_at Acme. Bob knows Alice.", reference_time="2021")
    await graph.log.remove_episode(one.episode.id)
    [fact] = [fact for fact in await graph.facts("Alice") if fact.relation == "works_at"]
    assert fact.episodes == (two.episode.id,)
    assert await graph.entity("Bob") is not None


async def test_what_it_had_closed_holds_again(graph):
    await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    told = await graph.facts("Alice")
    wrong = await graph.add_episode("Alice works_at Globex from 2021.", reference_time="2021")
    await graph.log.remove_episode(wrong.episode)
    assert await graph.facts("Alice") == told
    assert await graph.entity("Globex") is None


async def test_what_it_had_ended_in_words_holds_again(graph):
    await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    told = await graph.facts("Alice")
    left = await graph.add_episode("Alice ends:works_at Acme.", reference_time="2021")
    assert await graph.facts("Alice") == []
    await graph.log.remove_episode(left.episode)
    assert await graph.facts("Alice") == told


async def test_what_came_between_still_cuts_what_returns(graph):
    await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    wrong = await graph.add_episode("Alice works_at Globex from 2021.", reference_time="2021")
    await graph.add_episode("Alice works_at Beta from 2023.", reference_time="2023")
    await graph.log.remove_episode(wrong.episode)
    jobs = await graph.at(history=True).facts("Alice")
    assert triples(fact for fact in jobs if fact.retracted_at is None) == {
        ("Alice", "works_at", "Acme", "2019-01-01", "2023-01-01"),
        ("Alice", "works_at", "Beta", "2023-01-01", None),
    }


@pytest.mark.parametrize("gone", ["retracted", "forgotten"])
async def test_what_returns_is_not_closed_by_what_is_gone_since(graph, gone):
    await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    await graph.add_episode("Alice works_at Globex from 2023.", reference_time="2023")
    middle = await graph.add_episode("Alice works_at Beta from 2021.", reference_time="2024")
    if gone == "forgotten":
        await graph.erase.entity("Globex")
    else:
        [globex] = [fact for fact in await graph.facts("Alice") if fact.object == "Globex"]
        await graph.edit.retract(globex)
    await graph.log.remove_episode(middle.episode)
    [acme] = await graph.facts("Alice")
    assert (acme.object, acme.invalid_at, acme.invalidated_by) == ("Acme", None, None)
    await whole(graph)


@pytest.mark.parametrize("again", ["revert", "retract"])
async def test_what_is_given_back_is_not_closed_by_what_is_forgotten_since(graph, again):
    await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    await graph.add_episode("Alice works_at Globex from 2023.", reference_time="2023")
    middle = await graph.add_episode("Alice works_at Beta from 2021.", reference_time="2024")
    telling = (await graph.log.events())[-1]
    await graph.erase.entity("Globex")
    await (graph.log.revert(telling) if again == "revert" else graph.edit.retract(middle.facts[0]))
    [acme] = await graph.facts("Alice")
    assert (acme.object, acme.invalid_at, acme.invalidated_by) == ("Acme", None, None)
    await whole(graph)


async def test_it_may_be_added_again_and_its_entities_return():
    async with open_graph() as graph:
        text = "Alice works_at Acme."
        first = await graph.add_episode(text, reference_time="2020")
        alice = await graph.entity("Alice")
        await graph.log.remove_episode(first.episode)
        again = await graph.add_episode(text, reference_time="2020")
        assert again.new and again.episode.id != first.episode.id
        assert (await graph.entity("Alice")).id == alice.id
        assert len(await graph.facts("Alice")) == 1
        assert "Acme" in (await graph.entity("Alice")).summary
        assert not (await graph.add_episode(text, reference_time="2020")).new
        await whole(graph)


async def test_what_a_person_confirmed_stays(graph):
    added = await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    await graph.edit.correct(added.facts[0], valid_at="2018")
    await graph.log.remove_episode(added.episode)
    assert [fact.valid_at for fact in await graph.facts("Alice")] == [day("2018-01-01")]


async def test_removed_twice_or_unknown_is_refused(graph):
    added = await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    await graph.log.remove_episode(added.episode)
    log = await graph.log.events()
    with pytest.raises(InputError, match="removed before"):
        await graph.log.remove_episode(added.episode)
    with pytest.raises(InputError, match="no episode has the id 'x'"):
        await graph.log.remove_episode("x")
    assert await graph.log.events() == log


async def test_log_of_a_fact_and_of_an_entity(graph):
    one = await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    await graph.add_episode("Bob knows Carol.", reference_time="2020-06")
    await graph.edit.invalidate(one.facts[0], "2021", actor="ann")
    kinds = [(event.seq, event.kind) for event in await graph.log.events(fact=one.facts[0])]
    assert kinds == [(1, "add_episode"), (3, "invalidate")]
    assert [event.seq for event in await graph.log.events(entity=await graph.entity("Alice"))] == [
        1,
        3,
    ]
    assert [event.actor for event in await graph.log.events(fact=one.facts[0].id, after=1)] == [
        "ann"
    ]
    with pytest.raises(InputError, match="one of the two"):
        await graph.log.events(fact="x", entity="y")
