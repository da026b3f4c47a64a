"""Merges of two entities, and their reversal.

SurrealDB cannot move an edge, so the merged entity points to the kept one and reads follow. The
kept one takes over names and missing type, labels and attributes; the facts of both are settled as
if stated of one entity.

An unmerge is a new event. Whatever of the entities still is as the merge left it becomes what it
was. What was added or decided since stays: facts that the kept entity got meanwhile stay with it,
and a fact that a person has edited since keeps the edit.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from graphrag.edit.editor import put_facts
from graphrag.edit.inverse import changes_of, inverse, restamped
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.attributes import newer
from graphrag.model.values import Change, Entity, Event
from graphrag.names.key import name_key
from graphrag.resolve.mentions import UNTYPED
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store

MERGE, UNMERGE, KEEP_APART = "merge", "unmerge", "keep_apart"
"""Kinds of events."""


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
    named = index.entities_named(given)
    if not named:
        raise InputError(f"no entity is called {given!r} in group {index.group_id!r}: try a search")
    if len(named) > 1:
        shown = ", ".join(f"{id_} ({index.entity_type(id_)})" for id_ in named)
        raise InputError(
            f"{len(named)} entities are called {given!r}: pass the entity or its id; "
            f"theirs are {shown}"
        )
    return named[0]


async def merge(
    keep: str, other: str, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    """Work out how one entity becomes another; both are given by id."""
    if keep == other:
        name = index.entity_name(keep)
        raise InputError(f"both are the entity {name!r} ({keep}) already: nothing to merge")
    entities = await ingestion.store.get(Entity, [keep, other])
    kept, given_up = entities[keep], entities[other]
    changes = ChangeSet(index.group_id, MERGE)
    changes.change(kept, joined(kept, given_up))
    changes.change(given_up, replace(given_up, merged_into=keep))
    component = await _united(keep, other, index, ingestion)
    await _settle(changes, component, (keep, other), {}, ingestion, now)
    return changes


async def unmerge(
    event: Event, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    """Work out how two entities become two again.

    Raises:
        InputError: if the event is no merge, was undone, or the kept entity was merged since.
    """
    images = changes_of(event, "entity")
    keep, other = pair = _pair(images, event)
    entities = await ingestion.store.get(Entity, images)
    if other not in entities or entities[other].merged_into != keep:
        raise InputError(f"the merge of event {event.seq} was undone before: nothing to unmerge")
    if (heir := index.heirs.of(keep)) != keep:
        raise InputError(
            f"{index.entity_name(keep)!r} was itself merged into {index.entity_name(heir)!r} "
            f"({heir}) since: unmerge that first"
        )
    changes = ChangeSet(index.group_id, UNMERGE)
    for id_ in pair:
        if id_ in images:
            changes.change(entities[id_], inverse(entities[id_], images[id_]))
    component = await _separated(keep, other, index, ingestion)
    await _settle(changes, component, pair, changes_of(event, "relates_to"), ingestion, now)
    return changes


def separated(event: Event) -> tuple[str, str] | None:
    """Return the entities that an event took apart, the kept one first; None if it did not."""
    for id_, change in changes_of(event, "entity").items():
        before, after = change.before or {}, change.after or {}
        if before.get("merged_into") and "merged_into" in after and after["merged_into"] is None:
            return str(before["merged_into"]), id_
    return None


async def remerge(
    event: Event,
    pair: tuple[str, str],
    index: GroupIndex,
    ingestion: Ingestion,
    *,
    force: bool,
    now: datetime,
) -> ChangeSet:
    """Work out how two entities that an event took apart are one again.

    Raises:
        InputError: if one of them was merged since, or a later event changed the same fields.
    """
    for id_ in pair:
        if (heir := index.heirs.of(id_)) != id_:
            raise InputError(
                f"{index.entity_name(id_)!r} was merged into {index.entity_name(heir)!r} ({heir}) "
                f"after event {event.seq}: unmerge that first"
            )
    images = changes_of(event, "entity")
    changes = ChangeSet(index.group_id, MERGE)
    for id_, entity in (await ingestion.store.get(Entity, images)).items():
        changes.change(entity, inverse(entity, images[id_], event=event, force=force))
    component = await _united(*pair, index, ingestion)
    await _settle(changes, component, pair, changes_of(event, "relates_to"), ingestion, now)
    return changes


async def _settle(
    changes: ChangeSet,
    component: Component,
    pair: tuple[str, str],
    images: Mapping[str, Change],
    ingestion: Ingestion,
    now: datetime,
) -> None:
    """Note what is different once two entities are one, or two again.

    ``images`` are what the event that is undone did to facts, by id.
    """
    index = component.index
    with component.supposed():  # nothing is awaited in here
        component.settle(gone_from(index), now=now)
        for id_, fact in component.changed().items():
            if id_ in images:
                component.facts[id_] = restamped(fact, images[id_].before)
        after = component.changed()
        stored = component.stored
        theirs = [stored[id_] for id_ in component.seeds or stored if id_ in stored]
        touched = dict.fromkeys([*pair, *ends_of([*theirs, *after.values()])])
        changes.updates += refreshed(touched, index, after, now=now)
    await put_facts(changes, component.stored, after, ingestion)


async def _united(keep: str, other: str, index: GroupIndex, ingestion: Ingestion) -> Component:
    """Return what is settled anew when two entities become one: all that the one meets then."""
    theirs = index.facts_of(other)
    endings = await _ended(keep, index.heirs.family(other), ingestion.store)
    component = Component.of(index, ingestion.relations)
    component.supposing = other, keep
    component.seeds = frozenset(theirs)
    with component.supposed():
        reached = [*component.reach_from(theirs), *component.reach((), endings)]
    await component.read(reached, ingestion.store)
    return component


async def _separated(keep: str, other: str, index: GroupIndex, ingestion: Ingestion) -> Component:
    """Return what is settled anew when two entities part: all that the one met while it was one."""
    with index.heirs.supposing(other, None):
        theirs, family = index.facts_of(other), index.heirs.family(other)
    endings = await _ended(keep, [keep, *family], ingestion.store)
    component = Component.of(index, ingestion.relations)
    met = [*component.reach_from(theirs), *component.reach((), endings)]
    component.supposing = other, None
    with component.supposed():
        reached = component.reach_from(met)
    await component.read(reached, ingestion.store)
    return component


async def _ended(keep: str, family: list[str], store: Store) -> list[tuple[str, str]]:
    """Return the relations that somebody said to be over at some entities, as the kept one's."""
    entities = (await store.get(Entity, family)).values()
    return sorted({(ending.relation, keep) for entity in entities for ending in entity.endings})


def _pair(images: Mapping[str, Change], event: Event) -> tuple[str, str]:
    """Return the entity that was kept and the one that was given up."""
    for id_, change in images.items():
        if keep := (change.after or {}).get("merged_into"):
            return str(keep), id_
    if event.kind == MERGE:
        raise InputError(f"the merge of event {event.seq} has no entity: it was erased")
    raise InputError(f"event {event.seq} is {event.kind!r}, not a merge: log.events() shows merges")


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
