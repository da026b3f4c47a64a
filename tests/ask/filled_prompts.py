"""What a model is asked, to read a question as a query: the exact messages, for people to answer.

``python -m tests.ask.filled_prompts QUESTIONS.jsonl PROMPTS.jsonl``: every line of the one has
``world`` (yago, offices or events) and ``question``, every line of the other also ``messages``, as
the graph of that world sends them. Who answers them writes one JSON object for each, and sees
neither the facts nor the answer that is expected.

``python -m tests.ask.filled_prompts --worlds FOLDER`` writes ``recorded/worlds.jsonl`` anew: a part
of the worlds of ``tests.benchmarks.ask``, from the folder of its data. Facts of yago are from YAGO
(Mahdisoltani et al.), CC BY 4.0; the others are made up.
"""

import argparse
import asyncio
import json
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import date
from pathlib import Path

from graphrag import GraphRAG, Models, OnnxEmbedder
from graphrag.testing import ScriptedExtractor
from graphrag.view.asking import asked_of_model

RECORDED = Path(__file__).with_name("recorded")
_NAMES = ("subject", "relation", "object", "valid_at", "invalid_at")
_FEW = 12
_EVENTS = 900
_UNTIL = "1915"


def lines_of(path):
    """Return the values of the lines of a file, none if it is not there."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ()
    return [json.loads(line) for line in lines]


@asynccontextmanager
async def worlds(embedder, llm=None):
    """Open a graph with each world as a group of its own."""
    facts = {}
    for world, *fact in lines_of(RECORDED / "worlds.jsonl"):
        facts.setdefault(world, []).append(dict(zip(_NAMES, fact, strict=True)))
    models = Models(embedder=embedder, extractor=ScriptedExtractor({}), llm=llm)
    async with GraphRAG.open("mem://", models=models) as graph:
        for world, rows in facts.items():
            await graph.group(world).load.facts(rows, judge=False)
        yield {world: graph.group(world) for world in facts}


async def write_prompts(questions, prompts):
    """Write the messages for every question of a file."""
    async with worlds(OnnxEmbedder()) as groups:
        with prompts.open("w", encoding="utf-8") as file:
            for row in lines_of(questions):
                context = groups[row["world"]]._context
                messages = await asked_of_model(context, row["question"])
                row["messages"] = [asdict(message) for message in messages]
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_worlds(folder):
    """Write a part of the worlds of the benchmark."""
    from tests.benchmarks import ask

    years = list(ask._years(folder.parent / "temporal" / "yago" / "intervals.tsv"))
    asked = " ".join(row["text"].casefold() for row in ask._people() if row["group"] == "yago")
    near = Counter(name for row in years for name in (row["subject"], row["object"]))
    named = {name for name in near if name.casefold() in asked}
    few = {name for name in named if near[name] <= _FEW}
    offices = [ask._row(row) for row in ask._read(folder / "offices.jsonl") if not ask._gone(row)]
    parts = {
        "yago": [row for row in years if row["subject"] in named or row["object"] in few],
        "offices": [row for row in offices if (row["valid_at"] or "") < _UNTIL],
        "events": list(ask._events(folder / "events.tsv"))[:_EVENTS],
    }
    with (RECORDED / "worlds.jsonl").open("w", encoding="utf-8") as file:
        for world, rows in parts.items():
            for row in rows:
                values = (row[name] for name in _NAMES)
                plain = [str(v) if isinstance(v, date) else v for v in values]
                file.write(json.dumps([world, *plain], ensure_ascii=False) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("questions", type=Path, nargs="?")
    parser.add_argument("prompts", type=Path, nargs="?")
    parser.add_argument("--worlds", type=Path)
    given = parser.parse_args()
    if given.worlds:
        write_worlds(given.worlds)
    else:
        asyncio.run(write_prompts(given.questions, given.prompts))
