"""What a person may do to a fact by hand, as pure functions: each returns the fact as it is to be.

Nothing is overwritten that would be missed: a fact that was never true keeps its interval and gets
the moment and the reason of its retraction; a changed end or relation makes another fact, because
the old one was told and stays in the history. Dates and wording are edited in place: the log has
what they were.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Final

from graphrag.errors import InputError
from graphrag.ingest.invalidate import closed
from graphrag.ingest.statements import stated_closing
from graphrag.model.ids import new_id
from graphrag.model.values import Closing, Entity, Fact


class Keep(Enum):
    """The value of an argument that changes nothing; None means "no date" there."""

    KEEP = "keep"

    def __repr__(self) -> str:
        """Show it as it is written."""
        return self.name


KEEP: Final = Keep.KEEP
_ASIDE: Final = frozenset({"corrected", "superseded"})


@dataclass(frozen=True, slots=True)
class Correction:
    """What is to be different about a fact."""

    subject: Entity | None = None
    relation: str | None = None
    object: Entity | None = None
    text: str | None = None
    valid_at: datetime | Keep | None = KEEP
    invalid_at: datetime | Keep | None = KEEP


def retracted(fact: Fact, reason: str, *, now: datetime) -> Fact:
    """Return the fact as never true."""
    _stands(fact)
    taken_back = replace(fact, retracted_at=now, pending=False)
    return _closed(taken_back, "retracted", reason or "retracted")


def ended(fact: Fact, at: datetime, reason: str, *, now: datetime) -> Fact:
    """Return the fact as true until a moment."""
    _accepted(fact)
    if fact.invalid_at is not None and fact.invalid_at <= at:
        raise InputError(
            f"{named(fact)} has ended before, at {fact.invalid_at.isoformat()}: "
            "use edit.correct(invalid_at=...) to change that"
        )
    over = replace(fact, invalid_at=at, expired_at=now, invalidated_by=None, told_end_at=None)
    return _possible(_closed(over, "ended", reason or "ended"))


def corrected(fact: Fact, wanted: Correction, reason: str, *, now: datetime) -> Fact:
    """Return the fact as it should have been: the same one, or another if an end is another.

    Either way a person stands for it: it is confirmed and waits for nobody.
    """
    _stands(fact)
    if wanted == Correction():
        raise InputError(f"nothing is to change in {named(fact)}: say what is to be different")
    subject, object_ = _end(fact, wanted.subject, "subject"), _end(fact, wanted.object, "object")
    relation = fact.relation if wanted.relation is None else "_".join(wanted.relation.split())
    told = (fact.subject_id, fact.relation, fact.object_id)
    moved = (subject[0], relation, object_[0]) != told
    if subject[0] == object_[0]:
        raise InputError(f"{named(fact)} would relate {subject[1]!r} to itself: give another end")
    if not relation:
        raise InputError(f"the relation of {named(fact)} is empty: give a name such as 'works_at'")
    if wanted.text is not None and not wanted.text.strip():
        raise InputError(f"the text of {named(fact)} is empty: give a sentence, or leave it out")
    words = f"{subject[1]} {relation.replace('_', ' ')} {object_[1]}."
    valid_at = fact.valid_at if isinstance(wanted.valid_at, Keep) else wanted.valid_at
    invalid_at = fact.invalid_at if isinstance(wanted.invalid_at, Keep) else wanted.invalid_at
    edited = _possible(
        replace(
            fact,
            subject_id=subject[0],
            subject=subject[1],
            relation=relation,
            object_id=object_[0],
            object=object_[1],
            fact=wanted.text or (words if moved else fact.fact),
            valid_at=valid_at,
            invalid_at=invalid_at,
            observed=fact.observed and valid_at == fact.valid_at,
            confirmed=True,
            pending=False,
            waits_as=None,
        )
    )
    if moved:
        return replace(
            edited,
            id=new_id(),
            created_at=now,
            expired_at=None,
            invalidated_by=None,
            closed_as=stated_closing(None if edited.observed else valid_at, invalid_at),
            closed_by_arbiter=False,
            closed_by_hand=False,
            reason=None,
            told_end_at=None,
            reference_time=now,
            confidence=1.0,
            origin="manual",
        )
    if invalid_at == fact.invalid_at:
        return edited
    edited = replace(edited, told_end_at=None, invalidated_by=None)
    if invalid_at is None:  # what had closed it no longer does
        return opened(edited)
    return _closed(replace(edited, expired_at=now), "ended", reason or "corrected")


def opened(fact: Fact) -> Fact:
    """Return a fact that nothing has closed."""
    return replace(
        fact,
        expired_at=None,
        invalidated_by=None,
        closed_as=None,
        closed_by_arbiter=False,
        closed_by_hand=False,
        reason=None,
    )


def put_aside(fact: Fact, by: Fact | None, how: Closing, why: str, *, now: datetime) -> Fact:
    """Return the fact as no longer believed, in favour of another one if there is one."""
    closer = None if by is None else by.id
    aside = replace(fact, retracted_at=now, invalidated_by=closer, pending=False)
    return _closed(aside, how, why)


def is_aside(fact: Fact) -> bool:
    """Tell whether a person put the fact aside; it does not return with the fall of the other."""
    return fact.retracted_at is not None and fact.closed_by_hand and fact.closed_as in _ASIDE


def _closed(fact: Fact, how: Closing, reason: str) -> Fact:
    return replace(closed(fact, how, reason), closed_by_hand=True)


def waiting(fact: Fact) -> Fact:
    """Return a fact that waits for review, or say that it does not."""
    if fact.retracted_at is None and fact.pending:
        return fact
    raise InputError(f"{named(fact)} does not wait for review: see edit.pending()")


def _stands(fact: Fact) -> None:
    if fact.retracted_at is not None:
        raise InputError(
            f"{named(fact)} was retracted at {fact.retracted_at.isoformat()} "
            f"({fact.reason or 'no reason given'}): there is nothing left to change"
        )


def _accepted(fact: Fact) -> None:
    _stands(fact)
    if fact.pending:
        raise InputError(f"{named(fact)} waits for review: confirm or reject it first")


def _possible(fact: Fact) -> Fact:
    if fact.valid_at and fact.invalid_at and fact.invalid_at <= fact.valid_at:
        raise InputError(
            f"{named(fact)} would end at {fact.invalid_at.isoformat()}, but it starts at "
            f"{fact.valid_at.isoformat()}: an end comes after its start"
        )
    return fact


def _end(fact: Fact, entity: Entity | None, side: str) -> tuple[str, str]:
    if entity is not None:
        return entity.id, entity.name
    if side == "subject":
        return fact.subject_id, fact.subject
    return fact.object_id, fact.object


def named(fact: Fact) -> str:
    """Return a fact's id and words, for an error."""
    return f"fact {fact.id} ({fact.fact!r})"
