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
from graphrag.edit.inverse import (
    Value,
    added,
    changes_of,
    conflict,
    inverse,
    read_touched,
    restamped,
    standing,
)
from graphrag.edit.merge import remerge, separated, unmerge
from graphrag.errors import InputError
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component
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
    unread: set[str] = field(default_factory=set)
    """Episodes that nobody has read then."""

    def back(self, value: Value, change: Change) -> Value:
        """Return a value as it was before a change of the event."""
        return inverse(value, change, event=self.event, force=self.force)


async def revert(
    event: Event, index: GroupIndex, ingestion: Ingestion, *, force: bool, now: datetime
) -> ChangeSet:
    """Work out the transaction that undoes an event."""
    entities = changes_of(event, "entity")
    changes = ChangeSet(index.group_id, REVERT)
    if any((change.after or {}).get("merged_into") for change in entities.values()):
        return await unmerge(changes, event, index, ingestion, now=now)
    if pair := separated(event):
        return await remerge(changes, event, pair, index, ingestion, force=force, now=now)
    _refuse_odd(event)
    undoing = Undoing(event, index, ingestion, force, now)
    await _sagas(changes, undoing)
    await _episodes(changes, undoing)
    stored = await ingestion.store.get(Entity, entities)
    left = {id_: undoing.back(entity, entities[id_]) for id_, entity in stored.items()}
    component = await _undone_facts(undoing, left)
    await put_component(changes, component, ingestion, renamed=left.values())
    left = await _entities(undoing, stored, left, component.facts)
    for id_, entity in stored.items():
        changes.change(entity, left[id_])
    if not changes:
        raise InputError(
            f"event {event.seq} ({event.kind}) changed nothing that still stands: it was reverted "
            "before, or what it did has been undone since"
        )
    return changes


async def _episodes(changes: ChangeSet, undoing: Undoing) -> None:
    """Change the episodes, and note which are unread again, which go, and which return."""
    event, images = undoing.event, changes_of(undoing.event, "episode")
    for id_, episode in (await undoing.ingestion.store.get(Episode, images)).items():
        image = images[id_]
        wanted = undoing.back(episode, image)
        if image.before is None:
            read = (image.after or {}).get("status") == "pending" and episode.status == "done"
            if read and episode.removed_at is None:
                raise InputError(
                    f"event {event.seq} ({event.kind}) cannot be reverted: episode {id_} was read "
                    "since; revert the event that finished it first, or log.remove_episode() it"
                )
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
        await _refuse_added_again(episode, wanted, undoing.index, undoing.ingestion.store)
        changes.change(episode, wanted)


async def _sagas(changes: ChangeSet, undoing: Undoing) -> None:
    """Let sagas have the summaries that they had; a watermark belongs to its summary."""
    event, images = undoing.event, changes_of(undoing.event, "saga")
    for id_, saga in (await undoing.ingestion.store.get(Saga, images)).items():
        try:
            changes.change(saga, undoing.back(saga, images[id_]))
        except InputError:
            raise InputError(
                f"event {event.seq} ({event.kind}) cannot be reverted: the summary of saga "
                f"{saga.name!r} was written again since; revert the later event first, or pass "
                "force=True"
            ) from None


async def _entities(
    undoing: Undoing,
    stored: Mapping[str, Entity],
    left: Mapping[str, Entity],
    facts: Mapping[str, Fact],
) -> dict[str, Entity]:
    """Return the entities as they are to be: those that the event brought are removed.

    One stays of which another episode, a live fact or a merged entity speaks.
    """
    index, images, after = undoing.index, changes_of(undoing.event, "entity"), dict(left)
    for id_, entity in stored.items():
        if images[id_].before is None:
            after[id_] = replace(left[id_], removed_at=entity.removed_at or undoing.now)
            for episode in undoing.gone:
                after[id_] = without_source(after[id_], episode, added(images[id_], "aliases"))
    gone = [id_ for id_, entity in after.items() if entity.removed_at is not None]
    families = {member: id_ for id_ in gone for member in index.heirs.family(id_)}
    mentions = changes_of(undoing.event, "mentions")
    new = [id_ for id_, change in mentions.items() if change.before is None]
    silent = undoing.gone | undoing.unread
    store = undoing.ingestion.store
    spoken = await links.mentioned_beside(store, families, episodes=silent, links=new)
    for id_ in {families[member] for member in spoken} | standing(gone, facts, index):
        after[id_] = replace(after[id_], removed_at=None)
    return after


async def _undone_facts(undoing: Undoing, entities: Mapping[str, Entity]) -> Component:
    """Return the facts concerned, settled without the event; ``entities`` are to be so."""
    index, changed = undoing.index, changes_of(undoing.event, "relates_to")
    gone, back = undoing.gone, undoing.returned
    relations, store = undoing.ingestion.relations, undoing.ingestion.store
    component = Component.of(index, relations, store, undoing.now, gone=gone, back=back)
    await read_touched(component, gone | back, changed)
    await component.read(component.reach((), _ended(entities, component)))
    changed = {id_: change for id_, change in changed.items() if id_ in component.facts}
    for id_, change in changed.items():
        fact = undoing.back(component.facts[id_], change)
        component.facts[id_] = replace(fact, statements=_undone(fact, change, undoing))
    component.settle()
    for id_, change in changed.items():
        component.facts[id_] = restamped(component.facts[id_], change.before)
    return component


def _ended(entities: Mapping[str, Entity], component: Component) -> list[tuple[str, str]]:
    """Take over what is said of the event's entities then; return which ends that may change."""
    heirs, ended = component.index.heirs, list[tuple[str, str]]()
    for id_, entity in entities.items():
        heir = heirs.of(id_)
        members = (component.entities.get(it) for it in heirs.family(id_) if it != id_)
        others = [ending for member in members if member for ending in member.endings]
        if id_ in component.entities or entity.endings:
            component.entities[id_] = entity
            component.endings[heir] = (*others, *entity.endings)
        ended += ((ending.relation, heir) for ending in entity.endings)
    return ended


def _undone(fact: Fact, change: Change, undoing: Undoing) -> tuple[Assertion, ...]:
    """Return what is said of a fact without the event."""
    if "statements" not in (change.after or {}):
        return fact.statements
    event, force = undoing.event, undoing.force
    images = change.before, change.after
    then, now = (assertions((image or {}).get("statements"), fact.id) for image in images)
    void = Void("retracted", reason=f"event {event.seq} was reverted")
    left: list[Assertion] = []
    for statement in fact.statements:
        was, brought = then.get(statement.id), now.get(statement.id)
        if brought is None:  # the event did not leave it: it is older, or was said since
            later = was is None and statement.manual and statement.void is None
            left.append(replace(statement, void=void) if later and force else statement)
        elif was == brought or (statement.manual and not (was or brought.manual)):
            left.append(statement)
        elif was is not None and (force or statement in (was, brought)):
            left.append(was)
        elif was is None and change.before is None:
            # It came with the fact, which stays and says why it fell.
            falls = statement.void is None and statement.source not in undoing.gone
            left.append(replace(statement, void=void) if falls else statement)
        elif statement != brought and not force:
            raise conflict(event, "statements", change.record)
    known = {statement.id for statement in fact.statements}
    left += [statement for id_, statement in then.items() if id_ not in {*now, *known}]
    return tuple(left)


def _refuse_odd(event: Event) -> None:
    if not event.changes:
        raise InputError(f"event {event.seq} ({event.kind}) changed nothing: nothing to revert")
    if event.kind == FORGET:
        raise InputError(f"event {event.seq} (forget) cannot be reverted: what it erased is gone")
    for change in event.changes:
        table = change.record.partition(":")[0]
        if table not in (*_FOLLOWING, "entity", "relates_to", "episode"):
            raise InputError(
                f"event {event.seq} ({event.kind}) wrote {change.record}, which follows from the "
                "facts: communities.build() makes it anew"
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
        known = next((it.id for it in others if (it.saga, it.author) == said), None)
    if known is not None:
        raise InputError(
            f"episode {episode.id} ({episode.name!r}) cannot return: it was added again as "
            f"{known}; remove that one first"
        )
