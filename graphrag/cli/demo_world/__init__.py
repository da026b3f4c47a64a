"""Invented demo world: three years of the Veyle Valley as a chronicle, with its ground truth.

``chronicle()`` yields the episodes in order of arrival. The truth lists entities with all names,
facts with lifetimes, what must *not* be believed, and questions with answers. All of it is
dedicated to the public domain (``LICENSE.txt``).
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Literal

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

Triple = tuple[str, str, str]
"""Subject, relation and object, each by name."""


@dataclass(frozen=True, slots=True)
class ChronicleEpisode:
    """Something that was said, with the moment at which it was said."""

    id: str
    name: str
    source: Literal["text", "message", "json"]
    reference_time: datetime
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
    valid_at: datetime | None
    """None where the fact was over when it was stated and no start is known."""
    invalid_at: datetime | None
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
    at: datetime | None
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


def chronicle() -> tuple[ChronicleEpisode, ...]:
    """Return the episodes in the order in which the graph is given them.

    Nearly all come in the order of their reference times; a few old reports arrive late.
    """
    return tuple(_episode(json.loads(line)) for line in _text("chronicle.jsonl").splitlines())


def truth() -> Truth:
    """Return the entities, the facts, the traps and the questions of the chronicle."""
    data = json.loads(_text("truth.json"))
    return Truth(
        entities=tuple(_entity(row) for row in data["entities"]),
        facts=tuple(_fact(row) for row in data["facts"]),
        not_facts=tuple(TruthNotFact(**row) for row in data["not_facts"]),
        questions=tuple(_question(row) for row in data["questions"]),
    )


_AHEAD = datetime(2028, 1, 1, tzinfo=UTC)
"""Every end before it has passed with the last episode; every other one was announced."""


def _text(name: str) -> str:
    return files("graphrag.cli.demo_world").joinpath(name).read_text(encoding="utf-8")


def _episode(row: dict[str, Any]) -> ChronicleEpisode:
    return ChronicleEpisode(
        **row | {"reference_time": datetime.fromisoformat(row["reference_time"])}
    )


def _entity(row: dict[str, Any]) -> TruthEntity:
    return TruthEntity(**row | {"aliases": tuple(row["aliases"])})


def _fact(row: dict[str, Any]) -> TruthFact:
    return TruthFact(
        **row
        | {
            "valid_at": _moment(row["valid_at"]),
            "invalid_at": _moment(row["invalid_at"]),
            "episodes": tuple(row["episodes"]),
        }
    )


def _question(row: dict[str, Any]) -> TruthQuestion:
    return TruthQuestion(
        **row
        | {
            "at": _moment(row["at"]),
            "answers": tuple(row["answers"]),
            "fact": tuple(row["fact"]),
        }
    )


def _moment(value: str | None) -> datetime | None:
    """Parse an ISO 8601 moment; a bare date means its first instant in UTC."""
    if value is None:
        return None
    moment = datetime.fromisoformat(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
