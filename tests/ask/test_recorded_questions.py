"""Questions as models have read them, replayed: how many are answered exactly, refused or wrongly.

``recorded/questions.jsonl`` has a question a line: ``world``, ``question``, ``language``,
``expected`` (values, or null where the graph does not know), perhaps ``accept`` (more values, any
one of which answers alone), and ``answer``, what a model wrote to the prompt of
``filled_prompts``: a JSON object, or its raw text. ``python -m tests.ask.test_recorded_questions``
prints what is not exact as shipped, and the scores of each reader and of both in either order.
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


async def readings(rows):
    """Yield each question with the answer of each reader, and of both in either order."""
    model = Recorded(rows)
    async with worlds(HashEmbedder(), model) as groups:
        for row in rows:
            context = groups[row["world"]]._context
            read = await asking.read_by_model(context, row["question"], model)
            parsed = await asking.parsed(context, row["question"])
            second = parsed if read is None else read
            yield (
                row,
                {
                    "shipped": await groups[row["world"]].ask(row["question"]),
                    "model": read,
                    "grammar": parsed,
                    "model, else grammar": second,
                    "grammar, else model": second if parsed.query is None else parsed,
                },
            )


@pytest.mark.skipif(not QUESTIONS, reason="no questions are recorded")
async def test_recorded_questions_are_answered_exactly_or_refused():
    scores = Counter()
    async for row, answers in readings(QUESTIONS):
        scores[row["expected"] is not None, verdict(row, answers["shipped"].values)] += 1
    asked = sum(count for (known, _), count in scores.items() if known)
    assert scores[False, "wrong"] == 0
    assert scores[True, "exact"] >= 0.9 * asked


async def report(rows):
    """Say what is not exact as shipped, and the scores of every reader."""
    scores, by_language, lines = {}, Counter(), []
    async for row, answers in readings(rows):
        known = "known" if row["expected"] is not None else "unknown"
        for name, answer in answers.items():
            score = verdict(row, () if answer is None else answer.values)
            scores.setdefault(name, Counter())[known, score] += 1
        answer = answers["shipped"]
        by_language[row.get("language", ""), score := verdict(row, answer.values)] += 1
        if score != "exact":
            lines += [
                f"{score}: {row['question']} [{row['world']}] {row['expected']}",
                f"    {answer.values} {answer.missing} by {answer.by}",
                f"    {json.dumps(row['answer'], ensure_ascii=False)}",
                f"    {answer.query}",
            ]
    lines += [f"{name}: {dict(score)}" for name, score in scores.items()]
    return "\n".join([*lines, str(sorted(by_language.items()))])


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(report(QUESTIONS))}\n")
