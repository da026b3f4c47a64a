"""``profiles``: what the process and the engine profile cost, side by side on the same groups.

A store has a small group, of one fact in fifty, beside a large one.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from graphrag import GraphRAG, Models
from graphrag.engine.rows import SearchRows
from graphrag.io.copy import copy_store
from graphrag.schema import Profile
from graphrag.search.recipe import SCOPES, Scope
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store
from graphrag.store.target import Target
from graphrag.testing import ScriptedExtractor
from tests.benchmarks.cold import cold_search
from tests.benchmarks.prepared import DIMENSION, NAME, Prepared, Query
from tests.benchmarks.report import Cell, Report, Section, p50, p95
from tests.benchmarks.synthetic import MIDDLE, Batch, Synthetic

_SMALL = 50
"""How many times larger the store is than its small group."""
_ASKED: Mapping[str, Sequence[Scope]] = {"facts": ("facts",), "all": SCOPES, "then": ("facts",)}


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    sizes: tuple[int, ...] = (1_000, 10_000)
    queries: int = 30


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of the questions to one group."""

    seconds: Mapping[str, Sequence[float]]
    facts: Sequence[frozenset[str]]


async def measure(report: Report, options: Options) -> None:
    """Measure every size in a temporary folder."""
    for size in options.sizes:
        with TemporaryDirectory(prefix="graphrag-bench-") as name:
            await _measure(report, size, Path(name), options.queries)


async def _measure(report: Report, size: int, folder: Path, count: int) -> None:
    urls: dict[Profile, str] = {
        "process": f"surrealkv://{folder}/process",
        "engine": f"surrealkv://{folder}/engine",
    }
    sizes = {"small": size // _SMALL, "large": size - size // _SMALL}
    made: dict[Profile, float] = {}
    started = time.process_time()
    async with await _opened(urls["process"]) as store:
        queries = {
            group: await _fill(store, group, Synthetic(facts, seed=facts), count)
            for group, facts in sizes.items()
        }
    made["process"] = time.process_time() - started
    started = time.process_time()
    await copy_store(urls["process"], urls["engine"], profile="engine")
    made["engine"] = time.process_time() - started
    truth: dict[str, Asked] = {}
    rows: list[dict[str, Cell]] = []
    for profile, url in urls.items():
        cold = cold_search(url, queries["small"][0], folder)
        path = Path(url.removeprefix("surrealkv://"))
        disk = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        every = [query for some in queries.values() for query in some]
        models = Models(embedder=Prepared(every), extractor=ScriptedExtractor({}))
        async with GraphRAG.open(url, models=models) as graph:
            for group, some in queries.items():
                asked = await _ask(graph.group(group), some)
                rows.append(
                    {
                        "profile": profile,
                        "group": group,
                        **{
                            f"{name} ms": f"{1000 * p50(spent):.0f} / {1000 * p95(spent):.0f}"
                            for name, spent in asked.seconds.items()
                        },
                        "recall": _recall(asked, truth.setdefault(group, asked)),
                        "first answer s": cold["open"] + cold["first"],
                        "its memory MB": cold["mb"],
                        "made s": made[profile],
                        "disk MB": disk / 1e6,
                    }
                )
    report.add(
        Section(
            f"{size:,} facts, {sizes['small']:,} of them in the small group",
            rows,
            (
                "CPU ms of a new question, vectors given, p50 / p95: facts, everything, and facts "
                "of a past moment",
                "recall: which share of the first ten facts of the process profile is among the "
                "first ten",
                "first answer: a fresh process opens and asks the small group; its memory is what "
                "it had at most",
                "made: CPU seconds, of the load (process) or of the copy with its indexes (engine)",
            ),
        )
    )


async def _fill(store: Store, group: str, world: Synthetic, count: int) -> list[Query]:
    seq = 0
    for make in (world.entities, world.facts_with_episodes):
        for batch in make():
            seq = await store.apply(_changes(group, batch), after=seq)
    return world.queries(count)


def _changes(group: str, batch: Batch) -> ChangeSet:
    changes = ChangeSet(group, "benchmark")
    for value, vector in batch:
        changes.insert(replace(value, group_id=group), vector)
    return changes


async def _ask(graph: GraphRAG, queries: Sequence[Query]) -> Asked:
    await graph.search(queries[0].text)  # what a process does once
    spent: dict[str, list[float]] = {}
    facts: list[frozenset[str]] = []
    for name, scopes in _ASKED.items():
        view = graph.at(valid_at=MIDDLE) if name == "then" else graph
        for query in queries:
            started = time.process_time()
            found = await view.search(query.text, scopes=scopes)
            spent.setdefault(name, []).append(time.process_time() - started)
            facts.append(frozenset(hit.item.id for hit in found.facts))
    return Asked(spent, facts)


def _recall(asked: Asked, truth: Asked) -> float:
    shares = [
        len(found & known) / len(known)
        for found, known in zip(asked.facts, truth.facts, strict=True)
        if known
    ]
    return sum(shares) / len(shares)


async def _opened(url: str) -> Store:
    return await Store.open(
        Target.parse(url), embedder=NAME, dimension=DIMENSION, derived=SearchRows()
    )
