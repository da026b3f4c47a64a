"""When a fact falls, what it had closed holds again: as long as it did before, by the log.

The log has what each closing replaced. A released fact is then cut again by whatever else excludes
it, since later facts may have come in between.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from graphrag.edit.edits import is_aside, opened
from graphrag.index.group import GroupIndex
from graphrag.ingest.invalidate import Statement, judge, overlap
from graphrag.ingest.planner import candidates
from graphrag.ingest.statements import stated_closing
from graphrag.model.values import Change, Episode, Event, Fact
from graphrag.ontology.relations import Relations
from graphrag.store.rows import imaged
from graphrag.store.store import Store

_TAKEN_BACK = frozenset(
    {"retracted_at", "closed_as", "closed_by_arbiter", "closed_by_hand", "reason"}
)
CLOSING = _TAKEN_BACK | {"invalid_at", "expired_at", "invalidated_by", "told_end_at"}
"""What one fact changes of another that it closes."""
_TICK = timedelta(microseconds=1)


async def closed_by(
    fallen: Fact,
    facts: Iterable[Fact],
    store: Store,
    *,
    corrected: bool,
    gone: Collection[str] = (),
) -> dict[str, Fact]:
    """Return those of the facts that a fact had closed, as they were before it did.

    What a text had corrected by it returns only if ``corrected``, what a person put aside never,
    and what nothing speaks for any more neither. ``gone`` are episodes that are about to go.
    """
    victims = {
        fact.id: fact
        for fact in facts
        if fact.invalidated_by == fallen.id
        and not is_aside(fact)
        and (corrected or fact.closed_as != "corrected")
    }
    if not victims:
        return {}
    first = min(_closed_at(fact) for fact in victims.values())
    events = await store.events_since(fallen.group_id, first - _TICK)
    freed = {
        id_: replace(fact, **_before(fact, fallen.id, events)) for id_, fact in victims.items()
    }
    return await spoken_for(victims, await without_fallen(freed, store), store, gone)


async def spoken_for(
    before: Mapping[str, Fact],
    after: Mapping[str, Fact],
    store: Store,
    gone: Collection[str] = (),
) -> dict[str, Fact]:
    """Return facts as they are to be, but those that would return and that nothing states.

    A fact is believed for an episode that is there or for a person. One that lost its episodes
    while another fact had its place does not get the place back when that one falls.
    """
    back = {
        id_
        for id_, fact in after.items()
        if fact.retracted_at is None and before[id_].retracted_at is not None
    }
    episodes = await store.get(Episode, {one for id_ in back for one in after[id_].episodes})
    there = {id_ for id_, one in episodes.items() if one.removed_at is None}.difference(gone)
    return {
        id_: fact
        for id_, fact in after.items()
        if id_ not in back or by_hand(fact) or not fact.sources or there.intersection(fact.episodes)
    }


def by_hand(fact: Fact) -> bool:
    """Tell whether a person stands for a fact, whatever texts say."""
    return fact.confirmed or fact.origin == "manual"


async def without_fallen(
    facts: Mapping[str, Fact], store: Store, known: Mapping[str, Fact] | None = None
) -> dict[str, Fact]:
    """Return facts without the closings whose facts have fallen since.

    Under the closing that is undone there may be an older one, by a fact that was retracted or
    forgotten while the later closing stood. ``known`` are facts as they are to be.
    """
    freed = dict(facts)
    seen: set[str] = set()
    events: list[Event] = []
    while closers := {one.invalidated_by for one in freed.values() if one.invalidated_by} - seen:
        stored = {**(await store.get(Fact, sorted(closers))), **(known or {})}
        seen |= closers
        gone = {id_ for id_ in closers if id_ not in stored or stored[id_].retracted_at is not None}
        victims = {
            id_: fact
            for id_, fact in freed.items()
            if fact.invalidated_by in gone and not is_aside(fact)
        }
        if victims and not events:
            oldest = min(victims.values(), key=lambda fact: fact.created_at)
            events = await store.events_since(oldest.group_id, oldest.created_at - _TICK)
        for id_, fact in victims.items():
            freed[id_] = replace(fact, **_before(fact, fact.invalidated_by or "", events))
        for id_, fact in freed.items():  # what a person put aside stays so
            if is_aside(fact) and fact.invalidated_by in closers - stored.keys():
                freed[id_] = replace(fact, invalidated_by=None)
    return freed


async def rivals_of(
    facts: Iterable[Fact], index: GroupIndex, store: Store, relations: Relations
) -> dict[str, Fact]:
    """Return the stored facts that these may repeat or exclude, themselves among them."""
    statements = [Statement(fact) for fact in facts]
    stored = await store.get(Fact, candidates(statements, index, relations))
    return index.heirs.follow(stored, index.entity_name)


def recut(
    released: Fact, others: Mapping[str, Fact], relations: Relations, *, now: datetime
) -> tuple[Fact, Mapping[str, Fact]]:
    """Return a released fact as far as others leave room for it, and the others that it changes."""
    live = [
        fact
        for id_, fact in others.items()
        if id_ != released.id and fact.retracted_at is None and not fact.pending
    ]
    ends = (released.subject_id, released.relation, released.object_id)
    same = [fact for fact in live if (fact.subject_id, fact.relation, fact.object_id) == ends]
    rivals = [fact for fact in live if fact not in same]
    verdict = judge(Statement(released), rivals, relations, now=now)
    if verdict.new is None:
        return released, verdict.changed
    fact = verdict.new
    # Told again since: from then on that telling has the word.
    again = [one.valid_at for one in same if one.valid_at and overlap(one, fact)]
    later = [start for start in again if fact.valid_at is None or fact.valid_at < start]
    if later:
        fact = replace(fact, invalid_at=min(later), closed_as="superseded")
    return fact, verdict.changed


def _closed_at(fact: Fact) -> datetime:
    return min(filter(None, (fact.expired_at, fact.retracted_at)), default=fact.created_at)


def _before(victim: Fact, fallen: str, events: Iterable[Event]) -> dict[str, Any]:
    """Return the fields of the last closing by that fact, as they were; at its birth, as told."""
    record = f"relates_to:{victim.id}"
    closing: Change | None = None
    for event in events:
        for change in event.changes:
            if change.record == record and (change.after or {}).get("invalidated_by") == fallen:
                closing = change
    retracts = (closing.after or {}).get("retracted_at") is not None if closing else True
    # What took it back since has nothing to do with the closing.
    since = victim.retracted_at is not None and not retracts
    if closing is None or closing.before is None:
        cut = victim.retracted_at is None or since
        told = victim.told_end_at if cut else victim.invalid_at
        how = stated_closing(None if victim.observed else victim.valid_at, told)
        free = replace(opened(victim), retracted_at=None, told_end_at=None)
        free = replace(free, invalid_at=told, closed_as=how)
        was: dict[str, Any] = {name: getattr(free, name) for name in CLOSING}
    else:
        then = closing.before
        was = {name: imaged(name, then[name]) for name in CLOSING if name in then}
    return {name: item for name, item in was.items() if not (since and name in _TAKEN_BACK)}
