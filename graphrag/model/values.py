"""The values of the graph, as they are stored: frozen, typed, with aware UTC datetimes.

World time is the half-open interval ``[valid_at, invalid_at)`` of a fact: no start means unknown,
no end still true. System time is ``created_at``, ``expired_at`` and ``retracted_at``. ``repr``
shows a value in a line, ``dataclasses.asdict`` gives every field.
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


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one episode's content, in characters: ``content[start:end]``."""

    episode_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, repr=False)
class Episode:
    """A piece of raw input, kept word for word: the ground truth of everything else."""

    id: str
    group_id: str
    created_at: datetime
    name: str
    content: str
    source: Source
    valid_at: datetime
    """Reference time: when it was said or written."""
    content_hash: str
    source_description: str = ""
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    status: Status = "done"
    """``pending`` in the queue: kept and searchable, its facts to come; ``failed``: see error."""
    error: str | None = None
    """Why its facts could not be read, in words."""
    removed_at: datetime | None = None
    """System time: when it was removed; what rested on it alone is retracted."""
    saga: str | None = None
    """Name of the run of episodes that it belongs to: a conversation, a case, a book."""
    key: str | None = None
    """The caller's own id of it, such as that of a message: none other of its group has it."""
    author: str | None = None
    """Who wrote it, and is "I" in it."""

    def __repr__(self) -> str:
        from graphrag.display.cards import episode_line

        return f"Episode({episode_line(self)})"

    def _repr_html_(self) -> str:
        from graphrag.display.cards import episode_card

        return episode_card(self)


CONCEPT = "concept"
"""Entity type of what only a common noun names: ``axe``, ``live music``."""
VALUE = "value"
"""Entity type of an amount, a date, an address or a state: ``3,200 grams``, ``under repair``."""
PLAIN = (CONCEPT, VALUE)
"""Entity types of what bears no name."""


@dataclass(frozen=True, slots=True, repr=False)
class Entity:
    """A person, place, organisation or thing that facts are about."""

    id: str
    group_id: str
    created_at: datetime
    name: str
    key: str
    """Normalised name: what two spellings of one name share."""
    entity_type: str = "thing"
    """``person``, ``organization``, ``place``, ``event``, ``work``, ``concept``, ``value``..."""
    labels: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    summary: str = ""
    attributes: Mapping[str, JSON] = field(default_factory=dict)
    attribute_times: Mapping[str, JSON] = field(default_factory=dict)
    """Reference time of the text that gave each attribute its value, ISO 8601."""
    merged_into: str | None = None
    """Id of the entity that this one was found to be."""
    distinct_from: tuple[str, ...] = ()
    """Ids of entities that this one was found not to be; of two, one says so."""
    removed_at: datetime | None = None
    """System time: when the last episode that spoke of it was removed."""
    endings: tuple[Ending, ...] = ()
    """What was said of it that is no fact, such as that she quit her job, whatever it was."""
    names: tuple[EntityName, ...] = ()
    """What was said of its names, with the time of each: renamed, formerly, called by friends."""

    def __repr__(self) -> str:
        from graphrag.display.cards import entity_line

        return f"Entity({entity_line(self)})"

    def _repr_html_(self) -> str:
        from graphrag.display.cards import entity_card

        return entity_card(self)


@dataclass(frozen=True, slots=True, repr=False)
class Fact:
    """A relation between two entities with its lifetime and its sources."""

    id: str
    group_id: str
    created_at: datetime
    subject_id: str
    object_id: str
    subject: str
    """Its name when the fact was stored, as that of the object."""
    relation: str
    object: str
    text: str
    """The sentence that states it."""
    valid_at: datetime | None = None
    """World time: the first moment at which it held; None if unknown."""
    invalid_at: datetime | None = None
    """World time: the first moment at which it no longer held; None if it still does."""
    expired_at: datetime | None = None
    """System time: when later information closed it."""
    retracted_at: datetime | None = None
    """System time: when it was found never to have been true."""
    reference_time: datetime | None = None
    """Reference time of the episode that stated it first."""
    observed: bool = False
    """True if ``valid_at`` is when the fact was first seen to hold, not a stated start."""
    confidence: float = 1.0
    """From 0 to 1, by the extractor."""
    origin: Origin = "stated"
    confirmed: bool = False
    pending: bool = False
    """True while it waits in ``edit.pending()``, or is part of another fact: no read shows it."""
    waits_as: Literal["end", "correction"] | None = None
    """What a pending fact does once confirmed, if it is not simply added."""
    invalidated_by: str | None = None
    """Id of the fact that closed or retracted this one."""
    closed_as: Closing | None = None
    """Why it ends or was taken back: ``ended`` (somebody said so), ``bounded`` (stated with both
    ends), ``superseded`` (another fact has its place), ``past`` (it was so at some time before
    ``invalid_at``: no view of one moment shows it), ``overruled`` (another fact leaves it no
    moment), ``corrected``, ``cancelled`` (a plan that is off or moved), ``retracted``."""
    closed_by_arbiter: bool = False
    closed_by_hand: bool = False
    """True if an arbiter, or a person, decided that, where no rule did."""
    reason: str | None = None
    """The same in words, for people."""
    untyped: bool = False
    """True if its relation does not relate entities of these types: it excludes nothing."""
    as_given: bool = False
    """True if it is from a table that is right about every lifetime: two such exclude nothing."""
    provenance: tuple[str, ...] = ()
    """Names of the tables and other places that state it without an episode."""
    statements: tuple[Assertion, ...] = ()
    """What each source said of it, from which follows when it holds."""
    rivals: tuple[str, ...] = ()
    """Ids of facts that are settled with it: ruled, replaced or corrected."""
    derived_from: tuple[str, ...] = ()
    """Ids of the facts from which a standing rule inferred it."""
    sources: tuple[Span, ...] = ()
    attributes: Mapping[str, JSON] = field(default_factory=dict)
    attribute_times: Mapping[str, JSON] = field(default_factory=dict)
    """Reference time of the text that gave each attribute its value, ISO 8601."""

    @property
    def episodes(self) -> tuple[str, ...]:
        """Ids of the episodes that state this fact, oldest first, each once."""
        return tuple(dict.fromkeys(span.episode_id for span in self.sources))

    @property
    def kind(self) -> Kind:
        """What kind of time it has, by what was said of it first: see ``Assertion``."""
        return self.statements[0].kind if self.statements else "state"

    def __repr__(self) -> str:
        from graphrag.display.cards import fact_line

        return f"Fact({fact_line(self)})"

    def _repr_html_(self) -> str:
        from graphrag.display.cards import fact_card

        return fact_card(self)


@dataclass(frozen=True, slots=True, repr=False)
class Community:
    """A cluster of entities that facts tie together more than they tie them to the rest."""

    id: str
    group_id: str
    created_at: datetime
    name: str
    summary: str
    members: tuple[str, ...]
    """Entity ids, most connected first."""
    fingerprint: str
    """Hash of the members and of the facts between them: with an equal one, nothing changed."""
    level: int = 0
    """0 for the coarsest communities, of which the others are parts."""
    parent: str | None = None
    """Id of the community one level above that it is a part of; None on the coarsest level."""

    def __repr__(self) -> str:
        from graphrag.display.cards import community_line

        return f"Community({community_line(self)})"

    def _repr_html_(self) -> str:
        from graphrag.display.cards import community_card

        return community_card(self)


@dataclass(frozen=True, slots=True, repr=False)
class Saga:
    """A named run of episodes of one group, in the order of their reference times."""

    id: str
    group_id: str
    created_at: datetime
    name: str
    summary: str = ""
    summarized_until: datetime | None = None
    """System time: the summary tells of the episodes added by then; None for none yet."""
    summarized_by: Literal["model", "rules"] | None = None
    """Who wrote the summary; None for nobody yet."""
    fingerprint: str = ""
    """Hash of the ids of the episodes that the summary tells of: with others it is written anew."""

    def __repr__(self) -> str:
        from graphrag.display.cards import saga_line

        return f"Saga({saga_line(self)})"


@dataclass(frozen=True, slots=True)
class Change:
    """One record's part in an event: the fields that changed, before and after."""

    record: str
    """``table:id``."""
    before: Mapping[str, JSON] | None
    """None when the event created the record."""
    after: Mapping[str, JSON] | None
    """None when the event erased the record."""


@dataclass(frozen=True, slots=True, repr=False)
class Event:
    """One committed transaction of a group, as the append-only log keeps it."""

    group_id: str
    seq: int
    """Number in its group, from 1, without gaps."""
    at: datetime
    """System time of the commit."""
    actor: str
    kind: str
    """What was done: ``add_episode``, ``retract``, ..., or ``denied`` for a refused write."""
    changes: tuple[Change, ...]
    note: str | None = None
    """Why, in words: of a ``denied`` event, what was refused."""

    def __repr__(self) -> str:
        from graphrag.display.lists import event_line

        return f"Event({event_line(self)})"

    def _repr_html_(self) -> str:
        from graphrag.display.lists import event_page

        return event_page(self)
