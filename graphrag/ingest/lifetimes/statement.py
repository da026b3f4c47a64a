"""What one source says of one fact, and what follows: the values that settling takes and gives.

A statement keeps what was said and never what follows from it, so that it can come in any order,
fall, and return. Its kind says how to read its times (the table is in ``support``), its dates
how finely they were stated. Entities are ids, as merges leave them.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from typing import NamedTuple

from graphrag.errors import InputError
from graphrag.model.assertion import BEGINNING, FOREVER, Date, Kind, Precision, Void
from graphrag.model.values import Closing
from graphrag.temporal.moment import from_micros, to_micros

_FIRST = to_micros(datetime.min.replace(tzinfo=UTC), BEGINNING)
_LAST = to_micros(datetime.max.replace(tzinfo=UTC), FOREVER)
NOWHERE = frozenset[Closing | None]({"overruled", "corrected", "cancelled", "retracted"})
"""How a fact is closed that holds at no moment."""
FINENESS: dict[Precision, int] = {"year": 0, "month": 1, "day": 2, "exact": 3}


@dataclass(frozen=True, slots=True)
class Statement:
    """What one source says of one fact.

    With ``until`` and no ``since`` it is an explicit end ("left on d"); one without an ``object``
    ends whatever the subject has of the relation ("quit her job").

    Raises:
        InputError: if it says nothing that could hold or end, or a moment has no time zone.
    """

    id: str
    fact: str | None
    """Id of the fact that it was first stored under; None for what is no fact, such as an end
    without an object."""
    subject: str
    relation: str
    object: str = ""
    since: Date | None = None
    until: Date | None = None
    """The first moment at which it no longer holds."""
    at: datetime | None = None
    """Moment for which the source is evidence that it holds: the reference time of a text. None for
    a table, and for a text that only tells how it began ("joined in 2015")."""
    kind: Kind = "state"
    trust: float = 0.0
    """What is trusted more comes before what is newer; a graph has a handful of levels."""
    confidence: float = 1.0
    seq: int = 0
    """Order of telling: decides ids and never what holds."""
    source: str = ""
    """Id of the episode or name of the table."""
    text: str = ""
    """The sentence, for reasons."""
    untyped: bool = False
    """True if its relation does not relate such entities: it excludes only what a ruling names."""
    as_given: bool = False
    """True if it is of a table that is right about every lifetime: two such exclude nothing."""
    void: Void | None = None

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
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
    def planned(self) -> bool:
        """Tell whether it spoke of what was to come when it was stated."""
        if self.kind not in ("state", "event") or self.since is None or self.at is None:
            return self.kind == "planned"
        return self.since.moment > self.at

    @property
    def undated(self) -> bool:
        """Tell whether it says nothing of any time."""
        return (
            self.kind == "state" and self.since is None and self.until is None and self.at is None
        )

    @property
    def explicit_end(self) -> bool:
        """Tell whether it says when something ended, and not when that began."""
        return self.kind in ("state", "was") and self.until is not None and self.since is None

    def _problem(self) -> str | None:
        dates = (date.moment for date in (self.since, self.until) if date is not None)
        for moment in (*dates, self.at):
            if moment is not None and moment.utcoffset() is None:
                return f"{moment.isoformat()} has no time zone; pass an aware datetime"
        if self.since is not None and self.until is not None and self._inverted():
            start, end = self.since.moment.isoformat(), self.until.moment.isoformat()
            return f"its end {end} is not after its start {start}"
        if not isfinite(self.trust):
            return f"trust {self.trust!r} is no finite number"
        if not self.object and not self.explicit_end and self.kind != "cancelled":
            return "without an object it can only end or cancel; name the object"
        return self._undated()

    def _inverted(self) -> bool:
        assert self.since is not None and self.until is not None, "both were stated"
        if self.until.precision == "exact":
            return self.until.moment <= self.since.moment
        return self.until.end <= self.since.start

    def _undated(self) -> str | None:
        if self.kind == "planned" and self.since is None:
            return "a plan needs the moment from which it is to hold"
        if self.kind == "event" and self.since is None:
            return "an event needs its date; what happened once without one is kind 'was'"
        if self.kind == "was" and self.until is None:
            if self.at is None:
                return "what was over when it was stated needs the moment of telling"
            if self.since is not None and self.at <= self.since.moment:
                return "it is over at the moment of telling, which is not after its start"
        return None


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
    """For people."""
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


class Dates:
    """The dates stated of one value: the finer ones give the moments of the coarser ones."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        starts, events, ends = set[Date](), set[Date](), set[Date]()
        for statement in statements:
            if statement.since is not None:
                (events if statement.kind == "event" else starts).add(statement.since)
            if statement.until is not None:
                ends.add(statement.until)
        self._starts, self._events, self._ends = map(_sorted, (starts, events, ends))

    def start(self, statement: Statement) -> int:
        """Return the first moment of a statement that gives its start."""
        date = statement.since
        assert date is not None, "a start was stated"
        finer = _finer(date, self._starts)
        if finer is None:
            return date.start
        if statement.until is not None and not finer.start < statement.until.start:
            return date.start
        if statement.at is not None and date.start <= statement.at_micros < finer.start:
            return date.start
        return finer.start

    def event(self, date: Date) -> tuple[int, int]:
        """Return the stretch in which an event happened."""
        finer = _finer(date, self._events) or date
        return finer.start, finer.end

    def end(self, date: Date, sightings: Sequence[int], statement: Statement) -> int:
        """Return the first moment after an explicit end, given when the value was seen."""
        finer = _finer(date, self._ends, last=True) or date
        if finer.precision == "exact":
            return finer.start
        at = statement.at_micros
        after = min(finer.end, at + 1) if at >= finer.start else finer.end
        place = bisect_left(sightings, after) - 1
        if place < 0 or sightings[place] < finer.start:
            return finer.start
        return sightings[place] + 1

    def end_of_bounded(self, statement: Statement, first: int) -> int:
        """Return the end of a stretch that was stated whole."""
        date = statement.until
        assert date is not None, "an end was stated"
        finer = _finer(date, self._ends, last=True)
        if finer is not None and finer.start > first:
            return finer.start
        return date.start if date.start > first else date.end


def _sorted(dates: Iterable[Date]) -> list[Date]:
    return sorted(dates, key=lambda date: (date.start, FINENESS[date.precision]))


def _finer(date: Date, dates: Sequence[Date], *, last: bool = False) -> Date | None:
    """Return the first of the finer dates inside one, or the last of them, as fine as it goes."""
    if date.precision == "exact" or not dates:
        return None
    low = bisect_left(dates, date.start, key=lambda other: other.start)
    high = bisect_left(dates, date.end, key=lambda other: other.start)
    inside = range(low, high)
    for place in reversed(inside) if last else inside:
        if FINENESS[dates[place].precision] > FINENESS[date.precision]:
            return _finer(dates[place], dates, last=last) or dates[place]
    return None


UNREFINED = Dates(())
"""No date refines itself: of one statement, and no other, each is as fine as it goes."""
