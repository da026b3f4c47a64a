"""What sums up many episodes or facts: ``sagas``, ``saga`` and ``communities``."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.text import Text

from graphrag.cli.forms import plain
from graphrag.cli.moments import At, KnownAt, moment, seen
from graphrag.cli.render import Entries, Entry, day, line, table
from graphrag.cli.terminal import Session
from graphrag.model.values import Community

if TYPE_CHECKING:
    from graphrag.community.map import CommunityView
    from graphrag.community.slices import Every
    from graphrag.sagas.saga import SagaView

_SHOWN = 70
_LINES = 3
_INDENT = "  "
Level = Annotated[
    int | None, typer.Option("--level", help="Only of this level; 0 is the coarsest. Default: all.")
]
Summarize = Annotated[
    bool, typer.Option("--summarize", help="First bring the summary up to date, and store it.")
]


async def sagas(session: Session, summarize: Summarize = False) -> None:
    """List the sagas of a group: conversations, cases, books given episode by episode."""
    from graphrag.sagas.order import HEADER, cells

    async with session.graph("reading") as graph:
        if summarize:
            await graph.sagas.summarize_all()
        found = await graph.sagas.list()
    aligned = (f">{name}" if number == 1 else name for number, name in enumerate(HEADER))
    shown = table("Sagas", *aligned, rows=map(cells, found))
    session.answer([*found], shown, empty="no sagas: tell episodes with add --saga NAME")


async def saga(
    session: Session,
    name: Annotated[str, typer.Argument(help="Name of the saga.", show_default=False)],
    at: At = None,
    known_at: KnownAt = None,
    summarize: Summarize = False,
) -> None:
    """Show a saga: what happened, its facts with their intervals, and its episodes."""
    view = seen(at, known_at, False)
    async with session.graph("reading") as graph:
        if summarize:
            await graph.sagas.summarize(name)
        reading = graph.at(valid_at=view.valid_at, known_at=view.known_at)
        found = await reading.sagas.get(name)
    if session.json:
        session.show_json(
            {
                "name": found.name,
                "summary": found.summary,
                "summarized_until": plain(found.summarized_until),
                "unsummarized": found.unsummarized,
                "episodes": plain(found.episodes),
                "entities": plain(found.entities),
                "timeline": plain(found.timeline),
            }
        )
    else:
        _show_saga(session, found)


def _show_saga(session: Session, found: "SagaView") -> None:
    from graphrag.display.cards import lifetime, triple

    session.show(line(found.name, "bold"), *map(line, found.summary.splitlines()))
    if found.unsummarized:
        session.show(line(f"{found.unsummarized} episodes are newer than this summary", "dim"))
    facts = ((lifetime(one.fact), triple(one.fact), one.status) for one in found.timeline)
    session.show(table("Facts", "", "", "", rows=facts))
    episodes = (
        (day(one.valid_at), one.name or one.content.partition("\n")[0][:_SHOWN]) for one in found
    )
    session.show(table("Episodes", "", "", rows=episodes))


async def build_communities(session: Session) -> None:
    """Detect, describe and store the communities of the facts that hold now."""
    async with session.graph("detecting") as graph:
        found = await graph.communities.build()
    _show_communities(session, found)


async def update_communities(session: Session) -> None:
    """Bring the communities up to date around what changed since."""
    async with session.graph("updating") as graph:
        found = await graph.communities.update()
    _show_communities(session, found)


async def list_communities(
    session: Session, level: Level = None, at: At = None, known_at: KnownAt = None
) -> None:
    """List the communities: as last built, or with --at of the facts that held then."""
    view = seen(at, known_at, False)
    async with session.graph("reading") as graph:
        found = await view.of(graph).communities.list(level=level)
    _show_communities(session, found)


async def show_community(
    session: Session,
    community: Annotated[str, typer.Argument(help="Name, part of it, or id.", show_default=False)],
    at: At = None,
    known_at: KnownAt = None,
    limit: Annotated[int, typer.Option(help="Members and facts at most.")] = 20,
) -> None:
    """Show a community: members, the facts between them, and its parts."""
    view = seen(at, known_at, False)
    async with session.graph("reading") as graph:
        found = await view.of(graph).communities.get(community, limit=limit)
    session.answer(_form(found), line(str(found)))


async def draw_communities(
    session: Session,
    file: Annotated[
        Path, typer.Argument(help="An .svg or .png file to write.", show_default=False)
    ],
    level: Annotated[int, typer.Option("--level", help="0 is the coarsest.")] = 0,
    at: At = None,
    known_at: KnownAt = None,
) -> None:
    """Draw the communities of one level into an SVG or PNG file."""
    view = seen(at, known_at, False)
    async with session.graph("drawing") as graph:
        chart = await view.of(graph).communities.map(level=level)
    chart.save(file)
    session.answer(
        {"file": str(file), "communities": len(chart.communities)},
        line(f"{len(chart.communities)} communities drawn into {file}"),
    )


async def ask_communities(
    session: Session,
    question: Annotated[str, typer.Argument(help="About the whole.", show_default=False)],
    tokens: Annotated[int, typer.Option("--tokens", help="What the text may take.")] = 1000,
    at: At = None,
    known_at: KnownAt = None,
) -> None:
    """Print what the communities say of a question about the whole, with sources."""
    view = seen(at, known_at, False)
    async with session.graph("reading") as graph:
        found = await view.of(graph).communities.context(question, max_tokens=tokens)
    session.answer(found, line(found.text or "no communities: communities build makes them"))


async def communities_over_time(
    session: Session,
    every: Annotated[
        str, typer.Option(help="Slices of time: month, quarter, year or decade.")
    ] = "year",
    start: Annotated[
        str | None, typer.Option(metavar="DATE", help="Default: when the first fact begins.")
    ] = None,
    end: Annotated[str | None, typer.Option(metavar="DATE", help="Default: now.")] = None,
    resolution: Annotated[
        float | None,
        typer.Option(help="Finds small groups; say 0.2. Default: those of best modularity."),
    ] = None,
    draw: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw an .svg or .png file.")
    ] = None,
    known_at: KnownAt = None,
) -> None:
    """Show how communities grow, shrink, merge, split, come and go, slice by slice."""
    view = seen(None, known_at, False)
    async with session.graph("detecting") as graph:
        found = await view.of(graph).communities.over_time(
            cast("Every", every),
            start=moment(start, "--start"),
            end=moment(end, "--end"),
            resolution=resolution,
        )
    if draw is not None:
        found.save(draw)
    if session.json:
        session.show_json(
            {
                "slices": plain(found.slices),
                "communities": [plain(one) for one in found],
                "events": plain(found.events),
                "names": plain(found.names),
            }
        )
    elif not len(found):
        session.show(line("no communities"))
    else:
        columns = (f">{label}" for label in found.labels())
        rows = ((*(str(size or "") for size in one.sizes), one.name) for one in found)
        session.show(table("Members", *columns, "community", rows=rows))
        session.show(*map(line, found.sentences()))


def _show_communities(session: Session, found: Sequence[Community]) -> None:
    entries = tuple(
        Entry(f"{_INDENT * depth}{one.name}", f"{len(one.members)} members", one.summary)
        for depth, one in _nested(found, {one.id for one in found})
    )
    shown = Entries(Text(f"{len(found)} communities", style="bold"), entries, _LINES)
    session.answer([*found], shown, empty="no communities")


def _nested(found: Sequence[Community], there: set[str]) -> Iterable[tuple[int, Community]]:
    """Yield communities, each followed by its parts."""

    def below(parent: str | None, depth: int) -> Iterable[tuple[int, Community]]:
        for one in found:
            if (one.parent if one.parent in there else None) == parent:
                yield depth, one
                yield from below(one.id, depth + 1)

    return below(None, 0)


def _form(view: "CommunityView") -> dict[str, Any]:
    return {
        "community": plain(view.community),
        "entities": plain(view.entities),
        "facts": plain(view.facts),
        "fact_count": view.fact_count,
        "parts": plain(view.parts),
        "parent": None if view.parent is None else plain(view.parent),
    }
