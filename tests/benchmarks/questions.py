"""How questions are read in time: which years they speak of, and whether they ask for a time.

``FILES`` are JSON Lines with a ``text`` each; of those with a ``qtype``, as in TimeQuestions,
``Temp.Ans`` is the label of questions that ask for a time. A year counts as read if a period begins
or ends in it.
"""

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from graphrag.search.query_time import When, read_when
from tests.benchmarks.report import Report, Section

_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d\d)(?!\d)")
_ASKED_AT = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Question:
    """A question and whether it asks for a time, if that is known."""

    text: str
    asks: bool | None


def measure(report: Report, files: Sequence[Path]) -> None:
    """Measure the questions, if they are there."""
    if not files:
        report.say("no questions: give --questions FILE ... (JSON Lines with text and qtype)")
        return
    rows: list[dict[str, str | float]] = []
    for file in files:
        questions = _read(file)
        started = time.process_time()
        read = [read_when(question.text, _ASKED_AT) for question in questions]
        spent = time.process_time() - started
        labelled = [
            (when, question.asks)
            for when, question in zip(read, questions, strict=True)
            if question.asks is not None
        ]
        right = sum((when.asks is not None) == asks for when, asks in labelled)
        rows.append(
            {
                "questions": file.parent.name + "/" + file.name,
                "count": len(questions),
                "with all years read": sum(map(_has_years, questions, read)),
                "labelled": len(labelled),
                "rightly asks or not": right,
                "filter": sum(when.filters for when in read),
                "prefer": sum(bool(when.said) and not when.filters for when in read),
                "event": sum(bool(when.anchors) for when in read),
                "ms each": 1000 * spent / len(questions),
            }
        )
    report.add(Section("Times in questions", rows))


def _read(file: Path) -> list[Question]:
    lines = file.read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines if line.strip()]
    return [
        Question(one["text"], "Temp.Ans" in one["qtype"] if "qtype" in one else None)
        for one in found
    ]


def _has_years(question: Question, when: When) -> bool:
    ends = [end for one in when.said for end in (one.interval.start, one.interval.end) if end]
    # A period that ends with 2019 ends in the first instant of 2020.
    covered = {end.year for end in ends} | {
        end.year - 1 for end in ends if (end.month, end.day) == (1, 1)
    }
    return {int(year) for year in _YEAR.findall(question.text)} <= covered
