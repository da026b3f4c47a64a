"""Follow what is committed, as it is committed."""

import asyncio
import threading
from concurrent.futures import CancelledError

import pytest

from graphrag import QueryError
from graphrag._portal import Portal
from graphrag.sync import GraphRAG as BlockingGraph
from tests.conftest import open_graph
from tests.serving import a_server


async def take(stream, count):
    async with asyncio.timeout(10):
        return [await anext(stream) for _ in range(count)]


async def told(graph, *sentences, group="default"):
    for sentence in sentences:
        await graph.group(group).add_episode(sentence, reference_time="2024-01-01")


async def test_every_event_comes_in_order_from_the_call_on():
    async with open_graph() as graph:
        await told(graph, "Alice works_at Acme.")
        stream = graph.log.follow()
        await told(graph, "Bob works_at Acme.", "Carl works_at Acme.")
        assert [event.seq for event in await take(stream, 2)] == [2, 3]
        waiting = asyncio.create_task(anext(stream))
        await graph.add_fact("Dora", "works_at", "Acme")
        assert (await waiting).kind == "add_fact"


async def test_a_search_in_the_body_of_the_loop_sees_what_the_event_brought():
    async with open_graph() as graph:
        stream = graph.log.follow(after=0)

        async def followed():
            async for event in stream:
                names = [fact.object for fact in await graph.facts("Alice")]
                if event.seq == 3:
                    return names
            return None

        reader = asyncio.create_task(followed())
        await told(graph, "Alice works_at Acme.", "Alice likes Tea.")
        await graph.add_fact("Alice", "likes", "Chess")
        assert "Chess" in await asyncio.wait_for(reader, 10)


async def test_no_event_is_given_before_reads_can_see_it():
    async with open_graph() as graph:
        stream = graph.log.follow()
        telling = asyncio.create_task(
            told(graph, *(f"Person{number} works_at Acme." for number in range(60)))
        )
        for _ in range(60):
            event = await asyncio.wait_for(anext(stream), 10)
            assert (await graph.stats()).episodes >= event.seq
        await telling


async def test_going_on_after_an_event_misses_none_and_repeats_none():
    async with open_graph() as graph:
        await told(graph, *(f"Person{number} works_at Acme." for number in range(5)))
        assert [event.seq for event in await take(graph.log.follow(after=0), 5)] == [1, 2, 3, 4, 5]
        assert [event.seq for event in await take(graph.log.follow(after=3), 2)] == [4, 5]
        with pytest.raises(QueryError, match="no event 9"):
            await anext(graph.log.follow(after=9))


async def test_a_slow_reader_misses_nothing_of_a_long_log():
    async with open_graph() as graph:
        stream = graph.log.follow()
        await asyncio.gather(
            *(told(graph, f"Person{number} works_at Acme.") for number in range(120))
        )
        assert [event.seq for event in await take(stream, 120)] == list(range(1, 121))


async def test_groups_are_followed_apart():
    async with open_graph() as graph:
        stream = graph.group("b").log.follow()
        await told(graph, "Alice works_at Acme.", group="a")
        await told(graph, "Bob works_at Acme.", group="b")
        [event] = await take(stream, 1)
        assert (event.group_id, event.seq) == ("b", 1)


async def test_a_group_that_was_forgotten_and_told_anew_is_followed_from_its_new_beginning():
    async with open_graph() as graph:
        stream = graph.log.follow()
        await told(graph, "Alice works_at Acme.")
        await take(stream, 1)
        await graph.erase.group(confirm="default")
        await told(graph, "Bob works_at Acme.", "Carl works_at Acme.")
        assert [event.seq for event in await take(stream, 2)] == [1, 2]


async def test_closing_the_graph_ends_the_loop():
    async with open_graph() as graph:
        reader = asyncio.create_task(anext(graph.log.follow(), None))
        await asyncio.sleep(0)
    assert await asyncio.wait_for(reader, 10) is None


async def test_what_another_process_commits_comes_from_the_server():
    async with a_server() as (url, options), open_graph(url, **options) as one:
        async with open_graph(url, **options) as other:
            await told(one, "Alice works_at Acme.")
            stream = one.log.follow()
            waiting = asyncio.create_task(take(stream, 1))
            await asyncio.sleep(0.1)
            await told(other, "Bob works_at Acme.")
            [event] = await waiting
            assert event.seq == 2
            assert [fact.object for fact in await one.facts("Bob")] == ["Acme"]


async def test_an_event_that_cannot_be_is_not_followed(graph):
    with pytest.raises(QueryError, match="or 0, not -1"):
        graph.log.follow(after=-1)


def test_a_stream_ends_where_closing_is_quicker_than_its_end():
    class Closed:
        def wait(self, work):
            work.close()
            portal._loop = None
            raise CancelledError

    async def news():
        yield 1

    portal = Portal(None)
    portal._loop = Closed()
    assert list(portal._following(news())) == []


def test_a_thread_follows_a_blocking_graph_until_it_is_closed():
    seen, started = [], threading.Event()
    with open_graph(kind=BlockingGraph) as graph:
        stream = graph.log.follow(after=0)

        def follow():
            for event in stream:
                seen.append(event.seq)
                started.set()

        reader = threading.Thread(target=follow)
        reader.start()
        graph.add_episode("Alice works_at Acme.", reference_time="2024-01-01")
        assert started.wait(10)
    reader.join(10)
    assert not reader.is_alive()
    assert seen == [1]
