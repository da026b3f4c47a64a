"""``replay``: make the graph anew from its log in another store."""

from dataclasses import replace
from typing import Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.moments import moment
from graphrag.cli.render import table
from graphrag.cli.session import Session


async def replay(
    session: Session,
    into: Annotated[
        str, typer.Argument(metavar="URL", help="The other store; it must not have the group.")
    ],
    until: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Only what the graph had been told by then."),
    ] = None,
    all_groups: Annotated[
        bool, typer.Option("--all-groups", help="Every group of the store, not only --group.")
    ] = False,
) -> None:
    """Make the graph anew from its log in another store: same records, same past."""
    then = moment(until, "--until")
    with session.busy("replaying"):
        async with session.graph() as graph:
            again = session.open_graph(replace(session.settings, store=into))
            group = None if all_groups else session.group
            made = await graph.replay(again, group=group, until=then)
    if session.json:
        session.show_json(plain(made))
        return
    rows = [
        ("groups", ", ".join(made.groups)),
        ("events", str(made.events)),
        ("records", str(made.records)),
        ("vectors embedded again", str(made.embedded)),
    ]
    session.show(table(f"Replayed into {into}", "", ">", rows=rows))
