"""Invented demo world: three years of the Veyle Valley as a chronicle, with its ground truth.

``chronicle()`` yields the episodes in order of arrival. The truth lists entities with all names,
facts with lifetimes, what must *not* be believed, and questions with answers. All of it is
dedicated to the public domain (``LICENSE.txt``).
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, TypeAdapter

__all__ = [
    "ChronicleEpisode",
    "Truth",
    "TruthEntity",
    "TruthFact",
    "TruthNotFact",
    "TruthQuestion",
    "chronicle",
    "truth",
]


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


Triple = tuple[str, str, str]
"""Subject, relation and object, each by name."""
Moment = Annotated[datetime, BeforeValidator(_moment)]
"""ISO 8601; a bare date is its first instant in UTC."""


@dataclass(frozen=True, slots=True)
class ChronicleEpisode:
    """Something that was said, with the moment at which it was said."""

    id: str
    name: str
    source: Literal["text", "message", "json"]
    reference_time: Moment
    source_description: str
    content: Any
    """A string for text and messages, an object or a list for JSON."""
    saga: str | None = None
    """The story that it goes on telling, for three that run for months."""


@dataclass(frozen=True, slots=True)
class TruthEntity:
    """An entity of the chronicle and every other name it goes by there."""

    name: str
    type: Literal["person", "organization", "place", "thing"]
    aliases: tuple[str, ...]
    """Two entities may share one: both David Marshes are called "David Marsh"."""


@dataclass(frozen=True, slots=True)
class TruthFact:
    """A fact that the chronicle states, true in ``[valid_at, invalid_at)``."""

    subject: str
    relation: str
    object: str
    valid_at: Moment | None
    """None where the fact was over when it was stated and no start is known."""
    invalid_at: Moment | None
    granularity: Literal["day", "month", "year", "observed"]
    """How exactly the start is stated; "observed" is the reference time that first shows it."""
    episodes: tuple[str, ...]
    implied: bool = False
    """True if no episode says so in words: an editor works at the newspaper. Nice to find."""
    note: str = ""

    @property
    def triple(self) -> Triple:
        """Return subject, relation and object."""
        return self.subject, self.relation, self.object

    def holds(self, at: datetime | None = None) -> bool:
        """Tell whether it is true at a moment; without one, after the last episode.

        Ends that the chronicle announces for later than 2027 still lie ahead.
        """
        if at is None:
            return self.invalid_at is None or self.invalid_at >= _AHEAD
        started = self.valid_at is None or self.valid_at <= at
        return started and (self.invalid_at is None or at < self.invalid_at)


@dataclass(frozen=True, slots=True)
class TruthNotFact:
    """What a careless reader would believe: denied, rumoured, corrected or the wrong namesake."""

    subject: str
    relation: str
    object: str
    why: str

    @property
    def triple(self) -> Triple:
        """Return subject, relation and object."""
        return self.subject, self.relation, self.object


@dataclass(frozen=True, slots=True)
class TruthQuestion:
    """A question with the entities that answer it; any one of them is right."""

    id: str
    question: str
    at: Moment | None
    """The moment it asks about; None asks about now."""
    answers: tuple[str, ...]
    kind: Literal["now", "past", "unchanging", "hop"]
    fact: Triple
    """The fact that answers it."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What a perfect reader knows after the last episode."""

    entities: tuple[TruthEntity, ...]
    facts: tuple[TruthFact, ...]
    not_facts: tuple[TruthNotFact, ...]
    questions: tuple[TruthQuestion, ...]


_AHEAD = datetime(2028, 1, 1, tzinfo=UTC)
"""Every end before it has passed with the last episode; every other one was announced."""


def chronicle() -> tuple[ChronicleEpisode, ...]:
    """Return the episodes in the order in which the graph is given them.

    Nearly all come in the order of their reference times; a few old reports arrive late.
    """
    episode = TypeAdapter(ChronicleEpisode)
    return tuple(map(episode.validate_json, _text("chronicle.jsonl").splitlines()))


def truth() -> Truth:
    """Return the entities, the facts, the traps and the questions of the chronicle."""
    return TypeAdapter(Truth).validate_json(_text("truth.json"))


def _text(name: str) -> str:
    return files("graphrag.cli.demo_world").joinpath(name).read_text(encoding="utf-8")
