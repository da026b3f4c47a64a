"""``ask`` and ``answer``: from the facts with how, or with the sources that bear it out."""

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
    async with session.graph("asking") as graph:
        answer = await view.of(graph).ask(question)
    if session.json:
        session.show_json(
            {
                "values": list(answer.values),
                "facts": plain(answer.facts),
                "bounds": plain(answer.bounds),
                "asked": str(answer.query or answer.question),
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


async def answer(
    session: Session,
    question: Annotated[
        str, typer.Argument(help="What you want to know, in your words.", show_default=False)
    ],
    at: At = None,
    known_at: KnownAt = None,
    max_tokens: Annotated[
        int, typer.Option(help="What a model may be shown of the graph.", min=50)
    ] = 2000,
) -> None:
    """Answer a question with its sources; the exit code is 1 if the graph does not answer it."""
    view, said = seen(at, known_at, history=False), 0
    async with session.graph() as graph:
        async for found in view.of(graph).stream.answer(question, max_tokens=max_tokens):
            if session.json:
                continue
            if found.by == "facts" or not found:
                session.out.print(line(found.text, "bold"))
            for sentence in found.sentences[said:]:
                session.out.print(line(str(sentence)), soft_wrap=True)
            said = len(found.sentences)
    if session.json:
        exact = found.exact
        session.show_json(
            {
                "by": found.by,
                "text": found.text if found else "",
                "sentences": plain(found.sentences),
                "citations": plain(found.citations),
                "dropped": plain(found.dropped),
                "missing": found.missing,
                "values": list(exact.values) if exact else [],
            }
        )
    else:
        for one in found.dropped:
            session.note(f"dropped: {one.text} ({one.problem})")
        for source in found.citations:
            text = f"[{source.number}] {source.valid_at.date().isoformat()}, {source.name}"
            session.out.print(line(text, "dim"), soft_wrap=True)
    if not found:
        raise typer.Exit(_NONE)
