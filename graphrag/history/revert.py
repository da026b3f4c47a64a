"""Undo an event by another event: what it changed becomes what it was, what it brought goes.

Nothing is deleted: facts that the event brought are retracted, its episodes and the entities that
nothing else speaks of are removed. What a later event changed as well is a conflict, and refused
unless forced. The new event can be reverted itself.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypeVar

from graphrag.errors import InputError
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.index.texts import fact_text
from graphrag.ingest import Ingestion
from graphrag.invariants import FORGET
from graphrag.merge import MERGE
from graphrag.models import Change, Entity, Episode, Event, Fact
from graphrag.release import recut, rivals_of
from graphrag.store.changes import ChangeSet
from graphrag.store.record import Record
from graphrag.store.rows import imaged
from graphrag.store.store import Store
from graphrag.summaries import ends_of, refreshed
from graphrag.temporal.moment import to_micros
from graphrag.unmerge import unmerge

REVERT = "revert"
_FOLLOWING = frozenset({"mentions", "passage", "occurred_after", "group_info"})
"""Tables whose rows stay: they lead to records that are removed or retracted."""
_RENAMED = {"name": "relation", "in": "subject_id", "out": "object_id"}
_EMPTY: Mapping[str, Any] = dict.fromkeys(("aliases", "labels", "sources"), ()) | {
    "attributes": {},
    "attribute_times": {},
    "metadata": {},
}
Value = TypeVar("Value", Entity, Fact, Episode)


async def revert(
    event: Event, index: GroupIndex, ingestion: Ingestion, *, force: bool, now: datetime
) -> ChangeSet:
    """Work out the transaction that undoes an event.

    Raises:
        InputError: if it cannot be undone, or a later event changed the same fields.
    """
    if event.kind == MERGE:
        changes = await unmerge(event, index, ingestion.store, now=now)
        changes.kind = REVERT
        return changes
    _refuse_odd(event)
    store = ingestion.store
    entities, facts, episodes = (_of(event, table) for table in ("entity", "relates_to", "episode"))
    changes = ChangeSet(index.group_id, REVERT)
    new_episodes = []
    for id_, told in (await store.get(Episode, episodes)).items():
        wanted = _back(told, episodes[id_], event, force)
        if episodes[id_].before is None:
            wanted = replace(told, removed_at=told.removed_at or now)
            new_episodes.append(id_)
        _told_twice(told, wanted, index)
        changes.change(told, wanted)
    before, after = await _facts(facts, event, index, ingestion, force, now)
    await _write_facts(changes, before, after, ingestion)
    stored = await store.get(Entity, entities)
    left_of = {}
    for id_, entity in stored.items():
        left = _back(entity, entities[id_], event, force)
        if entities[id_].before is None:
            left = replace(entity, removed_at=entity.removed_at or now)
        left_of[id_] = left
    gone = [id_ for id_, left in left_of.items() if left.removed_at is not None]
    held = await _held(gone, new_episodes, after, index, store)
    for id_, left in left_of.items():
        if id_ in held:
            left = replace(left, removed_at=None)
        vector = None
        if left.name != stored[id_].name:
            [vector] = await ingestion.embedder.embed([left.name], purpose="document")
        changes.change(stored[id_], left, vector)
    changed = {id_: fact for id_, fact in after.items() if fact != before[id_]}
    touched = ends_of([*changed.values(), *(before[id_] for id_ in changed)])
    changes.updates += refreshed(touched, index, changed, now=now)
    if not changes:
        raise InputError(f"event {event.seq} ({event.kind}) is undone already: nothing to revert")
    return changes


async def _facts(
    images: Mapping[str, Change],
    event: Event,
    index: GroupIndex,
    ingestion: Ingestion,
    force: bool,
    now: datetime,
) -> tuple[dict[str, Fact], dict[str, Fact]]:
    """Return the facts concerned as they are and as they are to be."""
    before = await ingestion.store.get(Fact, images)
    after = dict(before)
    returned = []
    for id_, fact in before.items():
        if images[id_].before is None:
            why = fact.reason if fact.retracted_at else f"event {event.seq} was reverted"
            moment = fact.retracted_at or now
            after[id_] = replace(fact, retracted_at=moment, reason=why, pending=False)
            continue
        after[id_] = _back(fact, images[id_], event, force)
        if after[id_].retracted_at is None and _lifetime(after[id_]) != _lifetime(fact):
            returned.append(id_)
    if returned:
        told = index.heirs.follow(after, index.entity_name)
        others = await rivals_of(
            [told[id_] for id_ in returned], index, ingestion.store, ingestion.relations
        )
        before, after = {**others, **before}, {**others, **after}
        for id_ in returned:
            after[id_], cut = recut(after[id_], after, ingestion.relations, now=now)
            after |= cut
    return before, after


async def _write_facts(
    changes: ChangeSet,
    before: Mapping[str, Fact],
    after: Mapping[str, Fact],
    ingestion: Ingestion,
) -> None:
    retold = {
        id_: fact_text(fact)
        for id_, fact in after.items()
        if fact_text(before[id_]) != fact_text(fact)
    }
    vectors = {}
    if retold:
        rows = await ingestion.embedder.embed(list(retold.values()), purpose="document")
        vectors = dict(zip(retold, rows, strict=True))
    for id_, fact in after.items():
        changes.change(before[id_], fact, vectors.get(id_))


async def _held(
    entities: Iterable[str],
    episodes: Iterable[str],
    facts: Mapping[str, Fact],
    index: GroupIndex,
    store: Store,
) -> set[str]:
    """Return the entities of which another episode or a live fact speaks."""
    [rows] = await store.query(
        "SELECT VALUE record::id(out) FROM mentions WHERE group_id = $group AND out IN $entities "
        "AND in NOT IN $episodes AND in.removed_at IS NONE;",
        group=index.group_id,
        entities=[Record("entity", id_) for id_ in entities],
        episodes=[Record("episode", id_) for id_ in episodes],
    )
    held = set(rows)
    for id_ in set(entities) - held:
        at = index.facts_of(id_)
        known = {**(await store.get(Fact, at)), **{key: facts[key] for key in at if key in facts}}
        if any(fact.retracted_at is None for fact in known.values()):
            held.add(id_)
    return held


def _back(value: Value, change: Change, event: Event, force: bool) -> Value:
    """Return a value with the fields that the event changed as they were before it."""
    if change.before is None or change.after is None:
        return value
    names = {field.name for field in fields(value)}
    was: dict[str, Any] = {}
    for column in sorted(change.after.keys() - {"summary"}):
        name = _RENAMED.get(column, column) if isinstance(value, Fact) else column
        if name not in names:
            continue
        then, now = (_field(column, image.get(column)) for image in (change.before, change.after))
        present = getattr(value, name)
        if present == then:
            continue
        if present != now and not force:
            raise InputError(
                f"event {event.seq} ({event.kind}) cannot be reverted: {name!r} of {change.record} "
                f"was changed again since; revert the later event first, or pass force=True"
            )
        was[name] = then
    return replace(value, **was)


def _field(column: str, item: Any) -> Any:
    return _EMPTY.get(column) if item is None else imaged(column, item)


def _of(event: Event, table: str) -> dict[str, Change]:
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


def _refuse_odd(event: Event) -> None:
    if not event.changes:
        raise InputError(f"event {event.seq} ({event.kind}) changed nothing: nothing to revert")
    if event.kind == FORGET:
        raise InputError(f"event {event.seq} (forget) cannot be reverted: what it erased is gone")
    for change in event.changes:
        table = change.record.partition(":")[0]
        if table in _FOLLOWING:
            continue
        if table not in ("entity", "relates_to", "episode"):
            raise InputError(
                f"event {event.seq} ({event.kind}) wrote {change.record}, which follows from the "
                "facts: build_communities() makes it anew"
            )
        if change.after is None:
            raise InputError(
                f"event {event.seq} ({event.kind}) moved {change.record}: "
                "a split is undone by merge()"
            )


def _told_twice(told: Episode, left: Episode, index: GroupIndex) -> None:
    if told.removed_at is None or left.removed_at is not None:
        return
    known = index.episode_known(told.content_hash, to_micros(told.valid_at, BEGINNING))
    if known is not None:
        raise InputError(
            f"episode {told.id} ({told.name!r}) cannot return: it was added again as {known}; "
            "remove that one first"
        )


def _lifetime(fact: Fact) -> tuple[datetime | None, ...]:
    return fact.valid_at, fact.invalid_at, fact.retracted_at
