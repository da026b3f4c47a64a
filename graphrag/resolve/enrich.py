"""What a mention adds to the entity that it means: a type, names and their times, attributes.

Nothing is taken away: a fuller name replaces a lone first name, which stays as an alias, and of two
values of an attribute the one with the later reference time stands.
"""

from dataclasses import replace
from datetime import datetime

from graphrag.model.attributes import with_given
from graphrag.model.extraction import Mention
from graphrag.model.renaming import with_names
from graphrag.model.values import Entity
from graphrag.names.identifiers import identifiers
from graphrag.names.key import is_name, name_key
from graphrag.resolve.known import UNTYPED


def adds_something(mention: Mention, entity_name: str, entity_type: str) -> bool:
    """Tell whether a mention may change the stored entity it means."""
    return bool(
        _completes(mention.name, entity_name)
        or mention.aliases
        or mention.attributes
        or mention.names
        or (entity_type == UNTYPED and mention.entity_type != UNTYPED)
    )


def enriched(entity: Entity, mention: Mention, stated_at: datetime, source: str = "") -> Entity:
    """Return the entity with what a mention adds: a type, names and their times, attributes."""
    entity = with_attributes(entity, mention, stated_at)
    given = mention.names, mention.aliases
    entity = with_names(entity, *given, at=stated_at, source=source)
    name, aliases = entity.name, [*mention.aliases, *(one.name for one in mention.names)]
    if entity.entity_type == "person" and _completes(mention.name, entity.name):
        name = mention.name.strip()
        aliases.append(entity.name)
    elif _same_by_identifier(entity, mention):
        aliases.insert(0, mention.name.strip())
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


def other_names(mention: Mention) -> tuple[str, ...]:
    """Return what a mention gives as other names of its entity, each once."""
    names = (*mention.aliases, *(one.name for one in mention.names))
    return tuple(dict.fromkeys(name for name in names if name_key(name) != name_key(mention.name)))


def with_attributes(entity: Entity, mention: Mention, stated_at: datetime) -> Entity:
    """Return the entity with the attributes of a mention; of two values the newer one stands."""
    if not mention.attributes:
        return entity
    attributes, times = with_given(
        entity.attributes, entity.attribute_times, mention.attributes, stated_at
    )
    return replace(entity, attributes=attributes, attribute_times=times)


def _same_by_identifier(entity: Entity, mention: Mention) -> bool:
    """Tell whether only an identifier can have led from this name to this entity."""
    shared = set(identifiers(entity.attributes)) & set(identifiers(mention.attributes))
    said = {*name_key(mention.name).split()}
    return bool(shared) and not said <= {*name_key(entity.name).split()}


def full_name(name: str) -> bool:
    """Tell a name of several words from a lone one and from a phrase."""
    return len(name.split()) > 1 and is_name(name)


def _completes(name: str, known: str) -> bool:
    return full_name(name) and name_key(name).split()[:1] == name_key(known).split()
