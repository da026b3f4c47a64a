"""Removal of episodes, and of all that one source said.

What rests on them alone goes with them, what they had closed holds again. Nothing is deleted: the
episodes and the entities that nothing else speaks of get ``removed_at``, the facts are retracted,
and reads of an earlier moment find all of it. What a person entered or confirmed rests on that
person, too, and stays.

Entities that only a withdrawn name had joined are split: without the source of "Globex was renamed
Initech" the facts of Initech, each stated by that name, move to an entity of their own.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.analysis.orphans import manual_entities
from graphrag.edit import plain_sentence
from graphrag.edit.editor import put_component, stored
from graphrag.edit.inverse import added, changes_of, read_touched, standing, undone
from graphrag.edit.split import SPLIT, SplitNames, mention, split_names
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component
from graphrag.model.assertion import Void, latest_first
from graphrag.model.attributes import without_source
from graphrag.model.ids import made_at
from graphrag.model.values import Change, Entity, Episode, Fact
from graphrag.store import links
from graphrag.store.changes import ChangeSet
from graphrag.store.log import events_with
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

REMOVE_EPISODE, REMOVE_SOURCE = "remove_episode", "remove_source"
_ATTRIBUTES = ("attributes", "attribute_times")
_GONE = Void("retracted", reason="its source was removed")


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What is taken back: some episodes, and what a source said without any."""

    episodes: Mapping[str, Episode]
    source: str = ""
    facts: tuple[str, ...] = ()
    """Ids of the facts that the source stated, maybe beside others."""

    def named(self, fact: Fact) -> list[str]:
        """Return the ids of the statements of a fact that the source made without an episode."""
        said = fact.statements if self.source else ()
        return [it.id for it in said if it.provenance == self.source and not it.manual]


async def withdraw(
    given: Episode | str, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    """Work out the transaction that removes an episode."""
    episode = await stored(Episode, given, index.group_id, ingestion.store)
    if episode.removed_at is not None:
        raise InputError(
            f"episode {episode.id} ({episode.name!r}) was removed before, at "
            f"{episode.removed_at.isoformat()}: there is nothing left to remove"
        )
    plan = RemovalPlan({episode.id: episode})
    return await _without(plan, REMOVE_EPISODE, index, ingestion, now)


async def withdraw_source(
    source: str, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    """Work out the transaction that takes back all that one source said."""
    store = ingestion.store
    episodes, facts = await links.stated_by(store, index.group_id, source)
    plan = RemovalPlan(await store.get(Episode, episodes), source, tuple(facts))
    changes = await _without(plan, REMOVE_SOURCE, index, ingestion, now)
    if not changes:
        raise InputError(
            f"nothing in group {index.group_id!r} that stands is from source {source!r}: give what "
            "its episodes have as source_description, or its facts as source"
        )
    return changes


async def _without(
    plan: RemovalPlan, kind: str, index: GroupIndex, ingestion: Ingestion, now: datetime
) -> ChangeSet:
    store, changes = ingestion.store, ChangeSet(index.group_id, kind)
    for episode in plan.episodes.values():
        changes.change(episode, replace(episode, removed_at=now))
    spoken_of = {entity for _, entity in await links.mentioned_in(store, plan.episodes)}
    ends = (index.ends_of(index.facts.row_of[id_]) for id_ in plan.facts)
    mentioned = index.heirs.each(sorted(spoken_of.union(*ends)))
    told = await _told(plan.episodes, index, store)
    component = Component.of(index, ingestion.relations, store, now, gone=plan.episodes)
    await _settle(plan, told, component)
    entities = await _entities(mentioned, plan, told, component)
    names = await split_names(entities, component, plan.episodes)
    for id_ in {*component.changed(), *plan.facts}:
        component.facts[id_] = _sourced(component.facts[id_], component, plan.source)
    forsaken = await _unmentioned({*mentioned}, plan, names, component)
    await _unname(entities, component, store)
    renamed = [left for _, left in entities]
    await put_component(changes, component, ingestion, new=names.entities, renamed=renamed)
    after = component.changed()
    for new in names.entities:
        mention(changes, new, [after[id_] for id_ in names.copies[new.id] if id_ in after])
    for entity, left in entities:
        goes = entity.id in forsaken and entity.removed_at is None
        changes.change(entity, replace(left, removed_at=now) if goes else left)
    return changes


async def _told(
    episodes: Mapping[str, Episode], index: GroupIndex, store: Store
) -> dict[str, list[Change]]:
    """Return by record, newest first, what these episodes did: they, or what they mention."""
    records = {f"episode:{id_}": to_micros(it.created_at, 0) for id_, it in episodes.items()}
    of: dict[str, str] = {}
    for id_, (episode, _) in (await links.mentions(store, index.group_id, episodes)).items():
        of.setdefault(episode, id_)
    records |= {f"mentions:{id_}": made_at(id_) for id_ in of.values()}
    told: dict[str, list[Change]] = defaultdict(list)
    for event in reversed(await events_with(store, index.group_id, records)):
        removes = event.kind in (REMOVE_EPISODE, REMOVE_SOURCE)
        if len(changes_of(event, "episode")) == 1 and not removes:
            for change in reversed(event.changes):
                told[change.record].append(change)
    return told


async def _settle(
    plan: RemovalPlan, told: Mapping[str, list[Change]], component: Component
) -> None:
    """Read what is settled anew without what is taken back, and settle it."""
    changed = [record.partition(":")[2] for record in told if record.startswith("relates_to:")]
    await read_touched(component, plan.episodes, (*changed, *plan.facts))
    for id_, fact in list(component.facts.items()):
        fact = undone(fact, told.get(f"relates_to:{id_}", ()), columns=_ATTRIBUTES)
        left = tuple(it for it in fact.statements if it.source not in plan.episodes or it.manual)
        # What nothing else states keeps what was said of it: it leads to the episode.
        component.facts[id_] = replace(fact, statements=left) if left else fact
    component.void({id_ for fact in component.facts.values() for id_ in plan.named(fact)}, _GONE)
    component.settle()


def _sourced(fact: Fact, component: Component, gone: str) -> Fact:
    """Return a fact with the names of the sources that speak of its time, which may be another."""
    if fact.retracted_at is not None or fact.derived_from or component.outcome is None:
        return fact
    said = [component.outcome.said.by_id[id_] for id_ in component.supporting(fact.id)]
    names = dict.fromkeys(statement.provenance for _, statement in said if statement.provenance)
    others = {statement.provenance for home, _ in said for statement in home.statements} | {gone}
    left = dict.fromkeys(name for name in fact.provenance if name in names or name not in others)
    return replace(fact, provenance=(*(left | names),))


async def _entities(
    mentioned: list[str], plan: RemovalPlan, told: Mapping[str, list[Change]], component: Component
) -> list[tuple[Entity, Entity]]:
    """Return the entities that may lose an attribute, a name, or everything that spoke of them."""
    changed = [record.partition(":")[2] for record in told if record.startswith("entity:")]
    family = [member for id_ in mentioned for member in component.index.heirs.family(id_)]
    pairs, ids = [], [*mentioned, *changed, *family]
    for id_, entity in (await component.store.get(Entity, ids)).items():
        changes = told.get(f"entity:{id_}", ())
        left = undone(entity, changes, columns=_ATTRIBUTES)
        given = {alias for change in changes for alias in added(change, "aliases")}
        for episode in {name.source for name in left.names} & plan.episodes.keys():
            left = without_source(left, episode, given)
        pairs.append((entity, left))
    return pairs


async def _unmentioned(
    candidates: set[str], plan: RemovalPlan, names: SplitNames, component: Component
) -> set[str]:
    """Return the entities of which no episode, fact (as it is to be), table or person speaks."""
    index, store = component.index, component.store
    left = candidates - standing(candidates, component.facts, index)
    families = {member: heir for heir in left for member in index.heirs.family(heir)}
    spoken = await links.mentioned_beside(store, families, episodes=plan.episodes)
    for heir in {families[member] for member in spoken}:
        episodes, family = {*plan.episodes, *names.episodes[heir]}, index.heirs.family(heir)
        if not names.episodes[heir] or await links.mentioned_beside(
            store, family, episodes=episodes
        ):
            left.discard(heir)
    for heir in [*left]:
        about = (await store.get(Fact, index.facts_of(heir))).values()
        if any(  # somebody else stated a fact without an episode, in vain or not
            not statement.source
            and statement.id not in names.moved[heir]
            and statement.id not in plan.named(fact)
            for fact in about
            if not fact.derived_from
            for statement in fact.statements
        ):
            left.discard(heir)
    # Somebody may have entered it beside any text and any fact, or made it by a split.
    made = await store.get(Entity, [id_ for id_, heir in families.items() if heir in left])
    records = {f"entity:{id_}": to_micros(entity.created_at, 0) for id_, entity in made.items()}
    events = await events_with(store, index.group_id, records)
    entered = manual_entities((event.kind, event.changes) for event in events)
    splits = (change for event in events if event.kind == SPLIT for change in event.changes)
    new = {change.record for change in splits if change.before is None}
    entered |= {record.removeprefix("entity:") for record in new & records.keys()}
    return left - {families[id_] for id_ in entered & families.keys()}


async def _unname(
    entities: Iterable[tuple[Entity, Entity]], component: Component, store: Store
) -> None:
    """Let facts have the names that their ends would have had when they were stored."""
    for entity, left in entities:
        lost = {name.name for name in entity.names} - {name.name for name in left.names}
        lost -= {left.name, *left.aliases}
        if not lost:
            continue
        about = await store.get(Fact, component.index.facts_of(entity.id))
        ids = [
            id_ for id_, fact in about.items() if not lost.isdisjoint((fact.subject, fact.object))
        ]
        await component.read(ids)
        for fact in [component.facts[id_] for id_ in ids if id_ in component.facts]:
            then = [
                name for name in left.names if made_at(name.source) <= to_micros(fact.created_at, 0)
            ]
            name, *_ = latest_first(left.name, left.aliases, then)
            renamed = fact
            if fact.subject_id == entity.id and fact.subject in lost:
                renamed = replace(renamed, subject=name)
            if fact.object_id == entity.id and fact.object in lost:
                renamed = replace(renamed, object=name)
            if fact.text == plain_sentence(fact):
                renamed = replace(renamed, text=plain_sentence(renamed))
            component.facts[fact.id] = renamed
