"""``facts``: those about an entity, or those of a relation."""

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli.forms import fact_form
from graphrag.cli.moments import At, History, KnownAt, seen
from graphrag.cli.render import known_facts, line
from graphrag.cli.session import Session
from graphrag.errors import InputError
from graphrag.models import Fact

if TYPE_CHECKING:
    from graphrag.asof import AsOf


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
) -> None:
    """List the facts about an entity, those of a relation, or both, by their start."""
    if entity is None and relation is None:
        raise InputError("name an entity, or give --relation, or both")
    view = seen(at, known_at, history)
    with session.busy("reading"):
        async with session.graph() as graph:
            read = view.of(graph)
            if entity is None:
                assert relation is not None
                found = await read.facts_of(
                    relation, limit=limit, offset=offset, group=session.group
                )
            else:
                about = await read.facts_about(entity, relation=relation, group=session.group)
                found = list(about)[offset : offset + limit]
            ids = sorted({id_ for fact in found for id_ in fact.episodes})
            episodes = {episode.id: episode for episode in await graph.episodes(ids)}
            hint = "" if found else await _hint(read, relation, session.group)
    if session.json:
        session.show_json([fact_form(fact, episodes) for fact in found])
    elif not found:
        session.show(line(f"no facts hold then; --history shows those of every time{hint}"))
    else:
        session.show(known_facts(_title(found, entity, relation), found, episodes))


async def _hint(read: "AsOf", relation: str | None, group: str) -> str:
    """Return which relation may be meant by one that nobody used."""
    known = (await read.stats(group=group)).relations
    close = [] if relation is None or relation in known else get_close_matches(relation, known, n=3)
    return f"; did you mean {', '.join(close)}?" if close else ""


def _title(found: list[Fact], entity: str | None, relation: str | None) -> str:
    about = "" if entity is None else f" about {entity}"
    kind = "" if relation is None else f" of {relation}"
    return f"{len(found)} facts{about}{kind}"
