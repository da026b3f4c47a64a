"""``profiles``: what the process and the engine profile cost, side by side on the same group."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from graphrag import GraphRAG, Models
from graphrag.engine.rows import EngineRows
from graphrag.io.copy import copy_store
from graphrag.schema import Profile
from graphrag.search.candidates.limits import LIMITS, Limits
from graphrag.search.request import SCOPES, Scope
from graphrag.store.store import Store
from graphrag.store.target import Target
from graphrag.testing import ScriptedExtractor
from tests.benchmarks.cold import cold_search
from tests.benchmarks.load import load
from tests.benchmarks.prepared import DIMENSION, NAME, Prepared, Query
from tests.benchmarks.report import Cell, Report, Section, p50
from tests.benchmarks.synthetic import Synthetic
from tests.engine.worlds import limited


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    sizes: tuple[int, ...] = (1_000, 10_000)
    queries: int = 30


async def measure(report: Report, options: Options) -> None:
    """Measure every size in a temporary folder."""
    for size in options.sizes:
        with TemporaryDirectory(prefix="graphrag-bench-") as name:
            await _measure(report, size, Path(name), options)


async def _measure(report: Report, size: int, folder: Path, options: Options) -> None:
    group = Synthetic(size)
    entities, facts = group.entities(), group.facts_with_episodes()
    queries = group.queries(options.queries)
    process, engine = f"surrealkv://{folder}/process", f"surrealkv://{folder}/engine"
    # The last batch is kept back: it is written to both at the end, one fact after another.
    seq = 0
    async with await _opened(process) as store:
        started = time.process_time()
        seq = await load(store, entities, after=0, in_flight=1)
        seq = await load(store, facts[:-1] or facts, after=seq, in_flight=1)
        loaded = time.process_time() - started
    started = time.process_time()
    await copy_store(process, engine, profile="engine")
    copied = time.process_time() - started
    rows = [
        await _row(profile, url, folder, queries, spent)
        for profile, url, spent in (("process", process, loaded), ("engine", engine, copied))
    ]
    report.add(
        Section(
            f"{size:,} facts, {int(0.3 * size):,} entities, {size // 10:,} episodes",
            rows,
            (
                "made: CPU seconds, of the load (process) or of the copy with its indexes (engine)",
                "CPU ms of a new question, vectors given: first, with nothing kept of others; "
                "later, after half of them were asked",
                "first answer: a fresh process opens and searches once",
            ),
        )
    )


async def _row(
    profile: Profile, url: str, folder: Path, queries: Sequence[Query], made: float
) -> dict[str, Cell]:
    cold = cold_search(url, queries[0], folder)
    models = Models(embedder=Prepared(queries), extractor=ScriptedExtractor({}))
    async with GraphRAG.open(url, models=models) as graph:
        spent = {
            (name, when): await _spent(graph, limits, queries, scopes)
            for name, scopes in (("facts", ("facts",)), ("all scopes", SCOPES))
            for when, limits in (("first", replace(LIMITS, kept=0)), ("later", LIMITS))
        }
    path = Path(url.removeprefix("surrealkv://"))
    disk = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return {
        "profile": profile,
        "made s": made,
        "disk MB": disk / 1e6,
        "first answer s": cold["open"] + cold["first"],
        "memory MB": cold["mb"],
        **{f"{name}, {when} ms": 1000 * seconds for (name, when), seconds in spent.items()},
    }


async def _spent(
    graph: GraphRAG, limits: Limits, queries: Sequence[Query], scopes: Sequence[Scope]
) -> float:
    """Search for half of the queries, then measure the others: each is asked only once."""
    seconds = []
    for query in queries:
        started = time.process_time()
        with limited(graph, limits):
            await graph.search(query.text, scopes=scopes)
        seconds.append(time.process_time() - started)
    return p50(seconds[len(seconds) // 2 :])


async def _opened(url: str) -> Store:
    return await Store.open(
        Target.parse(url), embedder=NAME, dimension=DIMENSION, derived=EngineRows()
    )
