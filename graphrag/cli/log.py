"""``log``: who changed what, and when."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from graphrag.cli.forms import plain
from graphrag.cli.render import table
from graphrag.cli.session import Session
from graphrag.errors import GraphRAGError, QueryError
from graphrag.models import Event

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG


async def log(
    session: Session,
    entity: Annotated[
        str | None, typer.Option(help="Only what changed this entity: a name or an id.")
    ] = None,
    last: Annotated[int, typer.Option(help="How many of the newest events.", min=1)] = 20,
    follow: Annotated[
        bool, typer.Option(help="Go on with what others commit to the server, until Ctrl-C.")
    ] = False,
) -> None:
    """List the changes of a group, oldest first: when, who, what, and why."""
    from graphrag.events import done, moment

    if follow:
        _check_followed(session, entity)
    async with session.graph() as graph:
        with session.busy("reading"):
            past = graph.at(history=True)
            known = None if entity is None else await past.entity(entity, group=session.group)
            if entity is not None and known is None:
                raise GraphRAGError(f"no entity is called {entity!r} in group {session.group!r}")
            events = (await graph.log(group=session.group, entity=known))[-last:]
        if follow:
            await _followed(session, graph, events)
            return
    if session.json:
        session.show_json([plain(event) | {"did": done(event)} for event in events])
        return
    rows = (
        (str(event.seq), moment(event), event.actor, event.kind, done(event), event.note or "")
        for event in events
    )
    title = f"Log of group {session.group}"
    session.show(table(title, ">no.", "when", "who", "what", "to", "note", rows=rows))


def _check_followed(session: Session, entity: str | None) -> None:
    if entity is not None:
        raise QueryError("--follow shows everything that is committed: leave out --entity")
    if session.target().embedded:
        raise QueryError(
            f"nobody else can write to {session.settings.store} while this command has it open: "
            "--follow is for servers (ws://, wss://, http://, https://)"
        )


async def _followed(session: Session, graph: "GraphRAG", events: list[Event]) -> None:
    """Print one line an event: the given ones, then whatever is committed."""
    from graphrag.events import done, moment

    def show(event: Event) -> None:
        if session.json:
            form = plain(event) | {"did": done(event)}
            session.out.file.write(json.dumps(form, ensure_ascii=False) + "\n")
        else:
            parts = (event.seq, moment(event), event.actor, event.kind, done(event), event.note)
            line = "  ".join(str(part) for part in parts if part)
            session.out.print(Text(line), soft_wrap=True)
        session.out.file.flush()

    for event in events:
        show(event)
    after = events[-1].seq if events else 0
    async for event in graph.changes(after=after, group=session.group):
        show(event)
