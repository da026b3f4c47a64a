"""``groups``: many small groups in one store, and the memory of one large one.

A fresh process opens the closed store and asks: groups at random, each twice, so that one question
finds its group in memory and one does not. No model is asked: texts are embedded by their words.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

from graphrag.model.values import Entity, Episode, Fact
from graphrag.store.store import Store
from graphrag.store.target import Target
from graphrag.testing import HashEmbedder
from tests.benchmarks.load import load
from tests.benchmarks.prepared import DIMENSION
from tests.benchmarks.report import Cell, Report, Section, p50, p95
from tests.benchmarks.synthetic import Batch, Synthetic

_EACH = 100
_WARM = 20
_LARGE_QUESTIONS = 50
_OPENINGS = 2
_NO_LIMIT = 1 << 40
_KINDS = ("resident", "heap", "columns", "libraries", "files", "peak")
Questions = Sequence[tuple[str, str]]
"""Group and text."""


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    groups: int = 10_000
    queries: int = 1_000
    budgets: tuple[int, ...] = (64 << 20, 512 << 20)
    large: int = 100_000
    """Facts of the one large group."""


async def measure(report: Report, options: Options) -> None:
    """Measure both in temporary folders."""
    with TemporaryDirectory(prefix="graphrag-bench-") as folder:
        url = f"surrealkv://{folder}/store"
        questions = await fill(report, url, options.groups)
        many(report, url, questions, options)
    with TemporaryDirectory(prefix="graphrag-bench-") as folder:
        url = f"surrealkv://{folder}/store"
        questions = await fill_one(url, options.large)
        one(report, url, questions, options.large)


async def fill(report: Report, url: str, groups: int) -> Questions:
    """Make a store of many groups, each in one transaction; return a question about each."""
    made = Synthetic(_EACH, batch=_EACH)
    questions = []
    started, used = time.perf_counter(), time.process_time()
    async with await _opened(url) as store:
        embedder = HashEmbedder(DIMENSION)
        for number in range(groups):
            made.group = f"user {number}"
            values = [one for batch in made.entities() for one, _ in batch]
            values += [one for batch in made.facts_with_episodes() for one, _ in batch]
            await load(store, [await _hashed(embedder, values)], after=0, in_flight=1)
            questions.append((made.group, _question(values)))
    folder = Target.parse(url).path
    assert folder is not None
    disk = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    report.say(
        f"{groups:,} groups of {_EACH} facts made in {time.perf_counter() - started:,.0f} s "
        f"({time.process_time() - used:,.0f} s of processors), {disk / 1e6:,.0f} MB of disk"
    )
    return questions


async def fill_one(url: str, facts: int) -> Questions:
    """Make a store of one group as large as that; return questions about it."""
    made = Synthetic(facts)
    embedder = HashEmbedder(DIMENSION)
    async with await _opened(url) as store:
        seq, questions = 0, []
        for batch in (*made.entities(), *made.facts_with_episodes()):
            values = [one for one, _ in batch]
            seq = await load(store, [await _hashed(embedder, values)], after=seq, in_flight=1)
            if isinstance(values[-1], Fact) and len(questions) < _LARGE_QUESTIONS:
                questions.append((made.group, _question(values)))
    return questions


def many(report: Report, url: str, questions: Questions, options: Options) -> None:
    """Ask groups at random, each twice, in a fresh process for every budget."""
    chosen = random.Random(7).choices(questions, k=options.queries)
    rows: list[dict[str, Cell]] = []
    notes = [_settle(url, questions[:1])]
    for budget in options.budgets:
        found = ask(url, [one for one in chosen for _ in (1, 2)], budget)
        for loaded, what, aim in ((True, "in memory", "10"), (False, "not in memory", "60")):
            asked = [one for one in found["asked"][2 * _WARM :] if one["loaded"] == loaded]
            if asked:
                times = [one["ms"] for one in asked]
                rows.append(
                    {
                        "budget MB": budget / 2**20,
                        "the group is": what,
                        "ms p50": p50(times),
                        "p95": p95(times),
                        "of processor p50": p50([one["cpu_ms"] for one in asked]),
                        "questions": len(asked),
                        "aim p50": aim,
                    }
                )
        memory = found["steps"]["asked"]
        notes.append(
            f"budget {budget >> 20} MB: at the end {found['kept']['groups']} groups are kept, "
            f"{found['kept']['mb']:.0f} MB; the process has {memory.get('resident', 0):.0f} MB "
            f"resident, {memory.get('heap', 0):.0f} of it heap"
        )
    report.add(Section(f"{options.groups:,} groups of {_EACH} facts", rows, notes))


def one(report: Report, url: str, questions: Questions, facts: int) -> None:
    """Show the memory of a fresh process that asks a large group."""
    _settle(url, questions[:1])  # reads the tables, and saves the columns at the end
    rows: list[dict[str, Cell]] = []
    found = ask(url, questions, _NO_LIMIT)
    for step, memory in found["steps"].items():
        rows.append({"after": step} | {f"{kind} MB": memory.get(kind, 0.0) for kind in _KINDS})
    times = [one["ms"] for one in found["asked"][1:]]
    report.add(
        Section(
            f"{facts:,} facts in one group: memory of a fresh process",
            rows,
            (
                f"{len(questions)} questions, p50 {p50(times):.1f} ms; aim: 300 MB resident; "
                "columns are a file that is mapped: the system takes those pages back if it must",
            ),
        )
    )


def _settle(url: str, questions: Questions) -> str:
    """Open a new store until the engine has brought its tables together; say what that took."""
    found = [ask(url, questions, _NO_LIMIT) for _ in range(_OPENINGS)]
    seconds = ", ".join(f"{one['opened']:.1f}" for one in found)
    most = max(one["steps"]["open"].get("peak", 0) for one in found)
    return f"the first openings take {seconds} s and up to {most:,.0f} MB: tables are merged"


def ask(url: str, questions: Questions, budget: int) -> dict[str, Any]:
    """Return what a fresh process found."""
    given = {
        "url": url,
        "questions": questions,
        "budget": budget,
        "dimension": DIMENSION,
    }
    command = [sys.executable, "-m", "tests.benchmarks.groups_child"]
    done = subprocess.run(
        command, input=json.dumps(given), stdout=subprocess.PIPE, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _question(values: Sequence[Entity | Episode | Fact]) -> str:
    fact = next(one for one in values if isinstance(one, Fact))
    return f"where {fact.subject} {' '.join(fact.text.rstrip('.').split()[:5])}?"


async def _hashed(embedder: HashEmbedder, values: Sequence[Entity | Episode | Fact]) -> Batch:
    texts = [
        one.name if isinstance(one, Entity) else one.text if isinstance(one, Fact) else one.content
        for one in values
    ]
    return list(zip(values, await embedder.embed(texts, purpose="document"), strict=True))


async def _opened(url: str) -> Store:
    name = HashEmbedder(DIMENSION).name
    return await Store.open(Target.parse(url), embedder=name, dimension=DIMENSION)
