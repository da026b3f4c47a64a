"""What undoing needs: the inverse of a change in the log, and the facts to be settled without it.

Values unchanged since become what they were. Collections lose what the change added and regain what
it removed, attributes do so one by one; a single value changed since is a conflict. When a fact
holds is left to be settled: it follows from what was said.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from graphrag.errors import InputError
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.summaries import ends_of
from graphrag.model.values import Change, Entity, Episode, Event, Fact, Saga
from graphrag.store import links
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
Value = TypeVar("Value", Entity, Fact, Episode, Saga)


def inverse(
    value: Value,
    change: Change,
    *,
    columns: Collection[str] | None = None,
    event: Event | None = None,
    force: bool = False,
) -> Value:
    """Return a value without what a change did to it, or to some ``columns`` of it.

    A change that made or erased the value leaves it as it is. A field that was changed again since
    keeps its later value; with ``event``, that of the change, this raises an ``InputError``. With
    ``force`` the field gets its earlier value all the same.
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


def undone(
    value: Value, changes: Iterable[Change], *, columns: Collection[str] | None = None
) -> Value:
    """Return a value without what some changes did to it, given the last first."""
    for change in changes:
        value = inverse(value, change, columns=columns)
    return value


def _without(present: Iterable[Any], then: Iterable[Any], now: Iterable[Any]) -> tuple[Any, ...]:
    new, lost = [item for item in now if item not in then], [it for it in then if it not in now]
    kept = [item for item in present if item not in new]
    return (*kept, *(item for item in lost if item not in kept))


def _unkeyed(value: Value, names: tuple[str, ...], change: Change) -> dict[str, dict[str, Any]]:
    """Return mappings that belong together, with the keys that are as a change left them undone."""

    def items(image: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
        mappings = [
            imaged(name, image[name], value.id) if name in image else getattr(value, name)
            for name in names
        ]
        keys = dict.fromkeys(key for mapping in mappings for key in mapping)
        return {key: tuple(mapping.get(key, _ABSENT) for mapping in mappings) for key in keys}

    then, now, left = items(change.before or {}), items(change.after or {}), items({})
    for key in then.keys() | now.keys():
        if then.get(key) != now.get(key) and left.get(key) == now.get(key):
            left.pop(key, None)
            if key in then:
                left[key] = then[key]
    return {
        name: {key: item[place] for key, item in left.items() if item[place] is not _ABSENT}
        for place, name in enumerate(names)
    }


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
    now = {name: getattr(fact, name) for name in then}
    same = all(now[name] == item or not (now[name] or item) for name, item in then.items())
    return replace(fact, **stamps) if same else fact


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


def standing(entities: Iterable[str], facts: Mapping[str, Fact], index: GroupIndex) -> set[str]:
    """Return those of the entities that a fact is about that stands; ``facts`` are to be so."""
    live = index.facts.alive.values & (index.facts["retracted"] == FOREVER)
    for id_, fact in facts.items():
        if id_ in index.facts.row_of:
            live[index.facts.row_of[id_]] = fact.retracted_at is None
    rows = {*np.concatenate([end[live] for end in index.ends()]).tolist()}
    new = (fact for id_, fact in facts.items() if id_ not in index.facts.row_of)
    about = {*ends_of(fact for fact in new if fact.retracted_at is None)}
    heirs = ((id_, index.heirs.of(id_)) for id_ in entities)
    return {id_ for id_, heir in heirs if heir in about or index.entities.row_of[heir] in rows}


async def read_touched(
    component: Component, episodes: Collection[str], facts: Iterable[str]
) -> None:
    """Read what some episodes and facts state and what meets it, but for facts that are gone."""
    index, store = component.index, component.store
    if not episodes:
        return await component.read(component.reach_from([*dict.fromkeys(facts)]))
    mentioned = {entity for _, entity in await links.mentioned_in(store, episodes)}
    members = {id_ for entity in mentioned for id_ in index.heirs.family(entity)}
    # What no longer has an episode among its sources still has its ends, which it mentions.
    rows = [index.entities.row_of[id_] for id_ in members if id_ in index.entities.row_of]
    within = np.isin(index.facts["subject"], rows) & np.isin(index.facts["object"], rows)
    near = [index.facts.ids[row] for row in np.flatnonzero(within & index.facts.alive.values)]
    stored = await store.get(Fact, [*await links.facts_on(store, episodes), *near])
    resting = [
        id_
        for id_, fact in stored.items()
        if not {*episodes}.isdisjoint((*fact.episodes, *(part.source for part in fact.statements)))
    ]
    said = [index.entities.ids[row] for row in np.flatnonzero(index.entities["endings"])]
    ended = [
        (ending.relation, index.heirs.of(entity.id))
        for entity in (await store.get(Entity, said)).values()
        if any(ending.assertion.source in episodes for ending in entity.endings)
        for ending in entity.endings
    ]
    reached = component.reach_from([*dict.fromkeys((*resting, *facts))])
    await component.read([*reached, *component.reach((), ended)])
