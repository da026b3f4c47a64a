"""``search``: facts, entities, episodes and communities, now or as of a moment."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli.forms import plain, results_form
from graphrag.cli.moments import At, History, KnownAt, Seen, seen
from graphrag.cli.render import found_communities, found_entities, found_episodes, found_facts, line
from graphrag.cli.terminal import PANEL, Session
from graphrag.display.visible import visible
from graphrag.errors import UnknownGroupError
from graphrag.model.values import DEFAULT_GROUP

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG

_LIMIT = 5


class ScopeName(StrEnum):
    """What can be searched."""

    facts = "facts"
    entities = "entities"
    episodes = "episodes"
    communities = "communities"


async def search(
    session: Session,
    query: Annotated[str, typer.Argument(help="A question, or a few words.", show_default=False)],
    at: At = None,
    known_at: KnownAt = None,
    history: History = False,
    limit: Annotated[
        int | None,
        typer.Option(help="Hits of each scope. Default: the recipe's, else 5.", min=1, max=1000),
    ] = None,
    scope: Annotated[
        list[ScopeName] | None,
        typer.Option(help="Only these; may be repeated. Default: the recipe's, else all."),
    ] = None,
    recipe: Annotated[
        str | None, typer.Option(help="How to rank; a name that is none lists them.")
    ] = None,
    center: Annotated[
        list[str] | None,
        typer.Option(help="Name or id of an entity to count closeness from; may be repeated."),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="FILTER",
            help='What hits must be like: "relation == works_at and valid_at < 2022".',
        ),
    ] = None,
    saga: Annotated[
        str | None, typer.Option(help="Only what the episodes of this saga tell of.")
    ] = None,
    within: Annotated[
        list[str] | None,
        typer.Option(help="Only what lies near this entity, by name or id; may be repeated."),
    ] = None,
    hops: Annotated[int, typer.Option(help="How many facts away --within goes, 1 to 10.")] = 2,
    group: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Graph inside the store; repeat it to search several as one. Default: "
            f"$SURREAL_GRAPHRAG_GROUP, else {DEFAULT_GROUP}.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each step of the search with its time.")
    ] = False,
) -> None:
    """Search what is true now, or what was true at a moment."""
    from graphrag.search.filters.parse import parse_filter
    from graphrag.search.recipes import recipe_of
    from graphrag.search.request import SCOPES, Request
    from graphrag.search.within import Within

    view, way = seen(at, known_at, history), recipe_of(recipe)
    part = Within(within, hops) if within else None
    # Communities are of no saga, and lie in no part.
    all_scopes = SCOPES if saga is None and part is None else SCOPES[:-1]
    asked = [known for known in SCOPES if known in (scope or way.scopes or all_scopes)]
    limit = limit or way.limit or _LIMIT
    wanted = None if where is None else parse_filter(where)
    groups = [*dict.fromkeys(group or (session.group,))]
    # Checked before anything is opened.
    Request.of(
        query,
        groups[0],
        limit=limit,
        scopes=asked,
        recipe=way,
        where=wanted,
        saga=saga,
        within=part,
    )
    async with session.graph("loading models") as graph:
        read = view.of(graph.group(groups[0], strict=True))
        joined = graph.groups(*groups).at(
            valid_at=view.valid_at, known_at=view.known_at, history=history
        )
        if len(groups) > 1:
            await _check_there(graph, groups)
        results = await (read if len(groups) == 1 else joined).search(
            query,
            limit=limit,
            scopes=asked,
            recipe=way,
            centers=center or (),
            where=wanted,
            saga=saga,
            within=part,
            explain=explain,
        )
    if session.json:
        session.show_json({"view": plain(view), "group": _one(groups)} | results_form(results))
    elif not results:
        session.show(line(_nothing(groups, view)))
    else:
        several = len(groups) > 1
        if "facts" in asked:
            shown = found_facts(results, several=several) if results.facts else None
            session.show(shown or line("no facts found"))
        if results.entities:
            session.show(found_entities(results, several=several))
        if results.episodes:
            session.show(found_episodes(results, several=several))
        if results.communities:
            session.show(found_communities(results, several=several))
    if results.explanation is not None and not session.json:
        session.show(line(repr(results.explanation)))


class Format(StrEnum):
    """How a context is written."""

    text = "text"
    xml = "xml"
    json = "json"


async def context(
    session: Session,
    query: Annotated[str, typer.Argument(help="A question, or a few words.", show_default=False)],
    at: At = None,
    known_at: KnownAt = None,
    history: History = False,
    max_tokens: Annotated[int, typer.Option(help="What the whole block may take.", min=1)] = 2000,
    limit: Annotated[int | None, typer.Option(help="Hits of each scope.", min=1, max=1000)] = None,
    format: Annotated[Format, typer.Option(help="How it is written.")] = Format.text,
) -> None:
    """Print what a prompt needs to know, with dates and citations: context "Ann" --max-tokens 500.

    Only that goes to standard output, so that it can be piped.
    """
    view = seen(at, known_at, history)
    async with session.graph("loading models") as graph:
        results = await view.of(graph).search(query, limit=limit)
    found = results.context(max_tokens, "json" if session.json else format.value)
    session.out.file.write(visible(str(found)) + "\n")


async def _check_there(graph: "GraphRAG", groups: list[str]) -> None:
    there = {DEFAULT_GROUP, *(group.name for group in await graph.groups(*groups).list())}
    for name in groups:
        if name not in there:
            raise UnknownGroupError(name)


def _one(groups: list[str]) -> str | list[str]:
    return groups if len(groups) > 1 else groups[0]


def _nothing(groups: list[str], view: Seen) -> str:
    hint = "" if view.history else "; --history also shows what was true at other times"
    where = "groups" if len(groups) > 1 else "group"
    return f"nothing found in {where} {', '.join(map(repr, groups))}{hint}"
