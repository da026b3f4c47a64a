"""``scale``: load, cold start and search of one group at 10,000 and 100,000 facts."""

import gc
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from graphrag.asof import AsOf
from graphrag.index.catalog import Catalog
from graphrag.reading import Reading
from graphrag.search.recipe import SCOPES, Scope
from graphrag.store.store import Store
from graphrag.store.target import Target
from graphrag.temporal.viewpoint import NOW, Viewpoint
from tests.benchmarks.cold import cold_search
from tests.benchmarks.load import load
from tests.benchmarks.prepared import DIMENSION, NAME, Prepared, Query
from tests.benchmarks.report import Cell, Report, Section, p50, p95
from tests.benchmarks.split import ROUND_TRIP, Split
from tests.benchmarks.synthetic import GROUP, MIDDLE, Synthetic

_FACTS_ONLY: tuple[Scope, ...] = ("facts",)
_WAYS: tuple[tuple[str, tuple[Scope, ...], Viewpoint], ...] = (
    ("facts, now", _FACTS_ONLY, NOW),
    (f"facts, at {MIDDLE:%Y-%m}", _FACTS_ONLY, Viewpoint(valid_at=MIDDLE)),
    ("all scopes, now", SCOPES, NOW),
    (f"all scopes, at {MIDDLE:%Y-%m}", SCOPES, Viewpoint(valid_at=MIDDLE)),
)


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    sizes: tuple[int, ...] = (10_000, 100_000)
    runs: int = 5
    queries: int = 200


async def measure(report: Report, options: Options) -> None:
    """Measure every size in a temporary folder."""
    for size in options.sizes:
        with TemporaryDirectory(prefix="graphrag-bench-") as folder:
            url, queries = await _load(report, size, Path(folder), options)
            _cold(report, size, url, queries[0], Path(folder), options.runs)
            await _search(report, size, url, queries)


async def _load(
    report: Report, size: int, folder: Path, options: Options
) -> tuple[str, list[Query]]:
    group = Synthetic(size)
    entities, facts = group.entities(), group.facts_with_episodes()
    rates: dict[int, list[float]] = {1: [], 2: []}
    path = folder / "store"
    # A loader has no such heap of finished values; the collector need not walk it again and again.
    gc.collect()
    gc.freeze()
    for _ in range(options.runs):
        for in_flight in rates:
            shutil.rmtree(path, ignore_errors=True)  # half a gigabyte each
            async with await _opened(f"surrealkv://{path}") as store:
                started = time.perf_counter()
                seq = await load(store, entities, after=0, in_flight=in_flight)
                await load(store, facts, after=seq, in_flight=in_flight)
                rates[in_flight].append(size / (time.perf_counter() - started))
    gc.unfreeze()
    rows: list[dict[str, Cell]] = [
        {
            "transactions in flight": str(in_flight),
            "facts/s p50": p50(found),
            "lowest": min(found),
            "highest": max(found),
            "runs": len(found),
            "aim": "8,000" if in_flight > 1 else "baseline",
        }
        for in_flight, found in rates.items()
    ]
    disk = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    values = sum(map(len, entities)) + sum(map(len, facts))
    report.add(
        Section(
            f"{size:,} facts: bulk load",
            rows,
            (
                f"{values:,} values with vectors (facts, entities, episodes), "
                f"{len(entities) + len(facts)} transactions of 500 facts or entities",
                f"disk: {disk / 1e6:,.0f} MB, of which vectors {values * DIMENSION * 4 / 1e6:,.0f}",
            ),
        )
    )
    return f"surrealkv://{path}", group.queries(options.queries)


def _cold(report: Report, size: int, url: str, query: Query, folder: Path, runs: int) -> None:
    found = [cold_search(url, query, folder) for _ in range(runs)]
    whole = [run["open"] + run["first"] for run in found]
    report.add(
        Section(
            f"{size:,} facts: cold open to first search, in a fresh process",
            [
                {
                    "seconds p50": p50(whole),
                    "highest": max(whole),
                    "of it open": p50([run["open"] for run in found]),
                    "load and search": p50([run["first"] for run in found]),
                    "imports, apart": p50([run["imports"] for run in found]),
                    "peak memory MB": p50([run["mb"] for run in found]),
                    "runs": runs,
                    "aim": "4 s",
                }
            ],
        )
    )


async def _search(report: Report, size: int, url: str, queries: Sequence[Query]) -> None:
    async with await _opened(url) as store:
        reading = Reading(store, Catalog(store, DIMENSION), Prepared(queries))
        matrix = (await reading.catalog.group(GROUP)).facts.vectors.values
        floor = p50([_product(matrix, query) for query in queries])
        rows: list[dict[str, Cell]] = []
        for name, scopes, viewpoint in _WAYS:
            view = AsOf(reading, viewpoint)
            for query in queries[:20]:
                await view.search(query.text, scopes=scopes)
            times = [await _timed(view, query, scopes) for query in queries]
            rows.append(
                {
                    "search": name,
                    "p50 ms": 1000 * p50(times),
                    "p95 ms": 1000 * p95(times),
                    "times the floor": p50(times) / floor,
                    "queries": len(times),
                    "aim": "p50 10 ms",
                }
            )
        report.add(
            Section(
                f"{size:,} facts: hybrid search, vectors of the queries given",
                rows,
                (f"floor: the bare product matrix @ query, p50 {1000 * floor:.2f} ms",),
            )
        )
        for name, scopes, viewpoint in _WAYS[::3]:
            await _split(
                report, f"{size:,} facts: one search, {name}", reading, viewpoint, scopes, queries
            )


async def _split(
    report: Report,
    title: str,
    reading: Reading,
    viewpoint: Viewpoint,
    scopes: Sequence[Scope],
    queries: Sequence[Query],
) -> None:
    view = AsOf(reading, viewpoint)
    with Split().watch() as split:
        whole = sum([await _timed(view, query, scopes) for query in queries])
    split.seconds["rest"] = whole - sum(split.seconds.values())
    rows: list[dict[str, Cell]] = [
        {
            "step": step,
            "mean ms": 1000 * seconds / len(queries),
            "share %": 100 * seconds / whole,
            "calls": split.calls[step] / len(queries),
        }
        for step, seconds in sorted(split.seconds.items(), key=lambda item: -item[1])
    ]
    trips = split.calls[ROUND_TRIP] / len(queries)
    report.add(Section(title, rows, (f"{trips:.2f} round trips to the database a search",)))


async def _timed(view: AsOf, query: Query, scopes: Sequence[Scope]) -> float:
    started = time.perf_counter()
    await view.search(query.text, scopes=scopes)
    return time.perf_counter() - started


def _product(matrix: np.ndarray, query: Query) -> float:
    started = time.perf_counter()
    matrix @ query.vector
    return time.perf_counter() - started


async def _opened(url: str) -> Store:
    return await Store.open(Target.parse(url), embedder=NAME, dimension=DIMENSION)
