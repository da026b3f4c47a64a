"""What a text calls itself, or who it is from: ``this newspaper``, ``this report``."""

import pytest

from graphrag.extract.rules.extractor import RulesExtractor
from tests.conftest import open_graph

COURIER = {"source_description": "The Veyle Courier"}


async def known(text, **episode):
    """What a text leaves in a graph: facts, and the names of all entities."""
    async with open_graph(extractor=RulesExtractor()) as graph:
        added = await graph.add_episode(text, reference_time="2024-01-15", **episode)
        facts = {f"{one.subject} {one.relation} {one.object}" for one in await graph.facts()}
        return facts, {one.name for one in await graph.entities()}, added


@pytest.mark.parametrize("source", ["", "forum"])
async def test_who_is_not_named_is_nobody(source):
    text = "Ann Lee works for this newspaper. This Newspaper was bought by Acme Corp."
    facts, entities, _ = await known(text, source_description=source)
    assert not facts
    assert entities <= {"Ann Lee", "Acme Corp"}


async def test_this_company_may_be_one_that_the_text_spoke_of():
    facts, entities, _ = await known("Acme makes cars. This company hired Ann Lee.", **COURIER)
    assert "Veyle Courier" not in entities
    assert not any("Courier" in fact for fact in facts)
