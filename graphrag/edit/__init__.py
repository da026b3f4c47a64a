"""Manual edits: corrections of facts, merges and splits of entities.

This module has the edits of a fact as pure functions. Earlier statements become void and are kept,
with the reason and the correct value; the statement of the person is a new one. A changed end or
relation creates another fact: the old one was stated and stays in the history.
"""

from dataclasses import dataclass, replace
from datetime import datetime, time
from enum import Enum
from typing import Final

from graphrag.errors import InputError
from graphrag.ingest.lifetimes import to_moment
from graphrag.ingest.lifetimes.rivalry import triple_of
from graphrag.ingest.lifetimes.said import stated
from graphrag.model.assertion import Assertion, Date, Kind, Void
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Fact


class Keep(Enum):
    """The value of an argument that changes nothing; None means "no date" there."""

    KEEP = "keep"

    def __repr__(self) -> str:
        return self.name


KEEP: Final = Keep.KEEP
Basis = tuple[Assertion, ...]
"""What a fact rests on."""
Times = tuple[Date | None, datetime | None]


@dataclass(frozen=True, slots=True)
class Correction:
    """What is to be different about a fact."""

    subject: Entity | None = None
    relation: str | None = None
    object: Entity | None = None
    text: str | None = None
    valid_at: Date | Keep | None = KEEP
    invalid_at: datetime | Keep | None = KEEP


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person wants of one fact."""

    fact: Fact
    """The fact with its other words, or, under another id, the fact that takes its place."""
    void: Void | None = None
    """What becomes of all that was said of it before."""
    said: tuple[Assertion, ...] = ()
    """What the person says of it instead."""
    until: datetime | None = None
    """From when on nothing that was said of it counts."""
    stays: bool = False
    """Whether the person stands for what was said, and nobody is waited for."""
    entities: tuple[Entity, ...] = ()


def retracted(fact: Fact, reason: str) -> Edit:
    """Say that a fact was never true; one that is contested may be."""
    if fact.closed_as != "overruled":
        _stands(fact)
    return Edit(fact, Void("retracted", reason=reason or "retracted"))


def ended(fact: Fact, at: datetime, reason: str) -> Edit:
    """Say that a fact was true until a moment."""
    _stands(fact)
    if fact.pending:
        raise InputError(f"{named(fact)} waits for review: confirm or reject it first")
    if fact.invalid_at is not None and fact.invalid_at <= at:
        raise InputError(
            f"{named(fact)} has ended before, at {fact.invalid_at.isoformat()}: "
            "use edit.correct(invalid_at=...) to change that"
        )
    _possible(fact, fact.valid_at, at)
    return Edit(fact, said=(_end_by_hand(at, reason or "ended"),), until=at)


def corrected(fact: Fact, wanted: Correction, basis: Basis, reason: str, *, now: datetime) -> Edit:
    """Say how a fact should have been; a person stands for it, and it waits for nobody.

    The correction keeps the places in texts of ``basis``, what the fact rests on.
    """
    _stands(fact)
    if wanted == Correction():
        raise InputError(f"nothing is to change in {named(fact)}: say what is to be different")
    edited = replace(fact, confirmed=True)
    if wanted.subject is not None:
        edited = replace(edited, subject_id=wanted.subject.id, subject=wanted.subject.name)
    if wanted.object is not None:
        edited = replace(edited, object_id=wanted.object.id, object=wanted.object.name)
    if wanted.relation is not None:
        edited = replace(edited, relation="_".join(wanted.relation.split()))
    if not edited.relation:
        raise InputError(f"the relation of {named(fact)} is empty: give a name such as 'works_at'")
    if wanted.text is not None and not wanted.text.strip():
        raise InputError(f"the text of {named(fact)} is empty: give a sentence, or leave it out")
    moved = triple_of(edited) != triple_of(fact)
    edited = replace(edited, text=wanted.text or (plain_sentence(edited) if moved else fact.text))
    _dateless(fact, wanted, basis)
    start, stops = _times(fact, wanted, basis)
    starts = None if start is None else start.moment
    _possible(fact, starts, stops)
    if moved:
        edited = replace(copied(edited, now), reference_time=now, confidence=1.0)
        edited = replace(edited, origin="manual", statements=())
    elif (starts, stops) == (fact.valid_at, fact.invalid_at) and not fact.pending:
        return Edit(edited, stays=True)
    said = _dated(fact, wanted, basis, (start, stops), reason)
    if edited.subject_id == edited.object_id:  # a person states it: no merge has made it so
        name = edited.subject
        said = tuple(replace(part, subject_as=name, object_as=name) for part in said)
    if moved:
        said = (replace(said[0], id=edited.id), *said[1:])
    why = f"corrected by hand: {reason or edited.text}"
    return Edit(edited, Void("corrected", reason=why, fact=edited.id), said)


def _dateless(fact: Fact, wanted: Correction, basis: Basis) -> None:
    """Refuse to take a date away without which a fact that does not hold today would."""
    event = _kind(basis) == "event"
    plan = bool(basis) and all(stated(statement, fact, None).planned for statement in basis)
    if (wanted.valid_at is None and (event or plan)) or (wanted.invalid_at is None and event):
        raise InputError(
            f"{named(fact)} is {'an event' if event else 'a plan'}, which would hold today without "
            "a date: give its day as valid_at, or retract it"
        )
    dated = isinstance(wanted.valid_at, Date)
    if fact.closed_as == "past" and wanted.invalid_at is None and not dated:
        raise InputError(
            f"{named(fact)} held at some time before {fact.invalid_at:%Y-%m-%d}, and would hold "
            "today without that end: give valid_at as well, since when it holds"
        )


def _kind(basis: Basis) -> Kind:
    kinds = {statement.kind for statement in basis}
    return kinds.pop() if len(kinds) == 1 else "state"


def _times(fact: Fact, wanted: Correction, basis: Basis) -> Times:
    """Return the start and the end of a corrected fact: an event moves whole."""
    start, kept = wanted.valid_at, isinstance(wanted.invalid_at, Keep)
    stops = fact.invalid_at if isinstance(wanted.invalid_at, Keep) else wanted.invalid_at
    old, event = None if fact.valid_at is None else Date(fact.valid_at), _kind(basis) == "event"
    if event:
        own = (part.since for part in basis if part.since and _lasts(part.since, fact.invalid_at))
        old = next((date for date in own if date.moment == fact.valid_at), old)
    if isinstance(start, Keep) or start is None:
        return old if isinstance(start, Keep) else None, stops
    if not event:
        return Date(start.moment), stops
    if old is not None and kept:
        if start.precision == "exact" and start.moment.time() == time():
            start = Date(start.moment, old.precision)
        if _lasts(old, fact.invalid_at):
            return start, to_moment(start.end)
        stops = fact.invalid_at and start.moment + (fact.invalid_at - old.moment)
    return start, stops


def _lasts(date: Date, until: datetime | None) -> bool:
    """Tell whether a day, month or year is over at a moment."""
    return to_moment(date.end) == until


def _dated(
    fact: Fact, wanted: Correction, basis: Basis, times: Times, reason: str
) -> tuple[Assertion, ...]:
    """Return what a person says of the times of a fact, once for each text that stated it."""
    start, stops = times
    observed = fact.observed and start is not None and start.moment == fact.valid_at
    kept, kind = isinstance(wanted.invalid_at, Keep), _kind(basis)
    once = fact.closed_as == "past" and kept
    bounded = kind == "event" or (fact.closed_as == "bounded" and kept)
    whole = kind == "event" and start is not None and _lasts(start, stops)
    if once or kind == "was" or (kind == "timeless" and (start or stops)):
        kind = "was" if once else "state"
    since = None if observed else start
    until = Date(stops) if bounded and stops is not None and not whole else None
    at = fact.valid_at if observed else fact.invalid_at if once else None
    first = Assertion("", since, until, at, kind, untyped=fact.untyped, as_given=fact.as_given)
    first = replace(first, manual=True)
    places = {(part.source, part.start, part.end): part for part in basis if part.source}
    said = [
        replace(
            first, id=new_id(), source=source, start=start, end=end, at=_seen(first, part, fact)
        )
        for (source, start, end), part in (places or {("", 0, 0): (*basis, first)[0]}).items()
    ]
    if stops is not None and not bounded and not once:
        if not kept or fact.closed_as in ("ended", "past"):
            why = (fact.reason or "ended") if kept else (reason or "corrected")
            said.append(_end_by_hand(stops, why))
    return tuple(said)


def _seen(first: Assertion, statement: Assertion, fact: Fact) -> datetime | None:
    """Return the moment for which a corrected statement is evidence: a plan keeps its own."""
    if first.at is not None or statement.at is None or stated(statement, fact, None).planned:
        return first.at or statement.at
    after = statement.source and first.since is not None and statement.at >= first.since.moment
    return statement.at if after else None


def _end_by_hand(at: datetime, reason: str) -> Assertion:
    return Assertion(new_id(), until=Date(at), manual=True, reason=reason)


def waiting(fact: Fact) -> Fact:
    """Return a fact that waits for review or is contested, or say that it does not."""
    if (fact.retracted_at is None and fact.pending) or fact.closed_as == "overruled":
        return fact
    raise InputError(
        f"{named(fact)} does not wait for review, and is not contested: see edit.pending() and "
        "audit.contradictions()"
    )


def _stands(fact: Fact) -> None:
    if fact.retracted_at is not None:
        raise InputError(
            f"{named(fact)} was retracted at {fact.retracted_at.isoformat()} "
            f"({fact.reason or 'no reason given'}): there is nothing left to change"
        )


def _possible(fact: Fact, start: datetime | None, end: datetime | None) -> None:
    if start and end and end <= start:
        raise InputError(
            f"{named(fact)} would end at {end.isoformat()}, but it starts at "
            f"{start.isoformat()}: an end comes after its start"
        )


def copied(fact: Fact, now: datetime) -> Fact:
    """Return a fact under another id, which nothing contests or has closed."""
    return replace(fact, id=new_id(), created_at=now, rivals=(), expired_at=None, retracted_at=None)


def plain_sentence(fact: Fact) -> str:
    """Return the sentence of a fact that nobody gave one."""
    return f"{fact.subject} {fact.relation.replace('_', ' ')} {fact.object}."


def named(fact: Fact) -> str:
    """Return a fact's id and words, for an error."""
    return f"fact {fact.id} ({fact.text!r})"
