"""``neighbors``, ``path`` and ``identity``: how an entity is linked, and who it is."""

from typing import Annotated

import typer
from rich.text import Text

from graphrag.cli.entries import Entries, Entry
from graphrag.cli.forms import plain
from graphrag.cli.moments import At, History, KnownAt, seen
from graphrag.cli.render import line
from graphrag.cli.session import Session

_LINES = 2
_NONE = 1
_FACTS = 3
"""Shown of each neighbour."""

Named = Annotated[str, typer.Argument(help="Name, alias or id.", show_default=False)]
Depth = Annotated[int, typer.Option(help="Facts away at most, 1 to 10.")]


async def neighbors(
    session: Session,
    entity: Named,
    depth: Depth = 1,
    types: Annotated[
        list[str] | None,
        typer.Option("--type", help="Only entities of this type; may be repeated."),
    ] = None,
    relations: Annotated[
        list[str] | None,
        typer.Option("--relation", help="Only along this relation; may be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option(help="Entities at most.")] = 50,
    at: At = None,
    known_at: KnownAt = None,
    history: History = False,
) -> None:
    """List what is near an entity, nearest first, with the facts that lead there."""
    from graphrag.cards import fact_line

    view = seen(at, known_at, history)
    with session.busy("walking"):
        async with session.graph() as graph:
            found = await view.of(graph).neighbors(
                entity,
                depth=depth,
                types=types or None,
                relations=relations or None,
                limit=limit,
                facts=_FACTS,
                group=session.group,
            )
    if session.json:
        session.show_json(plain(found))
    elif not found:
        session.show(line("nothing is near it then"))
    else:
        entries = tuple(
            Entry(
                one.entity.name,
                one.entity.entity_type,
                "; ".join(map(fact_line, one.facts)),
                lead=str(one.distance),
            )
            for one in found
        )
        session.show(Entries(Text(f"Near {entity}", style="bold"), entries, _LINES))


async def path(
    session: Session,
    start: Named,
    end: Named,
    max_depth: Depth = 4,
    number: Annotated[
        int, typer.Option("--number", "-n", help="Ways to show: short and sure ones first.")
    ] = 1,
    at: At = None,
    known_at: KnownAt = None,
    history: History = False,
) -> None:
    """Show how two entities are linked; the exit code is 1 if they are not."""
    from graphrag.cards import fact_line

    view = seen(at, known_at, history)
    with session.busy("walking"):
        async with session.graph() as graph:
            found = await view.of(graph).paths(
                start, end, k=number, max_depth=max_depth, group=session.group
            )
    if session.json:
        session.show_json(plain(found))
    else:
        for way in found:
            entries = tuple(Entry(fact_line(fact)) for fact in way.facts)
            session.show(Entries(Text(str(way), style="bold"), entries, _LINES))
        if not found:
            session.show(line(f"no way of at most {max_depth} facts leads from one to the other"))
    if not found:
        raise typer.Exit(_NONE)


async def identity(
    session: Session,
    entity: Named,
    facts: Annotated[int, typer.Option(help="Facts that hold to show.")] = 12,
    ended: Annotated[int, typer.Option(help="Facts that ended last to show.")] = 3,
    at: At = None,
    known_at: KnownAt = None,
) -> None:
    """Show who or what an entity is, as briefly as a prompt needs it."""
    view = seen(at, known_at, history=False)
    with session.busy("reading"):
        async with session.graph() as graph:
            found = await view.of(graph).identity(
                entity, facts=facts, changes=ended, group=session.group
            )
    if session.json:
        session.show_json(plain(found) | {"text": str(found)})
    else:
        session.show(line(str(found)))
