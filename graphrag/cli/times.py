"""``timeline`` and ``changes``: the life of an entity, and what became different."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from graphrag.cli.entries import Entries, Entry
from graphrag.cli.forms import plain
from graphrag.cli.moments import At, KnownAt, moment, seen
from graphrag.cli.render import line
from graphrag.cli.session import Session

if TYPE_CHECKING:
    from graphrag.differences import Changes

_LINES = 2


class AxisName(StrEnum):
    """Which time ``changes`` goes by."""

    system = "system"
    world = "world"


async def timeline(
    session: Session,
    entity: Annotated[str, typer.Argument(help="Name, alias or id.", show_default=False)],
    at: At = None,
    known_at: KnownAt = None,
) -> None:
    """Show every fact about an entity in the order of time, and what ended it."""
    from graphrag.cards import lifetime, triple

    view = seen(at, known_at, history=False)
    with session.busy("reading"):
        async with session.graph() as graph:
            found = await graph.at(valid_at=view.valid_at, known_at=view.known_at).timeline(
                entity, group=session.group
            )
    if session.json:
        stages = [plain(stage) | {"why": stage.why} for stage in found]
        session.show_json({"entity": plain(found.entity), "at": plain(found.at), "facts": stages})
        return
    entries = tuple(
        Entry(triple(one.fact), f"{lifetime(one.fact)}, {one.status}", one.why) for one in found
    )
    session.show(Entries(Text(found.entity.name, style="bold"), entries, _LINES))


async def changes(
    session: Session,
    since: Annotated[
        str, typer.Option(metavar="DATE", help="The earlier moment.", show_default=False)
    ],
    until: Annotated[
        str | None, typer.Option(metavar="DATE", help="The later one. Default: now.")
    ] = None,
    axis: Annotated[
        AxisName,
        typer.Option(help="system: what the graph learned; world: what began and ended."),
    ] = AxisName.system,
) -> None:
    """Show what the graph learned, closed, corrected or took back between two moments."""
    from graphrag.temporal.moment import parse_moment

    first, last = parse_moment(since, what="--since"), moment(until, "--until")
    with session.busy("reading"):
        async with session.graph() as graph:
            found = await graph.changes(
                first,
                last,
                axis="world" if axis is AxisName.world else "system",
                group=session.group,
            )
    if session.json:
        session.show_json(plain(found))
    elif not found:
        session.show(line("nothing changed"))
    else:
        session.show(_shown(found))


def _shown(found: "Changes") -> Entries:
    from graphrag.cards import lifetime, triple

    facts = (
        Entry(
            triple(one.fact),
            lifetime(one.fact),
            (one.kind != "learned" and one.fact.reason) or "",
            lead=one.kind,
        )
        for one in found.facts
    )
    entities = (Entry(one.name, one.entity_type, lead="entity") for one in found.entities)
    episodes = (
        Entry(one.name or "(no name)", f"{one.valid_at:%Y-%m-%d}", one.content, lead="episode")
        for one in found.episodes
    )
    merged = (Entry(one.name, one.entity_type, lead="merged") for one in found.merged)
    removed = (
        Entry(one.name or "(no name)", f"{one.valid_at:%Y-%m-%d}", one.content, lead="removed")
        for one in found.removed
    )
    title = f"{found.since:%Y-%m-%d %H:%M} to {found.until:%Y-%m-%d %H:%M}"
    return Entries(
        Text(title, style="bold"), (*facts, *entities, *merged, *episodes, *removed), _LINES
    )
