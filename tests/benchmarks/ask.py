"""``ask``: generated questions of time over three worlds, answered without a model.

Facts of years, of days and of events; every question has the exact set of values that answer it, or
several that are accepted. "As known at" is asked of a graph that was given the facts in the order
in which they were recorded, batch by batch, and from the moment after the batch that the question
names. The files are not part of the repository: pass their folder, with ``intervals.tsv`` in it or
in ``../temporal/yago``.

Beside the generated questions there are 1,060 over the same worlds as people ask them, by five
writers who had seen neither the code nor those: 300 in ``people.jsonl``, 640 in
``people2.jsonl``, 120 in ``people3.jsonl``. Each set was scored once before anybody looked for
causes in it; see ``docs/evaluation.md`` for those scores. A new claim needs new questions.
"""

import csv
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import numpy as np

from graphrag import Models, OnnxEmbedder
from graphrag.graph import GraphRAG
from graphrag.protocols import Matrix
from graphrag.temporal.moment import utc_now
from graphrag.testing import HashEmbedder, ScriptedExtractor
from graphrag.view.view import View
from tests.benchmarks.report import Report, Section

_FIRST_YEAR, _LAST = 1830, 187
_POINTS = ("created", "wasBornIn", "diedIn", "graduatedFrom", "hasWonPrize")
_PEOPLE = "as people ask"
Row = dict[str, Any]
Views = dict[str, View]


class _Embedder:
    """The default embedder for questions; facts are hashed, as nothing here searches them."""

    name, dimension = "questions", 384

    def __init__(self) -> None:
        self._facts, self._questions = HashEmbedder(self.dimension), OnnxEmbedder()

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        """Return the vectors of some texts."""
        embedder = self._questions if purpose == "query" else self._facts
        return await embedder.embed(texts, purpose=purpose)


async def measure(report: Report, folder: Path) -> None:
    """Load the worlds, ask every question, and say how many are answered exactly."""
    if not (folder / "queries.jsonl").exists():
        report.say("ask: skipped, pass --data FOLDER with queries.jsonl, offices.jsonl, events.tsv")
        return
    queries = [*_read(folder / "queries.jsonl"), *_people()]
    rights: dict[str, list[bool]] = defaultdict(list)
    wrongs: dict[str, int] = defaultdict(int)
    seconds: list[float] = []
    models = Models(embedder=_Embedder(), extractor=ScriptedExtractor({}))
    async with GraphRAG.open("mem://", models=models) as graph:
        views = await _load(graph, folder)
        moments = await _record(graph.group("records"), folder, queries)
        for place, query in enumerate(queries):
            known = query["parse"].get("known_at")
            view = views[query["group"]]
            if known is not None:
                view = graph.group("records").at(known_at=moments[known])
            started = time.perf_counter()
            answer = await view.ask(query["text"])
            seconds.append(time.perf_counter() - started)
            half = "even rows" if place % 2 == 0 else "odd rows"
            right = _exact(query, answer.values)
            names = ["all", half, f"of {query['group']}"] if "id" in query else [_PEOPLE]
            for name in (*names, query["category"]):
                rights[name].append(right)
                wrongs[name] += bool(answer.values) and not right
    rows = [
        {
            "questions": name,
            "number": len(right),
            "exact %": 100 * sum(right) / len(right),
            "wrong %": 100 * wrongs[name] / len(right),
        }
        for name, right in sorted(rights.items(), key=lambda one: (len(one[1]) < 100, one[0]))
    ]
    ends = np.percentile(np.array(seconds) * 1000, [50, 95])
    report.add(
        Section(
            "questions of time, answered without a model",
            rows,
            (f"a question takes {ends[0]:.1f} ms (p50), {ends[1]:.1f} ms (p95); aim: 95 %, 20 ms",),
        )
    )


def _people() -> Iterator[Row]:
    for name in ("people.jsonl", "people2.jsonl", "people3.jsonl"):
        for row in _read(Path(__file__).with_name(name)):
            known = row["known_at"]
            parse = {} if known is None else {"known_at": known}
            yield row | {"category": f"{_PEOPLE}, of {row['group']}", "parse": parse}


def _exact(query: Row, values: tuple[str, ...]) -> bool:
    """Tell whether the values are those of the answer and no others."""
    given, gold = ({_folded(one) for one in some} for some in (values, query["gold"]))
    accepted = gold | {_folded(one) for one in query.get("accept", ())}
    return given == gold or (len(accepted) > len(gold) and len(given) == 1 and given <= accepted)


def _folded(value: str) -> str:
    return " ".join(value.replace("_", " ").casefold().split())


async def _load(graph: GraphRAG, folder: Path) -> Views:
    near = folder / "intervals.tsv"
    years = near if near.exists() else folder.parent / "temporal" / "yago" / "intervals.tsv"
    worlds = {
        "yago": _years(years),
        "events": _events(folder / "events.tsv"),
        "offices": (_row(row) for row in _read(folder / "offices.jsonl") if not _gone(row)),
    }
    for name, rows in worlds.items():
        await graph.group(name).load.facts(rows, judge=False)
    return {name: graph.group(name) for name in worlds}


def _years(path: Path) -> Iterator[Row]:
    """Yield facts of whole years, marriages from both ends; of one beginning the longest."""
    with path.open(encoding="utf-8", newline="") as file:
        table = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    longest: dict[tuple[str, str, str, date | None], date | None] = {}
    for one, relation, other, first, last in table:
        ends = one.replace("_", " "), other.replace("_", " ")
        start = date(_FIRST_YEAR + int(first), 1, 1) if int(first) else None
        open_ = int(last) >= _LAST and relation not in _POINTS
        end = None if open_ else date(_FIRST_YEAR + int(last) + 1, 1, 1)
        for subject, object_ in [ends, ends[::-1]][: 2 if relation == "isMarriedTo" else 1]:
            key = subject, relation, object_, start
            known = longest.get(key, date.min)
            longest[key] = None if end is None or known is None else max(end, known)
    for (subject, relation, object_, start), end in longest.items():
        yield _fact(subject, relation, object_, start, end)


def _events(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            day = date.fromisoformat(row["date"])
            after = day + timedelta(days=1)
            yield _fact(row["subject"], row["relation"], row["object"], day, after)


def _row(row: Row) -> Row:
    return _fact(row["subject"], row["relation"], row["object"], row["valid_from"], row["valid_to"])


def _fact(subject: str, relation: str, object_: str, start: object, end: object) -> Row:
    names = ("subject", "relation", "object", "valid_at", "invalid_at")
    return dict(zip(names, (subject, relation, object_, start, end), strict=True))


async def _record(graph: GraphRAG, folder: Path, queries: list[Row]) -> dict[str, datetime]:
    """Give a graph the offices as they were recorded and taken back; return when it knew what."""
    asked = sorted({one["parse"]["known_at"] for one in queries if "known_at" in one["parse"]})
    rows = [row for row in _read(folder / "offices.jsonl") if row["relation"] != "lives_in"]
    moments: dict[str, datetime] = {}
    live: dict[tuple[str, ...], str] = {}
    before = ""
    for moment in asked:
        stands = {
            _key(row): row
            for row in rows
            if row["recorded_at"] <= moment and not (_gone(row) and row["retracted_at"] <= moment)
        }
        for key in [key for key in live if key not in stands]:
            await graph.edit.retract(live.pop(key), "recorded wrongly")
        fresh = {key: row for key, row in stands.items() if row["recorded_at"] > before}
        for key, row in fresh.items():
            if key in live and row["valid_to"] is not None:
                await graph.edit.invalidate(live[key], row["valid_to"])
        new = [row for key, row in fresh.items() if key not in live]
        await graph.load.facts(map(_row, new), judge=False)
        for subject in dict.fromkeys(row["subject"] for row in new):
            for fact in [stage.fact for stage in await graph.timeline(subject)]:
                start = "" if fact.valid_at is None else fact.valid_at.date().isoformat()
                key = fact.subject, fact.relation, fact.object, start
                if key in stands and fact.retracted_at is None:
                    live[key] = fact.id
        before, moments[moment] = moment, utc_now()
    return moments


def _key(row: Row) -> tuple[str, ...]:
    return row["subject"], row["relation"], row["object"], row["valid_from"]


def _gone(row: Row) -> bool:
    return row.get("retracted_at") is not None


def _read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
