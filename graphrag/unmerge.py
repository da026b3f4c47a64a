"""Take a merge back: a new event that undoes the old one, field by field.

Whatever still is as the merge left it becomes what it was. What was told or decided since stays:
facts told of the kept entity meanwhile are still told of it, and a fact that a person has edited
since keeps the edit.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypeVar

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.merge import MERGE
from graphrag.models import Change, Entity, Event, Fact
from graphrag.store.changes import ChangeSet
from graphrag.store.rows import imaged
from graphrag.store.store import Store
from graphrag.summaries import ends_of, refreshed

UNMERGE = "unmerge"
_LIFETIME = frozenset(
    {"valid_at", "observed", "invalid_at", "expired_at", "retracted_at", "invalidated_by", "reason"}
    | {"told_end_at"}
)
"""What is decided of a fact at one stroke: restored whole or not at all."""
_GATHERED = frozenset({"aliases", "distinct_from", "labels", "sources"})
_KEYED = frozenset({"attributes", "attribute_times"})
Value = TypeVar("Value", Entity, Fact)


async def unmerge(event: Event, index: GroupIndex, store: Store, *, now: datetime) -> ChangeSet:
    """Work out how two entities become two again.

    Raises:
        InputError: if the event is no merge, was undone, or the kept entity was merged since.
    """
    if event.kind != MERGE:
        raise InputError(f"event {event.seq} is {event.kind!r}, not a merge: log() shows merges")
    images = _images(event)
    keep, other = _pair(images)
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
    touched_facts = [id_ for kind, id_ in images if kind == "relates_to"]
    stored = await store.get(Fact, {*touched_facts, *index.facts_of(keep)})
    with index.heirs.supposing(other, None):  # nothing is awaited in here
        facts = index.heirs.follow(stored, index.entity_name)
        after = {
            id_: undone(facts[id_], images["relates_to", id_])
            for id_ in touched_facts
            if id_ in facts
        }
        touched = [keep, other, *ends_of(facts.values())]
        changes.updates += refreshed(dict.fromkeys(touched), index, after, now=now)
    for id_, fact in after.items():
        changes.change(facts[id_], fact)
    return changes


def undone(value: Value, change: Change) -> Value:
    """Return a value without what a change did to it, as far as that still stands."""
    before, after = ({**(image or {})} for image in (change.before, change.after))
    names = _names(value)
    back: dict[str, Any] = {}
    stands = {
        column
        for column, item in after.items()
        if column in names and getattr(value, names[column]) == _field(value, column, item)
    }
    lifetime = _LIFETIME & after.keys()
    for column in after.keys() & names.keys() - {"summary"}:
        name, was = names[column], _field(value, column, before.get(column))
        if column in lifetime:
            if lifetime <= stands:
                back[name] = was
        elif column in stands:
            back[name] = was
        elif column in _GATHERED:
            added = set(_field(value, column, after[column])) - set(was)
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


def _field(value: Entity | Fact, column: str, item: Any) -> Any:
    """Return a field as an image has it; one that the image lacks is empty."""
    if item is None and column in _GATHERED:
        return ()
    return {} if item is None and column in _KEYED else imaged(column, item)


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


def _pair(images: Mapping[tuple[str, str], Change]) -> tuple[str, str]:
    """Return the entity that was kept and the one that was given up."""
    for (kind, id_), change in images.items():
        if kind == "entity" and (keep := (change.after or {}).get("merged_into")):
            return str(keep), id_
    raise InputError("the event has no merged entity: it was erased")
