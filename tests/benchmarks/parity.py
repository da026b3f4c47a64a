"""``parity``: do both profiles find alike? Random searches of random graphs, nothing read whole."""

import random
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from graphrag.io.copy import copy_store
from tests.benchmarks.report import Cell, Report, Section
from tests.conftest import open_graph
from tests.engine.worlds import Judge, ask, recall, tell

_SCOPES = ("facts", "entities", "communities", "episodes")
_EPISODES = 60
_CASES = 50
"""Searches of one graph."""


async def measure(report: Report, cases: int, *, seed: int = 1) -> None:
    """Compare as many searches, 50 a graph, every recipe among them."""
    tallies: dict[str, dict[str, float]] = defaultdict(lambda: {"compared": 0, "recall": 0.0})
    recipes: dict[str, dict[str, float]] = defaultdict(lambda: {"compared": 0, "recall": 0.0})
    for number in range(-(-cases // _CASES)):
        with TemporaryDirectory(prefix="graphrag-bench-") as folder:
            await _compare(Path(folder), random.Random(f"{seed}:{number}"), tallies, recipes)
        report.say(f"{(number + 1) * _CASES} searches")
    rows: list[dict[str, Cell]] = [
        {"ranking": scope, "compared": tally["compared"], "recall at 10 %": _percent(tally)}
        for scope, tally in tallies.items()
    ]
    report.add(Section(f"{cases:,} searches in both profiles, nothing read whole", rows))
    report.add(
        Section(
            "by recipe",
            [
                {"recipe": name, "rankings": tally["compared"], "recall at 10 %": _percent(tally)}
                for name, tally in sorted(recipes.items())
            ],
        )
    )


async def _compare(
    folder: Path,
    dice: random.Random,
    tallies: dict[str, dict[str, float]],
    recipes: dict[str, dict[str, float]],
) -> None:
    process, engine = f"surrealkv://{folder}/process", f"surrealkv://{folder}/engine"
    async with open_graph(process) as graph:
        await tell(graph, dice, 10, group="other")
        moments = await tell(graph, dice, _EPISODES)
    await copy_store(process, engine, profile="engine")
    async with (
        open_graph(process, reranker=Judge()) as one,
        open_graph(engine, reranker=Judge()) as other,
    ):
        for _ in range(_CASES):
            asked = ask(dice, moments)
            ours, theirs = await asked.of(one), await asked.of(other)
            for scope in _SCOPES:
                mine, others = getattr(ours, scope), getattr(theirs, scope)
                if mine:
                    for tally in (tallies[scope], recipes[asked.name]):
                        tally["compared"] += 1
                        tally["recall"] += recall(mine, others)


def _percent(tally: dict[str, float]) -> float:
    return 100 * tally["recall"] / tally["compared"]
