"""What each step of ranking episodes contributes: the default without it, on every set.

Uses the stores that ``quality`` keeps.
"""

from collections.abc import Mapping
from dataclasses import fields, replace

from graphrag import EpisodeWeights, Recipe
from tests.benchmarks.quality import Places, ask, told
from tests.benchmarks.recall import mean
from tests.benchmarks.report import Report, Section

Row = dict[str, str | float]


def without() -> Mapping[str, Recipe]:
    """Return the default, and the default without each of its methods."""
    recipes = {"default": Recipe()}
    for one in fields(EpisodeWeights):
        recipes[f"- {one.name}"] = Recipe(episodes=replace(EpisodeWeights(), **{one.name: 0.0}))
    recipes["- all links"] = Recipe(graph=0)
    none = replace(EpisodeWeights(), previous=0, following=0, answer=0, session=0)
    recipes["- all context"] = Recipe(episodes=none)
    recipes["rank fusion"] = Recipe(fusion="rrf", graph=0)
    return recipes


async def measure(report: Report, places: Places) -> None:
    """Ask every set with the default and without each method."""
    rows: dict[str, Row] = {name: {"recipe": name} for name in without()}
    names: list[str] = []
    async for corpus, graph in told(report, places):
        for name, recipe in without().items():
            scores = await ask(graph, corpus, recipe)
            rows[name][corpus.name] = f"{mean(scores, 5):.1f} {mean(scores, 10):.1f}"
        names.append(corpus.name)
        report.say(f"{corpus.name}: done")
    if not names:
        report.say("no set was found: nothing to measure")
        return
    report.add(Section("R@5 and R@10 in percent", list(rows.values())))
