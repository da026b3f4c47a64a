"""What a store holds: ``list``, ``groups`` and ``stats``."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType

from graphrag.cli.forms import plain
from graphrag.cli.moments import At, History, KnownAt, seen
from graphrag.cli.render import connected_table, day, line, on_disk, short, table
from graphrag.cli.terminal import Session

if TYPE_CHECKING:
    from graphrag.analysis.stats import Growth

_WIDTH = 40
_TYPES = 10
"""Named where a type is asked for that nothing has."""

Limit = Annotated[int, typer.Option(help="How many at most.", min=1, max=1000)]
Offset = Annotated[int, typer.Option(help="How many to leave out before.", min=0)]


async def list_entities(
    session: Session,
    entity_type: Annotated[
        str | None, typer.Option("--type", help="Only of this type, such as person.")
    ] = None,
    limit: Limit = 50,
    offset: Offset = 0,
    at: At = None,
    known_at: KnownAt = None,
    history: History = False,
) -> None:
    """Page through the entities, best connected first: list entities --type person --offset 50."""
    view = seen(at, known_at, history)
    async with session.graph("reading") as graph:
        read = view.of(graph)
        page = await read.entities(entity_type=entity_type, limit=limit, offset=offset)
        types = () if page or entity_type is None else (await read.stats()).types
    rows = (
        (entity.id, entity.name, entity.entity_type, short(", ".join(entity.aliases), _WIDTH))
        for entity in page
    )
    none = _empty("entities", offset)
    if not page and entity_type is not None and entity_type not in types:
        known = ", ".join([*types][:_TYPES]) or "none"
        none = f"no entity is of type {entity_type!r}; types there are: {known}"
    shown = table("Entities", "id", "name", "type", "also called", rows=rows)
    session.answer(page, shown, *_next(len(page), limit, offset), empty=none)


async def list_episodes(
    session: Session, limit: Limit = 50, offset: Offset = 0, at: At = None, known_at: KnownAt = None
) -> None:
    """Page through the episodes, the latest first: list episodes --limit 10."""
    view = seen(at, known_at, history=False)
    async with session.graph("reading") as graph:
        page = await view.of(graph).episodes(limit=limit, offset=offset)
    rows = (
        (
            episode.id,
            day(episode.valid_at),
            short(episode.name, _WIDTH),
            short(episode.content, _WIDTH),
        )
        for episode in page
    )
    shown = table("Episodes", "id", "date", "name", "begins", rows=rows)
    session.answer(page, shown, *_next(len(page), limit, offset), empty=_empty("episodes", offset))


def _next(shown: int, limit: int, offset: int) -> list[RenderableType]:
    return [line(f"--offset {offset + limit} goes on")] if shown == limit else []


def _empty(what: str, offset: int) -> str:
    return f"no more {what}" if offset else f"no {what}"


async def groups(session: Session) -> None:
    """List the groups of a store with their sizes and last changes."""
    from graphrag.display.lists import HEADER, cells

    async with session.graph("reading") as graph:
        found = await graph.groups().list()
    aligned = (f">{name}" if number in (1, 2, 3) else name for number, name in enumerate(HEADER))
    shown = table("Groups", *aligned, rows=map(cells, found))
    session.answer([*found], shown, empty="no groups yet: add something first")


class PeriodName(StrEnum):
    """What ``--growth`` counts by."""

    day = "day"
    week = "week"
    month = "month"
    year = "year"


async def stats(
    session: Session,
    top: Annotated[
        int, typer.Option(help="Entities, relations and types to list, most first.", min=0)
    ] = 10,
    growth: Annotated[
        PeriodName | None, typer.Option(help="Count what was added in each of these as well.")
    ] = None,
) -> None:
    """Count episodes, entities and facts, by relation, type and time, and the most connected."""
    async with session.graph("reading") as graph:
        groups = [group.name for group in await graph.groups().list()]
        counts = await graph.stats()
        queue = await graph.queue.status()
        connected = await graph.audit.hubs(top)
        grown = await graph.audit.growth(growth.value) if growth else None
    size = session.size()
    if session.json:
        session.show_json(
            plain(counts)
            | {
                "bytes": size,
                **({"episodes_waiting": queue.pending} if queue.pending else {}),
                **({"episodes_failed": queue.failed} if queue.failed else {}),
                **({"growth": plain(grown.periods)} if grown is not None else {}),
                "groups": groups,
                "most_connected": [
                    {"id": entity.id, "name": entity.name, "facts": facts}
                    for entity, facts in connected
                ],
            }
        )
        return
    rows = [
        ("episodes", str(counts.episodes)),
        *((("from", day(counts.first)), ("to", day(counts.last))) if counts.episodes else ()),
        *((("  waiting", str(queue.pending)),) if queue.pending else ()),
        *((("  failed", str(queue.failed)),) if queue.failed else ()),
        ("entities", str(counts.entities)),
        ("facts", str(counts.facts)),
        ("  true now", str(counts.facts_now)),
        ("  ended", str(counts.facts_ended)),
        ("  never true", str(counts.facts_retracted)),
        *((("  to review", str(counts.facts_pending)),) if counts.facts_pending else ()),
        ("events", str(counts.events)),
        ("size on disk", on_disk(size)),
    ]
    session.show(table(f"Group {counts.group}", "", ">", rows=rows))
    for title, tally in (("Relations", counts.relations), ("Types", counts.types)):
        most = [(name, str(number)) for name, number in tally.items()][:top]
        if most:
            session.show(table(title, "", ">", rows=most))
    if grown is not None:
        session.show(_growth_table(grown))
    if connected:
        session.show(connected_table(connected))
    if len(groups) > 1:
        session.show(line(f"groups in this store: {', '.join(groups)}"))


def _growth_table(grown: "Growth") -> RenderableType:
    rows = [(day(one.start), str(one.episodes), str(one.entities), str(one.facts)) for one in grown]
    return table("Added", f"{grown.by} from", ">episodes", ">entities", ">facts", rows=rows)
