"""Ask a graph the questions of the chronicle and mark its answers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from graphrag.cli.forms import plain, results_form
from graphrag.cli.render import day, short, table

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
    """Rank of the first fact that names an answer, from 1; None if it is not in the first 3."""

    @property
    def right(self) -> bool:
        """Tell whether one of the first 3 facts names an answer."""
        return self.place is not None


async def ask(graph: "GraphRAG", group: str) -> list[Answer]:
    """Ask every question of the chronicle, each as of the moment that it asks about."""
    from graphrag.demo import truth

    known = truth()
    aliases = {entity.name: {entity.name, *entity.aliases} for entity in known.entities}
    answers = []
    for question in known.questions:
        right = {
            name.casefold() for answer in question.answers for name in aliases.get(answer, {answer})
        }
        results = await graph.at(valid_at=question.at).search(
            question.question, group=group, limit=_FACTS, scopes=["facts"]
        )
        place = next(
            (
                rank
                for rank, hit in enumerate(results.facts, start=1)
                if not right.isdisjoint(_names(hit.item))
            ),
            None,
        )
        answers.append(Answer(question, results, place))
    return answers


def answer_table(answer: Answer) -> RenderableType:
    """Return the question with the facts found and the mark."""
    from graphrag.results import lifetime, triple

    question, results = answer.question, answer.results
    when = f"as of {day(question.at)}" if question.at else "now"
    expected = " or ".join(question.answers)
    mark = f"found at {answer.place}" if answer.right else "not in the first 3"
    title = Text.assemble(
        (f"{question.question} ({when})", "bold"),
        (f"\nexpected: {expected}, {mark}", "green" if answer.right else "yellow"),
    )
    if not results.facts:
        return Text.assemble(title, "\nno facts found")
    return table(
        title,
        "",
        "fact",
        "valid",
        "source",
        rows=[
            (
                Text("✓" if rank == answer.place else "", style="green"),
                Text(triple(hit.item), style="bold"),
                lifetime(hit.item),
                short(results.source_of(hit.item) or hit.item.fact, 100),
            )
            for rank, hit in enumerate(results.facts, start=1)
        ],
    )


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


def _names(fact: "Fact") -> set[str]:
    return {fact.subject.casefold(), fact.object.casefold()}
