"""Why something is found or not: the stage, its rank, and what each method says."""

import pytest

from graphrag import QueryError, Recipe
from graphrag.testing import HashEmbedder
from tests.benchmarks.misses import misses
from tests.conftest import open_graph


@pytest.fixture
async def known(graph):
    await graph.add_episode("Alice works_at Acme from 2020.", reference_time="2020-01-01")
    await graph.add_episode("Alice works_at Beta from 2021.", reference_time="2021-01-01")
    await graph.add_episode("Bob lives_in Paris from 2019.", reference_time="2021-01-01")
    return graph


async def fact_of(graph, object_):
    facts = await graph.at(history=True).facts(limit=100)
    return next(fact for fact in facts if fact.object == object_)


async def test_the_stage_that_lost_it_is_named():
    wrong = []
    total = 0
    async for miss in misses(64):
        said = await miss.explained()
        total += 1
        if not miss.right(said):
            wrong.append((miss.stage, miss.rank, said, said.rank))
    assert total == 64 and len(wrong) <= 0.05 * total, wrong


async def test_a_hit_has_its_rank_and_what_each_method_says(known):
    hit = (await known.search("Where does Alice work?")).facts[0]
    said = await known.explain("Where does Alice work?", hit)
    assert said and (said.rank, said.score, said.why) == (1, hit.score, hit.why)


async def test_what_no_method_proposed_says_where_each_has_it(known):
    few = Recipe(pool=1, graph=0)  # three facts of each method
    for name in ("Carl", "Dora", "Emil"):
        await known.add_fact(name, "works_at", "Beta")
    fact = await fact_of(known, "Paris")
    said = await known.explain("What of Alice, at Beta?", fact, recipe=few, limit=1)
    assert said.stage == "no candidate" and said.rank is None
    assert {why.method: why.rank for why in said.why}["fulltext"] == 0
    assert "no word of the question" in str(said)


async def test_what_the_walk_reached_says_how_far_it_is(known):
    for number in range(9):
        await known.add_fact(f"Person {number}", "works_at", "Beta")
    placements = [
        await known.explain("Alice", fact, recipe=Recipe(pool=1), limit=1, scopes=["facts"])
        for fact in await known.facts("Beta")
    ]
    reasons = [placed.reason for placed in placements if placed.stage == "no candidate"]
    assert reasons and all("1 hop from what the question names" in reason for reason in reasons)


async def test_what_was_ended_says_when_and_what_is_looked_at(known):
    said = await known.explain("Where does Alice work?", await fact_of(known, "Acme"))
    assert said.stage == "not valid then" and "until 2021-01-01" in said.reason
    assert not said and "not valid then" in said._repr_html_()
    at = known.at(valid_at="2020-06-01")
    assert (await at.explain("Where does Alice work?", await fact_of(known, "Acme"))).rank == 1


async def test_a_scope_that_is_not_searched_and_a_bad_argument(known):
    fact = await fact_of(known, "Beta")
    said = await known.explain("Where does Alice work?", fact, scopes=["entities"])
    assert said.stage == "not asked for"
    with pytest.raises(QueryError, match="limit"):
        await known.explain("Where?", fact, limit=0)


async def test_an_entity_is_explained_by_its_name(known):
    alice = await known.entity("Alice")
    said = await known.explain("Where does Alice work?", "Alice")
    assert said == await known.explain("Where does Alice work?", alice) and said.item_id == alice.id
    unknown = await known.explain("Where does Alice work?", "Zoe")
    assert unknown.stage == "never stored" and "no entity this name" in unknown.reason


async def test_the_engine_profile_is_explained_too():
    async with open_graph(profile="engine", embedder=HashEmbedder()) as graph:
        await graph.add_episode("Alice works_at Beta from 2021.", reference_time="2021-01-01")
        fact = await fact_of(graph, "Beta")
        assert (await graph.explain("Where does Alice work?", fact)).rank == 1
        await graph.edit.retract(fact, reason="a slip")
        assert (await graph.explain("Where does Alice work?", fact)).stage == "retracted"
