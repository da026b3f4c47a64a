"""One entity found to be two: some of its facts become another's.

A fact cannot be moved in the database. The old row is retracted, with the reason, and a copy with a
new id stands at the new entity, with what was said of it: sources, times, confidence. Then what was
said of each of the two is settled by itself.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import compress

from graphrag.edit.editor import embedded, put_facts
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component, component_of, triple_of
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.ingest.summaries import composed, ends_of, refreshed
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
    """Ids of the facts to move."""
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
    _check(wanted, old, live)
    component = await component_of(live.values(), index, store, ingestion.relations)
    component.settle(gone_from(index), now=now)
    copies = _divide(wanted, component, live, new, now)
    # What was said of the old entity that is no fact moves, too.
    moves = [ending.assertion.source in wanted.episodes for ending in old.endings]
    endings = tuple(compress(old.endings, moves))
    stay = tuple(ending for ending in left.endings if ending not in endings)
    new, left = replace(new, endings=endings), replace(left, endings=stay)
    if not copies and left == old:
        raise InputError(f"nothing of {old.name!r} is to become {new.name!r}: give its facts")
    triples = [triple_of(component.facts[id_]) for id_ in copies]
    await component.read(component.reach(triples), store)
    if endings:
        component.endings |= {entity.id: entity.endings for entity in (left, new)}
    component.settle(gone_from(index), now=now)
    after = component.changed()
    changes = ChangeSet(index.group_id, SPLIT)
    new = replace(new, summary=composed({new.id: new.name}, index, after, now=now)[new.id])
    changes.insert(new, (await embedded({new.id: new.name}, ingestion))[new.id])
    changes.change(old, left)
    await put_facts(changes, component.stored, after, ingestion)
    touched = dict.fromkeys([old.id, *ends_of(after.values())])
    changes.updates += refreshed(touched, index, after, now=now)
    mention(changes, new, [after[copy] for copy in copies if copy in after])
    return new, changes


def _named(wanted: Split, old: Entity, index: GroupIndex, now: datetime) -> tuple[Entity, Entity]:
    """Return the new entity, and the old one without the name that it gives up."""
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
        raise InputError(
            f"an entity is called {name!r} already ({bearer}): give a name that tells them apart"
        )
    new = Entity(
        new_id(),
        index.group_id,
        now,
        name,
        key,
        wanted.entity_type or old.entity_type,
        old.labels,
        distinct_from=(old.id,),
    )
    aliases = tuple(alias for alias in old.aliases if name_key(alias) != key)
    return new, replace(old, aliases=aliases)


def _check(wanted: Split, old: Entity, live: Mapping[str, Fact]) -> None:
    for id_ in sorted(wanted.facts):
        fact = live.get(id_)
        if fact is None:
            raise InputError(f"no fact that stands has the id {id_!r}: see facts({old.name!r})")
        if old.id not in (fact.subject_id, fact.object_id):
            raise InputError(f"fact {id_} ({fact.text!r}) is not about {old.name!r}")


def _divide(
    wanted: Split, component: Component, live: Mapping[str, Fact], new: Entity, now: datetime
) -> list[str]:
    """Move statements to copies of their facts at the new entity, and return the copies' ids."""
    moved = {
        id_
        for fact in live
        for id_ in component.supporting(fact)
        if fact in wanted.facts or component.statement(id_).source in wanted.episodes
    }
    return divide(moved, wanted.entity, component, new, now)


def divide(
    moved: Set[str], old: str, component: Component, new: Entity, now: datetime
) -> list[str]:
    """Move statements about an entity, by id, to copies of their facts at the new one."""
    copies = []
    for id_ in sorted(component.facts):
        fact = component.facts[id_]
        said = [
            statement
            for statement in fact.statements
            if statement.id in moved and statement.void is None
        ]
        if not said or old not in (fact.subject_id, fact.object_id):
            continue
        copy = _copy(fact, old, new, now)
        statements = [replace(one, id=copy.id if not n else new_id()) for n, one in enumerate(said)]
        rest = [
            statement
            for statement in fact.statements
            if statement.void is None and statement not in said
        ]
        component.facts[copy.id] = replace(
            copy, statements=tuple(statements), provenance=_without_names(fact, rest, said)
        )
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
    names = {statement.provenance for statement in gone} - {
        statement.provenance for statement in left
    }
    return tuple(name for name in fact.provenance if name not in names)


def _copy(fact: Fact, old: str, new: Entity, now: datetime) -> Fact:
    at_subject, at_object = fact.subject_id == old, fact.object_id == old
    return replace(
        fact,
        id=new_id(),
        created_at=now,
        subject_id=new.id if at_subject else fact.subject_id,
        subject=new.name if at_subject else fact.subject,
        object_id=new.id if at_object else fact.object_id,
        object=new.name if at_object else fact.object,
        rivals=(),
        expired_at=None,
        retracted_at=None,
    )


def mention(changes: ChangeSet, new: Entity, copies: Iterable[Fact]) -> None:
    """Link the new entity to the episodes that speak of it."""
    first = {span.episode_id: span for copy in copies for span in reversed(copy.sources)}
    for episode, span in first.items():
        changes.insert_row(
            "mentions",
            edge(
                "mentions",
                new_id(),
                ("episode", episode),
                ("entity", new.id),
                group_id=new.group_id,
                start=span.start,
                end=span.end,
            ),
        )
