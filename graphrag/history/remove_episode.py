"""Take an episode out of the graph: what rests on it alone goes with it, what it closed returns.

Nothing is deleted. The episode and the entities that nothing else speaks of get ``removed_at``, the
facts are retracted, and reads of an earlier moment find all of it. What a person entered or
confirmed rests on that person, too, and stays.

Which events of the log speak of one fact or of one entity.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from graphrag.edit.editor import put_facts
from graphrag.edit.unmerge import undone
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component, component_of, gone_from
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.values import Change, Entity, Episode, Event, Fact
from graphrag.store import links
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store

REMOVE_EPISODE = "remove_episode"
_ATTRIBUTES = ("attributes", "attribute_times")


async def stored_episode(id_: str, group: str, store: Store) -> Episode:
    """Return an episode of a group as it is stored now.

    Raises:
        InputError: if there is none with this id.
    """
    found = await store.get(Episode, [id_])
    if id_ not in found or found[id_].group_id != group:
        raise InputError(f"no episode has the id {id_!r}: pass an episode from a search, or its id")
    return found[id_]


async def withdraw(
    id_: str, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    """Work out the transaction that removes an episode.

    Raises:
        InputError: if there is no such episode, or it was removed before.
    """
    store = ingestion.store
    episode = await stored_episode(id_, index.group_id, store)
    if episode.removed_at is not None:
        raise InputError(
            f"episode {id_} ({episode.name!r}) was removed before, at "
            f"{episode.removed_at.isoformat()}: there is nothing left to remove"
        )
    changes = ChangeSet(index.group_id, REMOVE_EPISODE)
    changes.change(episode, replace(episode, removed_at=now))
    events = await store.events(index.group_id)
    own = _tellings(id_, events)
    component = await _facts(id_, own, index, ingestion, now)
    before, after = component.stored, component.changed()
    await put_facts(changes, before, after, store, ingestion.embedder)
    known = (before[fact_id] for fact_id in after if fact_id in before)
    touched = ends_of([*after.values(), *known])
    changes.updates += refreshed(touched, index, after, now=now)
    for entity, left in await _entities(id_, own, events, component.facts, index, store, now):
        changes.change(entity, left)
    return changes


async def _facts(
    id_: str, own: list[Event], index: GroupIndex, ingestion: Ingestion, now: datetime
) -> Component:
    """Return what is settled anew without an episode, settled."""
    store = ingestion.store
    changed = _changed(own, "relates_to")
    resting, ended = await resting_on([id_], index, store)
    stored = await store.get(Fact, {*resting, *changed})
    concerned = index.heirs.follow(stored, index.entity_name)
    component = await component_of(concerned.values(), index, store, ingestion.relations)
    await component.read(component.reach((), ended), store)
    for fact_id, change in changed.items():
        if fact_id in component.facts:
            fact = component.facts[fact_id]
            component.facts[fact_id] = undone(fact, _only(change, _ATTRIBUTES))
    for fact in list(component.facts.values()):
        left = tuple(one for one in fact.statements if one.source != id_ or one.manual)
        if left:  # what nothing else states keeps what was said of it: it leads to the episode
            component.facts[fact.id] = replace(component.facts[fact.id], statements=left)
    component.settle(gone_from(index, gone=[id_]), now=now)
    return component


async def resting_on(
    episodes: Collection[str], index: GroupIndex, store: Store
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the facts that rest on one of some episodes, and the ends that name no object."""
    if not episodes:
        return [], []
    # Statements are text. One pattern of all ids costs the same for one as for a hundred.
    facts, entities = await store.query(
        "SELECT VALUE record::id(id) FROM relates_to WHERE group_id = $group AND "
        "(string::matches(statements ?? '', $any) OR sources.episode CONTAINSANY $episodes);"
        "SELECT VALUE record::id(id) FROM entity WHERE group_id = $group AND "
        "endings != NONE AND string::matches(endings, $any);",
        group=index.group_id,
        episodes=sorted(episodes),
        any="|".join(map(re.escape, sorted(episodes))),
    )
    ended = [
        (one.relation, index.heirs.of(entity.id))
        for entity in (await store.get(Entity, entities)).values()
        for one in entity.endings
    ]
    return list(facts), ended


async def _entities(
    id_: str,
    own: list[Event],
    events: Iterable[Event],
    facts: Mapping[str, Fact],
    index: GroupIndex,
    store: Store,
    now: datetime,
) -> list[tuple[Entity, Entity]]:
    """Return the entities that lose an attribute or everything that spoke of them."""
    mentioned = await _mentioned(id_, index, store)
    changed = _changed(own, "entity")
    stored = await store.get(Entity, [*mentioned, *changed])
    held = await _held(mentioned, id_, events, facts, index, store)
    pairs = []
    for entity_id, entity in stored.items():
        left = entity
        if entity_id in changed:
            left = undone(entity, _only(changed[entity_id], _ATTRIBUTES))
        if entity_id in mentioned and entity_id not in held and entity.removed_at is None:
            left = replace(left, removed_at=now)
        pairs.append((entity, left))
    return pairs


async def _mentioned(id_: str, index: GroupIndex, store: Store) -> list[str]:
    return index.heirs.each(entity for _, entity in await links.mentioned_in(store, [id_]))


async def _held(
    entities: Iterable[str],
    id_: str,
    events: Iterable[Event],
    facts: Mapping[str, Fact],
    index: GroupIndex,
    store: Store,
) -> set[str]:
    """Return the entities that something else speaks of: an episode, a person or a live fact."""
    families = {member: one for one in entities for member in index.heirs.family(one)}
    spoken = await links.mentioned_beside(store, index.group_id, families, episodes=[id_])
    held = {families[member] for member in spoken} | _by_hand(families, events)
    for one in set(families.values()) - held:
        at = index.facts_of(one)
        known = {**(await store.get(Fact, at)), **{key: facts[key] for key in at if key in facts}}
        if any(fact.retracted_at is None for fact in known.values()):
            held.add(one)
    return held


def _by_hand(families: Mapping[str, str], events: Iterable[Event]) -> set[str]:
    """Return the entities that were entered without an episode."""
    found = set()
    for event in events:
        new = {change.record for change in event.changes if change.before is None}
        if not any(record.startswith("episode:") for record in new) and not _finished(event):
            found |= {one for member, one in families.items() if f"entity:{member}" in new}
    return found


def _finished(event: Event) -> bool:
    return any(change.record.startswith("mentions:") for change in event.changes)


def _tellings(id_: str, events: Iterable[Event]) -> list[Event]:
    """Return the events that did nothing but tell this episode."""
    record = f"episode:{id_}"
    found = []
    for event in events:
        episodes = [change for change in event.changes if change.record.startswith("episode:")]
        if len(episodes) == 1 and episodes[0].record == record and event.kind != REMOVE_EPISODE:
            found.append(event)
    return found


def _changed(events: Iterable[Event], table: str) -> dict[str, Change]:
    """Return what the events changed of stored records, by id; of one record the last change."""
    return {
        change.record.partition(":")[2]: change
        for event in events
        for change in event.changes
        if change.record.startswith(f"{table}:") and change.before and change.after
    }


def _only(change: Change, columns: Iterable[str]) -> Change:
    before, after = (
        {column: image[column] for column in columns if image is not None and column in image}
        for image in (change.before, change.after)
    )
    return Change(change.record, before, after)


def about(events: Iterable[Event], records: Collection[str]) -> list[Event]:
    """Return the events that changed one of these records, given as ``table:id``, or tied to it."""
    return [
        event
        for event in events
        if any(change.record in records or _tied(change, records) for change in event.changes)
    ]


def records_of(entity: str, index: GroupIndex) -> set[str]:
    """Return an entity with all that were merged into it and every fact about them."""
    family = {f"entity:{id_}" for id_ in index.heirs.family(entity)}
    return family | {f"relates_to:{id_}" for id_ in index.facts_of(entity)}


def _tied(change: Change, records: Collection[str]) -> bool:
    table = change.record.partition(":")[0]
    if table not in ("mentions", "relates_to"):
        return False
    image = change.after or change.before or {}
    return image.get("in") in records or image.get("out") in records
