"""``vectors``: the best 60 rows of one matrix, by each way of finding them, in turns.

Of the index alone: no words, no graph, no store. Each way gets the same question and the same mask,
which leaves out a tenth of the rows; what it finds is held against the exact product. Beyond two
million rows there is no float32 beside the codes (15 GB at ten million), so the product is not
measured, and nothing is multiplied with the hundred rows that are left in the end.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphrag.index.cosines import Cosines, Product, top
from graphrag.index.vectors import Codes
from graphrag.protocols import Matrix
from tests.benchmarks.prepared import DIMENSION
from tests.benchmarks.report import Cell, Report, Section, p50, p95
from tests.benchmarks.synthetic import Synthetic

_WHOLE = 2_000_000
"""Rows up to which the vectors themselves are kept."""
_BLOCK = 50_000
_FOUND = 60

Found = npt.NDArray[np.intp]
Way = Callable[[Matrix], Found]


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    sizes: tuple[int, ...] = (100_000, 1_000_000)
    queries: int = 200


def measure(report: Report, options: Options) -> None:
    """Measure every size."""
    for size in options.sizes:
        _measure(report, size, options.queries)


def _measure(report: Report, size: int, queries: int) -> None:
    source, kept = Synthetic(size), size <= _WHOLE
    rows = np.empty((size if kept else 1, DIMENSION), np.float32)
    codes, asked = Codes(DIMENSION), []
    for first in range(0, size, _BLOCK):
        block = source.vectors(min(_BLOCK, size - first))
        codes.extend(block)
        asked.append(source.near(block[0]))
        if kept:
            rows[first : first + len(block)] = block
    if not kept:
        rows = np.broadcast_to(rows, (size, DIMENSION))
    mask = np.random.default_rng(1).random(size) < 0.9

    def cosine_with(unit: Matrix) -> Product:
        return lambda some: np.einsum("ij,j->i", rows[some], unit)

    def exact(unit: Matrix) -> Found:
        return top(cosine_with(unit)(slice(0, size)), _FOUND, mask, 0.0)[0]

    def rough(unit: Matrix) -> Found:
        cosines = Cosines(size, cosine_with(unit), *codes.against(unit))
        return cosines.top(_FOUND, mask, 0.0)[0]

    ways: dict[str, Way] = {"float32": exact} if kept else {}
    ways["bytes"] = rough
    took: dict[str, list[float]] = {name: [] for name in ways}
    same = dict.fromkeys(ways, 0)
    for number in range(queries):
        unit = asked[number % len(asked)]
        expected: Found | None = None
        for name, way in ways.items():
            started = time.perf_counter()
            found = way(unit)
            took[name].append(1e3 * (time.perf_counter() - started))
            expected = found if expected is None else expected
            same[name] += np.array_equal(found, expected)
    table: list[dict[str, Cell]] = [
        {
            "way": name,
            "p50 ms": p50(times),
            "p95 ms": p95(times),
            "of the bytes": p50(times) / p50(took["bytes"]),
            "same rows": f"{same[name]:,} of {queries:,}" if kept else "",
        }
        for name, times in took.items()
    ]
    report.add(Section(f"{size:,} vectors of {DIMENSION}: best {_FOUND}", table))
