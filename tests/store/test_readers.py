"""Readers in other processes follow the log of a server, and each serves columns of its own.

This file is both the test and the processes that read.
"""

import asyncio
import sys

from graphrag.index import catalog
from tests.conftest import open_graph
from tests.serving import served

READERS = 2


async def read(url):
    """Answer each line with what is found, and how often the tables were read."""
    loads, load = [], catalog.load_group

    async def counted(*given):
        loads.append(given)
        return await load(*given)

    catalog.load_group = counted
    async with open_graph(url) as graph:
        while query := await asyncio.to_thread(sys.stdin.readline):
            found = await graph.search(query.strip(), scopes=["facts"])
            objects = sorted(hit.item.object for hit in found.facts)
            sys.stdout.write(f"{','.join(objects)} {len(loads)}\n")
            sys.stdout.flush()


async def reader(url):
    pipe = asyncio.subprocess.PIPE
    command = [sys.executable, "-m", "tests.store.test_readers", url]
    return await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)


async def asked(process, query):
    process.stdin.write(f"{query}\n".encode())
    return (await asyncio.wait_for(process.stdout.readline(), 60)).decode().split()


async def test_readers_in_other_processes_see_each_write_and_read_the_tables_once():
    async with served() as place, open_graph(f"ws://{place}") as graph:
        await graph.add_fact("Alice", "likes", "tea0")
        readers = [await reader(f"ws://{place}") for _ in range(READERS)]
        try:
            for number in range(1, 4):
                expected = ",".join(f"tea{one}" for one in range(number))
                answers = await asyncio.gather(*(asked(one, "Alice likes") for one in readers))
                assert answers == [[expected, "1"]] * READERS
                await graph.add_fact("Alice", "likes", f"tea{number}")
            await graph.edit.retract((await graph.facts("Alice"))[0], "never so")
            left = {fact.object for fact in await graph.facts("Alice")}
            for one in readers:
                [objects, loads] = await asked(one, "Alice likes")
                assert ({*objects.split(",")}, loads) == (left, "1")
        finally:
            for one in readers:
                one.stdin.close()
                await one.wait()


if __name__ == "__main__":
    asyncio.run(read(sys.argv[1]))
