import pytest

from graphrag.errors import InputError
from graphrag.extract.neural.extractor import NeuralExtractor
from tests.conftest import open_graph, triples
from tests.edit.test_merge import current, tell

TOLD = (
    ("Ann works_at Acme from 2020.", "2020-01-01"),
    ("Ann works_at Beta from 2021.", "2021-01-01"),
    ("Ann works_at Globex from 2022.", "2022-01-01"),
    ("Ann likes Rome.", "2022-01-01"),
)


async def works(graph, name):
    facts = triples(await graph.at(history=True).facts(name))
    return {(end, start, stop) for _, relation, end, start, stop in facts if relation == "works_at"}


async def fact_about(graph, end):
    view = graph.at(history=True)
    return next(fact for fact in await view.facts("Ann") if fact.object == end)


async def test_a_split_moves_facts_and_what_they_closed_holds_again(graph):
    await tell(graph, *TOLD)
    moved = await fact_about(graph, "Beta")
    other = await graph.identity.split("Ann", name="Ann (Beta)", facts=[moved], reason="two people")
    assert (other.name, other.entity_type) == ("Ann (Beta)", "person")
    assert await current(graph, "Ann (Beta)") == {("Ann (Beta)", "works_at", "Beta")}
    assert ("Acme", "2020-01-01", "2022-01-01") in await works(graph, "Ann")
    assert ("Globex", "2022-01-01", None) in await works(graph, "Ann")
    old = next(f for f in await graph.at(history=True).facts("Ann") if f.id == moved.id)
    assert old.retracted_at and old.reason == "split: said of Ann (Beta), not of Ann"
    assert (await graph.log.events())[-1].note == "two people"
    assert not (await graph.health.check_all()).findings


async def test_a_split_by_episode_moves_all_that_it_says(graph):
    await tell(graph, *TOLD[:3])
    both = await graph.add_episode("Ann likes Rome. Ann knows Carol.", reference_time="2023-01-01")
    await tell(graph, ("Ann likes Rome.", "2024-01-01"))
    await graph.identity.split("Ann", name="Ann the Elder", episodes=[both.episode])
    assert ("Ann the Elder", "knows", "Carol") in await current(graph, "Carol")
    assert ("Ann the Elder", "likes", "Rome") in await current(graph, "Ann the Elder")
    likes = [fact for fact in await graph.facts("Ann") if fact.relation == "likes"]
    assert [both.episode.id in fact.episodes for fact in likes] == [False]


async def test_a_merged_entity_is_unmerged_not_split(graph):
    await tell(graph, ("Ann likes Rome.", "2022-01-01"), ("Annette likes Paris.", "2022-01-01"))
    await graph.identity.merge("Ann", "Annette")
    with pytest.raises(InputError, match=r"identity\.unmerge it instead"):
        await graph.identity.split("Ann", name="Annette", facts=[await fact_about(graph, "Paris")])


async def test_the_past_before_a_split_has_one_entity(graph):
    await tell(graph, *TOLD)
    then = (await graph.log.events())[-1].at
    before = await current(graph, "Ann")
    await graph.identity.split("Ann", name="Ann II", facts=[await fact_about(graph, "Rome")])
    assert await current(graph, "Ann", known_at=then) == before
    assert await graph.at(known_at=then).entity("Ann II") is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "Ann", "facts": ()}, "give a different name"),
        ({"name": "Rome", "facts": ()}, "give a different name"),
        ({"name": "...", "facts": ()}, "is no name"),
        ({"name": "Ann II", "facts": ()}, "give its facts"),
        ({"name": "Ann II", "facts": ["nowhere"]}, "no valid fact"),
    ],
)
async def test_an_impossible_split_changes_nothing(graph, arguments, message):
    await tell(graph, *TOLD)
    with pytest.raises(InputError, match=message):
        await graph.identity.split("Ann", **arguments)
    assert len(await graph.log.events()) == len(TOLD)


async def test_what_a_person_split_off_stays_when_all_that_spoke_of_it_is_taken_back(graph):
    text = "Ann works_at Acme from 2020."
    source = {"reference_time": "2020-01-01", "source_description": "forum"}
    added = await graph.add_episode(text, **source)
    other = await graph.identity.split("Ann", name="Ann (Acme)", episodes=[added.episode])
    await graph.log.remove_source("forum")
    kept = await graph.entity(other.id)
    assert (kept.name, kept.removed_at) == ("Ann (Acme)", None)
    assert not await graph.facts("Ann (Acme)")
    assert await graph.entity("Acme") is None
    assert not (await graph.health.check_all()).findings


async def test_a_dated_name_moves_to_the_new_entity():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_episode("Globex was renamed Initech in 2021.", reference_time="2022-05-01")
        await graph.add_fact("Ann Lee", "works_at", "Globex")
        other = await graph.add_fact("Bob", "works_at", "Initech")
        new = await graph.identity.split("Globex", name="Initech", facts=[other.fact])
        assert [entity.id for entity in await graph.entities("Initech")] == [new.id]
        assert (await graph.entity("Globex")).name == "Globex"
        assert (await graph.entity("Ann Lee")).summary == "works at Globex"
        assert (await graph.entity("Bob")).summary == "works at Initech"
        await graph.log.revert((await graph.log.events())[-1])
        assert (await graph.entity("Globex")).name == "Initech"
        assert not (await graph.health.check_all()).findings
