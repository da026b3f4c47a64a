"""Inverse of a change in the log: what a record is without it, as far as that still stands.

Values unchanged since become what they were. Collections lose what the change added and regain what
it removed, attributes do so one by one; a single value changed since is a conflict. When a fact
holds is left to be settled: it follows from what was said.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from graphrag.errors import InputError
from graphrag.model.values import Change, Entity, Episode, Event, Fact, Saga
from graphrag.store.rows import imaged

_STAMPS = ("expired_at", "retracted_at")
_RENAMED = {"name": "relation", "in": "subject_id", "out": "object_id"}
"""Columns of a fact that its fields have other names than."""
_SETTLED = frozenset(
    {
        *("valid_at", "invalid_at", "observed", "expired_at", "retracted_at", "closed_as"),
        *("closed_by_arbiter", "closed_by_hand", "invalidated_by", "reason", "confidence"),
        *("pending", "waits_as", "sources", "derived_from", "statements"),
    }
)
"""Fields of a fact that are what was said, or follow from it, here and of its rivals."""
_GATHERED = frozenset(
    {"aliases", "distinct_from", "endings", "labels", "names", "provenance", "rivals"}
)
_KEYED = (("attributes", "attribute_times"), ("metadata",))
"""Mappings by key: an attribute and its time are one."""
_ABSENT = object()
Mappings = dict[str, dict[str, Any]]
"""By the name of the field."""
Value = TypeVar("Value", Entity, Fact, Episode, Saga)


def inverse(
    value: Value,
    change: Change,
    *,
    columns: Collection[str] | None = None,
    event: Event | None = None,
    force: bool = False,
) -> Value:
    """Return a value without what a change did to it.

    Args:
        value: As it is now.
        change: What was done to it; one that made it, or erased it, is left to the caller.
        columns: The only ones to look at; default: all.
        event: Of the change, if a conflict is to be refused; else the later value stays.
        force: Restore what was changed again since, too.

    Raises:
        InputError: with ``event`` and without ``force``, if a later event changed a field, too.
    """
    if change.before is None or change.after is None:
        return value
    usual: dict[str, Any] = {field.name: field.default for field in fields(value)}
    names = set(usual)
    if isinstance(value, Fact):
        names -= _SETTLED
    elif isinstance(value, Entity):
        names.discard("summary")
    was: dict[str, Any] = {}
    wanted = set(change.after) if columns is None else set(change.after).intersection(columns)
    for column in sorted(wanted):
        name = _RENAMED.get(column, column) if isinstance(value, Fact) else column
        if name not in names:
            continue
        then, now = (
            usual[name] if (item := imaged(column, image.get(column), value.id)) is None else item
            for image in (change.before, change.after)
        )
        present = getattr(value, name)
        keyed = next((kind for kind in _KEYED if name in kind), None)
        if present == then:
            continue
        if force or (present == now and keyed is None):
            was[name] = then
        elif name in _GATHERED:
            was[name] = _without(present, then, now)
        elif keyed is not None:
            was |= _unkeyed(value, keyed, change)
        elif event is not None:
            raise conflict(event, name, change.record)
    return replace(value, **was)


def _without(present: Iterable[Any], then: Iterable[Any], now: Iterable[Any]) -> tuple[Any, ...]:
    new, lost = [item for item in now if item not in then], [it for it in then if it not in now]
    kept = [item for item in present if item not in new]
    return (*kept, *(item for item in lost if item not in kept))


def _unkeyed(value: Value, names: Iterable[str], change: Change) -> Mappings:
    """Return mappings that belong together, with the keys that are as a change left them undone."""
    present = {name: dict(getattr(value, name)) for name in names}

    def imaged_in(image: Mapping[str, Any]) -> Mappings:
        return {
            name: imaged(name, image[name], value.id) if name in image else mapping
            for name, mapping in present.items()
        }

    then: Mappings = imaged_in(change.before or {})
    now: Mappings = imaged_in(change.after or {})
    left = {name: dict(mapping) for name, mapping in present.items()}
    for key in {key for mapping in (*then.values(), *now.values()) for key in mapping}:
        old, new, today = (
            {name: mapping.get(key, _ABSENT) for name, mapping in mappings.items()}
            for mappings in (then, now, present)
        )
        if old == new or today != new:
            continue
        for name, item in old.items():
            left[name].pop(key, None)
            if item is not _ABSENT:
                left[name][key] = item
    return left


def restamped(fact: Fact, image: Mapping[str, Any] | None) -> Fact:
    """Return a fact that is again as it was, with the system times that it had then."""
    if image is None:
        return fact
    was = {_RENAMED.get(column, column): (column, item) for column, item in image.items()}
    names = {field.name for field in fields(fact)} - {"subject_id", "object_id"}
    then = {
        name: imaged(column, item, fact.id) for name, (column, item) in was.items() if name in names
    }
    stamps: dict[str, Any] = {name: then.pop(name) for name in _STAMPS if name in then}
    same = all(_is(getattr(fact, name), item) for name, item in then.items())
    return replace(fact, **stamps) if same else fact


def _is(value: object, then: object) -> bool:
    return value == then or (not value and not then)


def changes_of(event: Event, table: str) -> dict[str, Change]:
    """Return what an event did to the records of a table, by id; of one record as one change."""
    changes: dict[str, Change] = {}
    for change in event.changes:
        kind, _, id_ = change.record.partition(":")
        if kind != table:
            continue
        first = changes.get(id_)
        if first is not None:
            before = None if first.before is None else {**(change.before or {}), **first.before}
            change = Change(change.record, before, {**(first.after or {}), **(change.after or {})})
        changes[id_] = change
    return changes


def changed_by(events: Iterable[Event], table: str) -> dict[str, list[Change]]:
    """Return what the events changed of stored records, by id, the last change first."""
    changes: dict[str, list[Change]] = defaultdict(list)
    for event in reversed(list(events)):
        for change in reversed(event.changes):
            if change.record.startswith(f"{table}:") and change.before and change.after:
                changes[change.record.partition(":")[2]].append(change)
    return changes


def added(change: Change, column: str) -> list[Any]:
    """Return what a change added to a collection; to a mapping, its new pairs."""
    was, now = ((image or {}).get(column) or () for image in (change.before, change.after))
    if isinstance(now, Mapping):
        was, now = dict(was).items(), now.items()
    return [item for item in now if item not in was]


def conflict(event: Event, name: str, record: str) -> InputError:
    """Return the error for a field that was changed again since an event."""
    return InputError(
        f"event {event.seq} ({event.kind}) cannot be reverted: {name!r} of {record} was changed "
        "again since; revert the later event first, or pass force=True"
    )
