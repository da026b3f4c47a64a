"""When a fact falls, what it had closed holds again: as long as it did before, by the log.

The log has what each closing replaced. A released fact is then cut again by whatever else excludes
it, since later facts may have come in between.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from graphrag.edits import is_aside
from graphrag.index.group import GroupIndex
from graphrag.invalidate import Statement, judge, overlap
from graphrag.models import Change, Event, Fact
from graphrag.planner import candidates
from graphrag.relations import Relations
from graphrag.store.rows import imaged
from graphrag.store.store import Store

_CLOSING = ("invalid_at", "expired_at", "retracted_at", "invalidated_by", "reason", "told_end_at")
_TICK = timedelta(microseconds=1)


async def closed_by(
    fallen: Fact, facts: Iterable[Fact], store: Store, *, corrected: bool
) -> dict[str, Fact]:
    """Return those of the facts that a fact had closed, as they were before it did.

    What a text had corrected by it returns only if ``corrected``, what a person put aside never.
    """
    victims = {
        fact.id: fact
        for fact in facts
        if fact.invalidated_by == fallen.id
        and not is_aside(fact)
        and (corrected or not (fact.reason or "").startswith("corrected: "))
    }
    if not victims:
        return {}
    first = min(_closed_at(fact) for fact in victims.values())
    events = await store.events_since(fallen.group_id, first - _TICK)
    freed = {
        id_: replace(fact, **_before(fact, fallen.id, events)) for id_, fact in victims.items()
    }
    return await without_fallen(freed, store)


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
        gone = {
            id_ for id_ in closers if id_ not in stored or stored[id_].retracted_at is not None
        }
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
    return (replace(fact, invalid_at=min(later)) if later else fact), verdict.changed


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
    if closing is None or closing.before is None:
        cut = victim.retracted_at is None
        told = victim.told_end_at if cut else victim.invalid_at
        return dict.fromkeys(_CLOSING) | {"invalid_at": told}
    return {name: imaged(name, closing.before[name]) for name in _CLOSING if name in closing.before}
