"""A text that says the same again and again is read in time in proportion to its length."""

from collections import Counter

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
async def test_each_statement_is_looked_at_once_and_kept_with_all_others(monkeypatch, sentence):
    calls = Counter()

    def count(name):
        work = getattr(repeat, name)

        def counted(*given):
            calls[name] += 1
            return work(*given)

        monkeypatch.setattr(repeat, name, counted)

    count("_place")
    count("kept_by")
    async with open_graph() as graph:
        await graph.add_episode(sentence * 100, reference_time="2024-01-01")
        facts = await graph.facts()
        statements = [one for fact in facts for one in fact.statements]
    assert len({(one.start, one.end) for one in statements}) == len(statements) >= 100
    assert calls["_place"] <= 2 * len(statements)
    assert calls["kept_by"] <= len(statements) + len(facts)
