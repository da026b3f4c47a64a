"""What one source says of one fact, as the fact keeps it: its times, and what became of it.

A fact holds when its assertions, and those of its rivals, say that it does: ``ingest/lifetimes``
works that out anew whenever one of them comes, falls or returns. What is kept here never changes
but for whether it stands.
"""

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

BEGINNING, FOREVER = -(1 << 62), 1 << 62
"""Before and after every moment that a datetime can name, in microseconds since 1970."""
Precision = Literal["year", "month", "day", "exact"]
Kind = Literal["state", "was", "event", "timeless", "planned", "cancelled"]
"""``state`` holds and may end; ``was`` is over when it is stated; an ``event`` happened once; what
is ``timeless`` (birth, kind, origin) never begins or ends; ``planned`` is to come; ``cancelled``
says of a plan that it will not. A state that begins after ``at`` is a plan, too."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Date:
    """A moment of world time, as finely as it was stated."""

    moment: datetime
    """First instant of the day, month or year."""
    precision: Precision = "exact"

    @property
    def start(self) -> int:
        """Return its first microsecond."""
        return (self.moment - _EPOCH) // _MICRO

    @property
    def end(self) -> int:
        """Return the first microsecond after it."""
        if self.precision == "exact":
            return self.start + 1
        try:
            return (self._after() - _EPOCH) // _MICRO
        except (ValueError, OverflowError):  # the last year that a datetime can name
            return FOREVER

    def _after(self) -> datetime:
        if self.precision == "day":
            return self.moment + timedelta(days=1)
        months = self.moment.year * 12 + self.moment.month - 1
        year, month = divmod(months + (12 if self.precision == "year" else 1), 12)
        day = min(self.moment.day, monthrange(year, month + 1)[1])
        return self.moment.replace(year=year, month=month + 1, day=day)


@dataclass(frozen=True, slots=True)
class Void:
    """Why a statement does not stand."""

    closed_as: Literal["retracted", "corrected", "cancelled"]
    by: str | None = None
    """Id of the statement that is right instead: it is void as long as that one is there. None if a
    person decided."""
    reason: str = ""
    fact: str | None = None
    """Id of the fact that a person put in its place."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """What one source says of one fact."""

    id: str
    since: Date | None = None
    until: Date | None = None
    """The first moment at which it no longer holds; without ``since`` an explicit end."""
    at: datetime | None = None
    """Moment for which the source is evidence that it holds; None for a table, and for a text that
    only tells how it began."""
    kind: Kind = "state"
    trust: float = 0.0
    confidence: float = 1.0
    source: str = ""
    """Id of the episode; empty for a table or a person."""
    provenance: str = ""
    """Name of the source, if it is no episode."""
    start: int = 0
    """Where it stands in the episode, in characters."""
    end: int = 0
    untyped: bool = False
    as_given: bool = False
    pending: bool = False
    """True while it waits for a person: it says nothing until then."""
    manual: bool = False
    """True if a person stands for it: it stays when its episode goes."""
    corrects: bool = False
    """True if it says that something said before was wrong."""
    excludes: tuple[str, ...] = ()
    """Ids of facts that, as an arbiter found, cannot hold beside it."""
    reason: str = ""
    """Why a person says so."""
    text: str = ""
    """The sentence, where it says when a fact ends in other words than the fact's own."""
    void: Void | None = None

    @property
    def ends(self) -> bool:
        """Tell whether it says when something ended, and not when that began."""
        return self.kind in ("state", "was") and self.until is not None and self.since is None


@dataclass(frozen=True, slots=True)
class Ending:
    """What is said of an entity that is no fact: that whatever it has of a relation is over.

    "She quit her job" ends what was said before it and what is said later. A plan that was
    cancelled has an object, too.
    """

    assertion: Assertion
    relation: str
    text: str
    object_id: str = ""
