"""Facts of a reverted event: its statements fall, those it changed return.

Statements that a person has confirmed since stay. Names that a reverted episode gave go too, also
from others' facts stored by them.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from graphrag.edit.edits import plain_sentence
from graphrag.edit.inverse import conflict, inverse, restamped
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component, component_of
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.model.assertion import Assertion, Void, latest_first
from graphrag.model.ids import made_at
from graphrag.model.values import Change, Entity, Event, Fact
from graphrag.store import links
from graphrag.store.assertions import assertions
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros


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
            fact = inverse(component.facts[id_], change, event=undoing.event, force=undoing.force)
            component.facts[id_] = replace(fact, statements=_undone(fact, change, undoing))
    gone = gone_from(index, gone=undoing.gone, back=undoing.back)
    component.settle(gone, now=undoing.now)
    for id_, change in undoing.facts.items():
        if id_ in component.facts:
            component.facts[id_] = restamped(component.facts[id_], change.before)
    return component


async def resting_on(
    episodes: Collection[str], index: GroupIndex, store: Store
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the facts that rest on one of some episodes, and the ends that name no object."""
    if not episodes:
        return [], []
    mentioned = {entity for _, entity in await links.mentioned_in(store, episodes)}
    members = {id_ for one in mentioned for id_ in index.heirs.family(index.heirs.of(one))}
    # What no longer has an episode among its sources still has its ends, which it mentions.
    rows = [index.entities.row_of[id_] for id_ in members if id_ in index.entities.row_of]
    within = np.isin(index.facts["subject"], rows) & np.isin(index.facts["object"], rows)
    near = [index.facts.ids[row] for row in np.flatnonzero(within & index.facts.alive.values)]
    stored = await store.get(Fact, [*await links.facts_on(store, episodes), *near])
    facts = [
        id_
        for id_, fact in stored.items()
        if not {*episodes}.isdisjoint(
            (*fact.episodes, *(statement.source for statement in fact.statements))
        )
    ]
    said = [index.entities.ids[row] for row in np.flatnonzero(index.entities["endings"])]
    ended = [
        (ending.relation, index.heirs.of(entity.id))
        for entity in (await store.get(Entity, said)).values()
        if any(ending.assertion.source in episodes for ending in entity.endings)
        for ending in entity.endings
    ]
    return facts, ended


async def _ended(undoing: Undoing, component: Component) -> list[tuple[str, str]]:
    """Take over what is said of the event's entities then; return which ends that may change."""
    heirs = component.index.heirs
    for id_, entity in undoing.entities.items():
        heir = heirs.of(id_)
        others = [
            ending
            for member in heirs.family(id_)
            if member != id_ and member in component.entities
            for ending in component.entities[member].endings
        ]
        if id_ in component.entities or entity.endings:
            component.entities[id_] = entity
            component.endings[heir] = (*others, *entity.endings)
    return [
        (ending.relation, heirs.of(id_))
        for id_, entity in undoing.entities.items()
        for ending in entity.endings
    ]


def _undone(fact: Fact, change: Change, undoing: Undoing) -> tuple[Assertion, ...]:
    """Return what is said of a fact without the event."""
    if "statements" not in (change.after or {}):
        return fact.statements
    then = assertions((change.before or {}).get("statements"), fact.id)
    now = assertions((change.after or {}).get("statements"), fact.id)
    known = {statement.id for statement in fact.statements}
    kept = (_back(statement, then, now, change, undoing) for statement in fact.statements)
    taken = (statement for id_, statement in then.items() if id_ not in now and id_ not in known)
    return (*(statement for statement in kept if statement is not None), *taken)


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


async def unname(
    entities: Iterable[tuple[Entity, Entity]], component: Component, store: Store
) -> None:
    """Let facts have the names that their ends would have had when they were stored."""
    for entity, left in entities:
        lost = {name.name for name in entity.names} - {name.name for name in left.names}
        lost -= {left.name, *left.aliases}
        if not lost:
            continue
        stored = await store.get(Fact, component.index.facts_of(entity.id))
        ids = [
            id_ for id_, fact in stored.items() if not lost.isdisjoint((fact.subject, fact.object))
        ]
        await component.read(ids, store)
        for fact in [component.facts[id_] for id_ in ids if id_ in component.facts]:
            then = [
                name for name in left.names if made_at(name.source) <= to_micros(fact.created_at, 0)
            ]
            name, *_ = latest_first(left.name, left.aliases, then)
            at_subject = fact.subject_id == entity.id and fact.subject in lost
            at_object = fact.object_id == entity.id and fact.object in lost
            renamed = replace(
                fact,
                subject=name if at_subject else fact.subject,
                object=name if at_object else fact.object,
            )
            if fact.text == plain_sentence(fact):
                renamed = replace(renamed, text=plain_sentence(renamed))
            component.facts[fact.id] = renamed
