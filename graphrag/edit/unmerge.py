"""Take a merge back: a new event that undoes the old one, field by field.

Whatever still is as the merge left it becomes what it was. What was told or decided since stays:
facts told of the kept entity meanwhile are still told of it, and a fact that a person has edited
since keeps the edit. Where facts of the one had ended facts of the other those hold again, and each
entity's facts are judged anew by the rules: neither is left with two values at one moment.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, TypeVar

from graphrag.edit.merge import MERGE
from graphrag.edit.reopen import CLOSING, closed_by, recut, spoken_for, without_fallen
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.invalidate import Statement, excludes, shares_end
from graphrag.ingest.planner import candidates
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.values import Change, Entity, Event, Fact
from graphrag.ontology.relations import Relations
from graphrag.store.changes import ChangeSet
from graphrag.store.rows import imaged
from graphrag.store.store import Store

UNMERGE = "unmerge"
_LIFETIME = CLOSING | {"valid_at", "observed"}
"""What is decided of a fact at one stroke: restored whole or not at all."""
_GATHERED = frozenset({"aliases", "distinct_from", "labels", "provenance", "sources"})
_KEYED = frozenset({"attributes", "attribute_times"})
Value = TypeVar("Value", Entity, Fact)


async def unmerge(
    event: Event, index: GroupIndex, store: Store, relations: Relations, *, now: datetime
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
    facts = _Parted(other, index, relations)
    merged = {id_: change for (kind, id_), change in images.items() if kind == "relates_to"}
    await facts.read([*merged, *index.facts_of(keep)], store)
    facts.restore(merged)
    await facts.free(store)
    facts.judge(now)
    after = facts.changed()
    with index.heirs.supposing(other, None):  # nothing is awaited in here
        touched = [keep, other, *ends_of(facts.before.values())]
        changes.updates += refreshed(dict.fromkeys(touched), index, after, now=now)
    for id_, fact in after.items():
        changes.change(facts.before[id_], fact)
    return changes


@dataclass(slots=True)
class _Parted:
    """The facts of two entities that part, and those that these may exclude."""

    other: str
    index: GroupIndex
    relations: Relations
    before: dict[str, Fact] = field(default_factory=dict)
    """As they are, told of the entity that each will be about."""
    after: dict[str, Fact] = field(default_factory=dict)

    async def read(self, ids: Iterable[str], store: Store) -> None:
        """Read facts, with all that share an end with them where only one value holds."""
        own = await store.get(Fact, ids)
        told = self.index.heirs.follow(own, self.index.entity_name)
        near = candidates(map(Statement, told.values()), self.index, self.relations)
        stored = {**own, **await store.get(Fact, [id_ for id_ in near if id_ not in own])}
        with self.index.heirs.supposing(self.other, None):
            self.before = self.index.heirs.follow(stored, self.index.entity_name)
        self.after = dict(self.before)

    def restore(self, merged: Mapping[str, Change]) -> None:
        """Give back to facts what the merge took."""
        for id_ in merged.keys() & self.before.keys():
            self.after[id_] = undone(self.before[id_], merged[id_])

    async def free(self, store: Store) -> None:
        """Free the facts of each entity that facts of the other had ended since."""
        self.after |= await without_fallen(self.changed(), store, self.after)
        closers = {fact.invalidated_by for fact in self.after.values()} & self.after.keys()
        for id_ in sorted(filter(None, closers)):
            closer = self.after[id_]
            victims = [
                fact
                for fact in self.after.values()
                if fact.invalidated_by == id_ and not self._may_end(closer, fact)
            ]
            self.after |= await closed_by(closer, victims, store, corrected=True)
        spoken = await spoken_for(self.before, self.after, store)
        self.after = {id_: spoken.get(id_, fact) for id_, fact in self.before.items()}

    def judge(self, now: datetime) -> None:
        """Let the rules decide again about all that holds at another time than before."""
        for id_ in sorted(self.changed()):
            fact = self.after[id_]
            if fact.retracted_at is None and not fact.pending:
                self.after[id_], cut = recut(fact, self.after, self.relations, now=now)
                self.after |= cut

    def changed(self) -> dict[str, Fact]:
        """Return the facts that are to be different."""
        return {id_: fact for id_, fact in self.after.items() if fact != self.before[id_]}

    def _may_end(self, closer: Fact, fact: Fact) -> bool:
        ruled = fact.closed_by_arbiter and shares_end(closer, fact)
        return ruled or excludes(closer, fact, self.relations)


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
    return {one.name: one.name for one in fields(value)}


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
