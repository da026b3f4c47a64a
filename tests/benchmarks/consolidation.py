"""``consolidation``: numbered statements of which the newest wins, questions of one or more hops.

The statements are told as facts: a few patterns of plain English ("the N of X is Y", "X was V-ed in
the N of Y") read them, whatever they are about, and a relation is named by the words between. Each
relation holds one value; what was made or born once is timeless. The files are not part of the
repository: pass their folder.
"""

import json
import re
import string
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

from graphrag import GraphRAG, Models, Relation, Relations, Rules
from graphrag.testing import HashEmbedder, ScriptedExtractor
from tests.benchmarks.report import Report, Section

_KIND: Final = r"(?:the (?P<kind>[a-z]+) of )?"
_MADE: Final = re.compile(
    r"^The (?P<noun>[a-z ]+?) (?:where|that|which) (?P<verb>[a-z]+ed) (?P<x>.+) is (?P<y>.+)$"
)
_SHAPES: Final = (
    re.compile(
        r"^The (?:name of the )?(?P<noun>[A-Za-z ]+?) (?:of|in) (?:the )?(?P<x>[A-Z0-9\"'].*?)"
        rf"(?P<tail>(?: [a-z]+)?) (?:is|was)(?: [a-z]+ in)? {_KIND}(?P<y>.+)$"
    ),
    re.compile(
        r"^The (?P<noun>[a-z ]+?) (?:where|that|which) (?P<x>.+) (?P<verb>was [a-z]+|[a-z]+s) "
        r"is (?P<y>.+)$"
    ),
    _MADE,
    re.compile(r"^(?P<x>.+)'s (?P<noun>[a-z ]+) is (?P<y>.+)$"),
    re.compile(
        r"^(?P<x>.+?) (?P<verb>(?:is|was) (?:a )?[a-z]+ (?:in|by|with|for|of|to|at)) "
        rf"{_KIND}(?P<y>.+)$"
    ),
    re.compile(rf"^(?P<x>.+?) (?P<verb>[a-z]+(?:s|ed)(?: in)?) {_KIND}(?P<y>.+)$"),
)
_START: Final = datetime(2001, 1, 1, tzinfo=UTC)
Row = dict[str, Any]


async def measure(report: Report, folder: Path) -> None:
    """Tell the statements, ask every question, and say how many are right."""
    if not (folder / "corpus.jsonl").exists():
        report.say("consolidation: skipped, pass --data FOLDER with corpus.jsonl, queries.jsonl")
        return
    rows, unread = statements(_lines(folder / "corpus.jsonl"))
    names = {row["relation"] for some in rows.values() for row in some}
    known = [
        Relation(name, single_valued=True, timeless=name.startswith(("was_", "died_")))
        for name in names
    ]
    models = Models(embedder=HashEmbedder(), extractor=ScriptedExtractor({}))
    within: dict[str, list[bool]] = defaultdict(list)
    alone: dict[str, list[bool]] = defaultdict(list)
    seconds: list[float] = []
    rules = Rules(relations=Relations(known))
    async with GraphRAG.open("mem://", models=models, rules=rules) as graph:
        for group, some in rows.items():
            await graph.group(group).load.facts(some, on_error="skip")
        for place, query in enumerate(_lines(folder / "queries.jsonl")):
            started = time.perf_counter()
            answer = await graph.group(query["group"]).ask(query["text"])
            seconds.append(time.perf_counter() - started)
            right = [_holds(value, query["accept"]) for value in answer.values]
            half = "even rows" if place % 2 == 0 else "odd rows"
            for name in (query["category"], f"{query['category']}, {half}"):
                within[name].append(any(right))
                alone[name].append(right == [True])
    table = [
        {
            "questions": name,
            "number": len(found),
            "in the answer %": 100 * sum(found) / len(found),
            "the only value %": 100 * sum(alone[name]) / len(found),
        }
        for name, found in sorted(within.items())
    ]
    ends = np.percentile(np.array(seconds) * 1000, [50, 95])
    notes = (
        f"{sum(map(len, rows.values()))} statements read, {unread} not; {len(names)} relations",
        f"a question takes {ends[0]:.1f} ms (p50), {ends[1]:.1f} ms (p95)",
    )
    report.add(Section("numbered statements, the newest wins", table, notes))


def statements(corpus: list[Row]) -> tuple[dict[str, list[Row]], int]:
    """Return the facts that statements tell, by group, and how many were not read."""
    rows: dict[str, list[Row]] = defaultdict(list)
    unread = 0
    for line in sorted(corpus, key=lambda line: line["serial"]):
        fact = _read(line["text"].removesuffix("."))
        if fact is None:
            unread += 1
            continue
        subject, relation, object_ = fact
        moment = _START + timedelta(hours=line["serial"])
        rows[line["group"]].append(
            {
                "subject": subject,
                "relation": relation,
                "object": object_,
                "valid_at": moment,
                "observed": True,
            }
        )
    return rows, unread


def _read(text: str) -> tuple[str, str, str] | None:
    for shape in _SHAPES:
        if found := shape.match(text):
            parts = found.groupdict()
            said = [parts.get(name) or "" for name in ("verb", "noun", "tail", "kind")]
            if shape is _MADE:
                said = [f"{parts['verb']} by {parts['noun']}"]
            return parts["x"], "_".join(" ".join(said).split()), parts["y"]
    return None


def _holds(value: str, accepted: list[str]) -> bool:
    """Tell whether a value has one that is accepted in it, as MemoryAgentBench compares."""
    return any(_plain(one) and _plain(one) in _plain(value) for one in accepted)


def _plain(text: str) -> str:
    bare = "".join(mark for mark in text.lower() if mark not in string.punctuation)
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", bare).split())


def _lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
