"""Merges of two entities, and their reversal.

SurrealDB cannot move an edge, so the merged entity points to the kept one and reads follow. The
kept one takes over names and missing type, labels and attributes; the facts of both are settled as
if stated of one entity.

An unmerge is a new event. Whatever of the entities still is as the merge left it becomes what it
was. What was added or decided since stays: facts that the kept entity got meanwhile stay with it,
and a fact that a person has edited since keeps the edit.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from graphrag.edit.editor import put_component
from graphrag.edit.inverse import changes_of, inverse, restamped
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.summaries import ends_of
from graphrag.model.attributes import names_of, newer
from graphrag.model.values import Change, Entity, Event
from graphrag.names.key import name_key
from graphrag.resolve import UNTYPED
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store

MERGE, RENAME = "merge", "rename"
RENAMING = frozenset({RENAME, "revert"})
"""Kinds of events by which a person gives an entity another name."""


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
    left = joined(kept, given_up), replace(given_up, merged_into=keep)
    for entity in left:
        changes.change(entities[entity.id], entity)
    return await _resettle(
        changes, (keep, other), index, ingestion, heir=keep, entities=left, images={}, now=now
    )


async def unmerge(
    changes: ChangeSet, event: Event, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    """Note how two entities become two again, and return the changes."""
    images = changes_of(event, "entity")
    keep, other = pair = _pair(images, event)
    entities = await ingestion.store.get(Entity, pair)
    if other not in entities or entities[other].merged_into != keep:
        raise InputError(f"the merge of event {event.seq} was undone before: nothing to unmerge")
    if (heir := index.heirs.of(keep)) != keep:
        raise InputError(
            f"{index.entity_name(keep)!r} was itself merged into {index.entity_name(heir)!r} "
            f"({heir}) since: unmerge that first"
        )
    left = {
        id_: inverse(entity, images[id_]) if id_ in images else entity
        for id_, entity in entities.items()
    }
    await _refuse_one_name(left[keep], left[other], event, ingestion.store)
    for id_, entity in left.items():
        changes.change(entities[id_], entity)
    both, facts = left.values(), changes_of(event, "relates_to")
    return await _resettle(
        changes, pair, index, ingestion, heir=None, entities=both, images=facts, now=now
    )


async def _refuse_one_name(kept: Entity, parted: Entity, event: Event, store: Store) -> None:
    """Refuse to leave two entities of one name where a rename since the merge gave it to both."""
    name, other_name = (names_of(entity)[0] for entity in (kept, parted))
    if name_key(name) != name_key(other_name):
        return
    for later in reversed(await store.events(kept.group_id, after=event.seq)):
        change = changes_of(later, "entity").get(kept.id)
        if change and later.kind in RENAMING and {"name", "names"} & (change.after or {}).keys():
            raise InputError(
                f"two entities would be called {name!r}: event {later.seq} ({later.kind}) gave the "
                "kept one the name of the other; log.revert() that event first"
            )


def separated(event: Event) -> tuple[str, str] | None:
    """Return the entities that an event took apart, the kept one first; None if it did not."""
    for id_, change in changes_of(event, "entity").items():
        before, after = change.before or {}, change.after or {}
        if before.get("merged_into") and "merged_into" in after and after["merged_into"] is None:
            return str(before["merged_into"]), id_
    return None


async def remerge(
    changes: ChangeSet,
    event: Event,
    pair: tuple[str, str],
    index: GroupIndex,
    ingestion: Ingestion,
    *,
    force: bool,
    now: datetime,
) -> ChangeSet:
    """Note how two entities that an event took apart are one again, and return the changes."""
    for id_ in pair:
        if (heir := index.heirs.of(id_)) != id_:
            raise InputError(
                f"{index.entity_name(id_)!r} was merged into {index.entity_name(heir)!r} ({heir}) "
                f"after event {event.seq}: unmerge that first"
            )
    images, facts = (changes_of(event, table) for table in ("entity", "relates_to"))
    left = []
    for id_, entity in (await ingestion.store.get(Entity, images)).items():
        left.append(inverse(entity, images[id_], event=event, force=force))
        changes.change(entity, left[-1])
    return await _resettle(
        changes, pair, index, ingestion, heir=pair[0], entities=left, images=facts, now=now
    )


async def _resettle(
    changes: ChangeSet,
    pair: tuple[str, str],
    index: GroupIndex,
    ingestion: Ingestion,
    *,
    heir: str | None,
    entities: Iterable[Entity],
    images: Mapping[str, Change],
    now: datetime,
) -> ChangeSet:
    """Settle all facts that two entities meet, and add to the changes what is different.

    ``heir`` is the entity that the second is merged into, None for an unmerge. ``entities`` are
    both as they are to be, ``images`` what the event that is undone did to facts, by id.
    """
    keep, other = pair
    with index.heirs.supposing(other, None):
        theirs, family = index.facts_of(other), index.heirs.family(other)
    stored = (await ingestion.store.get(Entity, [keep, *family])).values()
    # What somebody said to be over at one of them is said of the kept one.
    endings = sorted({(ending.relation, keep) for entity in stored for ending in entity.endings})
    component = Component.of(index, ingestion.relations, ingestion.store, now)
    met = [*component.reach_from(theirs), *component.reach((), endings)]
    component.supposing = other, heir
    with component.supposed():
        reached = [*component.reach_from(met), *component.reach((), endings)]
    await component.read(reached)
    with component.supposed():  # nothing is awaited in here
        component.settle()
        for id_, fact in component.changed().items():
            if id_ in images:
                component.facts[id_] = restamped(fact, images[id_].before)
    about = ends_of(component.stored[id_] for id_ in theirs if id_ in component.stored)
    await put_component(changes, component, ingestion, touched=[*pair, *about], renamed=entities)
    return changes


def _pair(images: Mapping[str, Change], event: Event) -> tuple[str, str]:
    for id_, change in images.items():
        if keep := (change.after or {}).get("merged_into"):
            return str(keep), id_
    if event.kind == MERGE:
        raise InputError(f"the merge of event {event.seq} has no entity: it was erased")
    raise InputError(f"event {event.seq} is {event.kind!r}, not a merge: log.events() shows merges")


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
    kind = given_up.entity_type if kept.entity_type == UNTYPED else kept.entity_type
    labels = tuple(dict.fromkeys((*kept.labels, *given_up.labels)))
    names = tuple(dict.fromkeys((*kept.names, *given_up.names)))
    kept = replace(kept, aliases=(*kept.aliases, *aliases.values()), labels=labels, names=names)
    return replace(kept, entity_type=kind, attributes=attributes, attribute_times=times)
