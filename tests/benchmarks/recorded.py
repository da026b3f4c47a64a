"""What is right at the end of recorded stories, with the answers of a strong model, by kind.

Text, answers and expected facts are our own and part of the tests; no model is asked.
"""

from tests.benchmarks.report import Report, Section
from tests.extract.replay import KINDS, stories, tell
from tests.llm.server import ModelServer


async def measure(report: Report) -> None:
    """Tell every story to a graph of its own and count."""
    rows, wrong = [], []
    for kind in KINDS:
        told = []
        for story in stories(kind):
            server = ModelServer()
            try:
                told.append(await tell(story, server))
            finally:
                server.close()
        rows.append(_row(kind, told))
        wrong += [problem for one in told for problem in one.wrong]
    total: dict[str, str | float] = {"kind": "all"}
    for name in (
        "episodes",
        "expected",
        "right",
        "right as a batch",
        "read",
        "stored",
        "reported",
        "lost",
        "calls",
    ):
        total[name] = sum(float(row[name]) for row in rows)
    total["right %"] = _percent(total)
    for name in ("tokens to ask", "tokens to answer"):
        tokens = sum(float(row[name]) * float(row["episodes"]) for row in rows)
        total[name] = tokens / float(total["episodes"])
    report.add(Section("Recorded answers of a strong model", [*rows, total], wrong))


def _row(kind, told):
    episodes = sum(len(one.story["episodes"]) for one in told)
    row = {
        "kind": kind,
        "episodes": episodes,
        "expected": sum(len(one.story["facts"]) for one in told),
        "right": sum(one.right for one in told),
        "right as a batch": sum(one.batched for one in told),
        "read": sum(one.read for one in told),
        "stored": sum(one.kept for one in told),
        "reported": sum(one.named for one in told),
        "calls": sum(count for one in told for count in one.calls),
        "tokens to ask": sum(count for one in told for count in one.asked) / episodes,
        "tokens to answer": sum(count for one in told for count in one.answered) / episodes,
    }
    row["lost"] = row["read"] - row["stored"] - row["reported"]
    row["right %"] = _percent(row)
    return row


def _percent(row):
    return 100 * row["right"] / row["expected"]
