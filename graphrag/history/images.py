"""Inverse changes of an event on a record, and of the undoing of a merge.

Values unchanged since the event are restored. Collections lose what it added and regain what it
removed; a single value changed since is a conflict.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypeVar

from graphrag.edit.editor import put_facts
from graphrag.edit.merge import united
from graphrag.edit.unmerge import RENAMED, SETTLED, restamped
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.values import Change, Entity, Episode, Event, Fact
from graphrag.store.changes import ChangeSet
from graphrag.store.rows import imaged

_GATHERED = frozenset(
    {"aliases", "distinct_from", "endings", "labels", "names", "provenance", "rivals"}
)
_KEYED = frozenset({"attributes", "attribute_times", "metadata"})
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


def back(value: Value, change: Change, event: Event, *, force: bool) -> Value:
    """Return a value with the fields that an event changed as they were before it.

    What follows from statements is left to be settled.

    Raises:
        InputError: if a later event changed one of the fields, unless ``force``.
    """
    if change.before is None or change.after is None:
        return value
    names = {field.name for field in fields(value)}
    if isinstance(value, Fact):
        names -= SETTLED | {"statements"}
    was: dict[str, Any] = {}
    for column in sorted(change.after.keys() - {"summary"}):
        name = RENAMED.get(column, column) if isinstance(value, Fact) else column
        if name not in names:
            continue
        then, now = (
            imaged(column, image.get(column), value.id) for image in (change.before, change.after)
        )
        present = getattr(value, name)
        if present == then:
            continue
        if present == now or force:
            was[name] = then
        elif name in _GATHERED:
            was[name] = _without(present, then, now)
        elif name in _KEYED:
            was[name] = _unkeyed(present, then, now)
        else:
            raise conflict(event, name, change.record)
    return replace(value, **was)


def aliases_given(events: Iterable[Event]) -> dict[str, set[str]]:
    """Return the aliases that events gave, by the id of the entity."""
    given: dict[str, set[str]] = {}
    for event in events:
        for change in event.changes:
            table, _, id_ = change.record.partition(":")
            if table == "entity":
                was, now = (
                    {*((image or {}).get("aliases") or ())}
                    for image in (change.before, change.after)
                )
                given.setdefault(id_, set()).update(now - was)
    return given


def changed_by(events: Iterable[Event], table: str) -> dict[str, list[Change]]:
    """Return what the events changed of stored records, by id, the last change first."""
    found: dict[str, list[Change]] = defaultdict(list)
    for event in reversed(list(events)):
        for change in reversed(event.changes):
            if change.record.startswith(f"{table}:") and change.before and change.after:
                found[change.record.partition(":")[2]].append(change)
    return found


def narrowed(change: Change, columns: Iterable[str]) -> Change:
    """Return what a change did to some columns."""
    before, after = (
        {column: image[column] for column in columns if image is not None and column in image}
        for image in (change.before, change.after)
    )
    return Change(change.record, before, after)


def conflict(event: Event, name: str, record: str) -> InputError:
    """Return the error for a field that was changed again since an event."""
    return InputError(
        f"event {event.seq} ({event.kind}) cannot be reverted: {name!r} of {record} was changed "
        "again since; revert the later event first, or pass force=True"
    )


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
    component = await united(keep, other, index, store, ingestion.relations)
    with component.supposed():  # nothing is awaited in here
        component.settle(gone_from(index), now=now)
        for id_, fact in component.changed().items():
            if id_ in edited:
                component.facts[id_] = restamped(fact, edited[id_].before)
        after = component.changed()
        theirs = (fact for id_, fact in component.stored.items() if id_ in component.seeds)
        touched = [keep, other, *ends_of([*after.values(), *theirs])]
        changes.updates += refreshed(dict.fromkeys(touched), index, after, now=now)
    await put_facts(changes, component.stored, after, store, ingestion.embedder)
    return changes
