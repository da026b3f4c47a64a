"""Data classes of the graph as they are stored: frozen, typed, with aware UTC datetimes.

World time is the interval ``[valid_at, invalid_at)`` of a fact: without a start it is unknown when
the fact began, without an end it still holds. System time is ``created_at``, ``expired_at`` and
``retracted_at``. ``repr`` shows a value on one line, ``dataclasses.asdict`` returns every field.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from graphrag.model.assertion import Assertion, Ending, EntityName, Kind

JSON = Any
"""A value that JSON can carry."""
Source = Literal["message", "text", "json", "fact"]
Status = Literal["pending", "done", "failed"]
Origin = Literal["stated", "inferred", "manual", "structural"]
Closing = Literal[
    "ended", "superseded", "bounded", "past", "overruled", "corrected", "cancelled", "retracted"
]

DEFAULT_GROUP = "default"


class Carded:
    """Base of values that ``repr`` shows on a line, and a notebook as a card."""

    __slots__ = ()

    def __repr__(self) -> str:
        from graphrag.display.cards import line_of

        return f"{type(self).__name__}({line_of(self)})"

    def _repr_html_(self) -> str:
        from graphrag.display.cards import card_of

        return card_of(self)


@dataclass(frozen=True, slots=True)
class Span:
    """A range of characters in one episode: ``content[start:end]``."""

    episode_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, repr=False)
class Episode(Carded):
    """A piece of raw input, stored unchanged: the source of all entities and facts."""

    id: str
    group_id: str
    created_at: datetime
    name: str
    content: str
    source: Source
    valid_at: datetime
    """Reference time: when the content was said or written."""
    content_hash: str
    source_description: str = ""
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    status: Status = "done"
    """``pending``: queued, searchable, facts not extracted yet. ``failed``: see ``error``."""
    error: str | None = None
    """The reason why extraction failed."""
    removed_at: datetime | None = None
    """System time of its removal; facts that only it stated are retracted."""
    saga: str | None = None
    """Name of the sequence of episodes it belongs to: a conversation, a case, a book."""
    key: str | None = None
    """Your own id of the episode, such as that of a message; unique in its group."""
    author: str | None = None
    """Name of the author, whom "I" means in the text."""


CONCEPT = "concept"
"""Type of an entity that only a common noun names: ``axe``, ``live music``."""
VALUE = "value"
"""Type of an amount, a date, an address or a state: ``3,200 grams``, ``under repair``."""
PLAIN = (CONCEPT, VALUE)
"""Types of entities without a proper name."""


@dataclass(frozen=True, slots=True, repr=False)
class Entity(Carded):
    """A person, place, organisation or thing that is the subject or object of facts."""

    id: str
    group_id: str
    created_at: datetime
    name: str
    key: str
    """Normalised name, equal for different spellings of one name."""
    entity_type: str = "thing"
    """``person``, ``organization``, ``place``, ``event``, ``work``, ``concept``, ``value``..."""
    labels: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    summary: str = ""
    attributes: Mapping[str, JSON] = field(default_factory=dict)
    attribute_times: Mapping[str, JSON] = field(default_factory=dict)
    """Reference time (ISO 8601) of the text from which each attribute has its value."""
    merged_into: str | None = None
    """Id of the entity that this one was merged into."""
    distinct_from: tuple[str, ...] = ()
    """Ids of entities known to be different; stored with one of the two."""
    removed_at: datetime | None = None
    """System time: when the last episode that mentioned it was removed."""
    endings: tuple[Ending, ...] = ()
    """Stated ends that do not name their object, such as "she quit her job"."""
    names: tuple[EntityName, ...] = ()
    """Statements about its names with their times: renamed, formerly, nicknames."""


@dataclass(frozen=True, slots=True, repr=False)
class Fact(Carded):
    """A relation between two entities, with its lifetime and its sources."""

    id: str
    group_id: str
    created_at: datetime
    subject_id: str
    object_id: str
    subject: str
    """Name of the subject when the fact was stored; ``object`` likewise."""
    relation: str
    object: str
    text: str
    """The sentence that states it."""
    valid_at: datetime | None = None
    """World time: the first moment at which it held; None if unknown."""
    invalid_at: datetime | None = None
    """World time: the first moment at which it no longer held; None if it still does."""
    expired_at: datetime | None = None
    """System time: when a later statement closed it."""
    retracted_at: datetime | None = None
    """System time: when it was retracted as never true."""
    reference_time: datetime | None = None
    """Reference time of the first episode that states it."""
    observed: bool = False
    """True if ``valid_at`` is the first time the fact was observed, not a stated start."""
    confidence: float = 1.0
    """Confidence of the extractor, from 0 to 1."""
    origin: Origin = "stated"
    confirmed: bool = False
    pending: bool = False
    """True while it waits in ``edit.pending()``, or is part of another fact: reads leave it out."""
    waits_as: Literal["end", "correction"] | None = None
    """Effect of a pending fact when it is confirmed, unless it is simply added."""
    invalidated_by: str | None = None
    """Id of the fact that closed or retracted this one."""
    closed_as: Closing | None = None
    """Why it ends or was retracted: ``ended`` (a source states the end), ``bounded`` (stated with
    both dates), ``superseded`` (another fact replaced it), ``past`` (it held at an unknown time
    before ``invalid_at``, so no view of one moment shows it), ``overruled`` (other facts cover all
    of its time), ``corrected``, ``cancelled`` (a plan was called off or moved), ``retracted``."""
    closed_by_arbiter: bool = False
    closed_by_hand: bool = False
    """Whether an arbiter, or a person, decided this where no rule did."""
    reason: str | None = None
    """The reason for the end or retraction, in words."""
    untyped: bool = False
    """True if its relation does not allow entities of these types: it excludes no other fact."""
    as_given: bool = False
    """True if it is from a table with exact lifetimes: two such facts never exclude each other."""
    provenance: tuple[str, ...] = ()
    """Names of the sources other than episodes that state it, such as tables."""
    statements: tuple[Assertion, ...] = ()
    """The statement of each source; the lifetime of the fact is computed from them."""
    rivals: tuple[str, ...] = ()
    """Ids of conflicting facts, with which its lifetime is computed together."""
    derived_from: tuple[str, ...] = ()
    """Ids of the facts from which a standing rule derived it."""
    sources: tuple[Span, ...] = ()
    attributes: Mapping[str, JSON] = field(default_factory=dict)
    attribute_times: Mapping[str, JSON] = field(default_factory=dict)
    """Reference time (ISO 8601) of the text from which each attribute has its value."""

    @property
    def planned(self) -> bool:
        """Tell whether it was only stated before it was to begin."""
        return bool(self.statements) and all(said.planned for said in self.statements)

    @property
    def episodes(self) -> tuple[str, ...]:
        """Return the ids of the episodes that state this fact, oldest first, each once."""
        return tuple(dict.fromkeys(span.episode_id for span in self.sources))

    @property
    def kind(self) -> Kind:
        """Return how it holds in time, according to its first statement: see ``Assertion``."""
        return self.statements[0].kind if self.statements else "state"


@dataclass(frozen=True, slots=True, repr=False)
class Community(Carded):
    """A cluster of entities with more facts among them than to other entities."""

    id: str
    group_id: str
    created_at: datetime
    name: str
    summary: str
    members: tuple[str, ...]
    """Ids of its entities, best connected first."""
    fingerprint: str
    """Hash of the members and of the facts between them, to detect changes."""
    level: int = 0
    """Level in the hierarchy; 0 is the coarsest."""
    parent: str | None = None
    """Id of the community one level above that contains it; None on the coarsest level."""


@dataclass(frozen=True, slots=True, repr=False)
class Saga:
    """A named sequence of episodes of one group, in the order of their reference times."""

    id: str
    group_id: str
    created_at: datetime
    name: str
    summary: str = ""
    summarized_until: datetime | None = None
    """System time: the summary covers the episodes added by then; None without a summary."""
    summarized_by: Literal["model", "rules"] | None = None
    """Author of the summary; None without a summary."""
    fingerprint: str = ""
    """Hash of the ids of the summarised episodes; if it differs, the summary is written anew."""

    def __repr__(self) -> str:
        from graphrag.display.cards import saga_line

        return f"Saga({saga_line(self)})"


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one record in an event: the changed fields before and after."""

    record: str
    """The record, as ``table:id``."""
    before: Mapping[str, JSON] | None
    """Values before the event; None if it created the record."""
    after: Mapping[str, JSON] | None
    """Values after the event; None if it erased the record."""


@dataclass(frozen=True, slots=True, repr=False)
class Event:
    """One committed transaction of a group, as recorded in the append-only log."""

    group_id: str
    seq: int
    """Number of the event in its group, from 1, without gaps."""
    at: datetime
    """System time of the commit."""
    actor: str
    kind: str
    """Kind of operation: ``add_episode``, ``retract``, ..., or ``denied`` for a refused write."""
    changes: tuple[Change, ...]
    note: str | None = None
    """The reason, in words; for a ``denied`` event the refusal."""

    def __repr__(self) -> str:
        from graphrag.display.lists import event_line

        return f"Event({event_line(self)})"

    def _repr_html_(self) -> str:
        from graphrag.display.lists import event_page

        return event_page(self)
