"""``show``: everything about one entity."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group

from graphrag.cli.forms import fact_form, plain
from graphrag.cli.moments import At, History, KnownAt, seen
from graphrag.cli.render import known_facts, line
from graphrag.cli.session import Session
from graphrag.errors import GraphRAGError, InputError
from graphrag.models import Entity, Episode, Fact
from graphrag.names import name_key

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG

_CANDIDATES = 20
_SUGGESTIONS = 5
# Of two words of five letters, a fifth may differ.
_ALIKE = 0.7


async def show(
    session: Session,
    entity: Annotated[str, typer.Argument(help="Name, alias or id.", show_default=False)],
    at: At = None,
    known_at: KnownAt = None,
    history: History = False,
) -> None:
    """Show an entity: names, attributes, and its facts with their intervals and sources."""
    view = seen(at, known_at, history)
    if not entity.strip():
        raise InputError("the name of the entity is empty")
    with session.busy("reading"):
        async with session.graph() as graph:
            seen_from = graph.at(valid_at=view.valid_at, known_at=view.known_at, history=history)
            found = await seen_from.entities(entity, group=session.group)
            if not found:
                raise GraphRAGError(await _unknown(graph, entity, session.group))
            facts = await seen_from.facts(found[0], group=session.group)
            ids = sorted({id_ for fact in facts for id_ in fact.episodes})
            episodes = {episode.id: episode for episode in await graph.episodes(ids)}
    if session.json:
        _show_json(session, found, facts, episodes)
    else:
        _show(session, found, facts, episodes)


async def _unknown(graph: "GraphRAG", name: str, group: str) -> str:
    results = await graph.at(history=True).search(
        name, group=group, limit=_CANDIDATES, scopes=["entities"]
    )
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
        about.append(line(f"also called: {', '.join(entity.aliases)}"))
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
