"""``yago``: facts with a start and an end from YAGO, and questions of what held in one year.

The table has one row a fact: subject, relation, object, first year and last year, counted from some
beginning; the last year is part of the lifetime. A question names a subject, a relation and a year,
and is answered exactly when the objects are those of the gold set and no others. The files are not
part of the repository: pass their folder.
"""

import csv
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from graphrag import Models
from graphrag.graph import GraphRAG
from graphrag.ontology.relations import Relations
from graphrag.testing import HashEmbedder, ScriptedExtractor
from tests.benchmarks.report import Report, Section

RELATIONS = Relations()
_FIRST_YEAR = 1000
_OWN_NAMES = {
    "isMarriedTo": "married_to",
    "playsFor": "plays_for",
    "worksAt": "works_at",
    "owns": "owns",
    "wasBornIn": "born_in",
    "diedIn": "died_in",
    "graduatedFrom": "studies_at",
    "isAffiliatedTo": "member_of",
}
"""What the library calls the relations that it knows by meaning."""
_FACTS, _QUESTIONS = "intervals.tsv", "asof_queries.jsonl"


@dataclass(frozen=True, slots=True)
class Score:
    """What was imported and how many questions were answered exactly."""

    facts: int
    facts_a_second: float
    questions: int
    exact: int
    milliseconds: float
    """Per question."""


async def measure(report: Report, folder: Path | None) -> None:
    """Import the table and ask the questions, if they are there."""
    if folder is None:
        report.say("yago: skipped, pass --yago FOLDER with intervals.tsv and asof_queries.jsonl")
        return
    rows: list[dict[str, Any]] = []
    ways: tuple[tuple[str, bool, Mapping[str, str]], ...] = (
        ("judged by the rules", True, {}),
        ("judged, our relations", True, _OWN_NAMES),
        ("judge=False", False, {}),
    )
    for way, judge, names in ways:
        with TemporaryDirectory(prefix="graphrag-bench-") as store:
            score = await run(folder, f"surrealkv://{store}/yago", judge=judge, names=names)
        rows.append(
            {
                "import": way,
                "facts": score.facts,
                "facts/s": score.facts_a_second,
                "questions": score.questions,
                "exact %": 100 * score.exact / score.questions,
                "ms a question": score.milliseconds,
                "aim": "100 %",
            }
        )
    report.add(
        Section("YAGO lifetimes, questions as of a year", rows, ("hashed words as embeddings",))
    )


async def run(
    folder: Path, url: str, *, judge: bool = True, names: Mapping[str, str] = MappingProxyType({})
) -> Score:
    """Import the table into a new graph, ask every question and count the exact answers.

    ``names`` are other names for its relations.
    """
    questions = [
        json.loads(line) for line in (folder / _QUESTIONS).read_text(encoding="utf-8").splitlines()
    ]
    async with GraphRAG.open(
        url, models=Models(embedder=HashEmbedder(), extractor=ScriptedExtractor({}))
    ) as graph:
        done = await graph.load.facts(facts(folder / _FACTS, names), judge=judge)
        started = time.perf_counter()
        exact = sum(
            [
                await _answer(graph, question, names) == set(question["gold"])
                for question in questions
            ]
        )
        seconds = time.perf_counter() - started
    return Score(done.facts, done.rate, len(questions), exact, 1000 * seconds / len(questions))


def facts(path: Path, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table with moments for years."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield {
                "subject": row["subject"],
                "relation": names.get(row["relation"], row["relation"]),
                "object": row["object"],
                "valid_at": _year(int(row["t_start"])),
                "invalid_at": _year(int(row["t_end"]) + 1),
            }


async def _answer(graph: GraphRAG, question: dict[str, Any], names: Mapping[str, str]) -> set[str]:
    then, subject = graph.at(valid_at=_year(question["as_of"])), question["subject"]
    relation = names.get(question["relation"], question["relation"])
    turned = RELATIONS.straight(relation) is not None
    found = set()
    for fact in await then.facts(subject, relation=relation):
        ends = (fact.object, fact.subject) if turned else (fact.subject, fact.object)
        if ends[0] == subject:
            found.add(ends[1])
        elif RELATIONS[relation].symmetric:
            found.add(ends[0])
    return found


def _year(number: int) -> datetime:
    return datetime(_FIRST_YEAR + number, 1, 1, tzinfo=UTC)
