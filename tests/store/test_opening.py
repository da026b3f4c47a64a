"""Whoever stops waiting for a store to open leaves nothing half open behind."""

import asyncio

from tests.conftest import open_graph


async def test_cancelled_at_any_moment_the_store_can_be_opened_again(tmp_path):
    url = f"surrealkv://{tmp_path}/store"

    async def stay():
        async with open_graph(url):
            await asyncio.sleep(60)

    for delay in range(10):
        opening = asyncio.create_task(stay())
        await asyncio.sleep(delay * 0.003)
        opening.cancel()
        await asyncio.wait([opening])
        assert opening.cancelled()
    async with open_graph(url) as graph:
        assert await graph.groups() == []
