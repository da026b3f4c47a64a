"""One entity found to be two: some of its facts become another's.

A fact cannot be moved in the database. The old row is retracted, with the reason, and a copy with a
new id stands at the new entity, with what was said of it: sources, times, confidence. Then what was
said of each of the two is settled by itself.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, compress

from graphrag.edit import copied
from graphrag.edit.editor import put_component
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.rivalry import triple_of
from graphrag.model.assertion import Assertion, Void
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Fact
from graphrag.names.key import name_key
from graphrag.store.changes import ChangeSet
from graphrag.store.rows import edge

SPLIT = "split"


@dataclass(frozen=True, slots=True)
class Split:
    """What is to become another entity."""

    entity: str
    name: str
    facts: frozenset[str] = frozenset()
    episodes: frozenset[str] = frozenset()
    """Ids of the episodes of which everything moves that they say about the entity."""
    entity_type: str | None = None


async def split(
    wanted: Split, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> tuple[Entity, ChangeSet]:
    """Work out the new entity and what changes."""
    store = ingestion.store
    old = (await store.get(Entity, [wanted.entity]))[wanted.entity]
    new, left = _named(wanted, old, index, now)
    stored = await store.get(Fact, {*index.facts_of(old.id), *wanted.facts})
    stored = index.heirs.follow(stored, index.entity_name)
    live = {id_: fact for id_, fact in stored.items() if fact.retracted_at is None}
    for id_ in sorted(wanted.facts):
        fact = live.get(id_)
        if fact is None:
            raise InputError(f"no valid fact has the id {id_!r}: see facts({old.name!r})")
        if old.id not in (fact.subject_id, fact.object_id):
            raise InputError(f"fact {id_} ({fact.text!r}) is not about {old.name!r}")
    component = Component.of(index, ingestion.relations, store, now)
    await component.read_around(live.values())
    component.settle()
    moved = {
        id_
        for fact in live
        for id_ in component.supporting(fact)
        if fact in wanted.facts or component.statement(id_).source in wanted.episodes
    }
    copies = divide(moved, old.id, component, new)
    # What was said of the old entity that is no fact moves, too.
    moves = [ending.assertion.source in wanted.episodes for ending in old.endings]
    endings = tuple(compress(old.endings, moves))
    stay = tuple(ending for ending in left.endings if ending not in endings)
    new, left = replace(new, endings=endings), replace(left, endings=stay)
    if not copies and left == old:
        raise InputError(f"nothing of {old.name!r} is to become {new.name!r}: give its facts")
    await component.read(component.reach(triple_of(component.facts[id_]) for id_ in copies))
    if endings:
        component.endings |= {entity.id: entity.endings for entity in (left, new)}
    component.settle()
    changes = ChangeSet(index.group_id, SPLIT)
    changes.change(old, left)
    await put_component(changes, component, ingestion, new=[new], touched=[old.id], renamed=[left])
    mention(changes, new, [component.facts[copy] for copy in copies if copy in component.facts])
    return new, changes


def _named(wanted: Split, old: Entity, index: GroupIndex, now: datetime) -> tuple[Entity, Entity]:
    name, key = wanted.name.strip(), name_key(wanted.name)
    if not key:
        raise InputError(f"{wanted.name!r} is no name: give the new entity one")
    merged = [id_ for id_ in index.names.keyed(key) if id_ in index.heirs]
    if any(index.heirs.of(id_) == old.id for id_ in merged):
        raise InputError(
            f"{name!r} was merged into {old.name!r}: identity.unmerge it instead, see log.events()"
        )
    others = [id_ for id_ in index.entities_keyed(key) if id_ != old.id]
    if key == name_key(old.name) or others:
        bearer = others[0] if others else old.id
        raise InputError(f"an entity is called {name!r} already ({bearer}): give a different name")
    kind, apart = wanted.entity_type or old.entity_type, (old.id,)
    new = Entity(new_id(), index.group_id, now, name, key, kind, old.labels, distinct_from=apart)
    aliases = tuple(alias for alias in old.aliases if name_key(alias) != key)
    names = tuple(given for given in old.names if name_key(given.name) != key)
    return new, replace(old, aliases=aliases, names=names)


def divide(moved: Set[str], old: str, component: Component, new: Entity) -> list[str]:
    """Move statements about an entity, by id, to copies of their facts at the new one."""
    copies = []
    for id_ in sorted(component.facts):
        fact = component.facts[id_]
        standing = [statement for statement in fact.statements if statement.void is None]
        said = [statement for statement in standing if statement.id in moved]
        if not said or old not in (fact.subject_id, fact.object_id):
            continue
        copy = copied(fact, component.now)
        if fact.subject_id == old:
            copy = replace(copy, subject_id=new.id, subject=new.name)
        if fact.object_id == old:
            copy = replace(copy, object_id=new.id, object=new.name)
        further = (replace(statement, id=new_id()) for statement in said[1:])
        statements = replace(said[0], id=copy.id), *further
        rest = [statement for statement in standing if statement not in said]
        names = _without_names(fact, rest, said)
        component.facts[copy.id] = replace(copy, statements=statements, provenance=names)
        if rest:
            component.facts[id_] = replace(fact, provenance=_without_names(fact, said, rest))
        copies.append(copy.id)
        reason = f"split: said of {new.name}, not of {component.index.entity_name(old)}"
        void = Void("corrected", reason=reason, fact=copy.id)
        component.void({statement.id for statement in said}, void)
    return copies


def _without_names(
    fact: Fact, gone: Iterable[Assertion], left: Iterable[Assertion]
) -> tuple[str, ...]:
    """Return the names of the sources of a fact without those of statements that it has not."""
    lost = {statement.provenance for statement in gone}
    lost -= {statement.provenance for statement in left}
    return tuple(name for name in fact.provenance if name not in lost)


@dataclass(slots=True)
class SplitNames:
    """What was taken apart."""

    entities: list[Entity] = field(default_factory=list)
    copies: dict[str, list[str]] = field(default_factory=dict)
    """By the id of a new one: the facts that are its own now."""
    moved: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By the id of an old one: ids of the statements that are of another entity now."""
    episodes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By the id of an old one: episodes that spoke of it by no other name."""


async def split_names(
    pairs: Sequence[tuple[Entity, Entity]], component: Component, gone: Collection[str]
) -> SplitNames:
    """Move what was said of entities by names that they lose; ``gone`` episodes are taken back."""
    index, splits = component.index, SplitNames()
    for before, left in pairs:
        kept = {name_key(name) for name in _names(left)}
        lost = {name_key(name): name for name in _names(before) if name_key(name) not in kept}
        if not lost:
            continue
        await component.read(component.reach_from(list(index.facts_of(before.id))))
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
            at = component.now
            new = Entity(new_id(), index.group_id, at, lost[key], key, left.entity_type)
            copies = divide(moved, before.id, component, new)
            for id_ in copies:
                component.facts[id_] = _own(component.facts[id_], new.id)
            splits.entities.append(new)
            splits.copies[new.id] = copies
            splits.moved[before.id] |= moved
        splits.episodes[before.id] = sources[True] - sources[False] - {""}
    if splits.entities:
        copied = chain.from_iterable(splits.copies.values())
        await component.read(component.reach(triple_of(component.facts[id_]) for id_ in copied))
        component.settle()
    return splits


def _names(entity: Entity) -> tuple[str, ...]:
    return entity.name, *entity.aliases, *(name.name for name in entity.names)


def _key(statement: Assertion, fact: Fact, entity: str) -> str | None:
    """Return by which name a statement speaks of an entity: none if it does not, "" for its own."""
    if entity == fact.subject_id:
        return name_key(statement.subject_as)
    return name_key(statement.object_as) if entity == fact.object_id else None


def _own(fact: Fact, entity: str) -> Fact:
    """Return a fact of which one end goes by its own name."""
    at_subject, said = fact.subject_id == entity, fact.statements
    own = (replace(it, subject_as="") if at_subject else replace(it, object_as="") for it in said)
    return replace(fact, statements=tuple(own))


def mention(changes: ChangeSet, new: Entity, copies: Iterable[Fact]) -> None:
    """Link the new entity to the episodes that speak of it."""
    first = {span.episode_id: span for copy in copies for span in reversed(copy.sources)}
    target, group = ("entity", new.id), new.group_id
    for episode, span in first.items():
        source, start, end = ("episode", episode), span.start, span.end
        row = edge("mentions", new_id(), source, target, group_id=group, start=start, end=end)
        changes.insert_row("mentions", row)
