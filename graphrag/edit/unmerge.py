"""Take a merge back: a new event that undoes the old one, field by field.

Whatever of the entities still is as the merge left it becomes what it was. What was added or
decided since stays: facts that the kept entity got meanwhile stay with it, and a fact that a person
has edited since keeps the edit. The facts of each are settled by what was said of it alone.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypeVar

from graphrag.edit.editor import put_facts
from graphrag.edit.merge import MERGE
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.values import Change, Entity, Event, Fact
from graphrag.ontology.relations import Relations
from graphrag.protocols import Embedder
from graphrag.store.assertions import STATED
from graphrag.store.changes import ChangeSet
from graphrag.store.rows import imaged
from graphrag.store.store import Store

UNMERGE = "unmerge"
STAMPS = ("expired_at", "retracted_at")
RENAMED = {"name": "relation", "in": "subject_id", "out": "object_id"}
"""Columns of a fact that its fields have other names than."""
SETTLED = frozenset(
    {
        *("valid_at", "invalid_at", "observed", "expired_at", "retracted_at", "closed_as"),
        *("closed_by_arbiter", "closed_by_hand", "invalidated_by", "reason", "confidence"),
        *("pending", "waits_as", "sources", "derived_from"),
    }
)
"""Fields of a fact that follow from what was said, here and of its rivals."""
_GATHERED = frozenset({"aliases", "distinct_from", "labels", "names", "provenance", "sources"})
_KEYED = frozenset({"attributes", "attribute_times"})
_SAID = STATED - {"names"}
"""What stands or falls with its source, and not with the merge."""
Value = TypeVar("Value", Entity, Fact)


async def unmerge(
    event: Event,
    index: GroupIndex,
    store: Store,
    embedder: Embedder,
    relations: Relations,
    *,
    now: datetime,
) -> ChangeSet:
    """Work out how two entities become two again.

    Raises:
        InputError: if the event is no merge, was undone, or the kept entity was merged since.
    """
    images = _images(event)
    keep, other = _pair(images, event)
    entities = await store.get(Entity, [id_ for kind, id_ in images if kind == "entity"])
    if other not in entities or entities[other].merged_into != keep:
        raise InputError(f"the merge of event {event.seq} was undone before: nothing to unmerge")
    if (heir := index.heirs.of(keep)) != keep:
        raise InputError(
            f"{index.entity_name(keep)!r} was itself merged into {index.entity_name(heir)!r} "
            f"({heir}) since: unmerge that first"
        )
    changes = ChangeSet(index.group_id, UNMERGE)
    for id_ in (keep, other):
        if ("entity", id_) in images:
            changes.change(entities[id_], undone(entities[id_], images["entity", id_]))
    component = await _parted(keep, other, index, store, relations)
    with component.supposed():  # nothing is awaited in here
        component.settle(gone_from(index), now=now)
        for id_, fact in component.changed().items():
            if image := images.get(("relates_to", id_)):
                component.facts[id_] = restamped(fact, image.before)
        after = component.changed()
        touched = [keep, other, *ends_of([*component.stored.values(), *after.values()])]
        changes.updates += refreshed(dict.fromkeys(touched), index, after, now=now)
    await put_facts(changes, component.stored, after, store, embedder)
    return changes


async def _parted(
    keep: str, other: str, index: GroupIndex, store: Store, relations: Relations
) -> Component:
    """Return what is settled anew when two entities part: all that the one met while it was one."""
    with index.heirs.supposing(other, None):
        theirs, family = index.facts_of(other), index.heirs.family(other)
    entities = await store.get(Entity, [keep, *family])
    endings = {(ending.relation, keep) for it in entities.values() for ending in it.endings}
    component = Component.of(index, relations)
    met = [*component.reach_from(theirs), *component.reach((), sorted(endings))]
    component.supposing = other, None
    with component.supposed():
        reached = component.reach_from(met)
    await component.read(reached, store)
    return component


def restamped(fact: Fact, image: Mapping[str, Any] | None) -> Fact:
    """Return a fact that is again as it was, with the system times that it had then."""
    if image is None:
        return fact
    was = {RENAMED.get(column, column): (column, item) for column, item in image.items()}
    then = {
        name: imaged(column, item, fact.id)
        for name, (column, item) in was.items()
        if name in _names(fact) and name not in ("subject_id", "object_id")
    }
    stamps: dict[str, Any] = {name: then.pop(name) for name in STAMPS if name in then}
    same = all(_is(getattr(fact, name), item) for name, item in then.items())
    return replace(fact, **stamps) if same else fact


def _is(value: object, then: object) -> bool:
    return value == then or (not value and not then)


def undone(value: Value, change: Change) -> Value:
    """Return a value without what a change did to it, as far as that still stands."""
    before, after = ({**(image or {})} for image in (change.before, change.after))
    names = _names(value)
    back: dict[str, Any] = {}
    stands = {
        column
        for column, item in after.items()
        if column in names.keys() - _SAID
        and getattr(value, names[column]) == imaged(column, item, value.id)
    }
    settled = SETTLED | _SAID if isinstance(value, Fact) else _SAID
    for column in after.keys() & names.keys() - {"summary"} - settled:
        name, was = names[column], imaged(column, before.get(column), value.id)
        if column in stands:
            back[name] = was
        elif column in _GATHERED:
            added = set(imaged(column, after[column], value.id)) - set(was)
            back[name] = tuple(item for item in getattr(value, name) if item not in added)
        elif column in _KEYED:
            back[name] = _without(getattr(value, name), dict(was), dict(after[column] or {}))
    return replace(value, **back)


def _without(
    present: Mapping[str, Any], was: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a mapping without the keys that a change brought and nobody touched since."""
    brought = {key for key in after.keys() - was.keys() if present.get(key) == after[key]}
    return {key: item for key, item in present.items() if key not in brought}


def _names(value: Entity | Fact) -> dict[str, str]:
    return {field.name: field.name for field in fields(value)}


def _images(event: Event) -> dict[tuple[str, str], Change]:
    """Return the changes by table and id; of one record, all of them as one."""
    found: dict[tuple[str, str], Change] = {}
    for change in event.changes:
        kind, _, id_ = change.record.partition(":")
        known = found.get((kind, id_))
        if known is not None:
            change = Change(
                change.record,
                {**(change.before or {}), **(known.before or {})},
                {**(known.after or {}), **(change.after or {})},
            )
        found[kind, id_] = change
    return found


def _pair(images: Mapping[tuple[str, str], Change], event: Event) -> tuple[str, str]:
    """Return the entity that was kept and the one that was given up."""
    for (kind, id_), change in images.items():
        if kind == "entity" and (keep := (change.after or {}).get("merged_into")):
            return str(keep), id_
    if event.kind == MERGE:
        raise InputError(f"the merge of event {event.seq} has no entity: it was erased")
    raise InputError(f"event {event.seq} is {event.kind!r}, not a merge: log.events() shows merges")
