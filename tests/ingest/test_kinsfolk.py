"""Whom "my sister" means: who was named so before, and nobody of two."""

import pytest

from graphrag.errors import QueryError
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.extract.rules.extractor import RulesExtractor
from tests.conftest import open_graph


async def homes(*texts, extractor=None):
    """Where everybody lives now, by name, after messages of Vi Moon."""
    async with open_graph(extractor=extractor or RulesExtractor()) as graph:
        for day, text in enumerate(texts, 1):
            await graph.add_episode(
                text, reference_time=f"2026-10-{day:02}", author="Vi Moon", source="message"
            )
        assert (await graph.health.check_all()).findings == ()
        found = {}
        for name in ("Meg", "Fred", "Jake", "Carl", "Ann", "Tom", "Vi Moon's sister"):
            try:
                facts = await graph.facts(name)
            except QueryError:
                continue
            for fact in facts:
                if fact.relation == "lives_in":
                    found[name] = fact.object
        return found


@pytest.mark.parametrize(
    ("named", "called"),
    [
        ("My sister Meg", "My sister"),
        ("My dad Fred", "My dad"),
        ("My son Jake", "My son"),
        ("My husband Carl", "My husband"),
    ],
)
async def test_the_one_who_was_named_is_meant(named, called):
    name = named.split()[-1]
    found = await homes(f"{named} lives in Deal.", f"{called} has moved to Dover.")
    assert found[name] == "Dover"


async def test_dad_is_the_father_who_was_named():
    found = await homes(
        "My dad Fred lives in Deal.", "Dad has moved to Dover.", extractor=NeuralExtractor()
    )
    assert found["Fred"] == "Dover"


async def test_of_two_sisters_neither_is_meant():
    found = await homes(
        "My sister Meg lives in Deal.", "My sister Ann lives in Rye.", "My sister moved to Dover."
    )
    assert found == {"Meg": "Deal", "Ann": "Rye", "Vi Moon's sister": "Dover"}


async def test_a_brother_is_no_sister():
    found = await homes("My brother Tom lives in Deal.", "My sister has moved to Dover.")
    assert found == {"Tom": "Deal", "Vi Moon's sister": "Dover"}


async def test_who_is_named_later_bears_the_name():
    found = await homes("My sister lives in Rye.", "My sister Meg has moved to Dover.")
    assert found["Meg"] == "Dover"


async def test_what_is_sold_by_a_shorter_name_is_the_one_that_was_owned():
    async with open_graph(extractor=RulesExtractor()) as graph:
        for date, text in (
            ("2024-01-10", "I own a Volvo V70."),
            ("2024-05-01", "I sold the Volvo last week."),
        ):
            await graph.add_episode(text, reference_time=date, author="Vi Moon", source="message")
        [fact] = await graph.at(history=True).facts("Vi Moon")
        assert (fact.subject, str(fact.invalid_at.date())) == ("Volvo V70", "2024-04-22")


async def test_a_word_for_kin_is_of_the_name_beside_it():
    found = await homes(
        "My brother Tom lives in Deal, and my sister is glad.", "My sister has moved to Dover."
    )
    assert found["Tom"] == "Deal"
