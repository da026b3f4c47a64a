"""``exchange``: a group with a history out to files and in again, and whether it is the same."""

import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from graphrag import Models
from graphrag.errors import InputError, PolicyError
from graphrag.graph import GraphRAG
from graphrag.model.extraction import Extraction
from graphrag.testing import HashEmbedder
from tests.benchmarks.report import Cell, Report, Section

_DIMENSION = 384
_RELATIONS = ("works_at", "lives_in", "knows", "likes", "visited", "advises", "leads")
_START = datetime(2015, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    sizes: tuple[int, ...] = (10_000,)


class Nothing:
    """Read nothing: only what is told directly is measured."""

    async def extract(self, context: object) -> Extraction:
        """Return no claims."""
        return Extraction()


async def measure(report: Report, options: Options) -> None:
    """Measure every size in a temporary folder."""
    for size in options.sizes:
        with TemporaryDirectory(prefix="graphrag-bench-") as name:
            await _measure(report, size, Path(name))


async def _measure(report: Report, size: int, folder: Path) -> None:
    rows: list[Mapping[str, Cell]] = []
    first, again = folder / "group.jsonl", folder / "again.jsonl"
    async with _opened(f"surrealkv://{folder}/first") as graph:
        await tell(graph, size)
        facts = (await graph.stats()).facts
        async with Timed(rows, "export .jsonl", first):
            records = (await graph.export.file(first)).records
        packed = folder / "packed.jsonl.gz"
        async with Timed(rows, "export .jsonl.gz, no vectors", packed):
            await graph.export.file(packed, vectors=False)
        for ending in ("csv", "graphml", "ttl"):
            async with Timed(rows, f"export .{ending}", file := folder / f"group.{ending}"):
                await graph.export.file(file)
        everything = graph.at(history=True)
        for verb in (
            everything.export.networkx,
            everything.export.igraph,
            everything.export.pandas,
        ):
            async with Timed(rows, verb.__name__):
                await verb()
    async with _opened(f"surrealkv://{folder}/second") as other:
        async with Timed(rows, "import .jsonl", first):
            await other.load.group(first)
        await other.export.file(again)
        found = (await other.health.check_all()).findings
    same = first.read_bytes() == again.read_bytes()
    async with _opened(f"surrealkv://{folder}/third") as third:
        async with Timed(rows, "import .graphml", folder / "group.graphml"):
            await third.load.facts(folder / "group.graphml", judge=False)
    told = ", ".join(f"{count:,} {kind}" for kind, count in records.items())
    report.add(
        Section(
            f"{facts:,} facts: out and in",
            rows,
            (
                f"{told}; {_DIMENSION} numbers a vector",
                f"second export of the imported group {'equal' if same else 'DIFFERENT'} by bytes, "
                f"health.check() found {len(found)}",
            ),
        )
    )


async def tell(graph: GraphRAG, size: int, seed: int = 5) -> None:
    """Fill a group with facts that close others, and change its mind about some."""
    dice = random.Random(seed)
    people = [f"Person {number}" for number in range(size // 5)]
    places = [f"Place {number}" for number in range(size // 10)]
    await graph.load.facts(_rows(dice, people, places, size), batch=500)
    for number in range(size // 100):
        await graph.add_episode(f"Note {number} says nothing of anybody.", reference_time=_START)
    for number in range(size // 200):
        fact = dice.choice(await graph.facts(dice.choice(people)) or [None])
        try:
            if fact is not None and number % 2:
                await graph.edit.retract(fact)
            elif fact is not None:
                await graph.identity.merge(*dice.sample(people, 2))
        except (InputError, PolicyError):
            continue  # one of them is merged already
    await graph.log.revert((await graph.log.events())[-1])
    await graph.communities.build()


def _rows(
    dice: random.Random, people: list[str], places: list[str], size: int
) -> Iterator[Mapping[str, object]]:
    for number in range(size):
        subject, object_ = dice.choice(people), dice.choice(places if number % 3 else people)
        if subject != object_:
            yield {
                "subject": subject,
                "relation": dice.choice(_RELATIONS),
                "object": object_,
                "subject_type": "person",
                "valid_at": _START + timedelta(days=dice.randrange(4000)),
                "attributes": {"number": number},
            }


def _opened(url: str) -> GraphRAG:
    return GraphRAG.open(url, models=Models(embedder=HashEmbedder(_DIMENSION), extractor=Nothing()))


@dataclass(slots=True)
class Timed:
    """Note the CPU time of a block, and the size of a file."""

    rows: list[Mapping[str, Cell]]
    what: str
    file: Path | None = None
    begun: float = 0.0

    async def __aenter__(self) -> None:
        """Begin."""
        self.begun = time.process_time()

    async def __aexit__(self, *_: object) -> None:
        """Note it."""
        seconds = time.process_time() - self.begun
        size = self.file.stat().st_size / 1e6 if self.file is not None else ""
        self.rows.append({"": self.what, "CPU s": seconds, "MB": size})
