"""``groups``: the graphs of a store, their sizes and when they last changed."""

from graphrag.cli.render import line, table
from graphrag.cli.session import Session


async def groups(session: Session) -> None:
    """List the groups of a store with their sizes and last changes."""
    from graphrag.groups import HEADER, cells

    with session.busy("reading"):
        async with session.graph() as graph:
            found = await graph.group_sizes()
    if session.json:
        session.show_json([*found])
    elif found:
        aligned = (
            f">{name}" if number in (1, 2, 3) else name for number, name in enumerate(HEADER)
        )
        session.show(table("Groups", *aligned, rows=map(cells, found)))
    else:
        session.show(line("no groups yet: add something first"))
