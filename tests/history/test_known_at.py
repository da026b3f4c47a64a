"""Whatever is done, the graph is sound, and every earlier moment is read back as it was then."""

import asyncio

from hypothesis import HealthCheck, example, given, settings

from graphrag import GraphRAGError
from tests.edit.faint import whole
from tests.history.acts import FIRST, STEPS, act, one_at_a_time, open_any, views


async def play(steps):
    async with open_any() as graph:
        past = []
        await graph.add_episode(FIRST, reference_time="2021-06-01")
        for number, step in enumerate(steps):
            before = await graph.log.events()
            try:
                await act(graph, step, number)
            except GraphRAGError:
                assert await graph.log.events() == before
            await whole(graph)
            await one_at_a_time(graph)
            if log := await graph.log.events():
                past.append((log[-1].at, await views(graph)))
        for moment, then in past:
            assert await views(graph, moment) == then


@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
@example([("entity", 0, 0, 2018), ("rename", 0, 1, 2018)])
@example([("merge", 0, 1, 2018), ("rename", 0, 1, 2018), ("revert", 1, 1, 2018)])
def test_every_earlier_moment_is_read_back_exactly(steps):
    asyncio.run(play(steps))
