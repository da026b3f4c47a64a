"""A process that is killed while it builds indexes leaves a store whose indexes are sound."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import open_graph

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("GRAPHRAG_KILLS", "2"))
SECONDS = 1.0
"""Longest life of a process that builds."""
BUILD = """
import asyncio, sys
from graphrag.engine.rows import build_nearest
from graphrag.schema import METHODS
from tests.conftest import open_graph

async def build(url, work):
    async with open_graph(url) as graph:
        print("open", flush=True)
        number = 0
        while True:
            number += 1
            if work == "native":
                await graph.health.build_native()
            elif work == "nearest":
                store = graph.handle.session.store
                await build_nearest(store, "relates_to", "default", METHODS[number % 2], few=10)
            else:
                await graph.health.build_indexes(rows=True)

asyncio.run(build(*sys.argv[1:]))
"""


@pytest.mark.parametrize("work", ["native", "nearest", "rows"])
async def test_a_process_that_is_killed_while_it_builds_leaves_sound_indexes(tmp_path, work):
    url, dice = f"surrealkv://{tmp_path}/store", random.Random(7)
    async with open_graph(url, profile=None if work == "native" else "engine") as graph:
        for year in range(2000, 2008):
            text = " ".join(f"Person{n} knows Person{n + year % 7 + 1}." for n in range(9))
            await graph.add_episode(text, reference_time=f"{year}-01-01")
        facts = {fact.id for fact in await graph.facts(limit=1000)}
    for kill in range(KILLS):
        await asyncio.to_thread(_killed, url, work, SECONDS * (kill + dice.random()) / KILLS)
        async with open_graph(url) as graph:
            store = graph.handle.session.store
            assert {fact.id for fact in await graph.facts(limit=1000)} == facts
            assert not (await graph.health.check_all()).findings
            if store.searchable:
                assert (await graph.health.indexes()).sound
                [found] = await store.query(
                    "SELECT VALUE of.id() FROM relates_to_vector_default "
                    f"WHERE vector <|{len(facts)},{len(facts) + 40}|> $at;",
                    at=np.ones(store.dimension).tolist(),
                )
                assert set(found) == facts
            hits = await graph.search("whom does Person3 know")
            assert {"Person3"} & {hit.item.subject for hit in hits.facts}


def _killed(url, work, seconds):
    """Run a process that builds, and kill it so many seconds after it opened the store."""
    command = [sys.executable, "-c", BUILD, url, work]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"open\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.send_signal(signal.SIGKILL)
