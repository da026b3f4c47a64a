"""The engine profile ranks as the process profile does, through SurrealDB's own indexes."""

import random
from dataclasses import replace

import pytest

from graphrag.io.copy import copy_store
from graphrag.search.request import Recipe
from tests.conftest import open_graph
from tests.engine.worlds import ASKED, CHOSEN, FIRMS, Judge, ask, limited, near, same, tell
from tests.serving import a_server

SCOPES = ("facts", "entities", "episodes", "communities")


@pytest.fixture(scope="module")
async def world(tmp_path_factory):
    """Give one history in both profiles, id for id."""
    folder = tmp_path_factory.mktemp("world")
    dice = random.Random(5)
    process, engine = f"surrealkv://{folder}/process", f"surrealkv://{folder}/engine"
    async with open_graph(process) as graph:
        await tell(graph, dice, 10, group="other")
        moments = await tell(graph, dice, 50)
    await copy_store(process, engine, profile="engine")
    async with (
        open_graph(process, reranker=Judge()) as one,
        open_graph(engine, reranker=Judge()) as other,
    ):
        yield one, other, moments


@pytest.mark.parametrize("seed", range(40))
async def test_both_profiles_rank_alike(world, seed):
    process, engine, moments = world
    asked = ask(random.Random(seed), moments)
    ours, theirs = await asked.of(process), await asked.of(engine)
    for scope in SCOPES:
        if scope == "episodes" and asked.recipe.fusion == "scores":
            continue  # conversation and links: see test_episodes_in_context
        assert same(getattr(ours, scope), getattr(theirs, scope)), (asked, scope)


@pytest.mark.parametrize("seed", range(16))
async def test_both_profiles_rank_alike_within_a_part_of_the_graph(world, seed):
    process, engine, moments = world
    dice = random.Random(100 + seed)
    asked = replace(ask(dice, moments), centers=(), within=near(dice))
    if seed % 4 == 0:
        known = await process.visible(dice.choice(FIRMS), through=["works_at", "knows"], hops=2)
        asked = replace(asked, within=known)
    ours, theirs = await asked.of(process), await asked.of(engine)
    for scope in SCOPES:
        assert same(getattr(ours, scope), getattr(theirs, scope)), (asked, scope)


async def test_what_earlier_searches_read_stays_and_changes_nothing(world):
    process, engine, moments = world
    kept = replace(CHOSEN, kept=10_000)
    for seed in range(200, 212):
        asked = ask(random.Random(seed), moments)
        ours, theirs = await asked.of(process), await asked.of(engine, limits=kept)
        for scope in ("facts", "entities", "communities"):
            assert same(getattr(ours, scope), getattr(theirs, scope)), (asked, scope)
    group = "default"
    session = engine.handle.session
    stamp = await session.store.newest(group)
    rows = session.catalog.lend(group, stamp)
    assert rows is not None and len(rows.facts) > 30
    assert session.catalog.lend(group, stamp) is None  # it was lent to one search already


async def test_a_question_that_names_nobody_starts_from_the_nearest_of_all_entities(world):
    process, engine, _ = world
    limits = replace(CHOSEN, kept=10_000)
    few = Recipe(pool=3, seeds=1, depth=1)
    for query in ("chess", "old maps", "in the south", "green tea", "who owns it", "jazz"):
        found = []
        for graph in (process, engine):
            with limited(graph, limits):
                found.append(await graph.search(query, scopes=["facts"], limit=3, recipe=few))
        assert same(found[0].facts, found[1].facts), query


async def test_what_was_read_goes_when_the_group_changes():
    async with open_graph(profile="engine") as graph:
        await graph.add_episode("Alice works_at Acme from 2020.")
        for _ in range(2):
            assert [hit.item.object for hit in await graph.search("Alice works")] == ["Acme"]
        await graph.add_episode("Alice works_at Beta from 2022.")
        assert [hit.item.object for hit in await graph.search("Alice works")] == ["Beta"]
        await graph.erase.entity("Alice")
        assert len(await graph.search("Alice works", scopes=["facts", "entities"])) == 0
        await graph.erase.group(confirm="default")
        await graph.add_episode("Alice works_at Globex from 2020.")
        assert [hit.item.object for hit in await graph.search("Alice works")] == ["Globex"]


async def test_every_recipe_ranks_alike_over_a_connection(world):
    process, _, moments = world
    async with a_server() as (url, options):
        remote = open_graph(url, profile="engine", reranker=Judge(), **options)
        async with remote:
            await process.export.copy(into=remote)
            for number, name in enumerate(ASKED):
                asked = ask(random.Random(300 + number), moments, names=(name,))
                ours, theirs = await asked.of(process), await asked.of(remote)
                for scope in ("facts", "entities", "communities"):
                    assert same(getattr(ours, scope), getattr(theirs, scope)), (asked, scope)
