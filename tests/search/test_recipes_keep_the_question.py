"""Each recipe by one measure: the fact that a question is made from is among its ten hits."""

import pytest

from graphrag import RECIPES
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph
from tests.search.test_rerank import WordOverlap

PEOPLE, TOOLS, TOWNS = 60, 40, 12
"""The hub has a fact about everybody: a walk from anywhere reaches hundreds within two hops."""


def facts():
    """Yield the facts of a small firm, each person with words of their own."""
    for number in range(PEOPLE):
        person, year = f"Person{number}", 1980 + number % 40
        yield person, "works_at", "Hub", year
        yield person, "lives_in", f"Town{number % TOWNS}", year + 1
        yield person, "uses", f"Tool{number % TOOLS}", year + 2
        yield person, "knows", f"Person{(7 * number + 1) % PEOPLE}", year + 3


QUESTIONS = [fact for place, fact in enumerate(facts()) if place % 8 == 2]
"""Which tool somebody uses: thirty of them, with every start."""


@pytest.fixture(scope="module")
async def firm():
    models = {"embedder": HashEmbedder(), "reranker": WordOverlap()}
    async with open_graph(**models) as graph:
        await graph.load.facts(
            {"subject": one, "relation": relation, "object": other, "valid_at": f"{year}-01-01"}
            for one, relation, other, year in facts()
        )
        await graph.communities.build()
        yield graph


FACT_RECIPES = [name for name in RECIPES if not name.startswith(("node_", "community_"))]


@pytest.mark.parametrize("centers", [(), ("Hub",)], ids=["named", "center"])
@pytest.mark.parametrize("recipe", FACT_RECIPES)
async def test_the_fact_of_the_question_is_among_ten(firm, recipe, centers):
    missing = []
    for one, relation, other, _ in QUESTIONS:
        question = f"{one} {relation.replace('_', ' ')} {other}"
        found = await firm.search(question, recipe=recipe, limit=10, centers=centers)
        hits = [(hit.item.subject, hit.item.relation, hit.item.object) for hit in found.facts]
        missing += [] if (one, relation, other) in hits else [question]
    assert len(QUESTIONS) == 30
    assert missing == []


@pytest.mark.parametrize("recipe", [name for name in RECIPES if name.startswith("node_")])
async def test_the_entity_of_the_question_is_among_ten(firm, recipe):
    for one, _, other, _ in QUESTIONS:
        found = await firm.search(f"{one} {other}", recipe=recipe, limit=10)
        assert {one, other} <= {hit.item.name for hit in found.entities}
