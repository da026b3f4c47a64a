"""Which entities are one: ``candidates``, ``merge``, ``unmerge`` and ``split``."""

from typing import Annotated

import typer

from graphrag.cli.editing import Actor, Reason, show_event
from graphrag.cli.render import line, table
from graphrag.cli.terminal import Session

Bearer = Annotated[
    str, typer.Argument(help="Id, or a name that only it bears.", show_default=False)
]


async def candidates(
    session: Session, limit: Annotated[int, typer.Option(help="Pairs at most.", min=1)] = 20
) -> None:
    """List pairs of entities that may be one, likeliest first: candidates --limit 5.

    `merge KEEP OTHER` makes them one.
    """
    async with session.graph("comparing") as graph:
        pairs = await graph.identity.candidates(limit)
    rows = (
        (f"{pair.score:.2f}", pair.entity.name, pair.entity.id, pair.other.name, pair.other.id)
        for pair in pairs
    )
    session.answer(
        pairs,
        table("May be one", ">score", "keep", "id", "other", "id", rows=rows),
        line("merge KEEP OTHER makes them one"),
        empty="no two entities look like one",
    )


async def merge(
    session: Session, keep: Bearer, other: Bearer, reason: Reason = "", actor: Actor = None
) -> None:
    """Make one entity of two: merge "Alice Johnson" "A. Johnson" --reason "same phone".

    All that was said of the second is said of the first from now on; its names become aliases.
    """
    async with session.graph("merging") as graph:
        event = await graph.identity.merge(keep, other, reason=reason, actor=actor)
    show_event(session, event, "unmerge")


async def unmerge(
    session: Session,
    event: Annotated[int, typer.Argument(help="Number of the merge, as log prints it.", min=1)],
    reason: Reason = "",
    actor: Actor = None,
) -> None:
    """Undo a merge; what was added since stays at the entity that was kept: unmerge 12."""
    async with session.graph("parting") as graph:
        after = await graph.identity.unmerge(event, reason=reason, actor=actor)
    show_event(session, after, "revert")


async def split(
    session: Session,
    entity: Bearer,
    name: Annotated[str, typer.Argument(help="What to call the new entity.", show_default=False)],
    facts: Annotated[
        list[str] | None,
        typer.Option("--fact", metavar="ID", help="A fact to move; may be repeated."),
    ] = None,
    episodes: Annotated[
        list[str] | None,
        typer.Option(
            "--episode",
            metavar="ID",
            help="An episode of which all moves that it says about the entity; may be repeated.",
        ),
    ] = None,
    entity_type: Annotated[
        str | None, typer.Option("--type", help="Type of the new entity. Default: the same.")
    ] = None,
    reason: Reason = "",
    actor: Actor = None,
) -> None:
    """Make another entity of what was wrongly said of one: split Ann "Ann Lee" --fact ID.

    `facts Ann --ids` and `list episodes` print the ids. To take back a merge there is `unmerge`.
    """
    async with session.graph("parting") as graph:
        made = await graph.identity.split(
            entity,
            name=name,
            facts=facts or (),
            episodes=episodes or (),
            entity_type=entity_type,
            reason=reason,
            actor=actor,
        )
    session.answer(
        made,
        line(f"new: {made.name}, {made.entity_type}, id {made.id}"),
        line("log --limit 1 names the event, which revert takes back"),
    )
