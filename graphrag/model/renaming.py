"""An entity by the name of a moment, and what a text that is heard or taken back does to its names.

The row of an entity keeps the name that it was first stored under: only what is shown changes with
the moment that is asked about, so that nothing has to be undone when a text goes.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from graphrag.model.naming import EntityName, latest_first, name_at
from graphrag.model.values import Entity


def named_at(entity: Entity, moment: int) -> Entity:
    """Return an entity with the name that it had at a moment as its name, the others as aliases."""
    if not entity.names:
        return entity
    shown = name_at(entity.name, entity.names, moment)
    if shown == entity.name:
        return entity
    others = (entity.name, *entity.aliases)
    return replace(entity, name=shown, aliases=tuple(one for one in others if one != shown))


def names_of(entity: Entity) -> tuple[str, ...]:
    """Return all names of an entity, its latest proper one first."""
    return latest_first(entity.name, entity.aliases, entity.names)


def also_called(entity: Entity) -> list[str]:
    """Return the other names of an entity, each with its time: ``Globex (until 2021)``."""
    times: dict[str, str] = {}
    for one in entity.names:
        if one.since or one.until or one.name not in times:
            times[one.name] = str(one)
    return [times.get(alias, alias) for alias in entity.aliases]


def with_names(
    entity: Entity,
    names: Iterable[EntityName],
    aliases: Iterable[str],
    *,
    at: datetime,
    source: str,
) -> Entity:
    """Return an entity with what a text of a reference time says of its names.

    A plain alias is noted only where somebody else gave it a time: then two sources stand for it.
    """
    said = [replace(one, at=at, source=source) for one in names]
    now, known = {one.name for one in said}, {one.name for one in entity.names}
    said += [
        EntityName(alias, "alias", source=source)
        for alias in aliases
        if alias in known and alias not in now
    ]
    return replace(entity, names=tuple(dict.fromkeys((*entity.names, *said)))) if said else entity


def without_source(entity: Entity, source: str, given: Iterable[str]) -> Entity:
    """Return an entity without what an episode said of its names, and the aliases it ``given``."""
    left = tuple(one for one in entity.names if one.source != source)
    lost = {one.name for one in entity.names if one.source == source}
    lost = (lost & {*given}) - {one.name for one in left}
    aliases = tuple(alias for alias in entity.aliases if alias not in lost)
    return replace(entity, names=left, aliases=aliases)
