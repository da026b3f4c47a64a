"""Renames and nicknames are dated names of one entity: the current one is shown, all are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.model.assertion import Date, EntityName, name_at
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.temporal.moment import utc_now
from tests.conftest import day, open_graph

RENAMED = "Globex was renamed Initech in 2021."


class Scripted:
    """Read what a test wrote for each text."""

    def __init__(self, **readings):
        self.readings = readings

    async def extract(self, context):
        return self.readings.get(context.episode.content, Extraction())


@pytest.fixture
async def graph():
    async with open_graph(extractor=NeuralExtractor()) as opened:
        yield opened


async def shown(graph, name, at="2024-01-01"):
    """Return the name that an entity has at a moment, and what else it is called."""
    one = await graph.at(valid_at=at).entity(name)
    return (one.name, set(one.aliases)) if one else None


async def test_the_name_of_the_moment_is_shown_and_all_are_found(graph):
    await graph.add_episode("Globex hired Ann Lee in 2015.", reference_time="2019-05-01")
    await graph.add_episode(RENAMED, reference_time="2022-05-01")
    await graph.add_episode("Initech opened an office in Oslo.", reference_time="2023-05-01")
    assert await shown(graph, "Globex") == ("Initech", {"Globex"})
    assert await shown(graph, "Initech") == ("Initech", {"Globex"})
    assert await shown(graph, "Initech", at="2020-01-01") == ("Globex", {"Initech"})
    assert (await graph.entity("Globex")).name == "Initech"
    assert {hit.item.name for hit in (await graph.search("Globex")).entities} >= {"Initech"}


async def test_the_row_of_a_renamed_entity_keeps_its_first_name_and_what_was_said(graph):
    await graph.add_episode(RENAMED, reference_time="2022-05-01")
    one = await graph.at(valid_at="2020-01-01").entity("Initech")
    year = Date(day("2021-01-01"), "year")
    assert {(said.name, said.kind, said.since, said.until) for said in one.names} == {
        ("Initech", "name", year, None),
        ("Globex", "former", None, year),
    }
    assert {said.at for said in one.names} == {day("2022-05-01")}


@pytest.mark.parametrize(
    ("text", "name", "then"),
    [
        ("Globex, renamed Initech in 2021, builds robots.", "Initech", "Globex"),
        ("Globex changed its name to Initech in March 2021.", "Initech", "Globex"),
        ("Initech, formerly Globex, builds robots.", "Initech", "Globex"),
        ("Initech, formerly known as Globex, hired Ann Lee.", "Initech", "Globex"),
        ("Globex, now called Initech, hired Ann Lee.", "Initech", "Globex"),
        ("Robert Smith, known as Globex, lives in Oslo.", "Robert Smith", "Robert Smith"),
    ],
)
async def test_ways_to_say_so(graph, text, name, then):
    await graph.add_episode(text, reference_time="2022-05-01")
    assert (await shown(graph, "Globex"))[0] == name
    assert (await shown(graph, name, at="2019-01-01"))[0] == then


async def test_a_nickname_is_found_and_never_shown_instead(graph):
    await graph.add_episode(
        "Robert Smith has been called Bob since 2001.", reference_time="2022-05-01"
    )
    one = await graph.entity("Bob")
    assert (one.name, one.aliases) == ("Robert Smith", ("Bob",))
    assert "Bob (since 2001)" in str(await graph.profile("Bob"))


async def test_profile_and_timeline_show_the_names_with_their_times(graph):
    await graph.add_episode("Globex hired Ann Lee in 2015.", reference_time="2019-05-01")
    await graph.add_episode(RENAMED, reference_time="2022-05-01")
    for page in (str(await graph.profile("Globex")), str(await graph.timeline("Globex"))):
        assert page.startswith("Initech")
        assert "Globex (until 2021)" in page.split("\n")[0] + page.split("\n")[1]


async def test_names_go_with_the_episode_that_gave_them_and_come_back_with_it(graph):
    await graph.add_episode("Globex hired Ann Lee in 2015.", reference_time="2019-05-01")
    told = await graph.add_episode(RENAMED, reference_time="2022-05-01")
    removed = await graph.log.remove_episode(told.episode)
    assert await shown(graph, "Globex") == ("Globex", set())
    assert await graph.entity("Initech") is None
    await graph.log.revert(removed)
    assert await shown(graph, "Initech") == ("Initech", {"Globex"})
    assert not (await graph.health.check()).findings


async def test_names_go_from_an_entity_that_their_episode_brought(graph):
    told = await graph.add_episode(RENAMED, reference_time="2022-05-01")
    await graph.add_episode("Globex hired Ann Lee in 2015.", reference_time="2019-05-01")
    await graph.log.remove_episode(told.episode)
    assert await shown(graph, "Globex") == ("Globex", set())
    assert await graph.entity("Initech") is None


async def test_a_name_that_two_texts_give_stays_when_one_goes(graph):
    await graph.add_episode("Globex hired Ann Lee in 2015.", reference_time="2019-05-01")
    told = await graph.add_episode(RENAMED, reference_time="2022-05-01")
    await graph.add_episode(
        "Globex, now called Initech, hired Bo Berg.", reference_time="2023-01-01"
    )
    await graph.log.remove_episode(told.episode)
    assert await shown(graph, "Globex") == ("Initech", {"Globex"})
    assert (await shown(graph, "Globex", at="2021-06-01"))[0] == "Globex"


async def test_the_past_knows_no_later_name(graph):
    await graph.add_episode("Globex hired Ann Lee in 2015.", reference_time="2019-05-01")
    before = utc_now()
    await graph.add_episode(RENAMED, reference_time="2022-05-01")
    one = await graph.at(known_at=before).entity("Globex")
    assert (one.name, one.aliases, one.names) == ("Globex", (), ())


async def test_a_merge_brings_the_names_together_and_unmerge_parts_them(graph):
    await graph.add_episode(RENAMED, reference_time="2022-05-01")
    await graph.add_episode("Hooli Labs hired Ann Lee.", reference_time="2022-06-01")
    event = await graph.identity.merge("Hooli Labs", "Globex")
    assert await shown(graph, "Hooli Labs") == ("Initech", {"Hooli Labs", "Globex"})
    await graph.identity.unmerge(event)
    assert await shown(graph, "Hooli Labs") == ("Hooli Labs", set())
    assert await shown(graph, "Globex") == ("Initech", {"Globex"})
    assert not (await graph.health.check()).findings


async def test_a_fact_that_says_so_becomes_names():
    one, other = Mention("Globex", "organization", 0, 6), Mention("Initech", "organization", 17, 24)
    claim = Claim(
        one, "renamed_to", other, "x", 0, 24, valid_at=day("2021-01-01"), valid_precision="year"
    )
    city = Mention("Oslo", "place", 0, 0)
    home = Claim(other, "located_in", city, "Initech is in Oslo.", 0, 24)
    reading = Extraction((one, other, city), (claim, home))
    async with open_graph(extractor=Scripted(**{RENAMED: reading})) as graph:
        told = await graph.add_episode(RENAMED, reference_time="2022-05-01")
        assert [(fact.subject_id, fact.object) for fact in told.facts] == [
            ((await graph.entity("Globex")).id, "Oslo")
        ]
        assert await shown(graph, "Initech") == ("Initech", {"Globex"})
        assert await shown(graph, "Globex", at="2020-01-01") == ("Globex", {"Initech"})


@pytest.mark.parametrize(
    ("relation", "times", "wanted"),
    [
        ("formerly_known_as", {}, ("Globex", "Initech")),
        ("renamed_from", {"valid_at": day("2021-01-01")}, ("Initech", "Globex")),
        ("also_known_as", {}, ("Globex", "Globex")),
    ],
)
async def test_relations_that_give_names(relation, times, wanted):
    one, other = Mention("Globex", "organization"), Mention("Initech", "organization")
    reading = Extraction((), (Claim(one, relation, other, "x", 0, 1, **times),))
    async with open_graph(extractor=Scripted(x=reading)) as graph:
        await graph.add_episode("x", reference_time="2022-05-01")
        then = (await shown(graph, "Globex", at="2019-01-01"))[0]
        assert (then, (await shown(graph, "Globex"))[0]) in (
            (wanted[1], "Globex"),
            (wanted[0], wanted[1]),
        )


def year(number):
    return Date(day(f"{number}-01-01"), "year")


def at(text):
    return Date(day(text)).start


def test_three_names_in_a_row_in_any_order():
    said = (
        EntityName("B", "name", year(2010)),
        EntityName("A", "former", None, year(2010)),
        EntityName("C", "name", year(2020)),
        EntityName("B", "former", None, year(2020)),
    )
    for first in "ABC":
        for names in (said, said[::-1]):
            moments = ("2005-01-01", "2015-01-01", "2025-01-01")
            assert [name_at(first, names, at(moment)) for moment in moments] == ["A", "B", "C"]


@given(
    st.lists(
        st.builds(
            EntityName,
            st.sampled_from("ABC"),
            st.sampled_from(("name", "former", "nickname", "alias")),
            st.none() | st.integers(1990, 2030).map(year),
            st.none() | st.integers(1990, 2030).map(year),
        ),
        max_size=6,
    ),
    st.integers(1980, 2040),
)
def test_the_name_shown_is_one_of_its_proper_names_whatever_the_order(names, moment):
    now = year(moment).start
    shown_now = name_at("A", names, now)
    proper = {"A"} | {one.name for one in names if one.kind in ("name", "former")}
    assert shown_now in proper
    assert name_at("A", names[::-1], now) == shown_now


async def test_a_fact_that_adds_to_a_renamed_entity_calls_it_by_its_present_name(graph):
    await graph.add_episode("Globex was renamed Initech in 2021.", reference_time="2022-05-01")
    row = {"subject": "Bob", "relation": "works_at", "object": "Globex"}
    await graph.load.facts([row | {"object_attributes.city": "Oslo"}])
    [fact] = await graph.facts("Bob")
    assert (fact.object, fact.text) == ("Initech", "Bob works at Initech.")
    await graph.add_entity("Globex", attributes={"founded": 1999})
    assert (await graph.entity("Globex")).summary == "Bob works at Initech"
