"""What a store holds: ``list``, ``groups`` and ``stats``."""

from typing import TYPE_CHECKING, Literal

from rich.console import RenderableType
from typer import Option

from graphrag.cli.command import AnyView, EntityType, Moments, Offset, Page
from graphrag.cli.render import (
    connected_table,
    day,
    line,
    on_disk,
    plain,
    short,
    table,
    tally,
)
from graphrag.cli.terminal import Session

if TYPE_CHECKING:
    from graphrag.analysis.stats import Growth, Stats
    from graphrag.ingest.queue import QueueStatus

_WIDTH = 40
_TYPES = 10
"""Named where a type is asked for that nothing has."""


async def list_entities(
    session: Session,
    view: AnyView,
    entity_type: EntityType = None,
    limit: Page = 50,
    offset: Offset = 0,
) -> None:
    """Page through the entities, best connected first."""
    async with session.graph("reading") as graph:
        read = view.of(graph)
        page = await read.entities(entity_type=entity_type, limit=limit, offset=offset)
        types = () if page or entity_type is None else (await read.stats()).types
    rows = (
        (entity.id, entity.name, entity.entity_type, short(", ".join(entity.aliases), _WIDTH))
        for entity in page
    )
    none = "no more entities" if offset else "no entities"
    if not page and entity_type is not None and entity_type not in types:
        known = ", ".join([*types][:_TYPES]) or "none"
        none = f"no entity is of type {entity_type!r}; types there are: {known}"
    shown = table("Entities", "id", "name", "type", "also called", rows=rows)
    session.answer(page, shown, _next(len(page), limit, offset), empty=none)


async def list_episodes(
    session: Session, view: Moments, limit: Page = 50, offset: Offset = 0
) -> None:
    """Page through the episodes, the latest first."""
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
    none = "no more episodes" if offset else "no episodes"
    shown = table("Episodes", "id", "date", "name", "begins", rows=rows)
    session.answer(page, shown, _next(len(page), limit, offset), empty=none)


def _next(shown: int, limit: int, offset: int) -> RenderableType | None:
    return line(f"--offset {offset + limit} goes on") if shown == limit else None


async def groups(session: Session) -> None:
    """List the groups of a store with their sizes and last changes."""
    from graphrag.display.lists import HEADER, cells

    async with session.graph("reading") as graph:
        listed = await graph.groups().list()
    aligned = (f">{name}" if number in (1, 2, 3) else name for number, name in enumerate(HEADER))
    shown = table("Groups", *aligned, rows=map(cells, listed))
    session.answer([*listed], shown, empty="no groups yet: add something first")


async def stats(
    session: Session,
    top: int = Option(10, help="Entities, relations and types to list, most first.", min=0),
    growth: Literal["day", "week", "month", "year"] | None = Option(
        None, help="Count what was added in each of these as well."
    ),
) -> None:
    """Count episodes, entities and facts, by relation, type and time, and the most connected."""
    async with session.graph("reading") as graph:
        groups = [group.name for group in await graph.groups().list()]
        counts = await graph.stats()
        queue = await graph.queue.status()
        connected = await graph.audit.hubs(top)
        grown = await graph.audit.growth(growth) if growth else None
    size = session.size()
    session.answer(
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
        },
        _counts_table(counts, queue, size),
        *(
            tally(title, dict([*counted.items()][:top]))
            for title, counted in (("Relations", counts.relations), ("Types", counts.types))
            if counted and top
        ),
        None if grown is None else _growth_table(grown),
        connected_table(connected),
        line(f"groups in this store: {', '.join(groups)}") if len(groups) > 1 else None,
    )


def _counts_table(counts: "Stats", queue: "QueueStatus", size: int | None) -> RenderableType:
    return tally(
        f"Group {counts.group}",
        {
            "episodes": counts.episodes,
            "from": day(counts.first) or None,
            "to": day(counts.last) or None,
            "  waiting": queue.pending or None,
            "  failed": queue.failed or None,
            "entities": counts.entities,
            "facts": counts.facts,
            "  true now": counts.facts_now,
            "  ended": counts.facts_ended,
            "  never true": counts.facts_retracted,
            "  to review": counts.facts_pending or None,
            "events": counts.events,
            "size on disk": on_disk(size),
        },
    )


def _growth_table(grown: "Growth") -> RenderableType:
    rows = (
        (day(period.start), str(period.episodes), str(period.entities), str(period.facts))
        for period in grown
    )
    return table("Added", f"{grown.by} from", ">episodes", ">entities", ">facts", rows=rows)
