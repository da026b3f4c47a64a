"""A fresh process that opens a store and searches it once: ``python -m tests.benchmarks.cold``."""

import time

started = time.perf_counter()

import asyncio  # noqa: E402
import json  # noqa: E402
import resource  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

from graphrag import Models  # noqa: E402
from graphrag.graph import GraphRAG  # noqa: E402
from tests.benchmarks.prepared import Prepared, Query  # noqa: E402

imported = time.perf_counter()


def cold_search(url: str, query: Query, folder: Path) -> dict[str, Any]:
    """Search a store in a process of its own and return its seconds by step and its memory."""
    file = folder / "query.npy"
    np.save(file, query.vector)
    command = [sys.executable, "-m", "tests.benchmarks.cold", url, query.text, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


async def _main(url: str, text: str, vector: str) -> None:
    query = Query(text, np.load(vector))
    before = time.perf_counter()
    async with GraphRAG.open(url, models=Models(embedder=Prepared([query]))) as graph:
        opened = time.perf_counter()
        results = await graph.search(query.text)
        first = time.perf_counter()
        await graph.search(query.text)
        second = time.perf_counter()
    memory = _peak()
    answer = {
        "imports": imported - started,
        "open": opened - before,
        "first": first - opened,
        "second": second - first,
        "hits": len(results),
        "mb": memory,
    }
    sys.stdout.write(json.dumps(answer))


def _peak() -> float:
    """Return the most memory that this process had, in MB.

    Of a child, Linux's ``ru_maxrss`` counts what its parent had when it was made.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    peaks = [line.split()[1] for line in status.read_text().splitlines() if "VmHWM" in line]
    return int(peaks[0]) / 1024


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
