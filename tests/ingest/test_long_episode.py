"""A long episode takes memory in proportion to its length, and not much of it."""

import sys

import pytest

from tests.store.test_opening import run_alone

LONG = """
import asyncio, sys
from pathlib import Path
from tests.conftest import open_graph

def most():
    # Of a child, ru_maxrss counts what its parent had when it was made.
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024

async def main():
    sentence = "Ann likes tea and said so to {}, who wrote it down on page {}. "
    text = "".join(sentence.format(f"word{n % 5_000}", n) for n in range(32_000))
    async with open_graph(sys.argv[1]) as graph:
        await graph.add_episode("Bob likes tea.", reference_time="2019-01-01")
        before = most()
        await graph.add_episode(text, reference_time="2020-01-01")
        print(len(text), most() - before)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize("url", ["surrealkv://{}/store", "mem://"])
def test_an_episode_of_two_megabytes_takes_less_than_sixty_times_its_length(tmp_path, url):
    length, megabytes = map(int, run_alone(LONG, url.format(tmp_path)).split())
    assert length > 2_000_000
    assert megabytes < 60 * length / 1e6
