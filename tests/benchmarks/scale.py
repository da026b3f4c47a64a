"""``scale``: bulk load of one group at 10,000 and 100,000 facts."""

import gc
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.load import load, opened
from tests.benchmarks.prepared import DIMENSION
from tests.benchmarks.report import Cell, Report, Section, p50
from tests.benchmarks.synthetic import Synthetic


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    sizes: tuple[int, ...] = (10_000, 100_000)
    runs: int = 5


async def measure(report: Report, options: Options) -> None:
    """Measure every size in a temporary folder."""
    for size in options.sizes:
        with TemporaryDirectory(prefix="graphrag-bench-") as folder:
            await _load(report, size, Path(folder), options)


async def _load(report: Report, size: int, folder: Path, options: Options) -> None:
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
            async with await opened(f"surrealkv://{path}") as store:
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
