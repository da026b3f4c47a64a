"""What search finds, in which order, and what it says about it."""

import pytest

from graphrag import QueryError, Recipe

FACTS = """Alice works_at Acme. Bob works_at Acme. Carol lives_in Paris.
Dora lives_in Paris. Alice married_to Carol. Erik likes tea."""


@pytest.fixture
async def town(graph):
    await graph.add_episode(FACTS, reference_time="2020-01-01")
    return graph


def names(hits):
    return [f"{hit.item.subject} {hit.item.relation} {hit.item.object}" for hit in hits]


async def test_words_and_meaning_put_the_stated_fact_first(town):
    results = await town.search("Who lives in Paris?")
    assert set(names(results.facts)[:2]) == {"Carol lives_in Paris", "Dora lives_in Paris"}


async def test_why_names_each_method_with_rank_and_score(town):
    hit = (await town.search("tea")).facts[0]
    assert names([hit]) == ["Erik likes tea"]
    assert {why.method for why in hit.why} >= {"vector", "fulltext"}
    assert all(why.rank >= 1 for why in hit.why)


async def test_graph_walk_reaches_facts_that_share_no_word(town):
    only_graph = Recipe(vector=0, fulltext=0, graph=1, depth=2)
    found = names((await town.search("Bob", recipe=only_graph)).facts)
    assert found[0] == "Bob works_at Acme"
    assert found[1] == "Alice works_at Acme"
    assert "Erik likes tea" not in found


async def test_named_entity_comes_first(town):
    assert (await town.search("Where does Carol live?")).entities[0].item.name == "Carol"


async def test_scopes_are_searched_as_asked(town):
    results = await town.search("Alice", scopes=["episodes"])
    assert not results.facts and not results.entities and len(results.episodes) == 1


async def test_limit_holds_for_each_scope(town):
    results = await town.search("Alice Acme Paris", limit=2)
    assert len(results.facts) == 2 and len(results.entities) == 2


@pytest.mark.parametrize("scopes", [[], ["things"], ["facts", "people"]])
async def test_unknown_scope_is_refused(town, scopes):
    with pytest.raises(QueryError, match="choose from facts, entities, episodes"):
        await town.search("Alice", scopes=scopes)
    with pytest.raises(QueryError, match=r"scopes\[1\] a list of 0: give one of facts, entities"):
        await town.search("Alice", scopes=["facts", []])


@pytest.mark.parametrize(
    "weights", [{"vector": -1}, {"vector": 0, "fulltext": 0, "graph": 0}, {"depth": 9}, {"pool": 0}]
)
def test_impossible_recipe_is_refused(weights):
    with pytest.raises(QueryError):
        Recipe(**weights)


@pytest.mark.parametrize(
    "query", ["'; REMOVE TABLE entity; --", "\x01\x02", "张" * 5000, "??", "the"]
)
async def test_any_text_is_only_a_query(town, query):
    await town.search(query)
    assert (await town.stats()).facts == 6


async def test_long_episodes_are_found_by_one_passage(graph):
    filler = "The weather stayed grey over the hills that day. " * 60
    await graph.add_episode(filler + "The zebra escaped at noon. " + filler, name="long")
    for number in range(5):
        await graph.add_episode(f"Grey weather, day {number}.", name=f"short {number}")
    assert (await graph.search("zebra escaped noon")).episodes[0].item.name == "long"


async def test_as_of_hides_episodes_from_later(town):
    await town.add_episode("Alice likes tea.", reference_time="2024-01-01")
    assert len((await town.at(valid_at="2021").search("Alice")).episodes) == 1
    assert len((await town.search("Alice")).episodes) == 2


async def test_results_show_themselves(town):
    results = await town.search("tea")
    assert "Erik likes tea" in repr(results)
    assert "<table>" in results._repr_html_() and "as of 2020-01-01" in results._repr_html_()


async def test_of_equally_near_facts_the_type_that_is_asked_for_comes_first(graph):
    await graph.add_episode("Ann knows Bob. Ann works_at Acme.", reference_time="2020-01-01")
    only_graph = Recipe(vector=0, fulltext=0, graph=1)
    persons = await graph.search("Who is with Ann?", recipe=only_graph)
    bodies = await graph.search("For which company is Ann?", recipe=only_graph)
    assert names(persons.facts)[0] == "Ann knows Bob"
    assert names(bodies.facts)[0] == "Ann works_at Acme"
    assert [hit.item.name for hit in persons.entities[:2]] == ["Ann", "Bob"]


async def test_of_equally_near_entities_the_one_with_most_shared_facts_comes_first(graph):
    text = "Ann knows Bob. Ann likes Cy. Cy likes Ann. Ann knows Cy. Ann knows Dee."
    await graph.add_episode(text, reference_time="2020-01-01")
    only_graph = Recipe(vector=0, fulltext=0, graph=1)
    found = (await graph.search("Ann", recipe=only_graph)).entities
    assert [hit.item.name for hit in found[:2]] == ["Ann", "Cy"]


async def test_entities_of_the_best_facts_are_found_and_say_so(town):
    found = {hit.item.name: hit for hit in (await town.search("tea")).entities}
    assert "facts" in {why.method for why in found["Erik"].why}
