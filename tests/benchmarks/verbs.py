"""``verbs``: walks, lives and searches of a part of a group, about anybody and about hubs.

Every call asks about another entity, so nothing that it returns was read before. Processor time is
that of this process, database included: on a busy machine it says more than the clock.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from graphrag import Models
from graphrag.graph import GraphRAG
from graphrag.search.within import Within
from tests.benchmarks.load import filled
from tests.benchmarks.prepared import Prepared, Query
from tests.benchmarks.report import Cell, Report, Section, p50, p95
from tests.benchmarks.synthetic import GROUP, MIDDLE, Synthetic

_WARM = 3
_HUBS = 20
Call = Callable[[str, str, Query], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    size: int = 100_000
    calls: int = 50


async def measure(report: Report, options: Options) -> None:
    """Measure every verb in a temporary folder."""
    with TemporaryDirectory(prefix="graphrag-bench-") as folder:
        url = f"surrealkv://{folder}/store"
        group = Synthetic(options.size)
        names = await filled(url, group)
        queries = group.queries(options.calls)
        async with GraphRAG.open(url, models=Models(embedder=Prepared(queries))) as graph:
            await _anybody(report, options, graph, names, queries)
            await _hubs(report, options, graph, queries)


async def _anybody(
    report: Report,
    options: Options,
    graph: GraphRAG,
    names: Sequence[str],
    queries: Sequence[Query],
) -> None:
    then = graph.at(valid_at=MIDDLE)
    verbs: dict[str, tuple[Call, str]] = {
        "neighbors, depth 2": (lambda a, b, q: graph.neighbors(a, depth=2), "5"),
        "neighbors, depth 2, as of": (lambda a, b, q: then.neighbors(a, depth=2), "5"),
        "path, depth 4": (lambda a, b, q: graph.path(a, b), "15"),
        "paths, 3, depth 4": (lambda a, b, q: graph.paths(a, b), ""),
        "subgraph, 100 around": (lambda a, b, q: graph.subgraph(a), "20"),
        "profile": (lambda a, b, q: graph.profile(a), "5"),
        "timeline": (lambda a, b, q: graph.timeline(a), ""),
        "facts": (lambda a, b, q: graph.facts(a), ""),
        "within": (lambda a, b, q: graph.within(a, through=["relation_0"]), ""),
        "search, all scopes": (lambda a, b, q: graph.search(q.text), ""),
        "search within 2 hops": (lambda a, b, q: graph.search(q.text, within=Within(a, 2)), "20"),
        "search within 2 hops, as of": (
            lambda a, b, q: then.search(q.text, within=Within(a, 2)),
            "20",
        ),
    }
    dice = np.random.default_rng(3)
    rows = []
    for name, (call, aim) in verbs.items():
        pairs = [tuple(names[at] for at in dice.integers(len(names), size=2)) for _ in queries]
        rows.append(await _timed(name, call, pairs, queries, aim))
    note = f"{len(queries)} calls each, every one about another entity"
    report.add(Section(f"{options.size:,} facts: verbs, about anybody", rows, (note,)))


async def _hubs(
    report: Report, options: Options, graph: GraphRAG, queries: Sequence[Query]
) -> None:
    index = await graph.handle.session.catalog.group(GROUP)
    degrees = np.bincount(np.concatenate(index.ends()), minlength=len(index.entities))
    hubs = [index.entity_name(index.entities.ids[row]) for row in np.argsort(-degrees)[: 2 * _HUBS]]
    verbs: dict[str, tuple[Call, str]] = {
        "neighbors, depth 2": (lambda a, b, q: graph.neighbors(a, depth=2), ""),
        "path, depth 4": (lambda a, b, q: graph.path(a, b), ""),
        "paths, 3, depth 4": (lambda a, b, q: graph.paths(a, b), ""),
        "subgraph, 100 around": (lambda a, b, q: graph.subgraph(a), ""),
        "subgraph, best connected": (lambda a, b, q: graph.subgraph(), "20"),
        "profile": (lambda a, b, q: graph.profile(a), ""),
        "within": (lambda a, b, q: graph.within(a, through=["relation_0"]), ""),
        "search within 2 hops": (lambda a, b, q: graph.search(q.text, within=Within(a, 2)), ""),
    }
    pairs = list(zip(hubs[:_HUBS], hubs[::-1], strict=False))
    rows = [await _timed(name, call, pairs, queries, aim) for name, (call, aim) in verbs.items()]
    facts = f"the {_HUBS} best connected, {degrees.max():,} facts about the first"
    report.add(Section(f"{options.size:,} facts: verbs, about hubs", rows, (facts,)))


async def _timed(
    name: str,
    call: Call,
    pairs: Sequence[tuple[str, ...]],
    queries: Sequence[Query],
    aim: str,
) -> dict[str, Cell]:
    clock: list[float] = []
    processor: list[float] = []
    for place, ((one, other), query) in enumerate(zip(pairs, queries, strict=False)):
        started, used = time.perf_counter(), time.process_time()
        await call(one, other, query)
        if place >= min(_WARM, len(pairs) - 1):
            clock.append(1000 * (time.perf_counter() - started))
            processor.append(1000 * (time.process_time() - used))
    return {
        "verb": name,
        "p50 ms": p50(clock),
        "p95 ms": p95(clock),
        "processor p50 ms": p50(processor),
        "aim": aim,
    }
