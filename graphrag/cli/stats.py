"""``stats``: what a graph holds."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType

from graphrag.cli.forms import plain
from graphrag.cli.render import connected_table, day, line, on_disk, table
from graphrag.cli.session import Session
from graphrag.errors import QueryError

if TYPE_CHECKING:
    from graphrag.audit.growth import Growth


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
        PeriodName | None, typer.Option(help="Count what was told in each of these as well.")
    ] = None,
) -> None:
    """Count episodes, entities and facts, by relation, type and time, and the most connected."""
    with session.busy("reading"):
        async with session.graph() as graph:
            groups = await graph.groups()
            if session.group not in groups and groups:
                known = ", ".join(map(repr, groups))
                raise QueryError(
                    f"there is no group {session.group!r}; groups in this store: {known}"
                )
            counts = await graph.stats(group=session.group)
            queue = await graph.status(group=session.group)
            connected = await graph.most_connected(top, group=session.group)
            grown = await graph.growth(growth.value, group=session.group) if growth else None
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
    return table("Told", f"{grown.by} from", ">episodes", ">entities", ">facts", rows=rows)
