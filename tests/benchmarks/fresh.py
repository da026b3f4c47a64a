"""``fresh``: how soon a text is found that is handed in to be read later, in a large group.

From the call of ``add_episode(wait=False)`` to the end of a search, by words of the text, that
returns it; once while nobody reads what was handed in, once while a worker does. Embedding costs
nothing here: a model adds its time for one text and for one question. What the first ones after an
opening wait for, the group and the parser, is left out.
"""

import gc
import time
from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Literal

from graphrag import Models, NeuralExtractor
from graphrag.graph import GraphRAG
from graphrag.protocols import Matrix
from graphrag.testing import HashEmbedder
from tests.benchmarks.load import filled
from tests.benchmarks.prepared import DIMENSION, NAME
from tests.benchmarks.report import Cell, Report, Section, p50, p95
from tests.benchmarks.synthetic import Synthetic

_WARM = 10


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure."""

    size: int = 100_000
    texts: int = 100


class _Hashed:
    """Embed by words, under the name of the embedder that the group was made with."""

    name, dimension = NAME, DIMENSION

    def __init__(self) -> None:
        self._words = HashEmbedder(DIMENSION)

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        return await self._words.embed(texts, purpose=purpose)


async def measure(report: Report, options: Options) -> None:
    """Measure both ways in a temporary folder."""
    with TemporaryDirectory(prefix="graphrag-bench-") as folder:
        url = f"surrealkv://{folder}/store"
        group = Synthetic(options.size)
        names = await filled(url, group)
        del group
        gc.collect()
        gc.freeze()  # what made the group is not part of the process that answers
        rows: list[dict[str, Cell]] = []
        for workers, what in ((0, "nobody reads"), (1, "a worker reads")):
            models = Models(embedder=_Hashed(), extractor=NeuralExtractor())
            async with GraphRAG.open(url, models=models, workers=workers) as graph:
                rows += await _found(graph, names, what, options.texts)
        gc.unfreeze()
        report.add(Section(f"{options.size:,} facts: a text is found after", rows))


async def _found(
    graph: GraphRAG, names: Sequence[str], what: str, texts: int
) -> list[dict[str, Cell]]:
    """Hand texts in, one after the other, and look for each at once."""
    stored, found, spent = [], [], []
    for number in range(-_WARM, texts):
        word = f"{what.split()[-2]}word{number + _WARM}"
        one, other = (names[place % len(names)] for place in (number * 7, number * 11 + 1))
        text = f"{one} met {other} about the {word}."
        started, used = time.perf_counter(), time.process_time()
        added = await graph.add_episode(text, reference_time="2024-05-01", wait=False)
        there = time.perf_counter()
        results = await graph.search(f"who met about the {word}?")
        ended, used = time.perf_counter(), time.process_time() - used
        assert added.episode.id in {hit.item.id for hit in results.episodes}, f"{text} is not found"
        if number == -1:
            await graph.queue.drain()
        if number >= 0:
            stored.append(1000 * (there - started))
            found.append(1000 * (ended - started))
            spent.append(1000 * used)
    return [
        {
            "meanwhile": what,
            "until": until,
            "ms p50": p50(times),
            "p95": p95(times),
            "highest": max(times),
            "texts": texts,
            "aim": aim,
        }
        for until, times, aim in (
            ("it is stored", stored, ""),
            ("a search has found it", found, "100"),
            ("the same, processor time", spent, ""),
        )
    ]
