"""Entities: ``show``, ``facts``, ``timeline``, ``identity``, ``neighbors`` and ``path``."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group
from typer import Argument, Option

from graphrag.cli.command import AnyView, EntityName, Limit, Moments, Offset, Relation
from graphrag.cli.render import Entry, fact_form, facts_entries, line, plain, titled
from graphrag.cli.terminal import CommandRun
from graphrag.display.cards import fact_line
from graphrag.errors import GraphRAGError, InputError
from graphrag.model.attributes import also_called
from graphrag.model.values import Entity, Episode, Fact
from graphrag.names.key import name_key

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG
    from graphrag.view.view import View

_CANDIDATES = 20
_SUGGESTIONS = 5
_ALIKE = 0.7  # of two words of five letters, a fifth may differ
_FACTS = 3  # shown of each neighbour
_NO_FACTS = "no facts hold then; --history shows those of every time"

Depth = Annotated[int, typer.Option(help="Maximum distance in facts, 1 to 10.")]


async def show(session: CommandRun, view: AnyView, entity: EntityName) -> None:
    """Show an entity: names, attributes, and its facts with their intervals and sources."""
    if not entity.strip():
        raise InputError("the name of the entity is empty")
    async with session.graph("reading") as graph:
        read = view.of(graph)
        named = await read.entities(entity)
        if not named:
            raise GraphRAGError(await _unknown(graph, entity, session.group))
        first, *others = named
        facts = await read.facts(first)
        episodes = await _episodes(graph, facts)
    outgoing, incoming = facts.outgoing, facts.incoming
    session.answer(
        {
            "entity": plain(first),
            "same_name": [other.id for other in others],
            "out": [fact_form(fact, episodes) for fact in outgoing],
            "in": [fact_form(fact, episodes) for fact in incoming],
        },
        _card(first),
        *(
            facts_entries(f"{title} {first.name}", listed, episodes)
            for title, listed in (("Facts of", outgoing), ("Facts that point to", incoming))
            if listed
        ),
        None if facts else line(_NO_FACTS),
        *(line(f"another {other.entity_type} has this name: show {other.id}") for other in others),
    )


async def _episodes(graph: "GraphRAG", facts: Sequence[Fact]) -> Mapping[str, Episode]:
    ids = sorted({id_ for fact in facts for id_ in fact.episodes})
    return {episode.id: episode for episode in await graph.episodes(ids)}


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


def _card(entity: Entity) -> Group:
    about = [line(entity.name, "bold"), line(f"{entity.entity_type}, id {entity.id}", "dim")]
    if entity.aliases:
        about.append(line(f"also called: {', '.join(also_called(entity))}"))
    if entity.summary:
        about.append(line(entity.summary))
    return Group(*about, *(line(f"{key}: {value}") for key, value in entity.attributes.items()))


async def facts(
    session: CommandRun,
    view: AnyView,
    entity: str | None = Argument(None, help="Name, alias or id."),
    relation: Relation = None,
    limit: Limit = 100,
    offset: Offset = 0,
    ids: bool = Option(False, help="Show the ids, for retract and correct."),
) -> None:
    """List the facts of an entity, of a relation, or of both, in order of their starts."""
    if entity is None and relation is None:
        raise InputError("name an entity, or give --relation, or both")
    async with session.graph("reading") as graph:
        read = view.of(graph)
        listed = await read.facts(entity, relation=relation, limit=limit, offset=offset)
        episodes = await _episodes(graph, listed)
        hint = "" if listed else await _hint(read, relation)
    about = "" if entity is None else f" about {entity}"
    kind = "" if relation is None else f" of {relation}"
    session.answer(
        [fact_form(fact, episodes) for fact in listed],
        facts_entries(f"{len(listed)} facts{about}{kind}", listed, episodes, ids=ids),
        empty=f"{_NO_FACTS}{hint}",
    )


async def _hint(read: "View", relation: str | None) -> str:
    known = (await read.stats()).relations
    close = [] if relation is None or relation in known else get_close_matches(relation, known, n=3)
    return f"; did you mean {', '.join(close)}?" if close else ""


async def timeline(session: CommandRun, view: Moments, entity: EntityName) -> None:
    """Show every fact about an entity in chronological order, with what ended it."""
    async with session.graph("reading") as graph:
        life = await view.of(graph).timeline(entity)
    stages = [plain(stage) | {"why": stage.why} for stage in life]
    session.answer(
        {"entity": plain(life.entity), "at": plain(life.at), "facts": stages}, line(str(life))
    )


async def identity(
    session: CommandRun,
    view: Moments,
    entity: EntityName,
    facts: int = Option(12, help="Maximum number of current facts."),
    ended: int = Option(3, help="Maximum number of ended facts, latest first."),
) -> None:
    """Show a short profile of an entity: type, names, current facts and last changes."""
    async with session.graph("reading") as graph:
        profile = await view.of(graph).profile(entity, facts=facts, changes=ended)
    session.answer(plain(profile) | {"text": str(profile)}, line(str(profile)))


async def neighbors(
    session: CommandRun,
    view: AnyView,
    entity: EntityName,
    depth: Depth = 1,
    types: list[str] | None = Option(None, "--type", help="Only entities of this type."),
    relations: list[str] | None = Option(None, "--relation", help="Follow only this relation."),
    limit: Limit = 50,
) -> None:
    """List the entities near an entity, nearest first, with the facts that link them."""
    kinds, along = types or None, relations or None
    async with session.graph("walking") as graph:
        near = await view.of(graph).neighbors(
            entity, depth=depth, types=kinds, relations=along, limit=limit, facts=_FACTS
        )
    entries = (
        Entry(to.name, to.entity_type, "; ".join(map(fact_line, it.facts)), lead=str(it.distance))
        for it in near
        for to in [it.entity]
    )
    session.answer([*near], titled(f"Near {entity}", entries), empty="nothing is near it then")


async def path(
    session: CommandRun,
    view: AnyView,
    start: EntityName,
    end: EntityName,
    max_depth: Depth = 4,
    number: int = Option(1, "--number", "-n", help="Maximum number of paths, cheapest first."),
) -> None:
    """Show the shortest paths between two entities; the exit code is 1 if there is none."""
    async with session.graph("walking") as graph:
        paths = await view.of(graph).paths(start, end, k=number, max_depth=max_depth)
    session.answer(
        [*paths],
        *(titled(str(way), map(Entry, map(fact_line, way.facts))) for way in paths),
        empty=f"no way of at most {max_depth} facts leads from one to the other",
        failed=not paths,
    )
