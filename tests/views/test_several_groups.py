"""Several groups searched at once rank as one group that holds them all."""

import random
from dataclasses import replace

import pytest

from graphrag import Field, QueryError
from graphrag.search.engine.limits import Limits
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
        "facts": [(hit.item.fact, round(hit.score, 5)) for hit in results.facts],
        "entities": [(hit.item.name, round(hit.score, 5)) for hit in results.entities],
        "episodes": [(hit.item.content, round(hit.score, 5)) for hit in results.episodes],
    }


@pytest.mark.parametrize("whole", [1_000, 0])
@pytest.mark.parametrize("seed", range(4))
async def test_several_groups_rank_as_one_that_holds_them_all(seed, whole):
    async with open_graph() as graph:
        view = graph.at()
        view = replace(view, _reading=replace(view._reading, limits=Limits(whole=whole)))
        for group in NAMES:
            for text, when in sentences(group, 6, seed):
                await graph.add_episode(text, reference_time=when, group=group)
                await graph.add_episode(text, reference_time=when, group="all")
        for query in QUERIES:
            several = await view.search(query, group=list(NAMES), limit=8)
            one = await graph.search(query, group="all", limit=8)
            found, wanted = shown(several), shown(one)
            for scope in ("facts", "entities"):
                assert [score for _, score in found[scope]] == [score for _, score in wanted[scope]]
                if len(found[scope]) < 8:  # among equals at the end, ids decide
                    assert sorted(found[scope]) == sorted(wanted[scope])


async def test_a_hit_says_its_group_and_only_asked_groups_are_searched(graph):
    for group, tea in (("a", "oolong"), ("b", "sencha"), ("c", "assam")):
        await graph.add_episode(f"Ann likes {tea}.", group=group)
    results = await graph.search("which tea does Ann like?", group=["a", "b"])
    assert {hit.item.group_id for hit in results} == {"a", "b"}
    assert {hit.item.group_id for hit in results.entities} == {"a", "b"}
    assert {hit.item.group_id for hit in results.episodes} == {"a", "b"}
    assert [hit.item.object for hit in await graph.search("sencha", group=["b", "b"])] == ["sencha"]
    results = await graph.search("Ann", group=["a", "b", "c"], where=Field.group != "b")
    assert {hit.item.group_id for hit in results} == {"a", "c"}
    assert len(await graph.search("Ann", group=["a", "b", "c"], limit=1)) == 3


async def test_filters_and_moments_hold_in_every_group(graph):
    for group in ("a", "b"):
        await graph.add_episode("Ann works_at Acme from 2018.", metadata={"of": group}, group=group)
    before = utc_now()
    for group in ("a", "b"):
        await graph.add_episode("Ann works_at Beta from 2022.", metadata={"of": group}, group=group)
    groups = ["a", "b"]

    def objects(results):
        return sorted((hit.item.group_id, hit.item.object) for hit in results)

    assert objects(await graph.search("Ann works", group=groups)) == [("a", "Beta"), ("b", "Beta")]
    for view in (graph.at(valid_at="2020-01-01"), graph.at(known_at=before)):
        found = objects(await view.search("Ann works", group=groups))
        assert found == [("a", "Acme"), ("b", "Acme")]
    results = await graph.search("Ann", group=groups, where=Field.metadata["of"] == "b")
    assert {hit.item.group_id for hit in results.episodes} == {"b"}
    results = await graph.search("Ann", group=groups, centers=["Beta"])
    assert results.facts[0].item.object == "Beta"


@pytest.mark.parametrize("profile", ["process", "engine"])
async def test_a_center_need_be_known_in_one_group_only(profile):
    async with open_graph(profile=profile) as graph:
        for group, who in (("a", "Ann"), ("b", "Bob")):
            for number in range(3):
                await graph.add_episode(f"{who} likes tea{number}.", group=group)
        results = await graph.search("who likes tea?", group=["a", "b"], centers=["Bob"])
        assert results.facts[0].item.subject == "Bob"
        with pytest.raises(QueryError, match="'Cid'"):
            await graph.search("who likes tea?", group=["a", "b"], centers=["Cid"])


async def test_a_group_that_is_not_there_is_named(graph):
    await graph.add_episode("Ann likes tea.", group="a")
    with pytest.raises(QueryError, match="'nope'"):
        await graph.search("Ann", group=["a", "nope"])
    with pytest.raises(QueryError, match="list of names"):
        await graph.search("Ann", group=[])
    with pytest.raises(QueryError, match="list of names"):
        await graph.search("Ann", group=["a", 3])
