"""Undo an event by another event: what it changed becomes what it was, what it brought goes.

Nothing is deleted: facts that the event brought are retracted, its episodes and the entities that
nothing else speaks of are removed, and what those facts had closed, then or later, holds again.
What a later event changed as well is a conflict, and refused unless forced. The new event can be
reverted itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphrag.edit.editor import put_component
from graphrag.edit.inverse import Value, added, changes_of, conflict, inverse, restamped
from graphrag.edit.merge import remerge, separated, unmerge
from graphrag.errors import InputError
from graphrag.history.removal_plan import resting_on, standing
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component, component_of
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.ingest.policy import FORGET
from graphrag.model.assertion import Assertion, Void
from graphrag.model.attributes import without_source
from graphrag.model.values import Change, Entity, Episode, Event, Fact, Saga
from graphrag.store import links
from graphrag.store.assertions import assertions
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

REVERT = "revert"
_FOLLOWING = frozenset({"mentions", "passage", "occurred_after", "group_info", "saga"})
"""Tables whose rows stay: they lead to records that are removed or retracted, or hold nothing."""


@dataclass(slots=True)
class Undoing:
    """What is undone, and how."""

    event: Event
    index: GroupIndex
    ingestion: Ingestion
    force: bool
    now: datetime
    gone: set[str] = field(default_factory=set)
    """Episodes that go with the event."""
    returned: set[str] = field(default_factory=set)
    """Episodes that return."""
    unread: set[str] = field(default_factory=set)
    """Episodes that nobody has read then."""

    @property
    def store(self) -> Store:
        """Return the store that is written to."""
        return self.ingestion.store

    def back(self, value: Value, change: Change) -> Value:
        """Return a value as it was before a change of the event."""
        return inverse(value, change, event=self.event, force=self.force)


async def revert(
    event: Event, index: GroupIndex, ingestion: Ingestion, *, force: bool, now: datetime
) -> ChangeSet:
    """Work out the transaction that undoes an event.

    Raises:
        InputError: if it cannot be undone, or a later event changed the same fields.
    """
    entities = changes_of(event, "entity")
    if any((change.after or {}).get("merged_into") for change in entities.values()):
        changes = await unmerge(event, index, ingestion, now=now)
        changes.kind = REVERT
        return changes
    if pair := separated(event):
        changes = await remerge(event, pair, index, ingestion, force=force, now=now)
        changes.kind = REVERT
        return changes
    _refuse_odd(event)
    changes, undoing = (
        ChangeSet(index.group_id, REVERT),
        Undoing(event, index, ingestion, force, now),
    )
    await _sagas(changes, undoing)
    await _episodes(changes, undoing)
    stored = await ingestion.store.get(Entity, entities)
    left = {id_: undoing.back(entity, entities[id_]) for id_, entity in stored.items()}
    component = await _undone_facts(undoing, left)
    await put_component(changes, component, ingestion, now=now)
    await _entities(changes, undoing, stored, left, component.facts)
    if not changes:
        raise InputError(
            f"event {event.seq} ({event.kind}) changed nothing that still stands: it was reverted "
            "before, or what it did has been undone since"
        )
    return changes


async def _episodes(changes: ChangeSet, undoing: Undoing) -> None:
    """Change the episodes, and note which are unread again, which go, and which return."""
    event, images = undoing.event, changes_of(undoing.event, "episode")
    for id_, episode in (await undoing.store.get(Episode, images)).items():
        image = images[id_]
        wanted = undoing.back(episode, image)
        if image.before is None:
            _refuse_read_since(episode, image, event)
            wanted = replace(episode, removed_at=episode.removed_at or undoing.now)
            undoing.gone.add(id_)
        elif (episode.status, wanted.status) == ("done", "pending"):
            # Not pending: a worker would read it again at once.
            wanted = replace(wanted, status="failed", error=f"event {event.seq} was reverted")
            undoing.unread.add(id_)
        elif wanted.removed_at is not None:
            undoing.gone.add(id_)
        else:
            undoing.returned.add(id_)
        await _refuse_added_again(episode, wanted, undoing.index, undoing.store)
        changes.change(episode, wanted)


async def _sagas(changes: ChangeSet, undoing: Undoing) -> None:
    """Let sagas have the summaries that they had; a watermark belongs to its summary."""
    event, images = undoing.event, changes_of(undoing.event, "saga")
    for id_, saga in (await undoing.store.get(Saga, images)).items():
        try:
            changes.change(saga, undoing.back(saga, images[id_]))
        except InputError:
            raise InputError(
                f"event {event.seq} ({event.kind}) cannot be reverted: the summary of saga "
                f"{saga.name!r} was written again since; revert the later event first, or pass "
                "force=True"
            ) from None


async def _entities(
    changes: ChangeSet,
    undoing: Undoing,
    stored: Mapping[str, Entity],
    left: dict[str, Entity],
    facts: Mapping[str, Fact],
) -> None:
    """Change the entities; those go that the event brought and nothing else speaks of."""
    images = changes_of(undoing.event, "entity")
    for id_, entity in stored.items():
        if images[id_].before is None:
            left[id_] = replace(left[id_], removed_at=entity.removed_at or undoing.now)
            for episode in undoing.gone:
                left[id_] = without_source(left[id_], episode, added(images[id_], "aliases"))
    gone = [id_ for id_, entity in left.items() if entity.removed_at is not None]
    held = await _held(gone, undoing, facts)
    for id_, entity in left.items():
        changes.change(stored[id_], replace(entity, removed_at=None) if id_ in held else entity)


async def _held(entities: list[str], undoing: Undoing, facts: Mapping[str, Fact]) -> set[str]:
    """Return the entities of which another episode, a live fact or a merged entity speaks."""
    index = undoing.index
    families = {member: entity for entity in entities for member in index.heirs.family(entity)}
    new = [
        change.record.partition(":")[2]
        for change in undoing.event.changes
        if change.before is None and change.record.startswith("mentions:")
    ]
    silent = undoing.gone | undoing.unread
    spoken = await links.mentioned_beside(undoing.store, families, episodes=silent, links=new)
    return {families[member] for member in spoken} | standing(families.values(), facts, index)


async def _undone_facts(undoing: Undoing, entities: Mapping[str, Entity]) -> Component:
    """Return the facts concerned, settled without the event; ``entities`` are to be so."""
    index, store, changed = undoing.index, undoing.store, changes_of(undoing.event, "relates_to")
    resting, ended = await resting_on(undoing.gone | undoing.returned, index, store)
    stored = await store.get(Fact, [*changed, *resting])
    followed = index.heirs.follow(stored, index.entity_name)
    component = await component_of(followed.values(), index, store, undoing.ingestion.relations)
    await component.read(component.reach((), [*ended, *_ended(entities, component)]), store)
    changed = {id_: change for id_, change in changed.items() if id_ in component.facts}
    for id_, change in changed.items():
        fact = undoing.back(component.facts[id_], change)
        component.facts[id_] = replace(fact, statements=_undone(fact, change, undoing))
    component.settle(gone_from(index, gone=undoing.gone, back=undoing.returned), now=undoing.now)
    for id_, change in changed.items():
        component.facts[id_] = restamped(component.facts[id_], change.before)
    return component


def _ended(entities: Mapping[str, Entity], component: Component) -> list[tuple[str, str]]:
    """Take over what is said of the event's entities then; return which ends that may change."""
    heirs = component.index.heirs
    for id_, entity in entities.items():
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
        for id_, entity in entities.items()
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


def _refuse_odd(event: Event) -> None:
    if not event.changes:
        raise InputError(f"event {event.seq} ({event.kind}) changed nothing: nothing to revert")
    if event.kind == FORGET:
        raise InputError(f"event {event.seq} (forget) cannot be reverted: what it erased is gone")
    for change in event.changes:
        table = change.record.partition(":")[0]
        if table in _FOLLOWING:
            continue
        if table not in ("entity", "relates_to", "episode"):
            raise InputError(
                f"event {event.seq} ({event.kind}) wrote {change.record}, which follows from the "
                "facts: communities.build() makes it anew"
            )


def _refuse_read_since(episode: Episode, image: Change, event: Event) -> None:
    read = (image.after or {}).get("status") == "pending" and episode.status == "done"
    if read and episode.removed_at is None:
        raise InputError(
            f"event {event.seq} ({event.kind}) cannot be reverted: episode {episode.id} was read "
            "since; revert the event that finished it first, or log.remove_episode() it"
        )


async def _refuse_added_again(
    episode: Episode, left: Episode, index: GroupIndex, store: Store
) -> None:
    if episode.removed_at is None or left.removed_at is not None:
        return
    if episode.key is not None:
        known = index.timeline.keyed(episode.key)
    else:
        alike = index.timeline.known(episode.content_hash, to_micros(episode.valid_at, BEGINNING))
        said = episode.saga, episode.author
        others = (await store.get(Episode, alike)).values() if alike else ()
        known = next((one.id for one in others if (one.saga, one.author) == said), None)
    if known is not None:
        raise InputError(
            f"episode {episode.id} ({episode.name!r}) cannot return: it was added again as "
            f"{known}; remove that one first"
        )
