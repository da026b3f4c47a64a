"""``ask``: a question answered from the facts, with what the answer rests on and how."""

from typing import Annotated

import typer
from rich.text import Text

from graphrag.cli.forms import plain
from graphrag.cli.moments import At, KnownAt, seen
from graphrag.cli.render import Entries, Entry, line
from graphrag.cli.terminal import Session

_NONE = 1
"""Exit code for a question that the facts do not answer."""
_LINES = 3


async def ask(
    session: Session,
    question: Annotated[
        str, typer.Argument(help="Who, what, when, how long, ... in English.", show_default=False)
    ],
    at: At = None,
    known_at: KnownAt = None,
    how: Annotated[
        bool, typer.Option("--how", help="Show how the question was understood and worked out.")
    ] = False,
) -> None:
    """Answer a question from the facts, without a model; the exit code is 1 if they do not."""
    from graphrag.display.cards import fact_line

    view = seen(at, known_at, history=False)
    with session.busy("asking"):
        async with session.graph() as graph:
            answer = await view.of(graph).ask(question)
    if session.json:
        session.show_json(
            {
                "values": list(answer.values),
                "facts": plain(answer.facts),
                "bounds": plain(answer.bounds),
                "asked": str(answer.question),
                "steps": list(answer.steps),
                "missing": answer.missing,
            }
        )
    else:
        facts = (*answer.facts, *answer.bounds)
        head = "; ".join(answer.values) or f"no answer: {answer.missing}"
        session.show(
            Entries(
                Text(head, style="bold"), tuple(Entry(fact_line(fact)) for fact in facts), _LINES
            )
        )
        for step in answer.how.splitlines() if how else ():
            session.show(line(step, "dim"))
    if not answer:
        raise typer.Exit(_NONE)
