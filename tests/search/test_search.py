"""A search as a whole: recipes by name, what it costs, what it says, and bad input."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from graphrag import RECIPES, QueryError, Recipe
from graphrag.search import pipeline
from graphrag.search.rewind import NO_REWIND
from graphrag.store.connection import Connection
from graphrag.store.store import Store
from tests.conftest import open_graph

TOWN = """Alice works_at Acme. Bob works_at Acme. Carol lives_in Paris.
Dora lives_in Paris. Alice married_to Carol. Erik likes tea."""

GRAPHITI = [
    f"{kind}_hybrid_search_{way}"
    for kind, ways in {
        "combined": ("rrf", "mmr", "cross_encoder"),
        "edge": ("rrf", "mmr", "node_distance", "episode_mentions", "cross_encoder"),
        "node": ("rrf", "mmr", "node_distance", "episode_mentions", "cross_encoder"),
        "community": ("rrf", "mmr", "cross_encoder"),
    }.items()
    for way in ways
]
SCOPE_OF = {"edge": "facts", "node": "entities", "community": "communities"}


class Half:
    async def rank(self, query, texts):
        return [0.5] * len(texts)


@pytest.fixture
async def town():
    async with open_graph(reranker=Half()) as graph:
        await graph.add_episode(TOWN, reference_time="2020-01-01", name="The town")
        await graph.communities.build()
        yield graph


def names(hits):
    return [f"{hit.item.subject} {hit.item.relation} {hit.item.object}" for hit in hits]


# -- recipes -----------------------------------------------------------------------------------


def test_all_sixteen_recipes_of_graphiti_are_there():
    assert len(GRAPHITI) == 16
    assert set(GRAPHITI) <= set(RECIPES)
    assert RECIPES["EDGE_HYBRID_SEARCH_MMR"] is RECIPES["edge_hybrid_search_mmr"]
    with pytest.raises(FrozenInstanceError):
        RECIPES["edge_hybrid_search_rrf"].limit = 1


@pytest.mark.parametrize("name", list(RECIPES))
async def test_every_recipe_searches_its_scopes_by_name(town, name):
    found = await town.search("Alice Paris", recipe=name)
    scope = SCOPE_OF.get(name.split("_")[0])
    for other in ("facts", "entities", "episodes", "communities"):
        assert bool(getattr(found, other)) == (scope in (None, other)), other
    again = await town.search("Alice Paris", recipe=RECIPES[name])
    for one, other in zip(found.facts + found.entities, again.facts + again.entities, strict=True):
        # Recency counts from the moment of the search.
        assert one.item == other.item and one.score == pytest.approx(other.score)


async def test_a_search_changes_no_recipe_and_its_own_words_come_first(town):
    name = "community_hybrid_search_cross_encoder"
    assert RECIPES[name].limit == 3
    found = await town.search("Alice", recipe=name, limit=1, scopes=["facts"])
    assert (len(found.facts), found.communities) == (1, ())
    assert RECIPES[name].limit == 3


async def test_an_unknown_recipe_lists_those_there_are(town):
    for wrong in ("edge_hybrid", "", "'; REMOVE TABLE entity"):
        with pytest.raises(QueryError, match="combined_hybrid_search_cross_encoder"):
            await town.search("Alice", recipe=wrong)
    for wrong in (None.__class__, {"vector": 1}):
        with pytest.raises(QueryError, match=r"recipe a .*: give Recipe or text"):
            await town.search("Alice", recipe=wrong)


async def test_a_limit_above_the_pool_is_filled(graph):
    await graph.add_episode(" ".join(f"Ann{n} likes tea{n}." for n in range(90)))
    found = await graph.search("likes", scopes=["facts"], limit=80)
    assert len(found.facts) == 80
    assert Recipe().pool == 60


# -- communities -------------------------------------------------------------------------------


async def test_communities_are_found_by_their_words_and_members(town):
    found = (await town.search("tea Erik likes", scopes=["communities"])).communities
    assert found[0].item.name == "tea: Erik" and len(found[0].item.members) == 2
    assert found[0].item.summary.startswith("Erik likes tea (as of ")
    assert {why.method for why in found[0].why} == {"vector", "fulltext"}


async def test_communities_stay_in_step_with_what_was_built(town):
    await town.add_episode("Erik likes coffee. Finn likes coffee.", reference_time="2021-01-01")
    built = await town.communities.build()
    found = (await town.search("coffee", scopes=["communities"])).communities
    assert {hit.item.id for hit in found} <= {community.id for community in built}
    assert found[0].item in built
    assert "coffee" in found[0].item.summary
    moment = (await town.log.events())[-1].at
    await town.add_episode("Gus likes chess. Hal likes chess.", reference_time="2022-01-01")
    await town.communities.build()
    then = await town.at(known_at=moment).search("chess", scopes=["communities"])
    assert not any("chess" in hit.item.summary for hit in then.communities)


async def test_communities_are_there_after_opening_again(tmp_path):
    url = f"surrealkv://{tmp_path}/graph"
    async with open_graph(url) as graph:
        await graph.add_episode(TOWN)
        await graph.communities.build()
        found = await graph.search("tea", scopes=["communities"])
    async with open_graph(url) as graph:
        assert await graph.search("tea", scopes=["communities"]) == found


# -- what a search costs -----------------------------------------------------------------------


async def test_a_search_asks_the_store_once(town, monkeypatch):
    asked = []
    query = Connection.query

    async def counted(self, sql, params=None):
        asked.append(sql)
        return await query(self, sql, params)

    held = town.handle.session.store.cache
    await town.search("Alice")
    monkeypatch.setattr(Connection, "query", counted)
    held.written(None)
    found = await town.search("Alice", scopes=["facts", "entities"])
    assert len(asked) == 1
    assert [episode.name for episode in found.passages] == ["The town"]
    assert await town.search("Alice", scopes=["facts", "entities"]) == found
    assert len(asked) == 1, "what was read is held until it is written"
    held.written(None)
    await town.search("Alice")
    assert len(asked) == 2
    assert not await town.search("zzz", recipe=Recipe(vector=0, graph=0), scopes=["facts"])
    assert len(asked) == 2, "nothing was found, so nothing is read"


async def test_only_what_the_recipe_asks_for_is_worked_out(town, monkeypatch):
    def never(*given, **named):
        raise AssertionError("not asked for")

    for name in ("rank_entities", "rank_episodes", "rank_communities"):
        monkeypatch.setattr(pipeline, name, never)
    await town.search("Alice", recipe="edge_hybrid_search_rrf")
    monkeypatch.setattr(pipeline, "rank_facts", never)
    monkeypatch.undo()
    monkeypatch.setattr(pipeline, "rank_facts", never)
    await town.search("Alice", recipe="node_hybrid_search_rrf")


# -- what a search says ------------------------------------------------------------------------


async def test_explain_shows_each_step_with_its_time(town):
    found = await town.search("Where does Alice work?", explain=True)
    steps = {step.name: step for step in found.explanation.steps}
    assert {"embed", "visible", "seeds", "walk", "read"} <= set(steps)
    for scope in ("facts", "entities", "episodes", "communities"):
        assert any(name.startswith(f"{scope}: ") for name in steps), scope
    assert steps["seeds"].note == "named" and steps["seeds"].found == 1
    assert all(step.ms >= 0 for step in steps.values())
    assert found.explanation.ms == pytest.approx(sum(one.ms for one in found.explanation.steps))
    shown = repr(found.explanation)
    assert shown.splitlines()[0].split() == ["step", "ms", "found", "note"]
    assert "<table>" in found.explanation._repr_html_()
    assert (await town.search("Alice")).explanation is None


async def test_explained_or_not_the_hits_are_the_same(town):
    explained = await town.search("Alice Paris", explain=True)
    assert replace(explained, explanation=None) == await town.search("Alice Paris")


# -- relevance ---------------------------------------------------------------------------------


async def test_relevance_compares_across_queries(town):
    async def best(query):
        found = await town.search(query, scopes=["facts"])
        return found.facts[0].relevance if found.facts else 0.0

    exact = await best("Erik likes tea")
    assert 0.5 < exact <= 1
    assert await best("Who likes tea?") < exact
    assert await best("quarks and gluons") < 0.3
    assert names((await town.search("Erik likes tea", scopes=["facts"])).facts)[0] == (
        "Erik likes tea"
    )


async def test_min_score_leaves_out_what_does_not_answer(town):
    strict = Recipe(min_score=0.5)
    assert names((await town.search("Erik likes tea", recipe=strict)).facts) == ["Erik likes tea"]
    assert not (await town.search("quarks and gluons", recipe=strict)).facts
    everything = await town.search("Erik likes tea", recipe=Recipe(min_score=0.0))
    assert len(everything.facts) > 1
    assert all(0 <= hit.relevance <= 1 for hit in everything.facts)


# -- times in a question -----------------------------------------------------------------------


@pytest.fixture
async def jobs(graph):
    await graph.add_episode(
        "Ann works_at Acme from 2015 to 2018. Ann works_at Beta from 2018 to 2021. "
        "Ann works_at Globex from 2021.",
        reference_time="2022-01-01",
    )
    return graph


async def test_a_question_about_a_time_sees_what_held_then(jobs):
    found = await jobs.search("Where did Ann work in 2016?", scopes=["facts"])
    assert names(found.facts) == ["Ann works_at Acme"]
    assert "time" in {why.method for why in found.facts[0].why}
    now = await jobs.search("Where does Ann work?", scopes=["facts"])
    assert names(now.facts) == ["Ann works_at Globex"]
    assert "time" not in {why.method for why in now.facts[0].why}


async def test_a_question_that_looks_back_sees_what_has_ended(jobs):
    found = await jobs.search("Where did Ann work before?", scopes=["facts"])
    assert set(names(found.facts)) == {
        "Ann works_at Acme", "Ann works_at Beta", "Ann works_at Globex",
    }  # fmt: skip


async def test_a_view_of_a_moment_comes_before_the_time_in_the_question(jobs):
    found = await jobs.at(valid_at="2019-06-01").search(
        "Where did Ann work in 2016?", scopes=["facts"]
    )
    assert names(found.facts) == ["Ann works_at Beta"]


async def test_how_a_time_was_understood_is_explained(jobs):
    found = await jobs.search("Where did Ann work in 2016?", explain=True)
    [step] = [step for step in found.explanation.steps if step.name == "time"]
    assert "2016" in step.note and "filter" in step.note


# -- bad input ---------------------------------------------------------------------------------

INJECTION = "x'; REMOVE TABLE entity; --"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"query": ""}, "the query is empty"),
        ({"query": " \t\n"}, "the query is empty"),
        ({"query": None}, "query None: give text"),
        ({"query": "\ud800"}, "half of a surrogate pair"),
        ({"centers": ["\ud800"]}, r"centers\[0\] .* half of a surrogate pair"),
        ({"query": "a" * 100_000}, "100000 characters, at most 10000"),
        ({"limit": 0}, "give 1 to 1000"),
        ({"limit": -3}, "give 1 to 1000"),
        ({"limit": True}, "limit True: give a whole number"),
        ({"limit": 2.5}, "limit 2.5: give a whole number"),
        ({"limit": "10; DROP"}, "limit '10; DROP': give a whole number"),
        ({"limit": 1001}, "give 1 to 1000"),
        ({"limit": 10**30}, "at most 64 bits"),
        ({"scopes": []}, "choose from facts, entities, episodes, communities"),
        ({"scopes": "facts"}, "give a list"),
        ({"scopes": [INJECTION]}, "choose from facts"),
        ({"scopes": [["facts"]]}, r"scopes\[0\] a list of 1: give one of facts, entities"),
        ({"centers": [INJECTION]}, "no entity has this name or id"),
        ({"centers": ["\x00\x01"]}, "no entity has this name or id"),
        ({"centers": [7]}, r"centers\[0\] 7: give Entity or text"),
        ({"recipe": INJECTION}, "give a Recipe, or one of"),
    ],
)
async def test_what_cannot_be_searched_is_refused(town, given, message):
    with pytest.raises(QueryError, match=message):
        await town.search(**{"query": "Alice", **given})
    assert (await town.stats()).facts == 6


async def test_a_group_that_is_not_there_has_nothing_or_is_refused(town):
    with pytest.raises(QueryError, match="there is no group"):
        await town.group(INJECTION, strict=True).search("Alice")
    assert len(await town.group(INJECTION).search("Alice")) == 0
    assert (await town.stats()).facts == 6


@pytest.mark.parametrize(
    "query",
    [
        INJECTION,
        "$facts; DELETE relates_to; RETURN $fact_ids",
        "/* */ <script>alert(1)</script> -- \\",
        "\x00\x01\x02\x1e\x7f",
        "\u202e\ufeff\u0000",
        "((((((" * 1000,
        "a b " * 2500,
        "2019 " * 2000,
        "张" * 10_000,
        "?" * 10_000,
    ],
)
async def test_any_text_is_only_words(town, query):
    found = await town.search(query, recipe="default")
    assert found.query == query
    assert (await town.stats()).facts == 6


async def test_a_vector_of_another_length_is_refused(town):
    class Longer:
        name, dimension = "longer", 65

        async def embed(self, texts, *, purpose):
            return np.ones((len(texts), 65), dtype=np.float32)

    index = await town.handle.session.catalog.group("default")
    store: Store = town.handle.session.store
    from graphrag.errors import InputError
    from graphrag.search.request import Request
    from graphrag.temporal.interval import NOW

    with pytest.raises(InputError, match="expected dimension 64, got 65"):
        await pipeline.run(Request("Alice", "default"), index, store, Longer(), NOW, past=NO_REWIND)
