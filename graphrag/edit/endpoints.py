"""The entity that a person means by an argument: an entity, its id, or its name."""

from datetime import datetime

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.model.ids import new_id
from graphrag.model.values import Entity
from graphrag.names.key import name_key


def chosen_end(given: Entity | str, instead_of: str, index: GroupIndex, *, now: datetime) -> Entity:
    """Return the entity that is to be an end of a fact; a new name makes one of the old one's type.

    Raises:
        InputError: if it belongs to another group, or several entities bear the name.
    """
    if isinstance(given, Entity):
        if given.id not in index.entities.row_of:
            raise InputError(
                f"entity {given.name!r} ({given.id}) is not in group {index.group_id!r}: "
                "pass one of the fact's own group"
            )
        return given
    kind = index.entity_type(instead_of)
    if given in index.entities.row_of:
        named = [given]
    else:
        named = index.entities_named(given)
    if len(named) > 1:
        raise InputError(
            f"{len(named)} entities are called {given!r}: pass the entity or its id; "
            f"theirs are {', '.join(named)}"
        )
    id_, name = (named[0], index.entity_name(named[0])) if named else (new_id(), given.strip())
    if not name_key(name):
        raise InputError(f"{given!r} is no name: give an entity, its id or its name")
    return Entity(id_, index.group_id, now, name, name_key(name), kind)
