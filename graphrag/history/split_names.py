"""Separation of entities that only a withdrawn name had joined.

Each statement keeps the name it was stated by, so that without the source of "Globex was renamed
Initech" the facts of Initech move to an entity of their own.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphrag.edit.editor import embedded
from graphrag.edit.split import divide, mention
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.ingest.summaries import composed
from graphrag.model.assertion import Assertion
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Fact
from graphrag.names.key import name_key
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store


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
        ids = [id_ for copies in splits.copies.values() for id_ in copies]
        copied = [component.facts[id_] for id_ in ids]
        triples = [(fact.relation, fact.subject_id, fact.object_id) for fact in copied]
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
