"""Invented demo world: three years of the Veyle Valley as a chronicle, with its ground truth.

``chronicle()`` yields the episodes in order of arrival. ``truth.json`` lists entities with all
names, facts with lifetimes, what must *not* be believed, and questions with answers. All of it is
dedicated to the public domain (``LICENSE.txt``).
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, TypeAdapter


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
    content: Any  # a string for text and messages, an object or a list for JSON
    saga: str | None = None  # the story that it goes on telling, for three that run for months


@dataclass(frozen=True, slots=True)
class TruthEntity:
    """An entity of the chronicle and every other name it goes by there."""

    name: str
    type: Literal["person", "organization", "place", "thing"]
    aliases: tuple[str, ...]
    """Two entities may share one: both David Marshes are called "David Marsh"."""


@dataclass(frozen=True, slots=True)
class TruthQuestion:
    """A question with the entities that answer it; any one of them is right."""

    id: str
    question: str
    at: Moment | None  # the moment it asks about; None asks about now
    answers: tuple[str, ...]
    kind: Literal["now", "past", "unchanging", "hop"]
    fact: Triple  # the fact that answers it


@dataclass(frozen=True, slots=True)
class Truth:
    """What the demo asks, and who is who; the file has the facts, too, and what is false."""

    entities: tuple[TruthEntity, ...]
    questions: tuple[TruthQuestion, ...]


def chronicle() -> tuple[ChronicleEpisode, ...]:
    """Return the episodes in the order in which the graph is given them.

    Nearly all come in the order of their reference times; a few old reports arrive late.
    """
    episode = TypeAdapter(ChronicleEpisode)
    return tuple(map(episode.validate_json, text_of("chronicle.jsonl").splitlines()))


def truth() -> Truth:
    """Return the questions with their answers, and the entities."""
    return TypeAdapter(Truth).validate_json(text_of("truth.json"))


def text_of(name: str) -> str:
    """Return a file of the demo."""
    return files("graphrag.cli.demo_world").joinpath(name).read_text(encoding="utf-8")
