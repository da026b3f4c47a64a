"""What sums up many episodes or facts: ``sagas``, ``saga`` and ``communities``."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from typer import Argument, Option

from graphrag.cli.command import Known, Limit, Moments
from graphrag.cli.render import Entry, attributes, day, line, table, titled
from graphrag.cli.terminal import Session
from graphrag.model.values import Community

if TYPE_CHECKING:
    from graphrag.community.ties import Every

_LINES = 3
_INDENT = "  "
Drawing = Annotated[Path, typer.Argument(help="An .svg or .png file to write.", show_default=False)]
_SHOWN = 70
Summarize = Annotated[
    bool, typer.Option("--summarize", help="First bring the summary up to date, and store it.")
]


async def sagas(session: Session, summarize: Summarize = False) -> None:
    """List the sagas of a group: conversations, cases, books given episode by episode."""
    from graphrag.sagas.order import HEADER, cells

    async with session.graph("reading") as graph:
        if summarize:
            await graph.sagas.summarize_all()
        listed = await graph.sagas.list()
    aligned = (f">{name}" if number == 1 else name for number, name in enumerate(HEADER))
    shown = table("Sagas", *aligned, rows=map(cells, listed))
    session.answer([*listed], shown, empty="no sagas: tell episodes with add --saga NAME")


async def saga(
    session: Session,
    view: Moments,
    name: str = Argument(help="Name of the saga."),
    summarize: Summarize = False,
) -> None:
    """Show a saga: what happened, its facts with their intervals, and its episodes."""
    from graphrag.display.cards import lifetime, triple

    async with session.graph("reading") as graph:
        if summarize:
            await graph.sagas.summarize(name)
        shown = await view.of(graph).sagas.get(name)
    newer = f"{shown.unsummarized} episodes are newer than this summary"
    facts = ((lifetime(stage.fact), triple(stage.fact), stage.status) for stage in shown.timeline)
    episodes = (
        (day(episode.valid_at), episode.name or episode.content.partition("\n")[0][:_SHOWN])
        for episode in shown
    )
    session.answer(
        attributes(
            shown,
            *("name", "summary", "summarized_until", "unsummarized"),
            *("episodes", "entities", "timeline"),
        ),
        line(shown.name, "bold"),
        *map(line, shown.summary.splitlines()),
        line(newer, "dim") if shown.unsummarized else None,
        table("Facts", "", "", "", rows=facts),
        table("Episodes", "", "", rows=episodes),
    )


async def communities_build(session: Session) -> None:
    """Detect, describe and store the communities of the facts that hold now."""
    async with session.graph("detecting") as graph:
        built = await graph.communities.build()
    _show(session, built)


async def communities_update(session: Session) -> None:
    """Bring the communities up to date around what changed since."""
    async with session.graph("updating") as graph:
        updated = await graph.communities.update()
    _show(session, updated)


async def communities_list(
    session: Session,
    view: Moments,
    level: int | None = Option(None, help="Only of this level; 0 is the coarsest. Default: all."),
) -> None:
    """List the communities: as last built, or with --at of the facts that held then."""
    async with session.graph("reading") as graph:
        stored = await view.of(graph).communities.list(level=level)
    _show(session, stored)


async def communities_show(
    session: Session,
    view: Moments,
    community: str = Argument(help="Name, part of it, or id."),
    limit: Limit = 20,
) -> None:
    """Show a community: members, the facts between them, and its parts."""
    async with session.graph("reading") as graph:
        shown = await view.of(graph).communities.get(community, limit=limit)
    session.answer(
        attributes(shown, "community", "entities", "facts", "fact_count", "parts", "parent"),
        line(str(shown)),
    )


async def communities_draw(
    session: Session,
    view: Moments,
    file: Drawing,
    level: int = Option(0, help="0 is the coarsest."),
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
    session: Session,
    view: Moments,
    question: str = Argument(help="About the whole."),
    tokens: int = Option(1000, help="What the text may take."),
) -> None:
    """Print what the communities say of a question about the whole, with sources."""
    async with session.graph("reading") as graph:
        answer = await view.of(graph).communities.context(question, max_tokens=tokens)
    session.answer(answer, line(answer.text or "no communities: communities build makes them"))


async def communities_over_time(
    session: Session,
    view: Known,
    every: str = Option("year", help="Slices of time: month, quarter, year or decade."),
    start: datetime | None = Option(None, help="Default: when the first fact begins."),
    end: datetime | None = Option(None, help="Default: now."),
    resolution: float | None = Option(
        None, help="Finds small groups; say 0.2. Default: those of best modularity."
    ),
    draw: Path | None = Option(None, metavar="FILE", help="Also draw an .svg or .png file."),
) -> None:
    """Show how communities grow, shrink, merge, split, come and go, slice by slice."""
    async with session.graph("detecting") as graph:
        lives = await view.of(graph).communities.over_time(
            cast("Every", every),
            start=start,
            end=end,
            resolution=resolution,
        )
    if draw is not None:
        lives.save(draw)
    columns = (f">{label}" for label in lives.labels())
    rows = ((*(str(size or "") for size in life.sizes), life.name) for life in lives)
    session.answer(
        attributes(lives, "slices", "events", "names") | {"communities": [*lives]},
        *(
            (table("Members", *columns, "community", rows=rows), *map(line, lives.sentences()))
            if len(lives)
            else [line("no communities")]
        ),
    )


def _show(session: Session, communities: Sequence[Community]) -> None:
    stored = {community.id for community in communities}
    children: dict[str | None, list[Community]] = {}
    for community in communities:
        parent = community.parent if community.parent in stored else None
        children.setdefault(parent, []).append(community)

    def below(parent: str | None, depth: int) -> Iterator[Entry]:
        for community in children.get(parent, ()):
            members = f"{len(community.members)} members"
            yield Entry(f"{_INDENT * depth}{community.name}", members, community.summary)
            yield from below(community.id, depth + 1)

    shown = titled(f"{len(communities)} communities", below(None, 0), _LINES)
    session.answer([*communities], shown, empty="no communities")
