"""``sagas`` and ``saga``: the named runs of episodes of a group, and what one tells."""

from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.moments import At, KnownAt, seen
from graphrag.cli.render import day, line, table
from graphrag.cli.session import Session

if TYPE_CHECKING:
    from graphrag.sagas.view import SagaView

_SHOWN = 70
Summarize = Annotated[
    bool,
    typer.Option("--summarize", help="First bring the summary up to date, and store it."),
]


async def sagas(session: Session, summarize: Summarize = False) -> None:
    """List the sagas of a group: conversations, cases, books told episode by episode."""
    from graphrag.sagas.listing import HEADER, cells

    with session.busy("reading"):
        async with session.graph() as graph:
            if summarize:
                await graph.summarize_sagas(group=session.group)
            found = await graph.sagas(group=session.group)
    if session.json:
        session.show_json([plain(one) for one in found])
    elif found:
        aligned = (f">{name}" if number == 1 else name for number, name in enumerate(HEADER))
        session.show(table("Sagas", *aligned, rows=map(cells, found)))
    else:
        session.show(line("no sagas: tell episodes with add --saga NAME"))


async def saga(
    session: Session,
    name: Annotated[str, typer.Argument(help="Name of the saga.", show_default=False)],
    at: At = None,
    known_at: KnownAt = None,
    summarize: Summarize = False,
) -> None:
    """Show a saga: what happened, its facts with their intervals, and its episodes."""
    view = seen(at, known_at, False)
    with session.busy("reading"):
        async with session.graph() as graph:
            if summarize:
                await graph.summarize_saga(name, group=session.group)
            reading = graph.at(valid_at=view.valid_at, known_at=view.known_at)
            found = await reading.saga(name, group=session.group)
    if session.json:
        session.show_json(
            {
                "name": found.name,
                "summary": found.summary,
                "summarized_until": plain(found.summarized_until),
                "unsummarized": found.unsummarized,
                "episodes": plain(found.episodes),
                "entities": plain(found.entities),
                "timeline": plain(found.timeline),
            }
        )
    else:
        _show(session, found)


def _show(session: Session, found: "SagaView") -> None:
    from graphrag.cards import lifetime, triple

    session.show(line(found.name, "bold"), *map(line, found.summary.splitlines()))
    if found.unsummarized:
        session.show(line(f"{found.unsummarized} episodes are newer than this summary", "dim"))
    facts = ((lifetime(one.fact), triple(one.fact), one.status) for one in found.timeline)
    session.show(table("Facts", "", "", "", rows=facts))
    episodes = (
        (day(one.valid_at), one.name or one.content.partition("\n")[0][:_SHOWN]) for one in found
    )
    session.show(table("Episodes", "", "", rows=episodes))
