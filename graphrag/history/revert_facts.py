"""The facts of an event that is undone: what it said falls, what it took back stands again.

Statements that the event brought fall, unless a person came to stand for them; those that it
changed are as they were. When facts hold then, and what they no longer close, follows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.edit.unmerge import restamped
from graphrag.history.images import back, conflict
from graphrag.history.remove_episode import resting_on
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component, component_of, gone_from
from graphrag.model.assertion import Assertion, Void
from graphrag.model.values import Change, Entity, Event, Fact
from graphrag.store.assertions import assertions


@dataclass(frozen=True, slots=True)
class Undoing:
    """What is undone, and how."""

    event: Event
    facts: Mapping[str, Change]
    """What the event did to facts, by id."""
    entities: Mapping[str, Entity]
    """Entities that the event changed, as they are to be."""
    gone: frozenset[str]
    """Episodes that go with the event."""
    back: frozenset[str]
    """Episodes that return."""
    force: bool
    now: datetime


async def undone_facts(undoing: Undoing, index: GroupIndex, ingestion: Ingestion) -> Component:
    """Return the facts concerned, settled without the event."""
    store = ingestion.store
    resting, ended = await resting_on(undoing.gone | undoing.back, index, store)
    stored = await store.get(Fact, [*undoing.facts, *resting])
    followed = index.heirs.follow(stored, index.entity_name)
    component = await component_of(followed.values(), index, store, ingestion.relations)
    await component.read(component.reach((), [*ended, *await _ended(undoing, component)]), store)
    for id_, change in undoing.facts.items():
        if id_ in component.facts:
            fact = back(component.facts[id_], change, undoing.event, force=undoing.force)
            component.facts[id_] = replace(fact, statements=_undone(fact, change, undoing))
    gone = gone_from(index, gone=undoing.gone, back=undoing.back)
    component.settle(gone, now=undoing.now)
    for id_, change in undoing.facts.items():
        if id_ in component.facts:
            component.facts[id_] = restamped(component.facts[id_], change.before)
    return component


async def _ended(undoing: Undoing, component: Component) -> list[tuple[str, str]]:
    """Take over what is said of the event's entities then; return which ends that may change."""
    heirs = component.index.heirs
    for id_, entity in undoing.entities.items():
        heir = heirs.of(id_)
        others = [
            one
            for member in heirs.family(id_)
            if member != id_ and member in component.entities
            for one in component.entities[member].endings
        ]
        if id_ in component.entities or entity.endings:
            component.entities[id_] = entity
            component.endings[heir] = (*others, *entity.endings)
    return [
        (one.relation, heirs.of(id_))
        for id_, entity in undoing.entities.items()
        for one in entity.endings
    ]


def _undone(fact: Fact, change: Change, undoing: Undoing) -> tuple[Assertion, ...]:
    """Return what is said of a fact without the event."""
    if "statements" not in (change.after or {}):
        return fact.statements
    then = assertions((change.before or {}).get("statements"), fact.id)
    now = assertions((change.after or {}).get("statements"), fact.id)
    known = {one.id for one in fact.statements}
    kept = (_back(one, then, now, change, undoing) for one in fact.statements)
    taken = (one for id_, one in then.items() if id_ not in now and id_ not in known)
    return (*(one for one in kept if one is not None), *taken)


def _back(
    one: Assertion,
    then: Mapping[str, Assertion],
    now: Mapping[str, Assertion],
    change: Change,
    undoing: Undoing,
) -> Assertion | None:
    """Return a statement without the event; None for one that the event brought to a fact."""
    void = Void("retracted", reason=f"event {undoing.event.seq} was reverted")
    was, brought = then.get(one.id), now.get(one.id)
    if was is None and brought is None:  # said since
        later = undoing.force and one.manual and one.void is None
        return replace(one, void=void) if later else one
    if was is not None and brought is not None:
        if one in (was, brought) or was == brought:
            return one if was == brought else was
        if undoing.force:
            return was
        raise conflict(undoing.event, "statements", change.record)
    if brought is None or (one.manual and not brought.manual):
        return one
    if change.before is None:  # it came with the fact, which stays and says why it fell
        return (
            one if one.void is not None or one.source in undoing.gone else replace(one, void=void)
        )
    if one != brought and not undoing.force:
        raise conflict(undoing.event, "statements", change.record)
    return None
