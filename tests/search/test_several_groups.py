"""Several groups searched at once rank as one group that holds them all."""

import random

import pytest

from graphrag import Field, InputError, QueryError
from graphrag.temporal.moment import utc_now
from tests.conftest import open_graph

NAMES = {
    "a": ["Ann", "Abe", "Ada", "Amy"],
    "b": ["Bob", "Bea", "Ben", "Bix"],
    "c": ["Cat", "Cid", "Col", "Cyd"],
}
"""No name of one group is in another, so that all of them in one group stay as many."""
RELATIONS = ["likes", "knows", "works_at", "met_with"]
QUERIES = [
    "who likes Bob?", "Ann", "likes", "who works at Cid", "knows Abe Ben Col",
    "where did Amy go?", "strangers in the night",
]  # fmt: skip


def sentences(group, count, seed):
    draw = random.Random(f"{group}{seed}")
    for _ in range(count):
        one, other = draw.sample(NAMES[group], 2)
        text = f"{one} {draw.choice(RELATIONS)} {other}."
        yield text, f"20{draw.randint(10, 24)}-01-{draw.randint(1, 28):02}"


def shown(results):
    return {
        "facts": [(hit.item.text, round(hit.score, 5)) for hit in results.facts],
        "entities": [(hit.item.name, round(hit.score, 5)) for hit in results.entities],
        "episodes": [(hit.item.content, round(hit.score, 5)) for hit in results.episodes],
    }


@pytest.mark.parametrize("seed", range(4))
async def test_several_groups_rank_as_one_that_holds_them_all(seed):
    async with open_graph() as graph:
        for group in NAMES:
            for text, when in sentences(group, 6, seed):
                await graph.group(group).add_episode(text, reference_time=when)
                await graph.group("all").add_episode(text, reference_time=when)
        for query in QUERIES:
            several = await graph.groups(*NAMES).search(query, limit=8)
            one = await graph.group("all").search(query, limit=8)
            found, wanted = shown(several), shown(one)
            for scope in ("facts", "entities"):
                assert [score for _, score in found[scope]] == [score for _, score in wanted[scope]]
                if len(found[scope]) < 8:  # among equals at the end, ids decide
                    assert sorted(found[scope]) == sorted(wanted[scope])


async def test_a_hit_says_its_group_and_only_asked_groups_are_searched(graph):
    for group, tea in (("a", "oolong"), ("b", "sencha"), ("c", "assam")):
        await graph.group(group).add_episode(f"Ann likes {tea}.")
    results = await graph.groups("a", "b").search("which tea does Ann like?")
    assert {hit.item.group_id for hit in results} == {"a", "b"}
    assert {hit.item.group_id for hit in results.entities} == {"a", "b"}
    assert {hit.item.group_id for hit in results.episodes} == {"a", "b"}
    assert [hit.item.object for hit in await graph.groups("b", "b").search("sencha")] == ["sencha"]
    results = await graph.groups("a", "b", "c").search("Ann", where=Field.group != "b")
    assert {hit.item.group_id for hit in results} == {"a", "c"}
    assert len(await graph.groups("a", "b", "c").search("Ann", limit=1)) == 3


async def test_filters_and_moments_hold_in_every_group(graph):
    for group in ("a", "b"):
        await graph.group(group).add_episode("Ann works_at Acme from 2018.", metadata={"of": group})
    before = utc_now()
    for group in ("a", "b"):
        await graph.group(group).add_episode("Ann works_at Beta from 2022.", metadata={"of": group})
    both = graph.groups("a", "b")

    def objects(results):
        return sorted((hit.item.group_id, hit.item.object) for hit in results)

    assert objects(await both.search("Ann works")) == [("a", "Beta"), ("b", "Beta")]
    for view in (both.at(valid_at="2020-01-01"), both.at(known_at=before)):
        found = objects(await view.search("Ann works"))
        assert found == [("a", "Acme"), ("b", "Acme")]
    results = await both.search("Ann", where=Field.metadata["of"] == "b")
    assert {hit.item.group_id for hit in results.episodes} == {"b"}
    results = await both.search("Ann", centers=["Beta"])
    assert results.facts[0].item.object == "Beta"


@pytest.mark.parametrize("profile", ["process", "engine"])
async def test_a_center_need_be_known_in_one_group_only(profile):
    async with open_graph(profile=profile) as graph:
        for group, who in (("a", "Ann"), ("b", "Bob")):
            for number in range(3):
                await graph.group(group).add_episode(f"{who} likes tea{number}.")
        results = await graph.groups("a", "b").search("who likes tea?", centers=["Bob"])
        assert results.facts[0].item.subject == "Bob"
        with pytest.raises(QueryError, match="'Cid'"):
            await graph.groups("a", "b").search("who likes tea?", centers=["Cid"])


async def test_a_group_that_is_not_there_has_nothing_and_none_is_refused(graph):
    await graph.group("a").add_episode("Ann likes tea.")
    found = await graph.groups("a", "nope").search("Ann")
    assert {hit.item.group_id for hit in found} == {"a"}
    assert shown(found) == shown(await graph.group("a").search("Ann"))
    with pytest.raises(QueryError, match="name the groups"):
        await graph.groups().search("Ann")
    with pytest.raises(InputError, match="3"):
        graph.groups("a", 3)
