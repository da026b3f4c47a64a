"""``speed``: every recipe, filtered and as-of search, cold open and memory, from 1,000 facts up.

The floor of each size is the bare product of its matrix of fact vectors with the query's, in the
same run.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from graphrag import Models
from graphrag.graph import GraphRAG
from graphrag.search.fields import Field
from graphrag.search.recipe import RECIPES
from graphrag.search.results import Results
from tests.benchmarks.cold import cold_search
from tests.benchmarks.groups_child import memory
from tests.benchmarks.load import filled
from tests.benchmarks.prepared import Prepared, Query
from tests.benchmarks.report import Cell, Report, Section, p50, p95
from tests.benchmarks.synthetic import GROUP, MIDDLE, Synthetic

_WARM = 10
_SINCE = (0.01, 0.1, 0.5)
"""Shares of a group that were told after the moment of a view."""
_BARE = "all, without the file of rows"
Search = Callable[[Query], Awaitable[Results]]


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 300_000)
    runs: int = 5
    queries: int = 100


async def measure(report: Report, options: Options) -> None:
    """Measure every size in a temporary folder."""
    grown: list[dict[str, Cell]] = []
    for size in options.sizes:
        with TemporaryDirectory(prefix="graphrag-bench-") as folder:
            url = f"surrealkv://{folder}/store"
            group = Synthetic(size)
            await filled(url, group)
            queries = group.queries(options.queries)
            cold = _cold(report, size, url, queries[0], Path(folder), options.runs)
            async with GraphRAG.open(url, models=Models(embedder=Prepared(queries))) as graph:
                await _views(report, size, graph, queries)
                found = await _searches(report, size, graph, queries)
            grown.append({"facts": f"{size:,}", **found, **cold})
    report.add(Section("How it grows", grown))


def _cold(
    report: Report, size: int, url: str, query: Query, folder: Path, runs: int
) -> dict[str, Cell]:
    """Open in fresh processes: first from the tables, then from the columns saved at closing."""
    first = cold_search(url, query, folder)
    later = [cold_search(url, query, folder) for _ in range(runs)]
    rows: list[dict[str, Cell]] = [
        {
            "open to first answer": name,
            "seconds p50": p50([run["open"] + run["first"] for run in of]),
            "highest": max(run["open"] + run["first"] for run in of),
            "imports, apart": p50([run["imports"] for run in of]),
            "peak memory MB": p50([run["mb"] for run in of]),
            "runs": len(of),
            "aim": "3 s, 600 MB at 100,000",
        }
        for name, of in (("from the tables", [first]), ("from saved columns", later))
    ]
    report.add(Section(f"{size:,} facts: cold open, in a fresh process", rows))
    return {"cold s": rows[1]["seconds p50"], "memory MB": rows[1]["peak memory MB"]}


async def _views(report: Report, size: int, graph: GraphRAG, queries: Sequence[Query]) -> None:
    """Search as known at moments after which more and more of the group was told."""
    store = graph.handle.session.store
    last = await store.last_seq(GROUP)
    rows: list[dict[str, Cell]] = []
    for since in _SINCE:
        [event] = await store.events(GROUP, after=int(last * (1 - since)) - 1, limit=1)
        view, had = graph.at(known_at=event.at), memory().get("resident", 0.0)
        times = []
        for query in queries[:_WARM]:
            started = time.perf_counter()
            await view.search(query.text)
            times.append(time.perf_counter() - started)
        took = memory().get("resident", 0.0) - had
        rows.append(
            {
                "told since": f"{since:.0%}",
                "first search, s": times[0],
                "later, ms": 1000 * p50(times[1:]),
                "MB more": took,
            }
        )
    report.add(Section(f"{size:,} facts: views of the past", rows))


async def _searches(
    report: Report, size: int, graph: GraphRAG, queries: Sequence[Query]
) -> dict[str, Cell]:
    index, held = await graph.handle.session.catalog.group(GROUP), graph.handle.session.store.cache
    matrix = index.facts.vectors.values
    centre = max(await graph.audit.hubs(1), key=lambda found: found[1])[0]
    relation = Field.relation == "relation_3"
    ways: dict[str, Search] = {
        "facts": lambda query: graph.search(query.text, scopes=["facts"]),
        "facts where relation": lambda query: graph.search(
            query.text, scopes=["facts"], where=relation
        ),
        "facts as of": lambda query: graph.at(valid_at=MIDDLE).search(query.text, scopes=["facts"]),
        "facts, history": lambda query: graph.at(history=True).search(query.text, scopes=["facts"]),
        "facts, entities, episodes": lambda query: graph.search(
            query.text, scopes=["facts", "entities", "episodes"]
        ),
        "all as of": lambda query: graph.at(valid_at=MIDDLE).search(query.text),
    }
    for name in RECIPES:
        # A cross-encoder takes a model's time, and there are no communities here.
        if "cross" in name or "precise" in name or "community" in name:
            continue
        ways[name] = _with_recipe(graph, name, centre.id)
    ways[_BARE] = ways["facts, entities, episodes"]  # last: it deletes the file
    rows: list[dict[str, Cell]] = []
    floors: list[float] = []
    for way, search in ways.items():
        for query in queries[:_WARM]:
            await search(query)
        times, again = [], []
        for query in queries:
            started = time.perf_counter()
            matrix @ query.vector
            floors.append(time.perf_counter() - started)
            held.release()
            if way == _BARE:
                held.written(None)
            for measured in (times, again):
                started = time.perf_counter()
                await search(query)
                measured.append(time.perf_counter() - started)
        rows.append(
            {
                "search": way,
                "p50 ms": 1000 * p50(times),
                "p95 ms": 1000 * p95(times),
                "again p50": 1000 * p50(again),
            }
        )
    floor = 1000 * p50(floors)
    for row in rows:
        row["times the floor"] = float(str(row["p50 ms"])) / floor
    report.add(
        Section(
            f"{size:,} facts: search, vectors of the queries given",
            rows,
            (
                f"floor: the bare product matrix @ query, p50 {floor:.2f} ms",
                "nothing that is returned is in memory; again: the same search right after",
                f"{len(queries)} queries each; aim at 100,000: facts p50 6, p95 15, all scopes 15",
            ),
        )
    )
    return {"facts p50 ms": rows[0]["p50 ms"], "all p50 ms": rows[4]["p50 ms"], "floor ms": floor}


def _with_recipe(graph: GraphRAG, name: str, centre: str) -> Search:
    async def search(query: Query) -> Results:
        centers = [centre] if "distance" in name else []
        return await graph.search(query.text, recipe=name, centers=centers)

    return search
