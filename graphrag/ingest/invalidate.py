"""New facts against old ones: what is a repetition, what closes what, and why. Pure functions.

Two facts can only exclude each other if they share an end (or both, for exclusive relations), their
intervals overlap, and their relation says that both cannot hold at once. Then the one that starts
later ends the earlier one at that moment; of two that start together, the one with the later
reference time stands, then the one told later. Nothing is deleted: the loser is closed, or, if no
moment is left to it, retracted, with the reason and the winner's id on it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from graphrag.model.attributes import newer
from graphrag.model.values import Closing, Fact
from graphrag.ontology.relations import Relations

Exclusion = Literal["single_valued", "single_holder", "exclusive_with"]
"""What a ``Relation`` may declare by which facts exclude each other."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact about to be told, and what kind of telling it is."""

    fact: Fact
    """``object_id`` is empty when an end names no object ("she quit her job")."""
    ends: bool = False
    corrects: bool = False
    excludes: frozenset[str] = frozenset()
    """Ids of older facts that, as an arbiter found, cannot hold at the same time as this one."""


@dataclass(slots=True)
class Verdict:
    """What one statement does to the graph."""

    new: Fact | None = None
    """The fact to store, its interval adjusted; None if the statement adds none."""
    changed: dict[str, Fact] = field(default_factory=dict)
    """Older facts by id, as they are to be from now on."""


def judge(
    statement: Statement, old: Iterable[Fact], relations: Relations, *, now: datetime
) -> Verdict:
    """Decide what a statement adds and what it closes among facts that share an entity with it."""
    live = [fact for fact in old if fact.retracted_at is None and not fact.pending]
    same = [fact for fact in live if _same(statement.fact, fact, relations)]
    rivals = [fact for fact in live if excludes(statement.fact, fact, relations)]
    if statement.ends:
        return _end(statement, same, rivals, now)
    ruled = _ruled_out(statement, live, [*same, *rivals])
    rivals += ruled
    repeated = _repeated(statement.fact, same, rivals)
    if repeated is not None:
        return Verdict(changed={repeated.id: _confirmed(repeated, statement.fact)})
    if statement.corrects:
        return _marked(_correct(statement, rivals, now), ruled)
    return _marked(_weigh(statement.fact, rivals, same, now), ruled)


def _end(
    statement: Statement, same: Sequence[Fact], rivals: Sequence[Fact], now: datetime
) -> Verdict:
    told = statement.fact
    end = told.invalid_at
    assert end is not None, "an end has a moment"
    running = [
        _seen_ending(fact, end, rivals) if fact.observed and fact.valid_at == end else fact
        for fact in same
        if _stop(fact) > end and (_start(fact) < end or (fact.observed and fact.valid_at == end))
    ]
    if running:
        return Verdict(
            changed={
                fact.id: closed(
                    replace(_confirmed(fact, told), invalid_at=end, expired_at=now),
                    "ended",
                    f"ended: {told.fact}",
                )
                for fact in running
            }
        )
    if not told.object_id or any(_start(fact) < end for fact in same):
        return Verdict()  # already ended, or nothing is known that could end
    return Verdict(new=_before_end(told, end, rivals, now))


def _seen_ending(fact: Fact, end: datetime, rivals: Sequence[Fact]) -> Fact:
    """Return a fact that was seen to hold and seen to end at one moment: its start is unknown."""
    others = [rival for rival in rivals if _start(rival) < end]
    if any(_stop(rival) >= end for rival in others):
        return fact  # another one held until then: it was so for no time that anybody knows of
    return replace(fact, valid_at=max(map(_stop, others), default=None))


def _before_end(told: Fact, end: datetime, rivals: Sequence[Fact], now: datetime) -> Fact:
    """Return a value of which only the end is known, as far as others leave room before it."""
    others = [
        fact
        for fact in rivals
        if _start(fact) < end and not set(fact.episodes) & set(told.episodes)
    ]
    stop = end
    while covering := [fact for fact in others if _start(fact) < stop <= _stop(fact)]:
        closer = min(covering, key=_start)
        stop = _start(closer)
        if stop == _EARLIEST:  # the other one has been so as long as anything is known
            told = replace(told, invalid_at=end, expired_at=None, told_end_at=None)
            return _overruled(told, closer, f"no room beside: {closer.fact}", now)
        told = replace(_superseded(told, closer, now), told_end_at=end)
    last = max((_stop(fact) for fact in others if _stop(fact) < stop), default=None)
    return told if last is None else replace(told, valid_at=last, observed=True)


def _repeated(told: Fact, same: Sequence[Fact], rivals: Sequence[Fact]) -> Fact | None:
    """Return the fact that the telling repeats; one that ended before it began again instead."""
    for fact in same:
        between = [
            rival
            for rival in rivals
            if _start(told) < _stop(rival) and _start(rival) < _start(fact)
        ]
        if overlap(told, fact) and (_start(fact) <= _start(told) or not between):
            return fact
    return None


def _confirmed(fact: Fact, told: Fact) -> Fact:
    """Return the fact with one more source, and with an earlier start or an end it lacked."""
    earlier = told.valid_at is not None and (
        fact.valid_at is None or (fact.observed and told.valid_at < fact.valid_at)
    )
    ended = told.invalid_at is not None and fact.invalid_at is None
    attributes, times = newer(
        fact.attributes, fact.attribute_times, told.attributes, told.attribute_times
    )
    return replace(
        fact,
        attributes=attributes,
        attribute_times=times,
        sources=tuple(dict.fromkeys((*fact.sources, *told.sources))),
        provenance=tuple(dict.fromkeys((*fact.provenance, *told.provenance))),
        confidence=max(fact.confidence, told.confidence),
        valid_at=told.valid_at if earlier else fact.valid_at,
        observed=told.observed if earlier else fact.observed,
        invalid_at=told.invalid_at if ended else fact.invalid_at,
        closed_as=told.closed_as if ended else fact.closed_as,
    )


def _correct(statement: Statement, rivals: Sequence[Fact], now: datetime) -> Verdict:
    told = statement.fact
    wrong = [fact for fact in rivals if _stop(fact) > _start(told) or told.observed]
    changed = {
        fact.id: closed(
            replace(fact, retracted_at=now, invalidated_by=told.id),
            "corrected",
            f"corrected: {told.fact}",
        )
        for fact in wrong
    }
    if wrong and told.observed:  # the true fact held since the wrong one was said to
        told = replace(told, valid_at=wrong[0].valid_at, observed=wrong[0].observed)
    return Verdict(new=told, changed=changed)


def _weigh(told: Fact, rivals: Sequence[Fact], same: Sequence[Fact], now: datetime) -> Verdict:
    changed: dict[str, Fact] = {}
    for fact in sorted(rivals, key=lambda fact: (_start(fact), fact.id)):  # ids in order of telling
        if not overlap(told, fact):
            continue
        if _start(fact) < _start(told):
            changed[fact.id] = _superseded(fact, told, now)
        elif _start(fact) > _start(told):
            told_end_at = told.told_end_at if told.invalidated_by else told.invalid_at
            told = replace(_superseded(told, fact, now), told_end_at=told_end_at)
        elif set(fact.episodes) & set(told.episodes):
            continue  # one text that says both at once means both
        elif (told.reference_time or _EARLIEST) >= (fact.reference_time or _EARLIEST):
            changed[fact.id] = _overruled(fact, told, f"replaced by: {told.fact}", now)
        else:
            told = _overruled(told, fact, f"replaced by: {fact.fact}", now)
            break
    # What the same value already covers from a later start on is not covered twice.
    later = [_start(fact) for fact in same if overlap(told, fact)]
    if told.retracted_at is None and later:
        told = replace(told, invalid_at=min(later), closed_as="superseded")
    return Verdict(new=told, changed=changed)


def closed(fact: Fact, how: Closing, reason: str) -> Fact:
    """Return a fact with why it was closed; who closed it before no longer matters."""
    return replace(
        fact, closed_as=how, closed_by_arbiter=False, closed_by_hand=False, reason=reason
    )


def _superseded(fact: Fact, by: Fact, now: datetime) -> Fact:
    cut = replace(fact, invalid_at=by.valid_at, expired_at=now, invalidated_by=by.id)
    return closed(cut, "superseded", f"ended by: {by.fact}")


def _overruled(fact: Fact, by: Fact, reason: str, now: datetime) -> Fact:
    return closed(replace(fact, retracted_at=now, invalidated_by=by.id), "overruled", reason)


def _same(told: Fact, fact: Fact, relations: Relations) -> bool:
    ends = (fact.subject_id, fact.object_id)
    straight = None if told.object_id else relations.straight(told.relation)
    if straight is not None:  # "Acme lost its leader" ends who leads Acme
        return fact.relation == straight and told.subject_id == fact.object_id
    if told.relation != fact.relation:
        return False
    if not told.object_id:
        symmetric = relations[told.relation].symmetric
        return told.subject_id in ends if symmetric else told.subject_id == fact.subject_id
    pair = (told.subject_id, told.object_id)
    return pair == ends or (relations[told.relation].symmetric and pair == ends[::-1])


def excludes(told: Fact, fact: Fact, relations: Relations) -> bool:
    """Tell whether two facts cannot both hold at one moment, by their ends and relations."""
    return exclusion(told, fact, relations) is not None


def exclusion(told: Fact, fact: Fact, relations: Relations) -> Exclusion | None:
    """Return what is declared by which two facts cannot both hold at one moment, if anything."""
    relation = relations[told.relation]
    if told.untyped or fact.untyped or (told.as_given and fact.as_given):
        return None
    if fact.relation in relation.exclusive_with:
        both = (told.subject_id, told.object_id) == (fact.subject_id, fact.object_id)
        return "exclusive_with" if both else None
    if told.relation != fact.relation or _same(told, fact, relations):
        return None
    if relation.single_valued and relation.symmetric:
        shared = {told.subject_id, told.object_id} & {fact.subject_id, fact.object_id}
        return "single_valued" if shared else None
    if relation.single_valued and told.subject_id == fact.subject_id:
        return "single_valued"
    return "single_holder" if relation.single_holder and told.object_id == fact.object_id else None


def _ruled_out(statement: Statement, live: Sequence[Fact], decided: Sequence[Fact]) -> list[Fact]:
    """Return the facts that an arbiter named, as far as the rules allow and say nothing."""
    known = {fact.id for fact in decided}
    return [
        fact
        for fact in live
        if fact.id in statement.excludes
        and fact.id not in known
        and shares_end(statement.fact, fact)
    ]


def _marked(verdict: Verdict, ruled: Iterable[Fact]) -> Verdict:
    """Say of what only an arbiter excludes that it was the arbiter."""
    ids = {fact.id for fact in ruled}
    if verdict.new is not None and verdict.new.invalidated_by in ids:
        verdict.new = _by_arbiter(verdict.new)
    for id_ in ids & verdict.changed.keys():
        verdict.changed[id_] = _by_arbiter(verdict.changed[id_])
    return verdict


def _by_arbiter(fact: Fact) -> Fact:
    return replace(fact, closed_by_arbiter=True, reason=f"{fact.reason} (an arbiter decided)")


def shares_end(told: Fact, fact: Fact) -> bool:
    """Tell whether two facts have a subject or an object in common: only then one can end one."""
    return told.subject_id == fact.subject_id or (
        bool(told.object_id) and told.object_id == fact.object_id
    )


def overlap(one: Fact, other: Fact) -> bool:
    """Tell whether there is a moment at which both hold."""
    return _start(one) < _stop(other) and _start(other) < _stop(one)


def _start(fact: Fact) -> datetime:
    return fact.valid_at or _EARLIEST


def _stop(fact: Fact) -> datetime:
    return fact.invalid_at or _LATEST
