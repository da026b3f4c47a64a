"""A text that says the same again and again is read in time in proportion to its length."""

import pytest

from graphrag.ingest.lifetimes import repeat
from tests.conftest import open_graph


@pytest.mark.parametrize(
    "sentence",
    [
        "Ann knows Bob. ",
        "Ann likes tea. ",
        "Ann works_at Acme. ",
        "Ann likes tea. Bob likes tea. ",
    ],
)
async def test_statements_of_other_places_are_not_compared_one_by_one(monkeypatch, sentence):
    compared = 0
    repeats = repeat._repeats

    def counted(one, known):
        nonlocal compared
        compared += 1
        return repeats(one, known)

    monkeypatch.setattr(repeat, "_repeats", counted)
    async with open_graph() as graph:
        await graph.add_episode(sentence * 100, reference_time="2024-01-01")
        facts = await graph.facts()
        statements = [one for fact in facts for one in fact.statements]
    assert len({(one.start, one.end) for one in statements}) == len(statements) >= 100
    assert compared <= 2 * len(statements)
