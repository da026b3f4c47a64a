"""Ties: equals have one rank, and come in the order of their ids, in both profiles and reopened."""

import pytest

from tests.conftest import open_graph

WORDS = "tea tea coffee tea coffee tea milk milk tea tea".split()


async def tell(graph):
    for number, word in enumerate(WORDS):
        text = f"Person{number} likes {word}."
        await graph.add_episode(text, reference_time="2020-01-01")


async def whys(graph, query, **options):
    """Return the rank of every hit by each method; ``answer`` puts first, in one profile alone."""
    found = await graph.search(query, limit=20, **options)
    hits = [*found.facts, *found.entities, *found.episodes]
    return {
        (type(hit.item).__name__, getattr(hit.item, "name", "") or shown(hit.item)): [
            (why.method, why.rank) for why in hit.why if why.method != "answer"
        ]
        for hit in hits
    }


def shown(item):
    return getattr(item, "text", None) or item.content


QUERIES = ["tea", "Who likes tea?", "coffee milk", "likes"]
RECIPES = ["default", "combined_hybrid_search_rrf", "diverse"]


@pytest.mark.parametrize("recipe", RECIPES)
async def test_ranks_of_equals_are_the_same_in_columns_tables_and_after_reopening(tmp_path, recipe):
    found = []
    for profile in ("process", "engine"):
        url = f"surrealkv://{tmp_path / profile}"
        async with open_graph(url, profile=profile) as graph:
            await tell(graph)
            found.append([await whys(graph, query, recipe=recipe) for query in QUERIES])
        async with open_graph(url, profile=profile) as graph:
            found.append([await whys(graph, query, recipe=recipe) for query in QUERIES])
    for query, first, *others in zip(QUERIES, *found, strict=True):
        assert len(first) > 10
        assert others == [first] * 3, query


async def test_equals_have_one_rank(graph):
    await tell(graph)
    found = await graph.search("tea", limit=20, scopes=["facts"])
    ranks = {
        (hit.item.object, why.rank)
        for hit in found.facts
        for why in hit.why
        if why.method == "fulltext"
    }
    assert ranks == {("tea", 1)}
    ids = [hit.item.id for hit in found.facts if hit.item.object == "tea"]
    scores = {hit.score for hit in found.facts if hit.item.object == "tea"}
    assert len(scores) > 1 or ids == sorted(ids)
