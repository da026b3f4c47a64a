"""Replies with random faults: no raw error, no text lost, no fact lost in silence."""

import pytest

from tests.llm.fuzz import outcome


@pytest.mark.parametrize("first", range(0, 160, 20))
async def test_a_faulty_reply_costs_no_text_and_no_fact_in_silence(first):
    problems = [await outcome(seed) for seed in range(first, first + 20)]
    assert list(filter(None, problems)) == []
