"""Undo an event by another event: what it changed becomes what it was, what it brought goes.

Nothing is deleted: facts that the event brought are retracted, its episodes and the entities that
nothing else speaks of are removed, and what those facts had closed, then or later, holds again.
What a later event changed as well is a conflict, and refused unless forced. The new event can be
reverted itself.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime

from graphrag.edit.editor import put_facts
from graphrag.edit.unmerge import unmerge
from graphrag.errors import InputError
from graphrag.history.images import back, changes_of, parted, remerge
from graphrag.history.revert_facts import Undoing, undone_facts
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.policy import FORGET
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.attributes import without_source
from graphrag.model.values import Change, Entity, Episode, Event, Fact, Saga
from graphrag.store import links
from graphrag.store.changes import ChangeSet
from graphrag.store.rows import imaged
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

REVERT = "revert"
_FOLLOWING = frozenset({"mentions", "passage", "occurred_after", "group_info", "saga"})
"""Tables whose rows stay: they lead to records that are removed or retracted, or hold nothing."""


async def revert(
    event: Event, index: GroupIndex, ingestion: Ingestion, *, force: bool, now: datetime
) -> ChangeSet:
    """Work out the transaction that undoes an event.

    Raises:
        InputError: if it cannot be undone, or a later event changed the same fields.
    """
    entities = changes_of(event, "entity")
    if any((change.after or {}).get("merged_into") for change in entities.values()):
        store, relations = ingestion.store, ingestion.relations
        changes = await unmerge(event, index, store, ingestion.embedder, relations, now=now)
        changes.kind = REVERT
        return changes
    if pair := parted(event):
        return await remerge(event, pair, index, ingestion, REVERT, force=force, now=now)
    _refuse_odd(event)
    changes = ChangeSet(index.group_id, REVERT)
    await _sagas(changes, event, ingestion.store, force)
    unread, gone, returned = await _episodes(changes, event, index, ingestion.store, force, now)
    stored = await ingestion.store.get(Entity, entities)
    left = {id_: back(entity, entities[id_], event, force=force) for id_, entity in stored.items()}
    facts = changes_of(event, "relates_to")
    undoing = Undoing(event, facts, left, gone, returned, force, now)
    component = await undone_facts(undoing, index, ingestion)
    before, after = component.stored, component.changed()
    await put_facts(changes, before, after, ingestion.store, ingestion.embedder)
    silent = gone | unread
    await _entities(changes, stored, entities, undoing, silent, component.facts, index, ingestion)
    touched = ends_of([*after.values(), *(before[id_] for id_ in after if id_ in before)])
    changes.updates += refreshed(touched, index, after, now=now)
    if not changes:
        raise InputError(
            f"event {event.seq} ({event.kind}) changed nothing that still stands: it was reverted "
            "before, or what it did has been undone since"
        )
    return changes


async def _episodes(
    changes: ChangeSet,
    event: Event,
    index: GroupIndex,
    store: Store,
    force: bool,
    now: datetime,
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Change the episodes; return those that are unread again, that go, and that return."""
    images = changes_of(event, "episode")
    unread, gone, returned = set(), set(), set()
    for id_, episode in (await store.get(Episode, images)).items():
        image = images[id_]
        wanted = back(episode, image, event, force=force)
        if image.before is None:
            _refuse_read_since(episode, image, event)
            wanted = replace(episode, removed_at=episode.removed_at or now)
            gone.add(id_)
        elif (episode.status, wanted.status) == ("done", "pending"):
            # Not pending: a worker would read it again at once.
            wanted = replace(wanted, status="failed", error=f"event {event.seq} was reverted")
            unread.add(id_)
        elif wanted.removed_at is not None:
            gone.add(id_)
        else:
            returned.add(id_)
        await _refuse_added_again(episode, wanted, index, store)
        changes.change(episode, wanted)
    return frozenset(unread), frozenset(gone), frozenset(returned)


async def _sagas(changes: ChangeSet, event: Event, store: Store, force: bool) -> None:
    """Let sagas have the summaries that they had; a watermark belongs to its summary."""
    images = {
        id_: change
        for id_, change in changes_of(event, "saga").items()
        if change.before and change.after
    }
    for id_, saga in (await store.get(Saga, images)).items():
        was, then = (
            {column: imaged(column, item, id_) for column, item in (image or {}).items()}
            for image in (images[id_].before, images[id_].after)
        )
        empty = {field.name: field.default for field in fields(Saga) if field.name in then}
        wanted = replace(saga, **{**empty, **was})
        if saga == wanted:
            continue
        if not force and saga != replace(saga, **{**empty, **then}):
            raise InputError(
                f"event {event.seq} ({event.kind}) cannot be reverted: the summary of saga "
                f"{saga.name!r} was written again since; revert the later event first, or pass "
                "force=True"
            )
        changes.change(saga, wanted)


async def _entities(
    changes: ChangeSet,
    stored: Mapping[str, Entity],
    images: Mapping[str, Change],
    undoing: Undoing,
    silent: Iterable[str],
    facts: Mapping[str, Fact],
    index: GroupIndex,
    ingestion: Ingestion,
) -> None:
    """Change the entities; those go that the event brought and nothing else speaks of."""
    event, store = undoing.event, ingestion.store
    left_of = {}
    for id_, entity in stored.items():
        left = undoing.entities[id_]
        if images[id_].before is None:
            left = replace(entity, removed_at=entity.removed_at or undoing.now)
            given = (images[id_].after or {}).get("aliases") or ()
            for episode in undoing.gone:
                left = without_source(left, episode, given)
        left_of[id_] = left
    gone = [id_ for id_, left in left_of.items() if left.removed_at is not None]
    held = await _held(gone, event, silent, facts, index, store)
    for id_, left in left_of.items():
        if id_ in held:
            left = replace(left, removed_at=None)
        changes.change(stored[id_], left)


async def _held(
    entities: Iterable[str],
    event: Event,
    silent: Iterable[str],
    facts: Mapping[str, Fact],
    index: GroupIndex,
    store: Store,
) -> set[str]:
    """Return the entities of which another episode, a live fact or a merged entity speaks."""
    families = {member: entity for entity in entities for member in index.heirs.family(entity)}
    new = [
        change.record.partition(":")[2]
        for change in event.changes
        if change.before is None and change.record.startswith("mentions:")
    ]
    spoken = await links.mentioned_beside(store, families, episodes=silent, links=new)
    held = {families[member] for member in spoken}
    for id_ in set(families.values()) - held:
        at = index.facts_of(id_)
        known = {**(await store.get(Fact, at)), **{key: facts[key] for key in at if key in facts}}
        if any(fact.retracted_at is None for fact in known.values()):
            held.add(id_)
    return held


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
