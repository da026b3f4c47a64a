"""The engine profile finds what the process profile finds, and nothing that a view hides."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from graphrag import Models
from graphrag.engine.rows import SearchRows
from graphrag.graph import GraphRAG
from graphrag.io.copy import copy_store
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store
from graphrag.store.target import Target
from graphrag.testing import ScriptedExtractor
from graphrag.view.context import ViewContext
from graphrag.view.view import View
from tests.benchmarks.prepared import DIMENSION, NAME, Prepared
from tests.benchmarks.synthetic import MIDDLE, Synthetic
from tests.conftest import open_graph
from tests.engine.worlds import Judge, ask, near, recall, tell
from tests.serving import a_server

SCOPES = ("facts", "entities", "episodes", "communities")
ENOUGH = 0.95
FOREVER = datetime.max.replace(tzinfo=UTC)


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


async def searches(process, engine, asked):
    """Ask both, and return the mean recall of each scope."""
    found = {scope: [] for scope in SCOPES}
    for one in asked:
        ours, theirs = await one.of(process), await one.of(engine)
        for scope in SCOPES:
            if mine := getattr(ours, scope):
                found[scope].append(recall(mine, getattr(theirs, scope)))
    return {scope: sum(shares) / len(shares) for scope, shares in found.items()}


async def test_recipes_views_and_filters_find_what_the_process_profile_finds(world):
    process, engine, moments = world
    asked = [ask(random.Random(seed), moments) for seed in range(40)]
    found = await searches(process, engine, asked)
    assert min(found.values()) >= ENOUGH, found


async def test_all_that_lies_in_a_part_of_the_graph_is_found(world):
    process, engine, moments = world
    for seed in range(100, 110):
        dice = random.Random(seed)
        asked = replace(ask(dice, moments), centers=(), within=near(dice))
        ours, theirs = await asked.of(process), await asked.of(engine)
        for scope in SCOPES:
            assert len(getattr(ours, scope)) == len(getattr(theirs, scope)), (asked, scope)
            assert recall(getattr(ours, scope), getattr(theirs, scope)) > 0.8, (asked, scope)


async def test_no_hit_is_of_another_time_group_or_kind(world):
    process, engine, moments = world
    for seed in range(30):
        asked = ask(random.Random(seed), moments)
        view = View(ViewContext(process.handle, "default", asked.view))
        facts = {fact.id: fact for fact in await view.facts(limit=10_000)}
        names = {entity.id for entity in await view.entities(limit=10_000)}
        found = await asked.of(engine)
        for hit in found.facts:
            assert hit.item == facts[hit.item.id], asked
        assert {hit.item.id for hit in found.entities} <= names
        if asked.where is not None:
            assert {hit.item.id for hit in found.facts} <= await fitting(process, asked), asked


async def fitting(graph, asked):
    """Return all facts that fit a search, however far from its words."""
    wide = replace(asked.recipe, rerank=(), pool=10_000, limit=1_000, min_score=0)
    found = await replace(asked, recipe=wide).of(graph)
    return {hit.item.id for hit in found.facts}


async def test_rows_that_few_views_show_are_found_behind_many_others():
    async with open_graph(profile="engine") as graph:
        for year in range(1990, 2020):
            text = " ".join(f"Bob knows Carol{chr(65 + n)} from {year}." for n in range(12))
            await graph.add_episode(text, reference_time=f"{year}-01-01")
        await graph.add_episode("Bob knows Alice from 1950 to 1960.", reference_time="2020-01-01")
        found = await graph.at(valid_at="1955").search("who does Bob know", scopes=["facts"])
        assert [hit.item.object for hit in found.facts] == ["Alice"]


async def test_every_recipe_finds_the_same_over_a_connection(world):
    process, engine, moments = world
    async with a_server() as (url, options):
        remote = open_graph(url, profile="engine", reranker=Judge(), **options)
        async with remote:
            await process.export.copy(into=remote)
            asked = [ask(random.Random(seed), moments) for seed in range(300, 315)]
            found = await searches(engine, remote, asked)
            assert min(found.values()) == 1, found


async def test_a_large_group_beside_a_small_one_is_searched_by_its_nearest_cells(tmp_path):
    process, engine = f"surrealkv://{tmp_path}/process", f"surrealkv://{tmp_path}/engine"
    sizes = {"small": 200, "large": 3_000}
    target = Target.parse(process)
    rows = SearchRows()
    async with await Store.open(target, embedder=NAME, dimension=DIMENSION, derived=rows) as store:
        queries = {group: await fill(store, group, Synthetic(n)) for group, n in sizes.items()}
    await copy_store(process, engine, profile="engine")
    prepared = Prepared([query for some in queries.values() for query in some])
    models = Models(embedder=prepared, extractor=ScriptedExtractor({}))
    async with (
        GraphRAG.open(process, models=models) as one,
        GraphRAG.open(engine, models=models) as other,
    ):
        for group, some in queries.items():
            shares = []
            for query in some:
                for at in (None, MIDDLE):
                    views = [graph.group(group) for graph in (one, other)]
                    views = [view.at(valid_at=at) for view in views] if at else views
                    ours, theirs = [await view.search(query.text) for view in views]
                    shares.append(recall(ours.facts, theirs.facts))
                    for fact in (hit.item for hit in theirs.facts):
                        assert fact.group_id == group
                        assert at is None or fact.valid_at <= at < (fact.invalid_at or FOREVER)
            assert sum(shares) / len(shares) >= ENOUGH
        assert (await other.health.indexes()).sound


async def test_what_lies_two_steps_away_along_what_holds_is_found(tmp_path):
    process, engine = f"surrealkv://{tmp_path}/process", f"surrealkv://{tmp_path}/engine"
    target, rows = Target.parse(process), SearchRows()
    async with await Store.open(target, embedder=NAME, dimension=DIMENSION, derived=rows) as store:
        queries = await fill(store, "one", Synthetic(400, seed=800))
    await copy_store(process, engine, profile="engine")
    models = Models(embedder=Prepared(queries), extractor=ScriptedExtractor({}))
    async with (
        GraphRAG.open(process, models=models) as one,
        GraphRAG.open(engine, models=models) as other,
    ):
        for query in queries:
            ours, theirs = [
                await graph.group("one").search(query.text, scopes=["facts"])
                for graph in (one, other)
            ]
            assert recall(ours.facts, theirs.facts) == 1, query.text


async def fill(store, group, world):
    """Write a world to a group, and return questions about it."""
    seq = 0
    for make in (world.entities, world.facts_with_episodes):
        for batch in make():
            changes = ChangeSet(group, "test")
            for value, vector in batch:
                changes.insert(replace(value, group_id=group), vector)
            seq = await store.apply(changes, after=seq)
    return world.queries(15)
