"""A relation that the question names counts, however common its word is in the group."""

import pytest

from graphrag import FactWeights, Recipe


@pytest.fixture
async def town(graph):
    for number in range(12):
        await graph.add_fact(f"Person {number}", "works_at", f"Firm {number % 3}")
    await graph.add_fact("Mira", "works_at", "Acme", fact="Mira was hired as an analyst in 2014.")
    await graph.add_fact("Mira", "lives_in", "Oslo", fact="Mira settled in Oslo for work.")
    await graph.add_fact("Mira", "leads", "Work Group", fact="Mira leads it.")
    return graph


async def relations(graph, question, **recipe):
    found = await graph.search(question, scopes=["facts"], limit=3, recipe=Recipe(**recipe))
    return [hit.item.relation for hit in found.facts if hit.item.subject == "Mira"]


@pytest.mark.parametrize("question", ["Where did Mira work?", "Where does Mira work?"])
async def test_the_relation_that_is_asked_for_comes_first(town, question):
    assert (await relations(town, question))[0] == "works_at"


async def test_without_it_a_common_word_says_little(town):
    unnamed = FactWeights(relation=0)
    assert (await relations(town, "Where does Mira work?", facts=unnamed))[0] != "works_at"


async def test_a_word_of_a_name_names_no_relation(town):
    found = await town.search("What about Work Group?", scopes=["facts"])
    assert "relation" not in {why.method for hit in found.facts for why in hit.why}
    found = await town.search("Who works there?", scopes=["facts"])
    assert "relation" in {why.method for hit in found.facts for why in hit.why}
