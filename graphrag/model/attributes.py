"""Attributes and names by time: the value that holds at the moment asked about.

The value with the later reference time wins, in any order of arrival; each keeps that time, and the
loser is in the event log. An entity's row keeps its first name; only the shown name depends on the
moment, so removing a text undoes nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from graphrag.model.assertion import EntityName, latest_first, name_at
from graphrag.model.values import JSON, Entity

Attributes = Mapping[str, JSON]
Times = Mapping[str, JSON]  # reference time by name of the attribute, ISO 8601


def with_given(
    attributes: Attributes, times: Times, given: Attributes, at: datetime
) -> tuple[dict[str, JSON], dict[str, JSON]]:
    """Return attributes and their times after a text of that reference time gave some."""
    stamp = at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return newer(attributes, times, given, dict.fromkeys(given, stamp))


def newer(
    attributes: Attributes, times: Times, others: Attributes, other_times: Times
) -> tuple[dict[str, JSON], dict[str, JSON]]:
    """Return the attributes of both, each as stated last; of equally old ones the others'."""
    values, since = dict(attributes), dict(times)
    for name, value in others.items():
        if name not in values or _moment(other_times, name) >= _moment(times, name):
            values[name] = value
            since.pop(name, None)
            if name in other_times:
                since[name] = other_times[name]
    return values, since


def _moment(times: Times, name: str) -> datetime:
    given = times.get(name)
    return datetime.fromisoformat(given) if given else datetime.min.replace(tzinfo=UTC)


def named_at(entity: Entity, moment: int) -> Entity:
    """Return an entity with the name that it had at a moment as its name, the others as aliases."""
    if not entity.names:
        return entity
    shown = name_at(entity.name, entity.names, moment)
    if shown == entity.name:
        return entity
    others = (entity.name, *entity.aliases)
    return replace(entity, name=shown, aliases=tuple(alias for alias in others if alias != shown))


def names_of(entity: Entity) -> tuple[str, ...]:
    """Return all names of an entity, its latest proper one first."""
    if not entity.names:
        return (entity.name, *entity.aliases)
    return latest_first(entity.name, entity.aliases, entity.names)


def also_called(entity: Entity) -> list[str]:
    """Return the other names of an entity, each with its time: ``Globex (until 2021)``."""
    times: dict[str, str] = {}
    for name in entity.names:
        if name.since or name.until or name.name not in times:
            times[name.name] = str(name)
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
    said = [replace(name, at=at, source=source) for name in names]
    now, known = {entity_name.name for entity_name in said}, {name.name for name in entity.names}
    plain = (alias for alias in aliases if alias in known and alias not in now)
    said += (EntityName(alias, "alias", source=source) for alias in plain)
    return replace(entity, names=tuple(dict.fromkeys((*entity.names, *said)))) if said else entity


def without_source(entity: Entity, source: str, given: Iterable[str]) -> Entity:
    """Return an entity without what an episode said of its names, and the aliases it ``given``."""
    left = tuple(name for name in entity.names if name.source != source)
    lost = {name.name for name in entity.names if name.source == source}
    lost = (lost & {*given}) - {entity_name.name for entity_name in left}
    aliases = tuple(alias for alias in entity.aliases if alias not in lost)
    return replace(entity, names=left, aliases=aliases)
