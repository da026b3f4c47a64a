"""Merges of two entities, and their reversal.

SurrealDB cannot move an edge, so the merged entity points to the kept one and reads follow. The
kept one takes over names and missing type, labels and attributes; the facts of both are settled as
if stated of one entity.
"""

from dataclasses import replace
from datetime import datetime

from graphrag.edit.editor import put_facts
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.attributes import newer
from graphrag.model.values import Entity
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.protocols import Embedder
from graphrag.resolve.mentions import UNTYPED
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store

MERGE = "merge"
"""Kind of the event of a merge."""
KEEP_APART = "keep_apart"


def entity_id(given: Entity | str, index: GroupIndex) -> str:
    """Return the id of the entity that a person means by an entity, its id or its name.

    Raises:
        InputError: if there is none, or several bear the name.
    """
    if isinstance(given, Entity) or given in index.entities.row_of:
        id_ = given.id if isinstance(given, Entity) else given
        if id_ not in index.entities.row_of:
            raise InputError(f"entity {id_!r} is not in group {index.group_id!r}: name its group")
        return index.heirs.of(id_)
    found = index.entities_named(given)
    if not found:
        raise InputError(f"no entity is called {given!r} in group {index.group_id!r}: try a search")
    if len(found) > 1:
        shown = ", ".join(f"{id_} ({index.entity_type(id_)})" for id_ in found)
        raise InputError(f"{len(found)} entities are called {given!r}: pass one of {shown}")
    return found[0]


async def merge(
    keep: str,
    other: str,
    index: GroupIndex,
    store: Store,
    embedder: Embedder,
    relations: Relations,
    *,
    now: datetime,
) -> ChangeSet:
    """Work out how one entity becomes another; both are given by id."""
    if keep == other:
        name = index.entity_name(keep)
        raise InputError(f"both are the entity {name!r} ({keep}) already: nothing to merge")
    entities = await store.get(Entity, [keep, other])
    kept, given_up = entities[keep], entities[other]
    changes = ChangeSet(index.group_id, MERGE)
    changes.change(kept, joined(kept, given_up))
    changes.change(given_up, replace(given_up, merged_into=keep))
    component = await united(keep, other, index, store, relations)
    with component.supposed():  # nothing is awaited in here
        component.settle(gone_from(index), now=now)
        after = component.changed()
        theirs = (fact for id_, fact in component.stored.items() if id_ in component.seeds)
        touched = ends_of([*theirs, *after.values()])
        changes.updates += refreshed([keep, other, *touched], index, after, now=now)
    await put_facts(changes, component.stored, after, store, embedder)
    return changes


async def united(
    keep: str, other: str, index: GroupIndex, store: Store, relations: Relations
) -> Component:
    """Return what is settled anew when two entities become one: all that the one meets then."""
    theirs = index.facts_of(other)
    family = index.heirs.family(other)
    entities = await store.get(Entity, family)
    endings = {(ending.relation, keep) for it in entities.values() for ending in it.endings}
    component = Component.of(index, relations)
    component.supposing = other, keep
    component.seeds = frozenset(theirs)
    with component.supposed():
        reached = [*component.reach_from(theirs), *component.reach((), sorted(endings))]
    await component.read(reached, store)
    return component


async def keep_apart(one: str, other: str, index: GroupIndex, store: Store) -> ChangeSet:
    """Work out how two entities, given by id, are known to be two."""
    name, other_name = index.entity_name(one), index.entity_name(other)
    if one == other:
        raise InputError(
            f"both are the entity {name!r} ({one}): use identity.unmerge(...) or "
            "identity.split(...)"
        )
    entities = await store.get(Entity, [one, other])
    if other in entities[one].distinct_from or one in entities[other].distinct_from:
        raise InputError(f"{name!r} and {other_name!r} are known to be two already")
    changes = ChangeSet(index.group_id, KEEP_APART)
    distinct = (*entities[one].distinct_from, other)
    changes.change(entities[one], replace(entities[one], distinct_from=distinct))
    return changes


def joined(kept: Entity, given_up: Entity) -> Entity:
    """Return the kept entity with what it gets from the other."""
    known = {name_key(name) for name in (kept.name, *kept.aliases)}
    aliases: dict[str, str] = {}
    for name in (given_up.name, *given_up.aliases):
        if (key := name_key(name)) not in known:
            aliases.setdefault(key, name)
    attributes, times = newer(
        given_up.attributes, given_up.attribute_times, kept.attributes, kept.attribute_times
    )
    promoted = kept.entity_type == UNTYPED
    return replace(
        kept,
        entity_type=given_up.entity_type if promoted else kept.entity_type,
        labels=tuple(dict.fromkeys((*kept.labels, *given_up.labels))),
        aliases=(*kept.aliases, *aliases.values()),
        attributes=attributes,
        attribute_times=times,
        names=tuple(dict.fromkeys((*kept.names, *given_up.names))),
    )
