"""Assertions: the statement of one source about a fact or a name, with its times and its validity.

Only the validity ever changes. ``ingest/lifetimes`` computes when a fact holds from its assertions
and those of conflicting facts. Assertions about names ("Globex, renamed Initech in 2021") are
stored with the entity.
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
"""``state`` holds and may end; ``was`` is over when it is stated; an ``event`` happened once;
``timeless`` (birth, kind, origin) has no start or end; ``planned`` is in the future; ``cancelled``
marks a plan that was called off. A state that begins after ``at`` is a plan, too."""
Naming = Literal["name", "former", "nickname", "alias"]
"""A proper ``name`` from then on, a ``former`` one until then; a ``nickname`` or another ``alias``
is never shown in place of a proper name."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Date:
    """A moment of world time, with the precision in which it was stated."""

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
    """The reason why a statement is void."""

    closed_as: Literal["retracted", "corrected", "cancelled"]
    by: str | None = None
    """Id of the correct statement: this one is void as long as that one exists. None if a person
    decided."""
    reason: str = ""
    fact: str | None = None
    """Id of the fact with which a person replaced it."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """The statement of one source about one fact."""

    id: str
    since: Date | None = None
    until: Date | None = None
    """The first moment at which it no longer holds; without ``since`` an explicit end."""
    at: datetime | None = None
    """Moment for which the source is evidence that it holds; None for a table, and for a text that
    only reports the start."""
    kind: Kind = "state"
    trust: float = 0.0
    confidence: float = 1.0
    source: str = ""
    """Id of the episode; empty for a table or a person."""
    provenance: str = ""
    """Name of a source other than an episode."""
    start: int = 0
    """Position in the episode, in characters."""
    end: int = 0
    untyped: bool = False
    """True if its relation does not allow entities of these types: it excludes only facts of a
    ruling."""
    as_given: bool = False
    """True if it is from a table with exact lifetimes: two such statements never conflict."""
    pending: bool = False
    """True while it waits for review: it has no effect until then."""
    manual: bool = False
    """True if a person confirmed it: it stays when its episode is removed."""
    corrects: bool = False
    """True if it corrects an earlier, wrong statement."""
    excludes: tuple[str, ...] = ()
    """Ids of facts that, according to an arbiter, cannot hold at the same time."""
    reason: str = ""
    """The reason given by a person, or the reason for the end in the memory it was imported
    from."""
    text: str = ""
    """The sentence that states an end, if it is not the sentence of the fact."""
    subject_as: str = ""
    """The name under which its subject was stated, if it is not the stored one. For a relation of
    an entity with itself, ``object_as`` is equal."""
    object_as: str = ""
    void: Void | None = None

    @property
    def undated_plan(self) -> bool:
        """Tell whether it is a plan of which nobody said when it begins: it waits for a person."""
        return self.kind == "planned" and self.since is None

    @property
    def planned(self) -> bool:
        """Tell whether it spoke of what was to come when it was stated."""
        if self.kind not in ("state", "event") or self.since is None or self.at is None:
            return self.kind == "planned"
        return self.since.moment > self.at

    @property
    def ends(self) -> bool:
        """Tell whether it states only an end, and no start."""
        return self.kind in ("state", "was") and self.until is not None and self.since is None


def held_from(fact: "Fact") -> datetime | None:
    """Return the start of a fact; for a past fact with unknown times the moment it was over."""
    return fact.invalid_at if fact.closed_as == "past" else fact.valid_at


@dataclass(frozen=True, slots=True)
class Ending:
    """A stated end that names no object: every fact of a relation of the entity is over.

    "She quit her job" ends facts stated before and after it. A cancelled plan has an object, too.
    """

    assertion: Assertion
    relation: str
    text: str
    object_id: str = ""


@dataclass(frozen=True, slots=True)
class EntityName:
    """The statement of one source about a name of an entity."""

    name: str
    kind: Naming = "name"
    since: Date | None = None
    """When it came into use; None if unknown."""
    until: Date | None = None
    """The first moment at which it was no longer the name."""
    at: datetime | None = None
    """Reference time of the text, at which it was in use."""
    source: str = ""
    """Id of the episode; empty for a table or a person."""

    @property
    def start(self) -> int:
        """Return the known start of its use, in microseconds."""
        if self.since is not None:
            return self.since.start
        return BEGINNING if self.at is None else Date(self.at).start

    @property
    def end(self) -> int:
        """Return the end of its use, in microseconds."""
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
    borne = (name for name in names if name.kind in ("name", "former"))
    later = [(name.end, name.name) for name in borne if moment < name.end < FOREVER]
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
