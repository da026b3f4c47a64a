"""Contents of a store: ``list``, ``groups``, ``sagas``, ``saga`` and ``communities``."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Argument, Option

from graphrag.cli.command import AnyView, EntityType, Known, Limit, Moments, Offset, Page
from graphrag.cli.render import Entry, attributes, day, line, next_page, short, table, titled
from graphrag.cli.terminal import CommandRun
from graphrag.display.cards import lifetime, triple
from graphrag.display.lists import HEADER, cells
from graphrag.model.values import Community

_LINES, _WIDTH, _SHOWN = 3, 40, 70
_TYPES = 10
Drawing = Annotated[Path, typer.Argument(help="An .svg or .png file to write.", show_default=False)]
Summarize = Annotated[bool, typer.Option("--summarize", help="Update the summary first.")]


async def list_entities(
    session: CommandRun,
    view: AnyView,
    entity_type: EntityType = None,
    limit: Page = 50,
    offset: Offset = 0,
) -> None:
    """List the entities page by page, best connected first."""
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
    session.answer(page, shown, next_page(page, limit, offset), empty=none)


async def list_episodes(
    session: CommandRun, view: Moments, limit: Page = 50, offset: Offset = 0
) -> None:
    """List the episodes page by page, latest first."""
    async with session.graph("reading") as graph:
        page = await view.of(graph).episodes(limit=limit, offset=offset)
    rows = (
        (it.id, day(it.valid_at), short(it.name, _WIDTH), short(it.content, _WIDTH)) for it in page
    )
    none = "no more episodes" if offset else "no episodes"
    shown = table("Episodes", "id", "date", "name", "begins", rows=rows)
    session.answer(page, shown, next_page(page, limit, offset), empty=none)


async def groups(session: CommandRun) -> None:
    """List the groups of a store with their sizes and times of last change."""
    async with session.graph("reading") as graph:
        listed = await graph.groups().list()
    aligned = (f">{name}" if number in (1, 2, 3) else name for number, name in enumerate(HEADER))
    shown = table("Groups", *aligned, rows=map(cells, listed))
    session.answer([*listed], shown, empty="no groups yet: add something first")


async def sagas(session: CommandRun, summarize: Summarize = False) -> None:
    """List the sagas of a group: sequences of episodes such as a conversation, case or book."""
    from graphrag.sagas import order

    async with session.graph("reading") as graph:
        if summarize:
            await graph.sagas.summarize_all()
        listed = await graph.sagas.list()
    aligned = (f">{name}" if number == 1 else name for number, name in enumerate(order.HEADER))
    shown = table("Sagas", *aligned, rows=map(order.cells, listed))
    session.answer([*listed], shown, empty="no sagas: add episodes with add --saga NAME")


async def saga(
    session: CommandRun,
    view: Moments,
    name: str = Argument(help="Name of the saga."),
    summarize: Summarize = False,
) -> None:
    """Show a saga: its summary, its facts with their intervals, and its episodes."""
    async with session.graph("reading") as graph:
        if summarize:
            await graph.sagas.summarize(name)
        shown = await view.of(graph).sagas.get(name)
    facts = ((lifetime(stage.fact), triple(stage.fact), stage.status) for stage in shown.timeline)
    episodes = (
        (day(episode.valid_at), episode.name or episode.content.partition("\n")[0][:_SHOWN])
        for episode in shown
    )
    names = "name summary summarized_until unsummarized episodes entities timeline".split()
    newer = f"{shown.unsummarized} episodes are newer than this summary"
    session.answer(
        attributes(shown, *names),
        line(str(shown)),
        line(newer, "dim") if shown.unsummarized else None,
        table("Facts", "", "", "", rows=facts),
        table("Episodes", "", "", rows=episodes),
    )


async def communities_build(session: CommandRun) -> None:
    """Detect, describe and store the communities of the current facts."""
    async with session.graph("detecting") as graph:
        built = await graph.communities.build()
    _show(session, built)


async def communities_update(session: CommandRun) -> None:
    """Update the communities that recent changes affect."""
    async with session.graph("updating") as graph:
        updated = await graph.communities.update()
    _show(session, updated)


async def communities_list(
    session: CommandRun,
    view: Moments,
    level: int | None = Option(None, help="Only this level; 0 is the coarsest. Default: all."),
) -> None:
    """List the communities of the last build, or with --at of the facts that held then."""
    async with session.graph("reading") as graph:
        stored = await view.of(graph).communities.list(level=level)
    _show(session, stored)


async def communities_show(
    session: CommandRun,
    view: Moments,
    community: str = Argument(help="Name, unique part of the name, or id."),
    limit: Limit = 20,
) -> None:
    """Show a community: its members, the facts between them, and its subcommunities."""
    async with session.graph("reading") as graph:
        shown = await view.of(graph).communities.get(community, limit=limit)
    session.answer(
        attributes(shown, "community", "entities", "facts", "fact_count", "parts", "parent"),
        line(str(shown)),
    )


async def communities_draw(
    session: CommandRun,
    view: Moments,
    file: Drawing,
    level: int = Option(0, help="Level; 0 is the coarsest."),
) -> None:
    """Draw the communities of one level into an SVG or PNG file."""
    async with session.graph("drawing") as graph:
        chart = await view.of(graph).communities.map(level=level)
    chart.save(file)
    count = len(chart.communities)
    session.answer(
        {"file": str(file), "communities": count}, line(f"{count} communities drawn into {file}")
    )


async def communities_ask(
    session: CommandRun,
    view: Moments,
    question: str = Argument(help="A question about the whole graph."),
    tokens: int = Option(1000, help="Maximum number of tokens of the text."),
) -> None:
    """Print community summaries and facts for a question about the whole graph, with sources."""
    async with session.graph("reading") as graph:
        answer = await view.of(graph).communities.context(question, max_tokens=tokens)
    session.answer(answer, line(answer.text or "no communities: communities build makes them"))


async def communities_over_time(
    session: CommandRun,
    view: Known,
    every: Literal["month", "quarter", "year", "decade"] = Option("year", help="Slice length."),
    start: datetime | None = Option(None, help="Start; default: that of the first fact."),
    end: datetime | None = Option(None, help="End; default: now."),
    resolution: float | None = Option(
        None, help="A value such as 0.2 finds smaller communities. Default: modularity."
    ),
    draw: Path | None = Option(None, metavar="FILE", help="Also draw an .svg or .png file."),
) -> None:
    """Show how communities appear, grow, shrink, merge, split and disappear over time."""
    async with session.graph("detecting") as graph:
        lives = await view.of(graph).communities.over_time(
            every, start=start, end=end, resolution=resolution
        )
    if draw is not None:
        lives.save(draw)
    session.answer(
        attributes(lives, "slices", "events", "names") | {"communities": [*lives]}, line(str(lives))
    )


def _show(session: CommandRun, communities: Sequence[Community]) -> None:
    children: dict[str | None, list[Community]] = {}
    stored = {community.id for community in communities} | {None}
    for community in communities:
        parent = community.parent if community.parent in stored else None
        children.setdefault(parent, []).append(community)

    def below(parent: str | None, depth: int) -> Iterator[Entry]:
        for community in children.get(parent, ()):
            members = f"{len(community.members)} members"
            yield Entry(f"{'  ' * depth}{community.name}", members, community.summary)
            yield from below(community.id, depth + 1)

    shown = titled(f"{len(communities)} communities", below(None, 0), _LINES)
    session.answer([*communities], shown, empty="no communities")
