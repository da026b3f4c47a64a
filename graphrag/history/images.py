"""What an event did to one record, and the record without it.

Whatever still is as the event left it becomes what it was. Collections lose what the event added
and get back what it took, so that what came since stays; a single value that was changed again is
a conflict.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from graphrag.errors import InputError
from graphrag.models import Change, Entity, Episode, Event, Fact
from graphrag.store.rows import imaged

LIFETIME = frozenset(
    {"invalid_at", "expired_at", "retracted_at", "invalidated_by", "reason", "told_end_at"}
)
"""What one fact changes of another that it closes."""
_RENAMED = {"name": "relation", "in": "subject_id", "out": "object_id"}
_GATHERED = frozenset({"aliases", "distinct_from", "labels", "sources"})
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
        if present == now or force or (freed and name in LIFETIME):
            was[name] = then
        elif name in _GATHERED:
            was[name] = _without(present, then, now)
        elif name in _KEYED:
            was[name] = _unkeyed(present, then, now)
        elif not (left and name in LIFETIME):
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
