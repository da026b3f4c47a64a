"""About one entity: ``show``, ``facts``, ``identity``, ``neighbors`` and ``path``."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group
from rich.text import Text

from graphrag.cli.forms import fact_form, plain
from graphrag.cli.moments import At, History, KnownAt, seen
from graphrag.cli.render import Entries, Entry, known_facts, line
from graphrag.cli.terminal import Session
from graphrag.errors import GraphRAGError, InputError
from graphrag.model.attributes import also_called
from graphrag.model.values import Entity, Episode, Fact
from graphrag.names.key import name_key

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG
    from graphrag.view.view import View

_CANDIDATES = 20
_SUGGESTIONS = 5
# Of two words of five letters, a fifth may differ.
_ALIKE = 0.7
_LINES = 2
_NONE = 1
_FACTS = 3
"""Shown of each neighbour."""

Named = Annotated[str, typer.Argument(help="Name, alias or id.", show_default=False)]
Depth = Annotated[int, typer.Option(help="Facts away at most, 1 to 10.")]


async def show(
    session: Session,
    entity: Named,
    at: At = None,
    known_at: KnownAt = None,
    history: History = False,
) -> None:
    """Show an entity: names, attributes, and its facts with their intervals and sources."""
    view = seen(at, known_at, history)
    if not entity.strip():
        raise InputError("the name of the entity is empty")
    async with session.graph("reading") as graph:
        seen_from = graph.at(valid_at=view.valid_at, known_at=view.known_at, history=history)
        found = await seen_from.entities(entity)
        if not found:
            raise GraphRAGError(await _unknown(graph, entity, session.group))
        facts = await seen_from.facts(found[0])
        ids = sorted({id_ for fact in facts for id_ in fact.episodes})
        episodes = {episode.id: episode for episode in await graph.episodes(ids)}
    if session.json:
        _show_json(session, found, facts, episodes)
    else:
        _show(session, found, facts, episodes)


async def _unknown(graph: "GraphRAG", name: str, group: str) -> str:
    results = await graph.at(history=True).search(name, limit=_CANDIDATES, scopes=["entities"])
    close = ", ".join(
        [hit.item.name for hit in results.entities if _alike(name, hit.item)][:_SUGGESTIONS]
    )
    hint = f"; did you mean {close}?" if close else ""
    return f"no entity is called {name!r} in group {group!r}{hint}"


def _alike(asked: str, entity: Entity) -> bool:
    words = name_key(asked).split()
    known = {word for name in (entity.name, *entity.aliases) for word in name_key(name).split()}
    return any(get_close_matches(word, known, n=1, cutoff=_ALIKE) for word in words)


def _show_json(
    session: Session,
    found: Sequence[Entity],
    facts: Sequence[Fact],
    episodes: Mapping[str, Episode],
) -> None:
    outgoing, incoming = _sides(found[0], facts)
    session.show_json(
        {
            "entity": plain(found[0]),
            "same_name": [other.id for other in found[1:]],
            "out": [fact_form(fact, episodes) for fact in outgoing],
            "in": [fact_form(fact, episodes) for fact in incoming],
        }
    )


def _show(
    session: Session,
    found: Sequence[Entity],
    facts: Sequence[Fact],
    episodes: Mapping[str, Episode],
) -> None:
    entity = found[0]
    outgoing, incoming = _sides(entity, facts)
    about = [line(entity.name, "bold"), line(f"{entity.entity_type}, id {entity.id}", "dim")]
    if entity.aliases:
        about.append(line(f"also called: {', '.join(also_called(entity))}"))
    if entity.summary:
        about.append(line(entity.summary))
    about.extend(line(f"{key}: {value}") for key, value in entity.attributes.items())
    session.show(Group(*about))
    if outgoing:
        session.show(known_facts(f"Facts of {entity.name}", outgoing, episodes))
    if incoming:
        session.show(known_facts(f"Facts that point to {entity.name}", incoming, episodes))
    if not facts:
        session.show(line("no facts hold then; --history shows those of every time"))
    for other in found[1:]:
        session.show(line(f"another {other.entity_type} has this name: show {other.id}"))


def _sides(entity: Entity, facts: Sequence[Fact]) -> tuple[list[Fact], list[Fact]]:
    outgoing = [fact for fact in facts if fact.subject_id == entity.id]
    return outgoing, [fact for fact in facts if fact.subject_id != entity.id]


async def facts(
    session: Session,
    entity: Annotated[
        str | None, typer.Argument(help="Name, alias or id.", show_default=False)
    ] = None,
    relation: Annotated[
        str | None, typer.Option(help="Facts of this relation, such as works_at.")
    ] = None,
    limit: Annotated[int, typer.Option(help="Facts at most.", min=1)] = 100,
    offset: Annotated[int, typer.Option(help="Facts to leave out before.", min=0)] = 0,
    at: At = None,
    known_at: KnownAt = None,
    history: History = False,
    ids: Annotated[
        bool, typer.Option("--ids", help="Each with its id, which retract and correct take.")
    ] = False,
) -> None:
    """List the facts about an entity, those of a relation, or both, by their start."""
    if entity is None and relation is None:
        raise InputError("name an entity, or give --relation, or both")
    view = seen(at, known_at, history)
    async with session.graph("reading") as graph:
        read = view.of(graph)
        found = await read.facts(entity, relation=relation, limit=limit, offset=offset)
        sources = sorted({id_ for fact in found for id_ in fact.episodes})
        episodes = {episode.id: episode for episode in await graph.episodes(sources)}
        hint = "" if found else await _hint(read, relation)
    session.answer(
        [fact_form(fact, episodes) for fact in found],
        known_facts(_title(found, entity, relation), found, episodes, ids=ids),
        empty=f"no facts hold then; --history shows those of every time{hint}",
    )


async def _hint(read: "View", relation: str | None) -> str:
    """Return which relation may be meant by one that nobody used."""
    known = (await read.stats()).relations
    close = [] if relation is None or relation in known else get_close_matches(relation, known, n=3)
    return f"; did you mean {', '.join(close)}?" if close else ""


def _title(found: list[Fact], entity: str | None, relation: str | None) -> str:
    about = "" if entity is None else f" about {entity}"
    kind = "" if relation is None else f" of {relation}"
    return f"{len(found)} facts{about}{kind}"


async def neighbors(
    session: Session,
    entity: Named,
    depth: Depth = 1,
    types: Annotated[
        list[str] | None,
        typer.Option("--type", help="Only entities of this type; may be repeated."),
    ] = None,
    relations: Annotated[
        list[str] | None,
        typer.Option("--relation", help="Only along this relation; may be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option(help="Entities at most.")] = 50,
    at: At = None,
    known_at: KnownAt = None,
    history: History = False,
) -> None:
    """List what is near an entity, nearest first, with the facts that lead there."""
    from graphrag.display.cards import fact_line

    view = seen(at, known_at, history)
    async with session.graph("walking") as graph:
        found = await view.of(graph).neighbors(
            entity,
            depth=depth,
            types=types or None,
            relations=relations or None,
            limit=limit,
            facts=_FACTS,
        )
    entries = tuple(
        Entry(
            one.entity.name,
            one.entity.entity_type,
            "; ".join(map(fact_line, one.facts)),
            lead=str(one.distance),
        )
        for one in found
    )
    shown = Entries(Text(f"Near {entity}", style="bold"), entries, _LINES)
    session.answer([*found], shown, empty="nothing is near it then")


async def path(
    session: Session,
    start: Named,
    end: Named,
    max_depth: Depth = 4,
    number: Annotated[
        int, typer.Option("--number", "-n", help="Ways to show: short and sure ones first.")
    ] = 1,
    at: At = None,
    known_at: KnownAt = None,
    history: History = False,
) -> None:
    """Show how two entities are linked; the exit code is 1 if they are not."""
    from graphrag.display.cards import fact_line

    view = seen(at, known_at, history)
    async with session.graph("walking") as graph:
        found = await view.of(graph).paths(start, end, k=number, max_depth=max_depth)
    ways = (
        Entries(Text(str(way), style="bold"), tuple(map(Entry, map(fact_line, way.facts))), _LINES)
        for way in found
    )
    none = f"no way of at most {max_depth} facts leads from one to the other"
    session.answer([*found], *ways, empty=none)
    if not found:
        raise typer.Exit(_NONE)


async def identity(
    session: Session,
    entity: Named,
    facts: Annotated[int, typer.Option(help="Facts that hold to show.")] = 12,
    ended: Annotated[int, typer.Option(help="Facts that ended last to show.")] = 3,
    at: At = None,
    known_at: KnownAt = None,
) -> None:
    """Show who or what an entity is, as briefly as a prompt needs it."""
    view = seen(at, known_at, history=False)
    async with session.graph("reading") as graph:
        found = await view.of(graph).profile(entity, facts=facts, changes=ended)
    session.answer(plain(found) | {"text": str(found)}, line(str(found)))
