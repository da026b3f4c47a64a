"""Two entities found to be one, and the way back.

A fact cannot be moved to another entity in the database, so nothing moves: the entity that is given
up points to the one that is kept, and every read follows. The kept one gets its names as aliases
and what it lacks of type, labels and attributes. Then the facts of both are judged as if they had
been told of one entity from the beginning: what says the same is one fact, and a relation of one
value has one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.invalidate import Statement, closed, judge
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.attributes import newer
from graphrag.model.values import Entity, Fact
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.resolve.mentions import UNTYPED
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store

MERGE = "merge"
"""Kind of the event of a merge."""
KEEP_APART = "keep_apart"
_EARLIEST = datetime.min.replace(tzinfo=UTC)


def entity_id(given: Entity | str, index: GroupIndex) -> str:
    """Return the id of the entity that a person means by an entity, its id or its name.

    Raises:
        InputError: if there is none, or several bear the name.
    """
    if isinstance(given, Entity) or given in index.entities.row_of:
        id_ = given.id if isinstance(given, Entity) else given
        if id_ not in index.entities.row_of:
            raise InputError(f"entity {id_!r} is not in group {index.group_id!r}: name its group")
        return index.heirs.of(id_)
    found = index.entities_named(given)
    if not found:
        raise InputError(f"no entity is called {given!r} in group {index.group_id!r}: try a search")
    if len(found) > 1:
        shown = ", ".join(f"{id_} ({index.entity_type(id_)})" for id_ in found)
        raise InputError(f"{len(found)} entities are called {given!r}: pass one of {shown}")
    return found[0]


async def merge(
    keep: str, other: str, index: GroupIndex, store: Store, relations: Relations, *, now: datetime
) -> ChangeSet:
    """Work out how one entity becomes another; both are given by id."""
    if keep == other:
        name = index.entity_name(keep)
        raise InputError(f"both are the entity {name!r} ({keep}) already: nothing to merge")
    entities = await store.get(Entity, [keep, other])
    kept, given_up = entities[keep], entities[other]
    stored = await store.get(Fact, {*index.facts_of(keep), *index.facts_of(other)})
    changes = ChangeSet(index.group_id, MERGE)
    changes.change(kept, joined(kept, given_up))
    changes.change(given_up, replace(given_up, merged_into=keep))
    theirs = {
        id_
        for id_, fact in index.heirs.follow(stored, index.entity_name).items()
        if other in (fact.subject_id, fact.object_id)
    }
    with index.heirs.supposing(other, keep):  # nothing is awaited in here
        facts = index.heirs.follow(stored, index.entity_name)
        after = united(facts, theirs, relations, now=now)
        touched = ends_of(facts[id_] for id_ in {*theirs, *after})
        changes.updates += refreshed([keep, other, *touched], index, after, now=now)
    for id_, fact in after.items():
        changes.change(facts[id_], fact)
    return changes


async def keep_apart(one: str, other: str, index: GroupIndex, store: Store) -> ChangeSet:
    """Work out how two entities, given by id, are known to be two."""
    name, other_name = index.entity_name(one), index.entity_name(other)
    if one == other:
        raise InputError(
            f"both are the entity {name!r} ({one}): use identity.unmerge(...) or "
            "identity.split(...)"
        )
    entities = await store.get(Entity, [one, other])
    if other in entities[one].distinct_from or one in entities[other].distinct_from:
        raise InputError(f"{name!r} and {other_name!r} are known to be two already")
    changes = ChangeSet(index.group_id, KEEP_APART)
    told = (*entities[one].distinct_from, other)
    changes.change(entities[one], replace(entities[one], distinct_from=told))
    return changes


def joined(kept: Entity, given_up: Entity) -> Entity:
    """Return the kept entity with what it gets from the other."""
    known = {name_key(name) for name in (kept.name, *kept.aliases)}
    aliases: dict[str, str] = {}
    for name in (given_up.name, *given_up.aliases):
        if (key := name_key(name)) not in known:
            aliases.setdefault(key, name)
    attributes, times = newer(
        given_up.attributes, given_up.attribute_times, kept.attributes, kept.attribute_times
    )
    promoted = kept.entity_type == UNTYPED
    return replace(
        kept,
        entity_type=given_up.entity_type if promoted else kept.entity_type,
        labels=tuple(dict.fromkeys((*kept.labels, *given_up.labels))),
        aliases=(*kept.aliases, *aliases.values()),
        attributes=attributes,
        attribute_times=times,
    )


def united(
    facts: Mapping[str, Fact], theirs: Iterable[str], relations: Relations, *, now: datetime
) -> dict[str, Fact]:
    """Return the facts that change when those of two entities become those of one.

    ``theirs`` are the ids of the given up entity's. Facts of one side were judged when they were
    told; here each is judged against the other side's, in the order of telling.
    """
    theirs = frozenset(theirs)
    now_known = dict(facts)
    told: dict[tuple[bool, str], list[str]] = defaultdict(list)
    live = (fact for fact in facts.values() if fact.retracted_at is None and not fact.pending)
    for fact in sorted(live, key=_telling):
        fact = now_known[fact.id]
        if fact.retracted_at is not None:
            continue
        if fact.subject_id == fact.object_id:
            reason = "merged: both ends are one entity"
            now_known[fact.id] = closed(replace(fact, retracted_at=now), "retracted", reason)
            continue
        other_side = fact.id not in theirs
        names = (fact.relation, *relations[fact.relation].exclusive_with)
        rivals = [now_known[id_] for name in names for id_ in told[other_side, name]]
        told[fact.id in theirs, fact.relation].append(fact.id)
        if not rivals:
            continue
        verdict = judge(Statement(fact), rivals, relations, now=now)
        now_known |= verdict.changed
        if verdict.new is not None:
            now_known[fact.id] = verdict.new
        elif verdict.changed:
            first = next(iter(verdict.changed.values()))
            # Not ``invalidated_by`` it: were that one retracted, this one should not come back.
            reason = f"merged: says the same as {first.id}: {first.fact}"
            now_known[fact.id] = closed(replace(fact, retracted_at=now), "superseded", reason)
    return {id_: fact for id_, fact in now_known.items() if fact != facts[id_]}


def _telling(fact: Fact) -> tuple[datetime, datetime, str]:
    return fact.reference_time or _EARLIEST, fact.created_at, fact.id
