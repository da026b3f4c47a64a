"""``stats``: what a graph holds."""

from typing import Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.render import connected_table, day, line, on_disk, table
from graphrag.cli.session import Session
from graphrag.errors import QueryError


async def stats(
    session: Session,
    top: Annotated[int, typer.Option(help="Most connected entities to list.", min=0)] = 10,
) -> None:
    """Count episodes, entities and facts, and list the most connected entities."""
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
    size = session.size()
    if session.json:
        session.show_json(
            plain(counts)
            | {
                "bytes": size,
                **({"episodes_waiting": queue.pending} if queue.pending else {}),
                **({"episodes_failed": queue.failed} if queue.failed else {}),
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
    if connected:
        session.show(connected_table(connected))
    if len(groups) > 1:
        session.show(line(f"groups in this store: {', '.join(groups)}"))
