"""Lifetimes of facts as a function of the statements that stand: the values it takes and returns.

A statement keeps what was said and never what follows from it, so that it can come in any order,
fall, and return. Its kind says how to read its times (the table is in ``evidence``). Entities are
ids, as merges leave them.
"""

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import isfinite
from typing import NamedTuple

from graphrag.errors import InputError
from graphrag.model.assertion import BEGINNING, FOREVER, Assertion
from graphrag.model.values import Closing
from graphrag.temporal.moment import from_micros, to_micros

_FIRST = to_micros(datetime.min.replace(tzinfo=UTC), BEGINNING)
_LAST = to_micros(datetime.max.replace(tzinfo=UTC), FOREVER)
NOWHERE = frozenset[Closing | None]({"overruled", "corrected", "cancelled", "retracted"})
"""How a fact is closed that holds at no moment."""


@dataclass(frozen=True, slots=True)
class Statement(Assertion):
    """An assertion with what it is about.

    With ``until`` and no ``since`` it is an explicit end ("left on d"); one without an ``object``
    ends whatever the subject has of the relation ("quit her job").
    """

    fact: str | None = None
    """Id of the fact that it was first stored under; None for what is no fact, such as an end
    without an object."""
    subject: str = ""
    relation: str = ""
    object: str = ""
    seq: int = 0
    """Order of telling: decides ids and never what holds."""

    def __post_init__(self) -> None:
        if problem := self._problem():
            raise InputError(f"statement {self.id} ({self.words!r}): {problem}")

    @property
    def words(self) -> str:
        """Return its sentence, or one made of its parts."""
        return self.text or " ".join((self.subject, self.relation, self.object)).strip()

    @property
    def at_micros(self) -> int:
        """Return the moment for which its source is evidence, in microseconds since 1970."""
        return to_micros(self.at, BEGINNING)

    @property
    def undated(self) -> bool:
        """Tell whether it says nothing of any time."""
        return self.kind == "state" and (self.since, self.until, self.at) == (None, None, None)

    def _problem(self) -> str | None:
        dates = (date.moment for date in (self.since, self.until) if date is not None)
        for moment in (*dates, self.at):
            if moment is not None and moment.utcoffset() is None:
                return f"{moment.isoformat()} has no time zone; pass an aware datetime"
        if (since := self.since) is not None and (until := self.until) is not None:
            if since.start >= (until.start if until.precision == "exact" else until.end):
                start, end = since.moment.isoformat(), until.moment.isoformat()
                return f"its end {end} is not after its start {start}"
        if not isfinite(self.trust):
            return f"trust {self.trust!r} is no finite number"
        if not self.object and not self.ends and self.kind != "cancelled":
            return "without an object it can only end or cancel; name the object"
        if self.undated_plan and not self.pending:
            return "a plan needs the moment from which it holds: edit.correct(fact, valid_at=...)"
        if self.kind == "event" and self.since is None:
            return "an event needs its date; what happened once without one is kind 'was'"
        if self.kind == "was" and self.until is None:
            if self.at is None:
                return "what was over when it was stated needs the moment of telling"
            if self.since is not None and self.at <= self.since.moment:
                return "it is over at the moment of telling, which is not after its start"
        return None


def without_postponed_ends(statements: list[Statement]) -> list[Statement]:
    """Return the statements of one value without the ends that were postponed before they came.

    A later source that is trusted as much gives a later end.
    """
    dated = [(it, it.until, it.at) for it in statements]
    future = [(it, until, at) for it, until, at in dated if until and at and at < until.moment]
    later = [
        (until.start, at, it.trust) for it, until, at in future if it.kind == "state" and it.ends
    ]
    if not later or len(future) < 2:
        return statements
    later.sort(reverse=True)
    stated, place, postponed = defaultdict[float, list[datetime]](list), 0, set[str]()
    for earlier, until, at in sorted(future, key=lambda each: each[1].end, reverse=True):
        while place < len(later) and later[place][0] >= until.end:
            insort(stated[later[place][2]], later[place][1])
            place += 1
        for trust, moments in stated.items():
            first = bisect_right(moments, at)
            if trust >= earlier.trust and first < len(moments) and moments[first] < until.moment:
                postponed.add(earlier.id)
    return [replace(it, until=None) if it.id in postponed else it for it in statements]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The ruling of an arbiter or a person that statements cannot hold together."""

    id: str
    statements: tuple[str, ...]
    """Ids; what says the same as one of them is meant as well."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """When one fact holds, and why no longer."""

    id: str
    subject: str
    relation: str
    object: str
    valid_at: datetime | None
    """None if unknown. Of a fact that holds nowhere both ends are those that were stated."""
    invalid_at: datetime | None
    observed: bool = False
    """True if no source gives ``valid_at``."""
    closed_as: Closing | None = None
    closed_by: str | None = None
    """Id of the statement without which it would not be closed so."""
    invalidated_by: str | None = None
    """Id of the fact that it gave way to, or of the event that ended it."""
    ruling: str | None = None
    """Id of the ruling without which it would not have given way; None where the rules suffice."""
    reason: str | None = None
    statements: tuple[str, ...] = ()
    """Ids of what supports it, in the order of telling."""
    confidence: float = 1.0


class Overruled(NamedTuple):
    """A statement that does not hold, or not as far as it was stated, and what says otherwise."""

    statement: str
    against: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """What follows from a set of statements."""

    lifetimes: tuple[Lifetime, ...] = ()
    """One for each fact: those that hold at some moment, then those that hold nowhere."""
    overruled: tuple[Overruled, ...] = ()
    joins: Mapping[str, str] = field(default_factory=dict)
    """By the id of a fact whose statements all stand in others: the one that has its first."""


def to_moment(micros: int) -> datetime | None:
    """Return the moment that many microseconds after 1970; None if a datetime cannot name it."""
    return from_micros(micros) if _FIRST <= micros <= _LAST else None
