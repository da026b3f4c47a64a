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


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Ann Lee works for this newspaper.", "Ann Lee works_at Veyle Courier"),
        ("This newspaper hired Ann Lee in 2020.", "Ann Lee works_at Veyle Courier"),
        ("Ann Lee founded this paper in 1990.", "Ann Lee founded Veyle Courier"),
        ("This company hired Ann Lee in 2020.", "Ann Lee works_at Veyle Courier"),
        ("This company acquired Globex in 2020.", "Globex owned_by Veyle Courier"),
        ("Ann Lee works at Acme. Bob Stone founded this newspaper.",
         "Bob Stone founded Veyle Courier"),
    ],
)  # fmt: skip
async def test_this_newspaper_is_the_source(text, fact):
    facts, entities, _ = await known(text, **COURIER)
    assert fact in facts
    assert not any("this" in name.lower() or name in ("newspaper", "paper") for name in entities)


async def test_this_report_is_what_the_title_names():
    titled = {**COURIER, "name": "State of the Rivers"}
    facts, _, _ = await known("This report was written by Ann Lee.", **titled)
    assert facts == {"Ann Lee author_of State of the Rivers"}


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
