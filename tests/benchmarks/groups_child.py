"""A fresh process that opens a closed store and asks groups of it; ``groups.py`` starts it.

It reads what to ask as JSON and answers with the times of each question and with its memory by
kind: what it allocated (heap), what it maps of the columns, and code of libraries.
"""

import asyncio
import json
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_MB = 1024  # from kB


@dataclass(frozen=True, slots=True)
class Asked:
    """How long one question took."""

    loaded: bool
    """Its group was in memory."""
    ms: float
    cpu_ms: float
    hits: int


def memory() -> dict[str, float]:
    """Return MB of this process by kind, and ``peak``: Linux only, empty elsewhere."""
    found: Counter[str] = Counter()
    kind = "heap"
    try:
        lines = Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    for line in lines:
        words = line.split()
        if not words[0].endswith(":"):
            kind = _kind(words[5] if len(words) > 5 else "")
        elif words[0] == "Rss:":
            found["resident"] += int(words[1])
            found[kind] += int(words[1])
        elif words[0] == "Anonymous:" and kind != "heap":  # what was written to, such as tables
            found[kind] -= int(words[1])
            found["heap"] += int(words[1])
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    found["peak"] = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    return {name: kb / _MB for name, kb in found.items()}


def _kind(file: str) -> str:
    if not file.startswith("/"):
        return "heap"
    return "columns" if file.endswith(".columns") else "libraries" if ".so" in file else "files"


async def _main(given: dict[str, Any]) -> None:
    steps = {"python": memory()}
    from graphrag import GraphRAG, Models
    from graphrag.testing import HashEmbedder

    steps["import"] = memory()
    embedder = HashEmbedder(given["dimension"])
    asked: list[Asked] = []
    budget = given["budget"]
    started = time.perf_counter()
    models = Models(embedder=embedder)
    async with GraphRAG.open(given["url"], models=models, memory_budget=budget) as graph:
        opened = time.perf_counter() - started
        steps["open"] = memory()
        catalog = graph.handle.session.catalog
        for group, question in given["questions"]:
            loaded = catalog.loaded(group)
            start, used = time.perf_counter(), time.process_time()
            found = await graph.group(group).search(question)
            took, spent = time.perf_counter() - start, time.process_time() - used
            asked.append(Asked(loaded, 1000 * took, 1000 * spent, len(found)))
            if len(asked) == 1:
                steps["first"] = memory()
        steps["asked"] = memory()
        kept = {"groups": len(catalog.kept.groups()), "mb": catalog.kept.nbytes / 2**20}
    answer = {
        "opened": opened,
        "asked": [asdict(one) for one in asked],
        "steps": steps,
        "kept": kept,
    }
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    asyncio.run(_main(json.load(sys.stdin)))
