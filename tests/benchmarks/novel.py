"""``novel``: a long text into a graph, with the default extractor and the default embedder."""

import time
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from graphrag import (
    BatchReport,
    GraphRAG,
    Models,
    NeuralExtractor,
    NewEpisode,
    OnnxEmbedder,
)
from graphrag.io.documents import read_document
from tests.benchmarks.report import Cell, Report, Section, p50

_WRITTEN = "1900-05-17"
"""A reference time for texts whose date matters to nobody here."""
_WARM_UP = "Dorothy lived in Kansas with her uncle Henry, who was a farmer."


OZ = Path(__file__).with_name("wizard_of_oz.txt")
"""L. Frank Baum, The Wonderful Wizard of Oz, 1900; in the public domain. 39,000 words."""


async def measure(report: Report, text: Path, runs: int) -> None:
    """Add the whole text to a fresh store, several times, with warm models."""
    episodes = list(read_document(text, reference_time=_WRITTEN))
    sentences = _sentences(episodes)
    embedder, extractor = OnnxEmbedder(), NeuralExtractor()
    started = time.perf_counter()
    await add(embedder, extractor, [NewEpisode(_WARM_UP, _WRITTEN)])
    report.say(f"models loaded in {time.perf_counter() - started:.1f} s, not counted below")

    batches = [await add(embedder, extractor, episodes) for _ in range(runs)]
    alone = await _embedding_alone(embedder, episodes)
    seconds = [batch.seconds for batch in batches]
    report.add(
        Section(
            f"{text.name}: {len(episodes)} episodes, {sentences:,} sentences",
            [
                {
                    "seconds p50": p50(seconds),
                    "lowest": min(seconds),
                    "highest": max(seconds),
                    "episodes/s": len(episodes) / p50(seconds),
                    "sentences/s": sentences / p50(seconds),
                    "facts": batches[0].facts,
                    "entities": batches[0].entities,
                    "runs": runs,
                }
            ],
            (f"baseline: embedding the same episodes in one batch alone takes {alone:.1f} s",),
        )
    )
    report.add(steps(batches))


def steps(batches: list[BatchReport]) -> Section:
    """Return the seconds of each step."""
    steps: dict[str, list[float]] = defaultdict(list)
    for batch in batches:
        for step, seconds in batch.steps.items():
            steps[step].append(seconds)
    whole = sum(map(p50, steps.values()))
    rows: list[dict[str, Cell]] = [
        {"step": step, "seconds p50": p50(found), "share %": 100 * p50(found) / whole}
        for step, found in sorted(steps.items(), key=lambda item: -p50(item[1]))
    ]
    return Section("by step", rows, ("the rest goes into looking up what is known",))


async def add(
    embedder: OnnxEmbedder, extractor: NeuralExtractor, episodes: list[NewEpisode]
) -> BatchReport:
    """Add episodes to a fresh store."""
    # open() wraps a cache around the embedder, a new one each time: no run profits from the last.
    with TemporaryDirectory(prefix="graphrag-bench-") as folder:
        url = f"surrealkv://{folder}/store"
        async with GraphRAG.open(
            url, models=Models(embedder=embedder, extractor=extractor)
        ) as graph:
            return await graph.add_episodes(episodes)


async def _embedding_alone(embedder: OnnxEmbedder, episodes: list[NewEpisode]) -> float:
    texts = [str(episode.content) for episode in episodes]
    times = []
    for _ in range(5):
        started = time.perf_counter()
        await embedder.embed(texts, purpose="document")
        times.append(time.perf_counter() - started)
    return p50(times)


def _sentences(episodes: list[NewEpisode]) -> int:
    import spacy

    split = spacy.blank("en")
    split.add_pipe("sentencizer")
    return sum(len(list(split(str(episode.content)).sents)) for episode in episodes)
