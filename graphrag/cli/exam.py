"""Ask a graph the questions of the chronicle and mark its answers."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from graphrag.cli.entries import Entries
from graphrag.cli.forms import plain, results_form
from graphrag.cli.render import day, fact_entry

if TYPE_CHECKING:
    from graphrag.demo import TruthQuestion
    from graphrag.graph import GraphRAG
    from graphrag.models import Fact
    from graphrag.results import Results

_FACTS = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """A question, the facts that were found, and where the right one stands among them."""

    question: "TruthQuestion"
    results: "Results"
    place: int | None
    """Rank of the first fact between the right two entities, from 1; None if not in the first 3."""

    @property
    def right(self) -> bool:
        """Tell whether one of the first 3 facts is the answer."""
        return self.place is not None


async def ask(graph: "GraphRAG", group: str) -> list[Answer]:
    """Ask every question of the chronicle, each as of the moment that it asks about."""
    from graphrag.demo import truth

    known = truth()
    names = {
        entity.name: {name.casefold() for name in (entity.name, *entity.aliases)}
        for entity in known.entities
    }
    answers = []
    for question in known.questions:
        results = await graph.at(valid_at=question.at).search(
            question.question, group=group, limit=_FACTS, scopes=["facts"]
        )
        subject, _, object_ = question.fact
        ends = names[subject], names[object_]
        ranks = (rank for rank, hit in enumerate(results, start=1) if _joins(hit.item, *ends))
        answers.append(Answer(question, results, next(ranks, None)))
    return answers


def answer_entries(answer: Answer) -> RenderableType:
    """Return the question with the facts found and the mark."""
    question, results = answer.question, answer.results
    when = f"as of {day(question.at)}" if question.at else "now"
    expected = " or ".join(question.answers)
    mark = f"found at {answer.place}" if answer.right else f"not in the first {_FACTS}"
    title = Text.assemble(
        (f"{question.question} ({when})", "bold"),
        (f"\nexpected: {expected}, {mark}", "green" if answer.right else "yellow"),
    )
    if not results.facts:
        return Text.assemble(title, "\nno facts found")
    # The words of a source are shown once: for the fact that answers, or for the best.
    proven = answer.place or 1
    passages = {episode.id: episode for episode in results.passages}
    entries = []
    for rank, hit in enumerate(results.facts, start=1):
        mark = "✓" if rank == answer.place else " "
        entry = fact_entry(hit.item, passages, lead=f"{mark} {rank}")
        entries.append(entry if rank == proven else replace(entry, body=""))
    return Entries(title, tuple(entries), lines=2)


def answer_form(answer: Answer) -> dict[str, Any]:
    """Return the question and what was found as JSON."""
    question = answer.question
    return {
        "id": question.id,
        "question": question.question,
        "at": plain(question.at),
        "expected": list(question.answers),
        "place": answer.place,
        "facts": results_form(answer.results)["facts"],
    }


def _joins(fact: "Fact", some: set[str], others: set[str]) -> bool:
    one, two = fact.subject.casefold(), fact.object.casefold()
    return (one in some and two in others) or (two in some and one in others)
