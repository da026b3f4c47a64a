"""``log``: who changed what, and when."""

from typing import Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.render import table
from graphrag.cli.session import Session
from graphrag.errors import GraphRAGError


async def log(
    session: Session,
    entity: Annotated[
        str | None, typer.Option(help="Only what changed this entity: a name or an id.")
    ] = None,
    last: Annotated[int, typer.Option(help="How many of the newest events.", min=1)] = 20,
) -> None:
    """List the changes of a group, oldest first: when, who, what, and why."""
    from graphrag.events import done, moment

    with session.busy("reading"):
        async with session.graph() as graph:
            past = graph.at(history=True)
            known = None if entity is None else await past.entity(entity, group=session.group)
            if entity is not None and known is None:
                raise GraphRAGError(f"no entity is called {entity!r} in group {session.group!r}")
            events = (await graph.log(group=session.group, entity=known))[-last:]
    if session.json:
        session.show_json([plain(event) | {"did": done(event)} for event in events])
        return
    rows = (
        (str(event.seq), moment(event), event.actor, event.kind, done(event), event.note or "")
        for event in events
    )
    title = f"Log of group {session.group}"
    session.show(table(title, ">no.", "when", "who", "what", "to", "note", rows=rows))
