"""A small graph with everything that a picture of it must get right."""

import pytest

from graphrag.temporal.moment import utc_now
from tests.conftest import open_graph


@pytest.fixture(scope="module")
async def graph():
    async with open_graph() as opened:
        await opened.add_episode("Alice works_at Acme from 2020.", reference_time="2020-05-01")
        await opened.add_episode("Alice works_at Globex from 2023.", reference_time="2023-05-01")
        await opened.add_fact("Zhang Wei 张", "likes", '=cmd|"x"', text="He likes\r\n\tit, «so».")
        await opened.add_entity("Lonely", entity_type="place", aliases=["Nowhere"])
        wrong = await opened.add_fact("Alice", "knows", "Mallory")
        await opened.edit.retract(wrong.fact)
        await opened.add_fact("Alice", "dreams_of", "Rome", confidence=0.3)  # waits for review
        await opened.add_fact("Ally", "knows", "Bob", valid_at="2021-02-03T04:05:06.000007Z")
        opened.before = utc_now()
        await opened.identity.merge("Alice", "Ally")
        yield opened
