"""Result of an extraction: the entities and facts of a text, not yet linked to the graph.

An extractor returns mentions (entities as the text names them) and claims (facts as the text states
them). Later steps link them to stored entities and close the facts that they contradict. What a
language model has spent on it is its ``Usage``.
"""

from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field, replace
from datetime import datetime
from operator import add, sub

from graphrag.model.assertion import EntityName, Kind, Precision
from graphrag.model.values import JSON, Origin


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity as a text names it; ``content[start:end]`` is its first occurrence."""

    name: str
    entity_type: str = "thing"
    """``person``, ``organization``, ``place``, ``event``, ``work``, ``concept`` (a common noun),
    ``thing`` (a name of unknown type), or a declared type."""
    start: int = 0
    end: int = 0
    aliases: tuple[str, ...] = ()
    """Other names that this text gives to the entity ("Globex, now called Initech")."""
    attributes: Mapping[str, JSON] = field(default_factory=dict, compare=False, hash=False)
    entity_id: str | None = None
    """Id of the stored entity that it means, if the extractor was shown it and is sure."""
    distinct_from: tuple[str, ...] = ()
    """Ids of stored entities of the same name that it does not mean."""
    names: tuple[EntityName, ...] = field(default=(), compare=False, hash=False)
    """Statements of this text about its names, such as a renaming with its date."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact as a text states it.

    ``ends`` marks the end of a relation ("Alice left Acme"): ``invalid_at`` is its time, and
    ``object`` may be None if the text does not name it ("she quit her job"). ``corrects`` marks a
    statement that replaces an earlier, wrong one.
    """

    subject: Mention
    relation: str
    object: Mention | None
    text: str
    """The sentence that states it, understandable on its own."""
    start: int
    """Start of the sentence: it is ``content[start:end]`` of the episode."""
    end: int
    valid_at: datetime | None = None
    """Stated start; None if the text gives none (ingestion then uses the reference time)."""
    invalid_at: datetime | None = None
    """Stated end, possibly in the future; None if the text gives none."""
    ends: bool = False
    corrects: bool = False
    confidence: float = 1.0
    """Confidence from 0 to 1; other values are refused."""
    origin: Origin = "stated"
    attributes: Mapping[str, JSON] = field(default_factory=dict, compare=False, hash=False)
    replaces: bool = False
    """True if the text says that this replaces an earlier state ("switched to") that was not wrong.
    An arbiter may decide which fact it replaces."""
    untyped: bool = False
    """True if the declared relation does not allow entities of these types."""
    current: bool = False
    """True if the text says that the fact still holds at its reference time ("has worked there
    since 2010"); False if it only reports the start ("joined in 2010")."""
    kind: Kind = "state"
    """``state``, or ``was`` (held before), ``event`` (happened once), ``timeless``, ``planned``,
    ``cancelled`` (a plan that was called off)."""
    valid_precision: Precision = "exact"
    """Precision of the stated start; ``2015`` and ``2015-06-10`` merge into the finer one."""
    invalid_precision: Precision = "exact"
    """Precision of the stated end."""
    excludes: tuple[str, ...] = ()
    """Ids of stored facts that, according to the extractor, cannot hold together with it."""
    settled: bool = False
    """True if the extractor saw the stored facts and decided their relation to this one: the
    arbiter is not asked again."""

    def with_mentions(self, change: Callable[[Mention], Mention]) -> "Claim":
        """Return the claim between other mentions."""
        return replace(
            self, subject=change(self.subject), object=self.object and change(self.object)
        )


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything that an extractor found in one episode."""

    mentions: tuple[Mention, ...] = ()
    claims: tuple[Claim, ...] = ()
    dropped: tuple[str, ...] = ()
    """Rejected items, in words, such as an entity that the text does not name or an invalid text
    position."""
    adjusted: tuple[str, ...] = ()
    """Corrected items, in words, such as an invalid date."""
    shown: tuple[str, ...] = ()
    """Ids of the stored facts that the extractor was shown."""

    def with_mentions(self, change: Callable[[Mention], Mention]) -> "Extraction":
        """Return the extraction with other mentions, in its claims too."""
        claims = tuple(claim.with_mentions(change) for claim in self.claims)
        return replace(self, mentions=tuple(map(change, self.mentions)), claims=claims)


_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls and tokens."""

    calls: int = 0
    """Requests that the model answered, repairs included."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: int = 0
    """Questions answered from the cache, without a call."""
    repairs: int = 0
    """Calls made because the answer before had not the asked shape."""
    retries: int = 0
    """Requests repeated because the server was busy, failing or silent."""

    @property
    def tokens(self) -> int:
        """Count tokens of both directions."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(*map(sub, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens, in any currency."""

    prompt: float
    completion: float

    def of(self, usage: Usage | None) -> float:
        """Return the cost of what was used."""
        if usage is None:
            return 0.0
        spent = usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion
        return spent / _MILLION
