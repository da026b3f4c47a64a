"""A search lists the facts first that answer its question, if the question can be worked out."""

import pytest

from graphrag import GraphRAG, Models, Recipe
from graphrag.search.rerankers import MMR
from graphrag.testing import HashEmbedder, ScriptedExtractor

FACTS = (
    ("Ann Reed", "married_to", "Carl Reed", "1995", None),
    ("Ann Reed", "likes", "the work of Carl Reed", "1995", None),
    ("Ann Reed", "visited", "Reed Yard", "2001", None),
    ("Carl Reed", "works_at", "Wick Docks", "2003", None),
    ("Carl Reed", "works_at", "Reed Yard", "1990", "2003"),
)


@pytest.fixture
async def reeds():
    models = Models(embedder=HashEmbedder(), extractor=ScriptedExtractor({}))
    async with GraphRAG.open("mem://", models=models) as graph:
        names = ("subject", "relation", "object", "valid_at", "invalid_at")
        await graph.load.facts([dict(zip(names, one, strict=True)) for one in FACTS], judge=False)
        yield graph


async def test_second_hop_comes_first(reeds):
    found = await reeds.search("Where does the husband of Ann Reed work?", limit=2)
    assert found.facts[0].item.object == "Wick Docks"
    assert any(why.method == "answer" for why in found.facts[0].why)


async def test_neighbour_on_the_line_of_time_comes_first(reeds):
    found = await reeds.search("Where did Carl Reed work right before Wick Docks?", limit=2)
    assert [hit.item.object for hit in found.facts] == ["Reed Yard", "Wick Docks"]


async def test_what_is_no_question_is_ranked_as_ever(reeds):
    for text in ("Carl Reed at the docks", "Why does Carl Reed work?", "Where is Zed?"):
        found = await reeds.search(text)
        assert not any(why.method == "answer" for hit in found.facts for why in hit.why)


async def test_order_that_was_asked_for_is_kept(reeds):
    found = await reeds.search(
        "Where does the husband of Ann Reed work?", recipe=Recipe(rerank=(MMR(),))
    )
    assert not any(why.method == "answer" for hit in found.facts for why in hit.why)


async def test_other_scopes_are_ranked_as_ever(reeds):
    question = "Where does the husband of Ann Reed work?"
    both = await reeds.search(question)
    alone = await reeds.search(question, scopes=["entities"])
    assert [hit.item.id for hit in both.entities] == [hit.item.id for hit in alone.entities]
