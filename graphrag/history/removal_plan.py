"""Removal plan: the statements of one source, and the entities left without any other.

Each statement keeps the name it was stated by. Entities that only a withdrawn name had joined are
split: without the source of "Globex was renamed Initech" the facts of Initech move to an entity of
their own. An entity that no other text, table or person speaks of is removed.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain

import numpy as np

from graphrag.edit.editor import embedded
from graphrag.edit.split import divide, mention
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component, triple_of
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.ingest.summaries import composed, ends_of
from graphrag.model.assertion import Assertion
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Episode, Event, Fact
from graphrag.names.key import name_key
from graphrag.store import links
from graphrag.store.changes import ChangeSet
from graphrag.store.log import events_with
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What is taken back: some episodes, and what a source said without any."""

    episodes: Mapping[str, Episode]
    """By id."""
    source: str = ""
    facts: tuple[str, ...] = ()
    """Ids of the facts that the source stated, maybe beside others."""

    def has(self, statement: Assertion) -> bool:
        """Tell whether a statement goes with an episode."""
        return statement.source in self.episodes and not statement.manual

    def named(self, fact: Fact) -> list[str]:
        """Return the ids of the statements of a fact that the source made without an episode."""
        return [
            statement.id
            for statement in fact.statements
            if self.source and statement.provenance == self.source and not statement.manual
        ]

    def unnamed(self, fact: Fact) -> Fact:
        """Return a fact that others state, too, without the name of the source."""
        if fact.retracted_at is not None:
            return fact
        left = [statement for statement in fact.statements if statement.void is None]
        if any(statement.provenance == self.source for statement in left):  # a person stands for it
            return fact
        names = tuple(name for name in fact.provenance if name != self.source)
        return replace(fact, provenance=names)


@dataclass(slots=True)
class SplitNames:
    """What was taken apart."""

    entities: list[Entity] = field(default_factory=list)
    """The new ones."""
    copies: dict[str, list[str]] = field(default_factory=dict)
    """By the id of a new one: the facts that are its own now."""
    moved: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By the id of an old one: ids of the statements that are of another entity now."""
    episodes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By the id of an old one: episodes that spoke of it by no other name."""

    async def insert(
        self, changes: ChangeSet, component: Component, ingestion: Ingestion, *, now: datetime
    ) -> None:
        """Note the new entities, with the episodes that speak of them."""
        names = {entity.id: entity.name for entity in self.entities}
        after = component.changed()
        described = composed(names, component.index, after, now=now)
        vectors = await embedded(names, ingestion)
        for new in self.entities:
            changes.insert(replace(new, summary=described[new.id]), vectors[new.id])
            mention(changes, new, [after[id_] for id_ in self.copies[new.id] if id_ in after])


async def split_names(
    pairs: Sequence[tuple[Entity, Entity]],
    component: Component,
    store: Store,
    *,
    gone: frozenset[str],
    now: datetime,
) -> SplitNames:
    """Move what was said of entities by names that they lose; the component is settled anew."""
    index, splits = component.index, SplitNames()
    for before, left in pairs:
        kept = {name_key(name) for name in _names(left)}
        lost = {name_key(name): name for name in _names(before) if name_key(name) not in kept}
        if not lost:
            continue
        stored = await store.get(Fact, index.facts_of(before.id))
        facts = index.heirs.follow(stored, index.entity_name)
        await component.read(component.reach_from(list(facts)), store)
        said: dict[str, set[str]] = defaultdict(set)
        sources: dict[bool, set[str]] = {True: set(), False: set()}
        for fact in component.facts.values():
            for statement in fact.statements:
                key = _key(statement, fact, before.id)
                if key is None or statement.void is not None or statement.source in gone:
                    continue
                sources[key in lost].add(statement.source)
                if key in lost:
                    said[key].add(statement.id)
        for key, moved in sorted(said.items()):
            new = Entity(new_id(), index.group_id, now, lost[key], key, left.entity_type)
            copies = divide(moved, before.id, component, new, now)
            for id_ in copies:
                component.facts[id_] = _own(component.facts[id_], new.id)
            splits.entities.append(new)
            splits.copies[new.id] = copies
            splits.moved[before.id] |= moved
        splits.episodes[before.id] = sources[True] - sources[False] - {""}
    if splits.entities:
        copied = chain.from_iterable(splits.copies.values())
        triples = [triple_of(component.facts[id_]) for id_ in copied]
        await component.read(component.reach(triples), store)
        component.settle(gone_from(index, gone=gone), now=now)
    return splits


def _names(entity: Entity) -> tuple[str, ...]:
    return entity.name, *entity.aliases, *(name.name for name in entity.names)


def _key(one: Assertion, fact: Fact, entity: str) -> str | None:
    """Return by which name a statement speaks of an entity: none if it does not, "" for its own."""
    if entity == fact.subject_id:
        return name_key(one.subject_as)
    return name_key(one.object_as) if entity == fact.object_id else None


def _own(fact: Fact, entity: str) -> Fact:
    """Return a fact of which one end goes by its own name."""
    at_subject = fact.subject_id == entity
    statements = (
        replace(statement, subject_as="") if at_subject else replace(statement, object_as="")
        for statement in fact.statements
    )
    return replace(fact, statements=tuple(statements))


async def unmentioned(
    entities: Iterable[str],
    plan: RemovalPlan,
    names: SplitNames,
    facts: Mapping[str, Fact],
    index: GroupIndex,
    store: Store,
) -> set[str]:
    """Return those of the entities of which no episode, fact, table or person speaks any more.

    Args:
        entities: Ids of those that what is taken back spoke of.
        plan: What is taken back.
        names: The entities that it had joined.
        facts: Facts as they are to be.
        index: The group as it is.
        store: Where it is.
    """
    candidates = set(entities)
    left = candidates - standing(candidates, facts, index)
    families = {member: heir for heir in left for member in index.heirs.family(heir)}
    spoken = await links.mentioned_beside(store, families, episodes=plan.episodes)
    for heir in {families[member] for member in spoken}:
        episodes, family = {*plan.episodes, *names.episodes[heir]}, index.heirs.family(heir)
        if not names.episodes[heir] or await links.mentioned_beside(
            store, family, episodes=episodes
        ):
            left.discard(heir)
    left = {heir for heir in left if not await _heard_of(heir, plan, names, index, store)}
    rest = {member: heir for member, heir in families.items() if heir in left}
    return left - await _by_hand(rest, plan, index, store)


def standing(entities: Iterable[str], facts: Mapping[str, Fact], index: GroupIndex) -> set[str]:
    """Return those of the entities that a fact is about that stands; ``facts`` are to be so."""
    live = index.facts.alive.values & (index.facts["retracted"] == FOREVER)
    for id_, fact in facts.items():
        if id_ in index.facts.row_of:
            live[index.facts.row_of[id_]] = fact.retracted_at is None
    rows = {*np.concatenate([end[live] for end in index.ends()]).tolist()}
    new = (fact for id_, fact in facts.items() if id_ not in index.facts.row_of)
    about = {*ends_of(fact for fact in new if fact.retracted_at is None)}
    return {
        id_
        for id_ in entities
        if (heir := index.heirs.of(id_)) in about or index.entities.row_of[heir] in rows
    }


async def _heard_of(
    entity: str, plan: RemovalPlan, names: SplitNames, index: GroupIndex, store: Store
) -> bool:
    """Tell whether anybody else stated a fact about it without an episode, in vain or not."""
    return any(
        not statement.source
        and statement.id not in names.moved[entity]
        and statement.id not in plan.named(fact)
        for fact in (await store.get(Fact, index.facts_of(entity))).values()
        if not fact.derived_from
        for statement in fact.statements
    )


async def _by_hand(
    families: Mapping[str, str], plan: RemovalPlan, index: GroupIndex, store: Store
) -> set[str]:
    """Return the entities that were entered without an episode.

    One that came as the end of a fact of the source that is taken back was not.
    """
    entered, own = set[str](), {f"relates_to:{id_}" for id_ in plan.facts}
    stored = await store.get(Entity, families)
    records = {f"entity:{id_}": to_micros(entity.created_at, 0) for id_, entity in stored.items()}
    for event in await events_with(store, index.group_id, records):
        new = {change.record for change in event.changes if change.before is None}
        for change in event.changes if own else ():
            if change.record in own and change.before is None and change.after is not None:
                new -= {change.after["in"], change.after["out"]}
        if not any(record.startswith("episode:") for record in new) and not _finished(event):
            entered |= {heir for member, heir in families.items() if f"entity:{member}" in new}
    return entered


def _finished(event: Event) -> bool:
    return any(change.record.startswith("mentions:") for change in event.changes)


async def resting_on(
    episodes: Collection[str], index: GroupIndex, store: Store
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the facts that rest on one of some episodes, and the ends that name no object."""
    if not episodes:
        return [], []
    mentioned = {entity for _, entity in await links.mentioned_in(store, episodes)}
    members = {id_ for entity in mentioned for id_ in index.heirs.family(entity)}
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
