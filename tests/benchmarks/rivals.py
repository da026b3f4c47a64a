"""``graphiti``, ``lightrag``: the same searches of the same records, here and there, in turn.

Each has an environment of its own, whose interpreter is given (Graphiti 0.31 with FalkorDBLite
needs Python 3.12). Both sides are given the vectors, and both search what is true and what was,
since neither of the others tells these apart. Graphiti's recipes have the same names as ours,
scopes, methods and limits; of LightRAG's modes "global" finds facts by meaning and "mix" facts,
entities and texts. Each question is asked of one and right after of the other, so that both meet
the same machine.
"""

import json
import subprocess
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from graphrag import Models
from graphrag.graph import GraphRAG
from graphrag.model.values import Fact
from tests.benchmarks.load import load, opened
from tests.benchmarks.prepared import Prepared, Query
from tests.benchmarks.report import Cell, Report, Section, p50, p95
from tests.benchmarks.synthetic import Batch, Synthetic

_WARM = 3
_SAID = 15
"""Lines of its errors that are shown: the last is not always the one that tells."""


@dataclass(frozen=True, slots=True)
class Rival:
    """Another library, and which of its searches is which of ours."""

    name: str
    child: str
    """What speaks for it, in its interpreter."""
    recipes: tuple[tuple[str, str], ...]
    """Ours, and theirs."""
    note: str = ""


GRAPHITI = Rival(
    "Graphiti",
    "graphiti_child.py",
    tuple(
        (name, name)
        for name in (
            "edge_hybrid_search_rrf",
            "edge_hybrid_search_node_distance",
            "combined_hybrid_search_rrf",
            "combined_hybrid_search_mmr",
        )
    ),
)
LIGHTRAG = Rival(
    "LightRAG",
    "lightrag_child.py",
    (("edge_hybrid_search_rrf", "global"), ("combined_hybrid_search_rrf", "mix")),
    "its keywords are the words of the question; it keeps one edge between two entities, no times",
)


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    python: Path
    """The interpreter that has the other library."""
    sizes: tuple[int, ...] = (10_000, 100_000)
    queries: int = 30


class NotRunError(Exception):
    """The other library ended early; the message is what it wrote last."""


async def measure(report: Report, rival: Rival, options: Options) -> None:
    """Measure every size in a temporary folder."""
    for size in options.sizes:
        with TemporaryDirectory(prefix="graphrag-bench-") as folder:
            try:
                with closing(_Child(rival, options.python, Path(folder))) as child:
                    await _compare(report, size, options.queries, child, Path(folder))
            except NotRunError as error:
                report.say(f"{size:,} facts: {rival.name} did not run: {error}")
                return  # a larger one would not, either


async def _compare(report: Report, size: int, count: int, child: "_Child", folder: Path) -> None:
    url = f"surrealkv://{folder}/store"
    group = Synthetic(size)
    batches = [*group.entities(), *group.facts_with_episodes()]
    queries = group.queries(_WARM + count)
    meant = _nearest(batches, queries)
    theirs = child.load(batches)
    started = time.perf_counter()
    async with await opened(url) as store:
        await load(store, batches, after=0, in_flight=1)
    ours = sum(map(len, batches)) / (time.perf_counter() - started)
    async with GraphRAG.open(url, models=Models(embedder=Prepared(queries))) as graph:
        rows = [await _recipe(graph, child, names, queries, meant) for names in child.rival.recipes]
    report.add(
        Section(
            f"{size:,} facts: the same searches, here and by {child.rival.name}",
            rows,
            (
                f"{child.versions}; {count} questions each, asked of both in turn",
                "x: their time by ours; CPU: the medians of processor time",
                f"records loaded a second: {ours:,.0f} here, {theirs:,.0f} there",
                "meant: the questions whose fact was found; alike: facts of 10 that both found",
                *filter(None, [child.rival.note]),
            ),
        )
    )


async def _recipe(
    graph: GraphRAG,
    child: "_Child",
    names: tuple[str, str],
    queries: Sequence[Query],
    meant: Sequence[str],
) -> dict[str, Cell]:
    name, their_name = names
    centre = (await graph.audit.hubs(1))[0][0].id
    view, held = graph.at(history=True), graph.handle.session.store.cache
    centers = [centre] if "distance" in name else []
    ours, theirs, alike = [], [], []
    cpu, their_cpu = [], []
    hits = {"here": 0, "there": 0}
    for place, query in enumerate(queries):
        held.release()  # nothing that is returned is in memory; all that they have is
        started, worked = time.perf_counter(), time.process_time()
        results = await view.search(query.text, recipe=name, centers=centers)
        seconds, work = time.perf_counter() - started, time.process_time() - worked
        other = child.search(their_name, query, centre)
        if place < _WARM:
            continue
        ours.append(seconds)
        theirs.append(other["seconds"])
        cpu.append(work)
        their_cpu.append(other["cpu"])
        found = {hit.item.id for hit in results.facts}
        alike.append(len(found & set(other["facts"])))
        hits["here"] += meant[place] in found
        hits["there"] += meant[place] in other["facts"]
    return {
        "recipe": name if name == their_name else f"{name}, {their_name}",
        "p50 ms": 1000 * p50(ours),
        "p95 ms": 1000 * p95(ours),
        "their p50": 1000 * p50(theirs),
        "their p95": 1000 * p95(theirs),
        "x p50": p50(theirs) / p50(ours),
        "x p95": p95(theirs) / p95(ours),
        "x CPU": p50(their_cpu) / p50(cpu),
        "meant": f"{hits['here']}, {hits['there']}",
        "alike": float(np.mean(alike)),
    }


class _Child:
    """Another library in a process of its own, spoken to in lines of JSON."""

    def __init__(self, rival: Rival, python: Path, folder: Path) -> None:
        self.rival = rival
        self._folder = folder
        self._errors = folder / "errors"
        with self._errors.open("w") as errors:
            self._child = subprocess.Popen(
                # -P: our modules are beside the script, and theirs could have the same names.
                [str(python), "-P", str(Path(__file__).with_name(rival.child))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.versions = str(self._answer()["versions"])

    def load(self, batches: Sequence[Batch]) -> float:
        """Give it the records; return how many it took a second."""
        pairs = [pair for batch in batches for pair in batch]
        with (self._folder / "values.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(_plain(value), default=str) + "\n" for value, _ in pairs)
        np.save(self._folder / "vectors.npy", np.stack([vector for _, vector in pairs]))
        return float(self._ask({"load": str(self._folder)})["rate"])

    def search(self, recipe: str, query: Query, centre: str) -> dict[str, Any]:
        """Return its seconds and the ids of the facts that it found."""
        asked = {"recipe": recipe, "text": query.text, "centre": centre}
        return self._ask({**asked, "vector": query.vector.tolist()})

    def close(self) -> None:
        """End it, and with it its database."""
        self._child.communicate()

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(question) + "\n")
        self._child.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            self._child.communicate()
            said = self._errors.read_text(encoding="utf-8").strip()
            raise NotRunError("\n".join(said.splitlines()[-_SAID:]))
        answer: dict[str, Any] = json.loads(line)
        return answer


def _nearest(batches: Sequence[Batch], queries: Sequence[Query]) -> list[str]:
    """Return for each question the fact that it was made from: none is nearer."""
    facts = [pair for batch in batches for pair in batch if isinstance(pair[0], Fact)]
    matrix = np.stack([vector for _, vector in facts])
    return [facts[int(np.argmax(matrix @ query.vector))][0].id for query in queries]


def _plain(value: object) -> dict[str, Any]:
    names = ("id", "created_at", "name", "content", "valid_at", "invalid_at")
    ends = ("subject_id", "object_id", "relation", "text")
    given = {name: getattr(value, name) for name in (*names, *ends) if hasattr(value, name)}
    return {"kind": type(value).__name__, **given}
