"""The whole ground truth of the demo: what its chronicle states, and what must not be believed."""

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from graphrag.cli.demo_world import Moment, Triple, TruthEntity, TruthQuestion, text_of


@dataclass(frozen=True, slots=True)
class TruthStatement:
    """Something that the chronicle says, or seems to say."""

    subject: str
    relation: str
    object: str

    @property
    def triple(self) -> Triple:
        """Return subject, relation and object."""
        return self.subject, self.relation, self.object


@dataclass(frozen=True, slots=True)
class TruthFact(TruthStatement):
    """A fact that the chronicle states, true in ``[valid_at, invalid_at)``."""

    valid_at: Moment | None  # None where the fact was over when it was stated and no start is known
    invalid_at: Moment | None
    granularity: Literal["day", "month", "year", "observed"]
    """Precision of the start; "observed" is the reference time that first shows it."""
    episodes: tuple[str, ...]
    implied: bool = False
    """True if no episode says so in words: an editor works at the newspaper. Nice to find."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class TruthNotFact(TruthStatement):
    """A trap: something denied, rumoured, corrected, or true of a namesake only."""

    why: str


@dataclass(frozen=True, slots=True)
class Truth:
    """Ground truth after the last episode."""

    entities: tuple[TruthEntity, ...]
    facts: tuple[TruthFact, ...]
    not_facts: tuple[TruthNotFact, ...]
    questions: tuple[TruthQuestion, ...]


def truth() -> Truth:
    return TypeAdapter(Truth).validate_json(text_of("truth.json"))
