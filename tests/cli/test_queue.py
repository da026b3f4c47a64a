import asyncio
import json

from tests.conftest import open_graph


def test_stats_show_what_waits_and_what_failed(cli, tmp_path):
    async def prepare():
        class Failing:
            async def extract(self, context):
                raise ValueError("unreadable")

        async with open_graph("surrealkv://graph-store", extractor=Failing(), workers=0) as graph:
            await graph.add_episode("Alice works_at Acme.", wait=False)
            await graph.queue.drain()
            await graph.add_episode("Bob leads Acme.", wait=False)

    asyncio.run(prepare())
    shown = json.loads(cli("stats", "--json").out)
    assert (shown["episodes"], shown["episodes_waiting"], shown["episodes_failed"]) == (2, 1, 1)
    lines = [line.split() for line in cli("stats").out.splitlines()]
    assert ["waiting", "1"] in lines
    assert ["failed", "1"] in lines


def test_queue_shows_failures_and_tries_again(cli):
    class Failing:
        async def extract(self, context):
            raise ValueError("unreadable")

    async def prepare():
        async with open_graph("surrealkv://graph-store", extractor=Failing(), workers=0) as graph:
            await graph.add_episode("Alice works_at Acme.", name="a letter", wait=False)
            await graph.queue.drain()

    asyncio.run(prepare())
    done = cli("queue")
    assert done.code == 1
    assert "a letter" in done.out and "'a letter': unreadable" in done.out
    assert "queue --retry --drain" in done.out
    shown = json.loads(cli("queue", "--retry", "--drain", "--json", extractor=Failing()).out)
    assert (shown["failed"], shown["retried"]) == (1, 1)
    assert shown["failures"][0]["error"].endswith("'a letter': unreadable")
    done = cli("queue", "--retry", "--drain", "--json")
    assert done.code == 0
    assert json.loads(done.out)["done"] == 1
    assert json.loads(cli("stats", "--json").out)["facts"] == 1
