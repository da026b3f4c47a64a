"""Removal of episodes, and of all that one source said.

What rests on them alone goes with them, what they had closed holds again. Nothing is deleted: the
episodes and the entities that nothing else speaks of get ``removed_at``, the facts are retracted,
and reads of an earlier moment find all of it. What a person entered or confirmed rests on that
person, too, and stays.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graphrag.edit.editor import put_component
from graphrag.edit.edits import plain_sentence
from graphrag.edit.inverse import added, changed_by, inverse
from graphrag.errors import InputError
from graphrag.history.removal_plan import RemovalPlan, resting_on, split_names, unmentioned
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component, component_of
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.model.assertion import Void, latest_first
from graphrag.model.attributes import without_source
from graphrag.model.ids import made_at
from graphrag.model.values import Entity, Episode, Event, Fact
from graphrag.store import links
from graphrag.store.changes import ChangeSet
from graphrag.store.log import events_with
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

REMOVE_EPISODE, REMOVE_SOURCE = "remove_episode", "remove_source"
_ATTRIBUTES = ("attributes", "attribute_times")
_GONE = Void("retracted", reason="its source was taken back")


async def stored_episode(id_: str, group: str, store: Store) -> Episode:
    """Return an episode of a group as it is stored now.

    Raises:
        InputError: if there is none with this id.
    """
    episode = (await store.get(Episode, [id_])).get(id_)
    if episode is None or episode.group_id != group:
        raise InputError(f"no episode has the id {id_!r}: pass an episode from a search, or its id")
    return episode


async def withdraw(
    id_: str, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    """Work out the transaction that removes an episode.

    Raises:
        InputError: if there is no such episode, or it was removed before.
    """
    episode = await stored_episode(id_, index.group_id, ingestion.store)
    if episode.removed_at is not None:
        raise InputError(
            f"episode {id_} ({episode.name!r}) was removed before, at "
            f"{episode.removed_at.isoformat()}: there is nothing left to remove"
        )
    changes = ChangeSet(index.group_id, REMOVE_EPISODE)
    await _take_out(RemovalPlan({id_: episode}), changes, index, ingestion, now)
    return changes


async def withdraw_source(
    source: str, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    """Work out the transaction that takes back all that one source said.

    Raises:
        InputError: if nothing in the group is from it.
    """
    store = ingestion.store
    episodes, facts = await links.stated_by(store, index.group_id, source)
    plan = RemovalPlan(await store.get(Episode, episodes), source, tuple(facts))
    changes = ChangeSet(index.group_id, REMOVE_SOURCE)
    await _take_out(plan, changes, index, ingestion, now)
    if not changes:
        raise InputError(
            f"nothing in group {index.group_id!r} that stands is from source {source!r}: give what "
            "its episodes have as source_description, or its facts as source"
        )
    return changes


async def _take_out(
    plan: RemovalPlan, changes: ChangeSet, index: GroupIndex, ingestion: Ingestion, now: datetime
) -> None:
    """Note what is different without what is taken back."""
    store = ingestion.store
    for episode in plan.episodes.values():
        changes.change(episode, replace(episode, removed_at=now))
    own = await _tellings(plan.episodes, index, store)
    component = await _facts(plan, own, index, ingestion, now)
    mentioned = await _mentioned(plan, index, store)
    entities = await _entities(mentioned, plan, own, index, store)
    gone = frozenset(plan.episodes)
    names = await split_names(entities, component, store, gone=gone, now=now)
    for id_, fact in component.changed().items():
        component.facts[id_] = _sourced(fact, component)
    forsaken = await unmentioned(mentioned, plan, names, component.facts, index, store)
    entities = [
        (entity, replace(left, removed_at=now))
        if entity.id in forsaken and entity.removed_at is None
        else (entity, left)
        for entity, left in entities
    ]
    await _unname(entities, component, store)
    await names.insert(changes, component, ingestion, now=now)
    await put_component(changes, component, ingestion, now=now)
    for entity, left in entities:
        changes.change(entity, left)


async def _facts(
    plan: RemovalPlan, own: list[Event], index: GroupIndex, ingestion: Ingestion, now: datetime
) -> Component:
    """Return what is settled anew without what is taken back, settled."""
    store = ingestion.store
    changed = changed_by(own, "relates_to")
    resting, ended = await resting_on(plan.episodes, index, store)
    stored = await store.get(Fact, {*resting, *changed, *plan.facts})
    concerned = index.heirs.follow(stored, index.entity_name)
    component = await component_of(concerned.values(), index, store, ingestion.relations)
    await component.read(component.reach((), ended), store)
    for id_ in changed.keys() & component.facts.keys():
        for change in changed[id_]:
            component.facts[id_] = inverse(component.facts[id_], change, columns=_ATTRIBUTES)
    for fact in list(component.facts.values()):
        left = tuple(statement for statement in fact.statements if not plan.has(statement))
        if left:  # what nothing else states keeps what was said of it: it leads to the episode
            component.facts[fact.id] = replace(component.facts[fact.id], statements=left)
    component.void({id_ for fact in component.facts.values() for id_ in plan.named(fact)}, _GONE)
    component.settle(gone_from(index, gone=plan.episodes), now=now)
    for id_ in plan.facts:
        component.facts[id_] = plan.unnamed(component.facts[id_])
    return component


def _sourced(fact: Fact, component: Component) -> Fact:
    """Return a fact with the names of the sources that speak of its time, which may be another."""
    if fact.retracted_at is not None or fact.derived_from or component.outcome is None:
        return fact
    said = [component.outcome.said.by_id[id_] for id_ in component.supporting(fact.id)]
    names = dict.fromkeys(statement.provenance for _, statement in said if statement.provenance)
    others = {
        statement.provenance for home, _ in said for statement in home.statements
    } - names.keys()
    left = dict.fromkeys(name for name in fact.provenance if name not in others)
    return replace(fact, provenance=(*(left | names),))


async def _entities(
    mentioned: Sequence[str],
    plan: RemovalPlan,
    own: list[Event],
    index: GroupIndex,
    store: Store,
) -> list[tuple[Entity, Entity]]:
    """Return the entities that may lose an attribute, a name, or everything that spoke of them."""
    changed = changed_by(own, "entity")
    given: dict[str, set[str]] = defaultdict(set)
    for event in own:
        for change in event.changes:
            if change.record.startswith("entity:"):
                given[change.record].update(added(change, "aliases"))
    family = [member for id_ in mentioned for member in index.heirs.family(id_)]
    pairs = []
    for id_, entity in (await store.get(Entity, [*mentioned, *changed, *family])).items():
        left = entity
        for change in changed.get(id_, ()):
            left = inverse(left, change, columns=_ATTRIBUTES)
        for episode in {name.source for name in left.names} & plan.episodes.keys():
            left = without_source(left, episode, given[f"entity:{id_}"])
        pairs.append((entity, left))
    return pairs


async def _mentioned(plan: RemovalPlan, index: GroupIndex, store: Store) -> list[str]:
    mentioned = {entity for _, entity in await links.mentioned_in(store, plan.episodes)}
    ends = (index.ends_of(index.facts.row_of[id_]) for id_ in plan.facts)
    return index.heirs.each(sorted(mentioned.union(*ends)))


async def _tellings(
    episodes: Mapping[str, Episode], index: GroupIndex, store: Store
) -> list[Event]:
    """Return the events that told these episodes: that brought one, or what it mentions."""
    records = {
        f"episode:{id_}": to_micros(episode.created_at, 0) for id_, episode in episodes.items()
    }
    of: dict[str, str] = {}
    for id_, (episode, _) in (await links.mentions(store, index.group_id, episodes)).items():
        of.setdefault(episode, id_)
    records |= {f"mentions:{id_}": made_at(id_) for id_ in of.values()}
    telling = []
    for event in await events_with(store, index.group_id, records):
        changed = {
            change.record for change in event.changes if change.record.startswith("episode:")
        }
        if len(changed) == 1 and event.kind not in (REMOVE_EPISODE, REMOVE_SOURCE):
            telling.append(event)
    return telling


async def _unname(
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
