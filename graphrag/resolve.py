"""Mentions to entities: which stored entity a name means, or that it is a new one.

Rules, first match wins: the same key or alias and a compatible type; a lone first or family name
and exactly one person who bears it, in either order of telling; otherwise a new entity. Types are
compatible when equal or when one side is the untyped ``thing``. Similar but unequal names never
merge by themselves.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphrag.attributes import told
from graphrag.extraction import Mention
from graphrag.ids import new_id
from graphrag.index.group import GroupIndex
from graphrag.models import Entity
from graphrag.names import is_name, name_key
from graphrag.protocols import NO_RULING, Doubt, Ruling

UNTYPED = "thing"


@dataclass(slots=True)
class Resolution:
    """What the mentions of one episode mean."""

    entity_of: dict[Mention, str] = field(default_factory=dict)
    """Entity id by mention."""
    created: dict[str, Entity] = field(default_factory=dict)
    """New entities by id."""
    doubts: list[Doubt] = field(default_factory=list)
    """Mentions between several entities that nobody has decided yet."""


def resolve(
    mentions: Iterable[Mention],
    index: GroupIndex,
    *,
    created_at: datetime,
    ruling: Ruling = NO_RULING,
    told_at: datetime | None = None,
) -> Resolution:
    """Find or create the entity of each mention; a mention without a usable name is left out.

    What an arbiter found a mention to mean comes before every rule, if it is still in the graph.
    ``told_at`` is the reference time of the text; without one it is told now.
    """
    resolution = Resolution()
    told_at = told_at or created_at
    # Full names before short ones, so that "Alice" finds "Alice Johnson" of the same text.
    for mention in sorted(mentions, key=lambda mention: -len(name_key(mention.name).split())):
        if mention in resolution.entity_of or not name_key(mention.name):
            continue
        id_ = _ruled(mention, index, ruling) or _find(mention, index, resolution.created)
        if id_ is None:
            entity = Entity(
                id=new_id(),
                group_id=index.group_id,
                created_at=created_at,
                name=mention.name.strip(),
                key=name_key(mention.name),
                entity_type=mention.entity_type,
                aliases=tuple(dict.fromkeys(mention.aliases)),
            )
            entity = with_attributes(entity, mention, told_at)
            resolution.created[entity.id] = entity
            id_ = entity.id
        elif id_ in resolution.created:
            resolution.created[id_] = enriched(resolution.created[id_], mention, told_at)
        resolution.entity_of[mention] = id_
    return resolution


def enriched(entity: Entity, mention: Mention, told_at: datetime) -> Entity:
    """Return the entity with what a mention adds: a type, aliases, attributes."""
    entity = with_attributes(entity, mention, told_at)
    name, aliases = entity.name, list(mention.aliases)
    if entity.entity_type == "person" and _completes(mention.name, entity.name):
        name = mention.name.strip()
        aliases.append(entity.name)
    known = {name_key(known) for known in (name, *entity.aliases)}
    aliases = [alias for alias in aliases if name_key(alias) not in known]
    promoted = entity.entity_type == UNTYPED != mention.entity_type
    return replace(
        entity,
        name=name,
        key=name_key(name),
        entity_type=mention.entity_type if promoted else entity.entity_type,
        aliases=(*entity.aliases, *dict.fromkeys(aliases)),
    )


def with_attributes(entity: Entity, mention: Mention, told_at: datetime) -> Entity:
    """Return the entity with the attributes of a mention; of two values the newer one stands."""
    if not mention.attributes:
        return entity
    attributes, times = told(entity.attributes, entity.attribute_times, mention.attributes, told_at)
    return replace(entity, attributes=attributes, attribute_times=times)


def adds_something(mention: Mention, entity_name: str, entity_type: str) -> bool:
    """Tell whether a mention may change the stored entity it means."""
    return bool(
        _completes(mention.name, entity_name)
        or mention.aliases
        or mention.attributes
        or (entity_type == UNTYPED and mention.entity_type != UNTYPED)
    )


def _ruled(mention: Mention, index: GroupIndex, ruling: Ruling) -> str | None:
    id_ = ruling.entity_of.get(mention)
    return id_ if id_ in index.entities.row_of else None


def _find(mention: Mention, index: GroupIndex, created: Mapping[str, Entity]) -> str | None:
    # A text may only give the new name of a renamed thing, or only the old one.
    for name in (mention.name, *mention.aliases):
        key = name_key(name)
        candidates = [(id_, index.entity_type(id_)) for id_ in index.entities_named(name)]
        candidates += [
            (entity.id, entity.entity_type)
            for entity in created.values()
            if key in (entity.key, *map(name_key, entity.aliases))
        ]
        same = [id_ for id_, kind in candidates if kind == mention.entity_type]
        compatible = [id_ for id_, kind in candidates if UNTYPED in (kind, mention.entity_type)]
        if same or compatible:
            return (same or compatible)[0]
    return _only_bearer(mention, index, created) or _lone_first_name(mention, index)


def _only_bearer(mention: Mention, index: GroupIndex, created: Mapping[str, Entity]) -> str | None:
    key = name_key(mention.name)
    if " " in key or mention.entity_type != "person":
        return None
    bearers = set(index.people_called(key))
    bearers |= {
        entity.id
        for entity in created.values()
        if entity.entity_type == "person" and key in (entity.key.split()[0], entity.key.split()[-1])
    }
    return bearers.pop() if len(bearers) == 1 else None


def _lone_first_name(mention: Mention, index: GroupIndex) -> str | None:
    """Return the only person known so far by just the first name of this full name."""
    first = name_key(mention.name).split()[0]
    if mention.entity_type != "person" or not _full_name(mention.name):
        return None
    called = index.people_called(first)
    return next(
        (id_ for id_ in called if len(called) == 1 and name_key(index.entity_name(id_)) == first),
        None,
    )


def _completes(name: str, known: str) -> bool:
    return _full_name(name) and name_key(name).split()[:1] == name_key(known).split()


def _full_name(name: str) -> bool:
    return len(name.split()) > 1 and is_name(name)
