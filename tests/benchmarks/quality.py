"""Does a search find what answers? Sets with known answers, told and asked through the public API.

Each set is added once with the default extractor, kept in ``--stores``, and asked with the default
recipe and with each of its parts alone: words (BM25), meaning (dense) and the two by reciprocal
ranks (RRF). One configuration for all sets. Constants were chosen on the questions of even number
(A) and are to hold on those of odd number (B).
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from graphrag import GraphRAG, Models, OnnxEmbedder, Recipe
from graphrag.protocols import Embedder
from graphrag.search.recipe import EpisodeWeights
from tests.benchmarks.corpora import SETS, Corpus, read
from tests.benchmarks.kept import Kept
from tests.benchmarks.recall import Score, interval, mean, score
from tests.benchmarks.report import Report, Section

_MESSAGES = 60
"""Messages that are asked for where their sagas are to be found."""
_STEPS = ("previous", "following", "answer", "session", "time")
_ALONE = dict.fromkeys(_STEPS, 0.0)
BM25 = Recipe(fusion="scores", graph=0, episodes=EpisodeWeights(vector=0, fulltext=1, **_ALONE))
DENSE = Recipe(fusion="scores", graph=0, episodes=EpisodeWeights(vector=1, fulltext=0, **_ALONE))
RECIPES: Mapping[str, Recipe] = {
    "BM25": BM25,
    "dense": DENSE,
    "RRF": Recipe(fusion="rrf", graph=0, episodes=EpisodeWeights(vector=1, fulltext=1)),
    "default": Recipe(),
}


@dataclass(frozen=True, slots=True)
class Places:
    """Where the data are, and what is kept between runs."""

    data: Path
    stores: Path
    vectors: Path
    only: Sequence[str] = ()
    """Names of sets; empty: all."""


async def measure(report: Report, places: Places) -> None:
    """Ask every set with every recipe."""
    rows = []
    async for corpus, graph in told(report, places):
        worth = {name: await ask(graph, corpus, recipe) for name, recipe in RECIPES.items()}
        rows += [_row(corpus, name, scores) for name, scores in worth.items()]
        best = max(mean(worth[name], 10) for name in RECIPES if name != "default")
        if (own := mean(worth["default"], 10)) < best:
            report.say(f"{corpus.name}: R@10 {own:.1f} is below the best part, {best:.1f}")
        report.say("  ".join(f"{key} {value}" for key, value in rows[-1].items()))
    if not rows:
        report.say("no set was found: nothing to measure")
        return
    report.add(Section("recall and nDCG in percent", rows, ("A, B: even, odd questions",)))


async def told(report: Report, places: Places) -> AsyncIterator[tuple[Corpus, GraphRAG]]:
    """Yield each set that there is, in a graph that holds it."""
    if not places.data.is_dir():
        report.say(f"there is no folder {places.data}: skipped")
        return
    embedder = Kept(OnnxEmbedder(), places.vectors)
    for kind in SETS:
        if places.only and kind.name not in places.only:
            continue
        corpus = read(places.data, kind)
        if corpus is None:
            report.say(f"{kind.name}: no {kind.folder}/corpus.jsonl in {places.data}: skipped")
            continue
        async with _graph(corpus, places, embedder, report) as graph:
            yield corpus, graph


async def ask(graph: GraphRAG, corpus: Corpus, recipe: Recipe) -> list[Score]:
    """Ask every question of a set."""
    scores = []
    for asked in corpus.questions:
        limit = _MESSAGES if corpus.sagas else 10
        found = await graph.group(asked.group).search(
            asked.text, limit=limit, scopes=("episodes",), recipe=recipe
        )
        hits = [hit.item for hit in found.episodes]
        # A saga is as good as its best message.
        ids = [one.saga or "" if corpus.sagas else str(one.metadata["id"]) for one in hits]
        scores.append(score(list(dict.fromkeys(ids)), asked.gold))
    return scores


@asynccontextmanager
async def _graph(
    corpus: Corpus, places: Places, embedder: Embedder, report: Report
) -> AsyncIterator[GraphRAG]:
    """Open the store of a set, told if it is new; telling again goes on where it stopped."""
    place = places.stores / corpus.store
    complete = place.with_suffix(".json")
    place.parent.mkdir(parents=True, exist_ok=True)
    async with GraphRAG.open(
        f"surrealkv://{place}?sync=never", models=Models(embedder=embedder)
    ) as graph:
        if not complete.is_file():
            done = await graph.add_episodes(corpus.episodes)
            report.say(f"{corpus.name}: told {len(corpus.episodes)} in {done.seconds:.0f} s")
            complete.write_text(json.dumps({"episodes": len(corpus.episodes)}), encoding="utf-8")
        yield graph


def _row(corpus: Corpus, name: str, scores: Sequence[Score]) -> dict[str, str | float]:
    low, high = interval(scores, 10)
    return {
        "set": corpus.name,
        "recipe": name,
        "questions": len(scores),
        "R@2": round(mean(scores, 2), 1),
        "R@5": round(mean(scores, 5), 1),
        "R@10": round(mean(scores, 10), 1),
        "95 %": f"{low:.1f}-{high:.1f}",
        "nDCG@10": round(sum(one.ndcg for one in scores) / len(scores), 1),
        "A R@5": round(mean(scores[::2], 5), 1),
        "A R@10": round(mean(scores[::2], 10), 1),
        "B R@5": round(mean(scores[1::2], 5), 1),
        "B R@10": round(mean(scores[1::2], 10), 1),
    }
