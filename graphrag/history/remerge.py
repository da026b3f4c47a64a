"""Undo the undoing of a merge: two entities become one again, with all that was told since."""

from datetime import datetime

from graphrag.errors import InputError
from graphrag.history.images import back, changes_of
from graphrag.index.group import GroupIndex
from graphrag.ingest import Ingestion
from graphrag.merge import united
from graphrag.models import Entity, Event, Fact
from graphrag.store.changes import ChangeSet
from graphrag.summaries import ends_of, refreshed


def parted(event: Event) -> tuple[str, str] | None:
    """Return the entities that an event took apart, the kept one first; None if it did not."""
    for id_, change in changes_of(event, "entity").items():
        before, after = change.before or {}, change.after or {}
        if before.get("merged_into") and "merged_into" in after and after["merged_into"] is None:
            return str(before["merged_into"]), id_
    return None


async def remerge(
    event: Event,
    pair: tuple[str, str],
    index: GroupIndex,
    ingestion: Ingestion,
    kind: str,
    *,
    force: bool,
    now: datetime,
) -> ChangeSet:
    """Work out how two entities that an event took apart are one again.

    Raises:
        InputError: if one of them was merged since, or a later event changed the same fields.
    """
    keep, other = pair
    for id_ in pair:
        if (heir := index.heirs.of(id_)) != id_:
            raise InputError(
                f"{index.entity_name(id_)!r} was merged into {index.entity_name(heir)!r} ({heir}) "
                f"after event {event.seq}: unmerge that first"
            )
    store = ingestion.store
    images = changes_of(event, "entity")
    changes = ChangeSet(index.group_id, kind)
    for id_, entity in (await store.get(Entity, images)).items():
        changes.change(entity, back(entity, images[id_], event, force=force))
    edited = changes_of(event, "relates_to")
    stored = await store.get(Fact, {*edited, *index.facts_of(keep), *index.facts_of(other)})
    apart = index.heirs.follow(stored, index.entity_name)
    theirs = {id_ for id_, one in apart.items() if other in (one.subject_id, one.object_id)}
    was = {
        id_: back(fact, edited[id_], event, force=force) if id_ in edited else fact
        for id_, fact in stored.items()
    }
    with index.heirs.supposing(other, keep):  # nothing is awaited in here
        before = index.heirs.follow(stored, index.entity_name)
        after = index.heirs.follow(was, index.entity_name)
        after |= united(after, theirs, ingestion.relations, now=now)
        after = {id_: fact for id_, fact in after.items() if fact != before[id_]}
        touched = [keep, other, *ends_of([*after.values(), *(before[id_] for id_ in theirs)])]
        changes.updates += refreshed(dict.fromkeys(touched), index, after, now=now)
    for id_, fact in after.items():
        changes.change(before[id_], fact)
    return changes
