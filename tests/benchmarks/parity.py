"""``parity``: do both profiles rank alike? Random searches of random graphs, nothing read whole."""

import random
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from graphrag.io.copy import copy_store
from tests.benchmarks.report import Cell, Report, Section
from tests.conftest import open_graph
from tests.engine.worlds import Judge, ask, same, tell

_SCOPES = ("facts", "entities", "communities", "episodes")
_EPISODES = 60
_CASES = 50
"""Searches of one graph."""


async def measure(report: Report, cases: int, *, seed: int = 1) -> None:
    """Compare as many searches, 50 a graph, every recipe among them."""
    tallies: dict[str, Counter[str]] = defaultdict(Counter)
    recipes: dict[str, Counter[str]] = defaultdict(Counter)
    for number in range(-(-cases // _CASES)):
        with TemporaryDirectory(prefix="graphrag-bench-") as folder:
            await _compare(Path(folder), random.Random(f"{seed}:{number}"), tallies, recipes)
        report.say(f"{(number + 1) * _CASES} searches")
    rows: list[dict[str, Cell]] = [
        {
            "ranking": scope,
            "compared": tally["compared"],
            "same top 10, ties aside": tally["same"],
            "of 10 in common %": 100 * tally["common"] / max(tally["hits"], 1),
        }
        for scope, tally in tallies.items()
    ]
    report.add(
        Section(
            f"{cases:,} searches in both profiles, nothing read whole",
            rows,
            (
                "episodes, in context: recipes that weigh conversation and links, whose statistics "
                "are those of the part that was read",
            ),
        )
    )
    report.add(
        Section(
            "by recipe, episodes in context left out",
            [
                {"recipe": name, "rankings": tally["compared"], "same": tally["same"]}
                for name, tally in sorted(recipes.items())
            ],
        )
    )


async def _compare(
    folder: Path,
    dice: random.Random,
    tallies: dict[str, Counter[str]],
    recipes: dict[str, Counter[str]],
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
                in_context = scope == "episodes" and asked.recipe.fusion == "scores"
                name = f"{scope}, in context" if in_context else scope
                if mine or others:
                    _count(tallies[name], mine, others)
                    if not in_context:
                        _count(recipes[asked.name], mine, others)


def _count(tally: Counter[str], mine: Any, others: Any) -> None:
    tally["compared"] += 1
    tally["same"] += same(mine, others)
    tally["hits"] += len(mine)
    tally["common"] += len({hit.item.id for hit in mine} & {hit.item.id for hit in others})
