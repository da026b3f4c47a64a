"""What is read in labelled texts: how much of it is right, how much is found, which dates.

By the trained network or, with ``--llm-url``, by the small model that an OpenAI-compatible server
there has.

``FOLDER`` holds ``documents.jsonl`` (id, genre, time, text), ``facts.jsonl`` (what a person reads
them: required, optional, or a trap, with the span in which it holds), ``relations.json`` (which
relation names say the same) and ``score_extraction.py``, whose doc string states how facts are
compared. Texts of even and of odd number are scored apart: only the even ones were in sight when
rules of grammar were written.

A fact is scored as it is stored: where a text gives no start, it is known from the day of the text
on, and what was over when it was stated has ended by that day.
"""

import importlib.util
import json
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from graphrag.extract.llm.small import SmallLLMExtractor
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.model.extraction import Claim
from graphrag.model.values import Episode
from graphrag.protocols import LLM, ExtractionContext, Extractor
from tests.benchmarks.report import Report, Section

Line = dict[str, Any]
_SHOWN = ("precision", "recall", "dates_lenient", "dates_strict", "trap_hits", "traps")
_LENGTH = {"year": 4, "month": 7}


async def measure(report: Report, folder: Path, llm: LLM | None = None) -> None:
    """Read every text, by the network or by a small model, and score what was read."""
    scorer = folder / "score_extraction.py"
    if not scorer.is_file():
        report.say(f"no {scorer}: give --data FOLDER with documents, facts and their scorer")
        return
    documents = _lines(folder / "documents.jsonl")
    extractor: Extractor = SmallLLMExtractor(llm) if llm else NeuralExtractor()
    name = "a small model" if llm else "the network"
    score = _module(scorer)
    await predictions(documents[0], extractor)  # what it loads is loaded once
    began, spent = time.perf_counter(), time.process_time()
    read = {document["id"]: await predictions(document, extractor) for document in documents}
    took, spent = time.perf_counter() - began, time.process_time() - spent
    report.add(
        Section(f"facts of labelled texts: {name}", list(_rows(score, folder, documents, read)))
    )
    per = 1000 / len(documents)
    cost = f"{spent * per:.0f} ms of CPU of this process, {took * per:.0f} ms in all"
    report.say(f"{name}, a text: {cost}")
    if isinstance(extractor, SmallLLMExtractor):
        report.say(f"not believed: {dict(extractor.dropped.most_common())}")


async def predictions(document: Line, extractor: Extractor) -> list[Line]:
    """Return what an extractor reads in a text, as the scorer wants it."""
    day = document["time"][:10]
    episode = prepare(NewEpisode(document["text"], f"{day}T12:00:00Z"))
    read = await extractor.extract(ExtractionContext(episode))
    return [
        {"id": document["id"], **prediction_of(claim, episode)}
        for claim in read.claims
        if claim.kind != "cancelled"
    ]


def prediction_of(claim: Claim, episode: Episode) -> Line:
    day = episode.valid_at.date().isoformat()
    start = _shown(claim.valid_at, claim.valid_precision)
    end = _shown(claim.invalid_at, claim.invalid_precision)
    over = claim.ends or claim.kind == "was" or (claim.kind == "event" and start is None)
    if over and end is None:
        end = day
    holds = claim.invalid_at is None or claim.invalid_at > episode.valid_at
    if start is None and not over and holds and claim.kind == "state":
        start = day
    return {
        "subject": claim.subject.name,
        "relation": claim.relation,
        "object": claim.object.name if claim.object else "",
        "valid_from": start,
        "valid_to": end,
    }


def _shown(moment: datetime | None, precision: str) -> str | None:
    return None if moment is None else moment.date().isoformat()[: _LENGTH.get(precision, 10)]


def _lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_extraction", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rows(
    score: ModuleType, folder: Path, documents: Iterable[Line], read: Mapping[str, list[Line]]
) -> Iterable[dict[str, str | float]]:
    """Yield the score of each half and of all; the scorer drops predictions of other texts."""
    facts = _lines(folder / "facts.jsonl")
    halves = {"even": 0, "odd": 1, "all": None}
    for name, parity in halves.items():
        kept = {
            document["id"]
            for document in documents
            if parity is None or int(document["id"][-2:]) % 2 == parity
        }
        found = [one for id_ in kept for one in read[id_]]
        result = score.score(str(folder), found)["all"]
        gold = sum(fact["kind"] == "required" and fact["id"] in kept for fact in facts)
        right = result["recall"] * result["gold"]
        row: dict[str, str | float] = {"texts": name, "facts to find": gold}
        row |= {key: result[key] or 0.0 for key in _SHOWN}
        row["recall"] = right / gold if gold else 0.0
        yield row
