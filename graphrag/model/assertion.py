"""Assertions: what one source says of one fact or name, with its times and whether it stands.

Only whether it stands ever changes. ``ingest/lifetimes`` recomputes when a fact holds from its
assertions and those of its rivals. Assertions of names ("Globex, renamed Initech in 2021") stay
with the entity.
"""

from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from graphrag.model.values import Fact

BEGINNING, FOREVER = -(1 << 62), 1 << 62
"""Before and after every moment that a datetime can name, in microseconds since 1970."""
Precision = Literal["year", "month", "day", "exact"]
Kind = Literal["state", "was", "event", "timeless", "planned", "cancelled"]
"""``state`` holds and may end; ``was`` is over when it is stated; an ``event`` happened once; what
is ``timeless`` (birth, kind, origin) never begins or ends; ``planned`` is to come; ``cancelled``
says of a plan that it will not. A state that begins after ``at`` is a plan, too."""
Naming = Literal["name", "former", "nickname", "alias"]
"""A proper ``name`` from then on, a ``former`` one until then; a ``nickname`` or another ``alias``
never is shown instead of a proper name."""
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
    """True if its relation does not relate such entities: it excludes only what a ruling names."""
    as_given: bool = False
    """True if it is of a table that is right about every lifetime: two such exclude nothing."""
    pending: bool = False
    """True while it waits for a person: it says nothing until then."""
    manual: bool = False
    """True if a person stands for it: it stays when its episode goes."""
    corrects: bool = False
    """True if it says that something said before was wrong."""
    excludes: tuple[str, ...] = ()
    """Ids of facts that, as an arbiter found, cannot hold beside it."""
    reason: str = ""
    """Why a person says so, or why it ended in the memory that it comes from."""
    text: str = ""
    """The sentence, where it says when a fact ends in other words than the fact's own."""
    subject_as: str = ""
    """Another name of its subject by which it was stated; empty for that it is stored by. Of a
    relation that was stated of one entity with itself, the same name at both ends."""
    object_as: str = ""
    void: Void | None = None

    @property
    def planned(self) -> bool:
        """Tell whether it spoke of what was to come when it was stated."""
        if self.kind not in ("state", "event") or self.since is None or self.at is None:
            return self.kind == "planned"
        return self.since.moment > self.at

    @property
    def ends(self) -> bool:
        """Tell whether it says when something ended, and not when that began."""
        return self.kind in ("state", "was") and self.until is not None and self.since is None


def held_from(fact: "Fact") -> datetime | None:
    """Return from when on a fact holds: of what merely was, from where it is over."""
    return fact.invalid_at if fact.closed_as == "past" else fact.valid_at


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


@dataclass(frozen=True, slots=True)
class EntityName:
    """What one source says of one name of an entity."""

    name: str
    kind: Naming = "name"
    since: Date | None = None
    """When it came into use; None if nobody said."""
    until: Date | None = None
    """The first moment at which it was no longer the name."""
    at: datetime | None = None
    """Reference time of the text: by then it was so."""
    source: str = ""
    """Id of the episode; empty for a table or a person."""

    @property
    def start(self) -> int:
        """Return from when on it was the name, in microseconds, as far as is known."""
        if self.since is not None:
            return self.since.start
        return BEGINNING if self.at is None else Date(self.at).start

    @property
    def end(self) -> int:
        """Return from when on it was the name no longer."""
        if self.until is not None:
            return self.until.start
        if self.kind != "former" or self.at is None:
            return FOREVER
        return Date(self.at).start

    def __str__(self) -> str:
        times = [f"since {_written(self.since)}"] if self.since else []
        times += [f"until {_written(self.until)}"] if self.until else []
        said = ", ".join(times) or ("former" if self.kind == "former" else "")
        return f"{self.name} ({said})" if said else self.name


def name_at(first: str, names: Sequence[EntityName], moment: int) -> str:
    """Return the proper name at a moment, in microseconds; ``first`` is the one it is stored by.

    The name that came into use last before then, as long as nobody says that it was given up; of a
    time before all of them, the former name that was given up first after it.
    """
    if not names:
        return first
    proper = [(name.start, name.name) for name in names if name.kind == "name"]
    own = [start for start, name in proper if name.casefold() == first.casefold()]
    held = [
        (start, name)
        for start, name in [*proper, (min(own, default=BEGINNING), first)]
        if start <= moment and not any(start < end <= moment for end in _ends(name, names))
    ]
    if held:
        return max(held)[1]
    later = [
        (name.end, name.name)
        for name in names
        if name.kind in ("name", "former") and moment < name.end < FOREVER
    ]
    return min(later)[1] if later else first


def _ends(name: str, names: Sequence[EntityName]) -> Iterable[int]:
    return (
        entity_name.end for entity_name in names if entity_name.name.casefold() == name.casefold()
    )


def latest_first(name: str, aliases: Iterable[str], names: Sequence[EntityName]) -> tuple[str, ...]:
    """Return all names, the latest proper one first; if that is an alias, ``name`` is second."""
    shown = name_at(name, names, FOREVER - 1)
    return (name, *aliases) if shown == name else (shown, name, *aliases)


def stored_by(called: Sequence[str]) -> str:
    """Return the name that an entity is stored by, of names as ``latest_first`` has them."""
    return called[1] if called[0] in called[1:] else called[0]


def _written(date: Date) -> str:
    text = date.moment.isoformat()
    widths = {"year": 4, "month": 7, "day": 10, "exact": 10}
    return text[: widths[date.precision]]
