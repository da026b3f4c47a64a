"""``writes``: facts told directly, with identity and contradiction rules, as the group grows.

Vectors are given, so no model is measured. A third of the relations hold one value at a time, so
that facts do close each other.
"""

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from graphrag import Models, Rules
from graphrag.graph import GraphRAG
from graphrag.ingest.ledger import Ledger
from graphrag.ingest.planning import Planning
from graphrag.model.values import Entity, Fact
from graphrag.ontology.relations import Relation, Relations
from graphrag.protocols import Matrix
from graphrag.testing import HashEmbedder, ScriptedExtractor
from tests.benchmarks.prepared import DIMENSION, NAME
from tests.benchmarks.report import Cell, Report, Section, p50
from tests.benchmarks.synthetic import Synthetic

Rows = list[dict[str, Any]]

_SINGLE = 13
"""Relations, of 40, that hold one value at a time."""
_SLICE = 1_000
_ONE_BY_ONE = 500
_STATED = 200
"""Statements of the source that is taken back."""
_STEPS: tuple[tuple[type, str, str], ...] = (
    (Planning, "identified", "identity"),
    (Ledger, "follow", "contradiction"),
    (Ledger, "settle", "contradiction"),
)
"""The work of the rules. Stored rivals are read meanwhile, while other batches are written."""


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    runs: int = 3


class _NoModel:
    """Stands for the embedder where every vector is given."""

    name = NAME
    dimension = DIMENSION

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        assert not texts, f"the vector of {texts[0]!r} was not given"
        return np.empty((0, DIMENSION), dtype=np.float32)


async def measure(report: Report, options: Options) -> None:
    """Measure imports of every size, what the rules cost, and facts one by one."""
    rows = _rows(max(options.sizes) + 2 * _SLICE + _STATED)
    gc.collect()
    gc.freeze()  # the rows are the caller's: the collector need not walk them again and again
    imports: list[dict[str, Cell]] = []
    rules: list[dict[str, Cell]] = []
    removals: list[dict[str, Cell]] = []
    for size in options.sizes:
        whole, facts, spent, costs, removed = [], [], [], [], []
        for _ in range(options.runs):
            with TemporaryDirectory(prefix="graphrag-bench-") as folder:
                async with _opened(Path(folder)) as graph:
                    started, used = time.perf_counter(), time.process_time()
                    done = await graph.load.facts(rows[:size])
                    whole.append(size / (time.perf_counter() - started))
                    spent.append(1e6 * (time.process_time() - used) / size)
                    facts.append(done.rate)
                    costs.append(await _rules(graph, rows[size : size + 2 * _SLICE]))
                    removed.append(await _remove(graph, rows[-_STATED:]))
        imports.append(
            {
                "facts": size,
                "facts/s p50": p50(facts),
                "lowest": min(facts),
                "highest": max(facts),
                "with summaries": p50(whole),
                "µs of processor time a fact": p50(spent),
                "runs": options.runs,
                "aim": "6,000",
            }
        )
        rules.append(
            {
                "facts in the group": size,
                "identity µs/fact": 1e6 * p50([cost["identity"] for cost in costs]),
                "contradiction µs/fact": 1e6 * p50([cost["contradiction"] for cost in costs]),
                "runs": options.runs,
                "aim": "constant, < 60",
            }
        )
        removals.append(
            {
                "facts in the group": size,
                "s p50": p50([wall for wall, _ in removed]),
                "s of processor time p50": p50([cpu for _, cpu in removed]),
                "runs": options.runs,
                "aim": "1",
            }
        )
    gc.unfreeze()
    report.add(Section("import_facts, vectors given, batches of 1,000", imports))
    report.add(Section("what the rules cost, 2,000 facts more in a group", rules))
    report.add(Section(f"remove_source of {_STATED} statements", removals))
    report.add(Section("add_fact, one by one", [await _one_by_one(options.runs)]))


async def _rules(graph: GraphRAG, more: Rows) -> dict[str, float]:
    """Import some rows more, and return the seconds a fact spent on each rule."""
    seconds = {"identity": 0.0, "contradiction": 0.0}
    with ExitStack() as stack:
        for owner, name, rule in _STEPS:
            stack.enter_context(_timed(owner, name, seconds, rule))
        await graph.load.facts(more)
    return {name: spent / len(more) for name, spent in seconds.items()}


async def _remove(graph: GraphRAG, stated: Rows) -> tuple[float, float]:
    """Let a source state some rows, take it back, and return the seconds that took."""
    await graph.load.facts(stated, source="rumours", batch=20)
    started = time.perf_counter(), time.process_time()
    await graph.log.remove_source("rumours")
    return time.perf_counter() - started[0], time.process_time() - started[1]


@contextmanager
def _timed(owner: type, name: str, seconds: dict[str, float], rule: str) -> Iterator[None]:
    """Add the time spent in a method to ``seconds``."""
    method = getattr(owner, name)

    def timed(*given: Any, **named: Any) -> Any:
        started = time.thread_time()  # whoever else computes on this machine is left out
        try:
            return method(*given, **named)
        finally:
            seconds[rule] += time.thread_time() - started

    setattr(owner, name, timed)
    try:
        yield
    finally:
        setattr(owner, name, method)


async def _one_by_one(runs: int) -> dict[str, Cell]:
    rates, times, spent = [], [], []
    for run in range(runs):
        with TemporaryDirectory(prefix="graphrag-bench-") as folder:
            url = f"surrealkv://{folder}/store"
            embedder = HashEmbedder(DIMENSION)
            async with GraphRAG.open(
                url, models=Models(embedder=embedder, extractor=ScriptedExtractor({}))
            ) as graph:
                await graph.add_fact("Person 0", "knows", "Person 1")
                for number in range(_ONE_BY_ONE):
                    started, used = time.perf_counter(), time.process_time()
                    await graph.add_fact(
                        f"Person {number % 97}",
                        ("works_at", "likes", "lives_in")[number % 3],
                        f"Thing {number % 41} of {run}",
                        valid_at=f"{1600 + number}-05",
                    )
                    times.append(time.perf_counter() - started)
                    spent.append(time.process_time() - used)
        rates.append(_ONE_BY_ONE / sum(times[-_ONE_BY_ONE:]))
    return {
        "facts/s p50": p50(rates),
        "lowest": min(rates),
        "highest": max(rates),
        "ms a fact p50": 1000 * p50(times),
        "of processor time": 1000 * p50(spent),
        "facts": _ONE_BY_ONE,
        "runs": runs,
        "aim": "300",
    }


def _opened(folder: Path) -> GraphRAG:
    return GraphRAG.open(
        f"surrealkv://{folder}/store",
        models=Models(embedder=_NoModel(), extractor=ScriptedExtractor({})),
        rules=Rules(
            relations=Relations(
                Relation(f"relation_{number}", single_valued=True) for number in range(_SINGLE)
            )
        ),
    )


def _rows(count: int) -> Rows:
    """Return the facts of a synthetic group as rows, with the vectors of all three texts."""
    group = Synthetic(count)
    entities: dict[str, tuple[Entity, Matrix]] = {}
    for batch in group.entities():
        for entity, vector in batch:
            assert isinstance(entity, Entity)
            entities[entity.id] = entity, vector
    return [
        {
            "subject": fact.subject,
            "relation": fact.relation,
            "object": fact.object,
            "valid_at": fact.valid_at,
            "invalid_at": fact.invalid_at,
            "text": fact.text,
            "embedding": vector,
            "subject_embedding": entities[fact.subject_id][1],
            "object_embedding": entities[fact.object_id][1],
        }
        for batch in group.facts_with_episodes()
        for fact, vector in batch
        if isinstance(fact, Fact)
    ]
