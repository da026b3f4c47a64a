"""What an event did to one record, and the record without it.

Whatever still is as the event left it becomes what it was. Collections lose what the event added
and get back what it took, so that what came since stays; a single value that was changed again is
a conflict.

Undo the undoing of a merge: two entities become one again, with all that was told since.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypeVar

from graphrag.edit.merge import united
from graphrag.edit.reopen import CLOSING
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.values import Change, Entity, Episode, Event, Fact
from graphrag.store.changes import ChangeSet
from graphrag.store.rows import imaged

_RENAMED = {"name": "relation", "in": "subject_id", "out": "object_id"}
_GATHERED = frozenset({"aliases", "distinct_from", "labels", "provenance", "sources"})
_KEYED = frozenset({"attributes", "attribute_times", "metadata"})
_EMPTY: Mapping[str, Any] = dict.fromkeys(_GATHERED, ()) | {name: {} for name in _KEYED}
Value = TypeVar("Value", Entity, Fact, Episode)


def changes_of(event: Event, table: str) -> dict[str, Change]:
    """Return what an event did to the records of a table, by id; of one record as one change."""
    found: dict[str, Change] = {}
    for change in event.changes:
        kind, _, id_ = change.record.partition(":")
        if kind != table:
            continue
        first = found.get(id_)
        if first is not None:
            before = None if first.before is None else {**(change.before or {}), **first.before}
            change = Change(change.record, before, {**(first.after or {}), **(change.after or {})})
        found[id_] = change
    return found


def back(
    value: Value, change: Change, event: Event, *, force: bool, brought: Collection[str] = ()
) -> Value:
    """Return a value with the fields that an event changed as they were before it.

    ``brought`` are the facts that came with the event. What they alone closed is freed, however
    often they did; what they closed and another fact closed again stays closed by that one.

    Raises:
        InputError: if a later event changed one of the fields, unless ``force``.
    """
    if change.before is None or change.after is None:
        return value
    names = {field.name for field in fields(value)}
    freed, left = _closings(value, change, brought)
    was: dict[str, Any] = {}
    for column in sorted(change.after.keys() - {"summary"}):
        name = _RENAMED.get(column, column) if isinstance(value, Fact) else column
        if name not in names:
            continue
        then, now = (field_of(column, image.get(column)) for image in (change.before, change.after))
        present = getattr(value, name)
        if present == then:
            continue
        if present == now or force or (freed and name in CLOSING):
            was[name] = then
        elif name in _GATHERED:
            was[name] = _without(present, then, now)
        elif name in _KEYED:
            was[name] = _unkeyed(present, then, now)
        elif not (left and name in CLOSING):
            raise InputError(
                f"event {event.seq} ({event.kind}) cannot be reverted: {name!r} of {change.record} "
                f"was changed again since; revert the later event first, or pass force=True"
            )
    return replace(value, **was)


def field_of(column: str, item: Any) -> Any:
    """Return a field as an image has it; one that the image lacks is empty."""
    return _EMPTY.get(column) if item is None else imaged(column, item)


def _closings(value: Value, change: Change, brought: Collection[str]) -> tuple[bool, bool]:
    """Tell whether a brought fact closes this one now, and whether one did and another does."""
    if not isinstance(value, Fact):
        return False, False
    then = (change.after or {}).get("invalidated_by") in brought
    return value.invalidated_by in brought, then and value.invalidated_by is not None


def _without(present: Iterable[Any], then: Iterable[Any], now: Iterable[Any]) -> tuple[Any, ...]:
    added, lost = [one for one in now if one not in then], [one for one in then if one not in now]
    kept = [one for one in present if one not in added]
    return (*kept, *(one for one in lost if one not in kept))


def _unkeyed(
    present: Mapping[str, Any], then: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[str, Any]:
    left = dict(present)
    for key in now.keys() | then.keys():
        if present.get(key) == now.get(key) != then.get(key):
            left.pop(key, None)
            if key in then:
                left[key] = then[key]
    return left


def parted(event: Event) -> tuple[str, str] | None:
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
    kind: str,
    *,
    force: bool,
    now: datetime,
) -> ChangeSet:
    """Work out how two entities that an event took apart are one again.

    Raises:
        InputError: if one of them was merged since, or a later event changed the same fields.
    """
    keep, other = pair
    for id_ in pair:
        if (heir := index.heirs.of(id_)) != id_:
            raise InputError(
                f"{index.entity_name(id_)!r} was merged into {index.entity_name(heir)!r} ({heir}) "
                f"after event {event.seq}: unmerge that first"
            )
    store = ingestion.store
    images = changes_of(event, "entity")
    changes = ChangeSet(index.group_id, kind)
    for id_, entity in (await store.get(Entity, images)).items():
        changes.change(entity, back(entity, images[id_], event, force=force))
    edited = changes_of(event, "relates_to")
    stored = await store.get(Fact, {*edited, *index.facts_of(keep), *index.facts_of(other)})
    apart = index.heirs.follow(stored, index.entity_name)
    theirs = {id_ for id_, one in apart.items() if other in (one.subject_id, one.object_id)}
    was = {
        id_: back(fact, edited[id_], event, force=force) if id_ in edited else fact
        for id_, fact in stored.items()
    }
    with index.heirs.supposing(other, keep):  # nothing is awaited in here
        before = index.heirs.follow(stored, index.entity_name)
        after = index.heirs.follow(was, index.entity_name)
        after |= united(after, theirs, ingestion.relations, now=now)
        after = {id_: fact for id_, fact in after.items() if fact != before[id_]}
        touched = [keep, other, *ends_of([*after.values(), *(before[id_] for id_ in theirs)])]
        changes.updates += refreshed(dict.fromkeys(touched), index, after, now=now)
    for id_, fact in after.items():
        changes.change(before[id_], fact)
    return changes
