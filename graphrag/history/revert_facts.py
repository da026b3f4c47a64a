"""The facts of an event that is undone: which fall, which return, and what holds again by that.

A fact that the event brought falls, unless something else came to speak for it: another episode, or
a person. What fallen facts had closed holds again, in whichever event they closed it, and what
returns is cut by what else excludes it.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.edit.edits import retracted
from graphrag.edit.reopen import by_hand, closed_by, recut, rivals_of, without_fallen
from graphrag.history.images import back, field_of
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.model.values import Change, Episode, Event, Fact, Span
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True)
class Undoing:
    """What is undone, and how."""

    event: Event
    facts: Mapping[str, Change]
    """What the event did to facts, by id."""
    gone: frozenset[str]
    """Episodes that go with the event."""
    back: frozenset[str]
    """Episodes that return."""
    force: bool
    now: datetime


async def undone_facts(
    undoing: Undoing, index: GroupIndex, ingestion: Ingestion
) -> tuple[dict[str, Fact], dict[str, Fact]]:
    """Return the facts concerned as they are and as they are to be."""
    store = ingestion.store
    resting = await _resting(undoing.gone | undoing.back, index, store)
    before = await store.get(Fact, [*undoing.facts, *resting])
    heard = await _heard(before.values(), undoing, store)
    after = {id_: _undone(fact, undoing, heard) for id_, fact in before.items()}
    closed = {
        id_: fact
        for id_, fact in after.items()
        if _closed_anew(before[id_], fact) or _may_return(fact, undoing, heard)
    }
    after |= await without_fallen(closed, store, after)
    silent = {id_ for id_, fact in before.items() if _loses_all(fact, undoing, heard)}
    return await _settled(before, after, silent, undoing, index, ingestion)


async def _settled(
    before: dict[str, Fact],
    after: dict[str, Fact],
    silent: Collection[str],
    undoing: Undoing,
    index: GroupIndex,
    ingestion: Ingestion,
) -> tuple[dict[str, Fact], dict[str, Fact]]:
    """Free what the fallen had closed, and cut whatever returns by the rules.

    Facts that are ``silent``, since what told them is undone as well, stay closed.
    """
    store, relations = ingestion.store, ingestion.relations
    fallen = [before[id_] for id_ in after if _gives_way(before[id_], after[id_])]
    returned = [id_ for id_, fact in after.items() if _returns(before[id_], fact)]
    if not fallen and not returned:
        return before, after
    told = index.heirs.follow({**before, **after}, index.entity_name)
    gave = index.heirs.follow({one.id: one for one in fallen}, index.entity_name)
    looked_at = [*gave.values(), *(told[id_] for id_ in returned)]
    before = {**await rivals_of(looked_at, index, store, relations), **before}
    after = {**before, **after}
    freed: dict[str, Fact] = {}
    for fact in fallen:
        closed = [one for id_, one in {**after, **freed}.items() if id_ not in silent]
        freed |= await closed_by(fact, closed, store, corrected=True, gone=undoing.gone)
    after |= freed
    told = index.heirs.follow(freed, index.entity_name)
    before = {**await rivals_of(told.values(), index, store, relations), **before}
    after = {**before, **after}
    told = index.heirs.follow(after, index.entity_name)
    for id_ in dict.fromkeys((*returned, *freed)):
        if _stands(told[id_]):
            told[id_], cut = recut(told[id_], told, relations, now=undoing.now)
            told |= cut
    return before, {id_: _at_its_ends(fact, after[id_]) for id_, fact in told.items()}


def _at_its_ends(fact: Fact, stored: Fact) -> Fact:
    """Return a fact with the ends that it is stored with, whoever they speak through."""
    return replace(
        fact,
        subject_id=stored.subject_id,
        subject=stored.subject,
        object_id=stored.object_id,
        object=stored.object,
    )


def _undone(fact: Fact, undoing: Undoing, heard: Collection[str]) -> Fact:
    """Return one fact without the event."""
    event = undoing.event
    brought = {id_ for id_, change in undoing.facts.items() if change.before is None}
    change = undoing.facts.get(fact.id)
    if change is None and fact.retracted_at is not None:
        return fact
    if change is None or change.before is None:  # it rests on an episode that goes, or came with it
        if _loses_all(fact, undoing, heard):
            return _fallen(fact, undoing)
        return replace(fact, sources=_left(fact, undoing, heard))
    wanted = back(fact, change, event, force=undoing.force, brought=brought)
    if wanted.retracted_at is not None:
        return wanted
    rest = tuple(span for span in wanted.sources if span.episode_id in heard)
    if fact.retracted_at is not None and not rest and not by_hand(wanted):
        return fact  # nothing that stands tells it any more
    return replace(wanted, sources=rest)


def _left(fact: Fact, undoing: Undoing, heard: Collection[str]) -> tuple[Span, ...]:
    """Return the sources of a fact that the event did not bring and that stay."""
    change = undoing.facts.get(fact.id)
    brought = change is not None and change.before is None
    image = (change.after or {}) if change is not None and brought else {}
    told = field_of("sources", image.get("sources"))
    return tuple(span for span in fact.sources if span.episode_id in heard and span not in told)


def _loses_all(fact: Fact, undoing: Undoing, heard: Collection[str]) -> bool:
    """Tell whether nothing speaks for a fact once the event is undone: no episode, no person."""
    change = undoing.facts.get(fact.id)
    if change is not None and change.before is not None:
        return False
    stood = change is not None and (change.after or {}).get("confirmed")
    approved = fact.confirmed and not stood if change is not None else by_hand(fact)
    return not approved and not _left(fact, undoing, heard)


def _fallen(fact: Fact, undoing: Undoing) -> Fact:
    if fact.retracted_at is not None:
        return fact
    reason = f"event {undoing.event.seq} was reverted"
    return retracted(fact, reason, now=undoing.now)


async def _resting(episodes: Collection[str], index: GroupIndex, store: Store) -> list[str]:
    """Return the facts that rest on one of these episodes."""
    if not episodes:
        return []
    [ids] = await store.query(
        "SELECT VALUE record::id(id) FROM relates_to WHERE group_id = $group "
        "AND sources.episode CONTAINSANY $episodes;",
        group=index.group_id,
        episodes=sorted(episodes),
    )
    return list(ids)


async def _heard(facts: Iterable[Fact], undoing: Undoing, store: Store) -> set[str]:
    """Return the episodes that speak for a fact, once the event is undone."""
    told = {span.episode_id for fact in facts for span in fact.sources}
    for change in undoing.facts.values():
        told |= {span["episode"] for span in (change.before or {}).get("sources") or ()}
    stored = await store.get(Episode, sorted(told))
    standing = {id_ for id_, episode in stored.items() if episode.removed_at is None}
    return (standing | undoing.back) - undoing.gone


def _stands(fact: Fact) -> bool:
    return fact.retracted_at is None and not fact.pending


def _may_return(fact: Fact, undoing: Undoing, heard: Collection[str]) -> bool:
    """Tell whether a fact gets an episode back that it had lost while another had its place."""
    told = undoing.back.intersection(fact.episodes, heard)
    return fact.id not in undoing.facts and fact.retracted_at is not None and bool(told)


def _closed_anew(before: Fact, after: Fact) -> bool:
    return after.invalidated_by not in (None, before.invalidated_by)


def _gives_way(before: Fact, after: Fact) -> bool:
    """Tell whether a fact may no longer end what it had ended."""
    return _stands(before) and (not _stands(after) or before.valid_at != after.valid_at)


def _returns(before: Fact, after: Fact) -> bool:
    """Tell whether a fact holds at a time at which it did not."""
    times = [(fact.valid_at, fact.invalid_at) for fact in (before, after)]
    return _stands(after) and (not _stands(before) or times[0] != times[1])
