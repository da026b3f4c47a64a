"""Questions as models have read them, replayed: how many are answered exactly, refused or wrongly.

``recorded/questions.jsonl`` has a question a line: ``world``, ``question``, ``language``,
``expected`` (values, or null where the graph does not know), perhaps ``accept`` (more values, any
one of which answers alone), and ``answer``, what a model wrote to the prompt of
``filled_prompts``: a JSON object, or its raw text. ``python -m tests.ask.test_recorded_questions``
prints what is not exact.
"""

import asyncio
import json
import sys
from collections import Counter

import pytest

from graphrag.errors import InvalidAnswerError
from graphrag.llm.schema import BadAnswerError, read_answer
from graphrag.testing import HashEmbedder
from graphrag.view import asking
from tests.ask.filled_prompts import RECORDED, lines_of, worlds

QUESTIONS = lines_of(RECORDED / "questions.jsonl")


class Recorded:
    """A model that gives the recorded answer to a question."""

    def __init__(self, rows):
        self.answers = {row["question"]: row["answer"] for row in rows}

    async def complete(self, messages, *, answer):
        asked = messages[-1].content
        question = max((q for q in self.answers if f"\n{q}\n<<end" in asked), key=len)
        given = self.answers[question]
        try:
            return read_answer(given if isinstance(given, str) else json.dumps(given), answer)
        except BadAnswerError as error:
            raise InvalidAnswerError(str(error)) from None


def verdict(row, values):
    """Return whether values are exactly those expected, none, or wrong."""
    given, gold = ({_folded(v) for v in vs} for vs in (values, row["expected"] or ()))
    accepted = gold | {_folded(value) for value in row.get("accept", ())}
    if given == gold or (len(given) == 1 and given <= accepted and row["expected"] is not None):
        return "exact"
    return "wrong" if given else "refused"


def _folded(value):
    return " ".join(value.replace("_", " ").casefold().split())


async def verdicts(rows):
    """Return each question with its verdict, its answer, and that of the grammar alone."""
    found = []
    async with worlds(HashEmbedder(), Recorded(rows)) as groups:
        for row in rows:
            context = groups[row["world"]]._context
            try:
                model = await asking.read_by_model(context, row["question"])
            except InvalidAnswerError:
                model = None
            shipped = await groups[row["world"]].ask(row["question"])
            found.append((row, model, shipped))
    return found


@pytest.mark.skipif(not QUESTIONS, reason="no questions are recorded")
async def test_recorded_questions_are_answered_exactly_or_refused():
    shipped = Counter()
    for row, _, answer in await verdicts(QUESTIONS):
        shipped[row["expected"] is not None, verdict(row, answer.values)] += 1
    asked = sum(count for (known, _), count in shipped.items() if known)
    assert shipped[False, "wrong"] == 0
    assert shipped[True, "exact"] >= 0.9 * asked


async def report(rows):
    """Say what is not exact, and the scores of the model alone and of both."""
    scores = {"model": Counter(), "both": Counter()}
    by_language, lines = Counter(), []
    for row, model, shipped in await verdicts(rows):
        for name, answer in (("model", model), ("both", shipped)):
            values = () if answer is None else answer.values
            score = verdict(row, values)
            known = "known" if row["expected"] is not None else "unknown"
            scores[name][known, score] += 1
            if name == "both":
                by_language[row.get("language", ""), score] += 1
            if score != "exact":
                reason = "" if answer is None else answer.missing
                lines += [
                    f"{name} {score}: {row['question']} [{row['world']}] {row['expected']}",
                    f"    {values} {reason} by {answer and answer.by}",
                    f"    {json.dumps(row['answer'], ensure_ascii=False)}",
                    f"    {answer and answer.query}",
                ]
    lines += [str(score) for score in (*scores.items(), sorted(by_language.items()))]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(report(QUESTIONS))}\n")
