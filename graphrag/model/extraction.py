"""What a text says, before anyone knows which stored entities it speaks of.

An extractor returns mentions (entities as the text names them) and claims (facts as the text states
them). Resolving them against the graph, and closing what they contradict, come later.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphrag.model.assertion import EntityName, Kind, Precision
from graphrag.model.values import JSON, Origin


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity as a text names it; ``start:end`` is its first place in the content."""

    name: str
    entity_type: str = "thing"
    """``person``, ``organization``, ``place``, ``event``, ``work``, ``concept`` (a common noun),
    ``thing`` (a name of unknown type), or a user's own."""
    start: int = 0
    end: int = 0
    aliases: tuple[str, ...] = ()
    """Other names that this text gives the same entity ("Globex, now called Initech")."""
    attributes: Mapping[str, JSON] = field(default_factory=dict, compare=False, hash=False)
    entity_id: str | None = None
    """The stored entity that it means, if the extractor was shown that and is sure."""
    distinct_from: tuple[str, ...] = ()
    """Stored entities, by id, that it does not mean though they bear its name."""
    names: tuple[EntityName, ...] = field(default=(), compare=False, hash=False)
    """What this text says of its names: that it was renamed, and when."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact as a text states it.

    ``ends`` marks a change of state that stops a relation ("Alice left Acme"): ``invalid_at`` is
    when it stopped, and ``object`` may be None when the text does not say what ended ("she quit
    her job"). ``corrects`` marks a statement that replaces an earlier, wrong one.
    """

    subject: Mention
    relation: str
    object: Mention | None
    text: str
    """The sentence that states it, readable on its own."""
    start: int
    """Where the sentence stands: ``content[start:end]`` of the episode."""
    end: int
    valid_at: datetime | None = None
    """Stated start; None when the text gives none (ingestion then uses the reference time)."""
    invalid_at: datetime | None = None
    """Stated end, possibly in the future; None when the text gives none."""
    ends: bool = False
    corrects: bool = False
    confidence: float = 1.0
    """From 0 to 1; the database refuses anything else."""
    origin: Origin = "stated"
    attributes: Mapping[str, JSON] = field(default_factory=dict, compare=False, hash=False)
    replaces: bool = False
    """True if the text says that this takes the place of something that held before ("switched
    to"), without saying that it was wrong. What that was, an arbiter may be asked."""
    untyped: bool = False
    """True if the ontology found that its relation does not relate entities of these types."""
    current: bool = False
    """True if the text says that what began at ``valid_at`` still holds at its own time ("has
    worked there since 2010"), so that it is evidence for all of that; False if it only tells how it
    began ("joined in 2010")."""
    kind: Kind = "state"
    """Other than a state: what ``was`` so before, an ``event`` of a day, what is ``timeless``, a
    plan that was ``cancelled``."""
    valid_precision: Precision = "exact"
    """How finely the start was stated: ``2015`` and ``2015-06-10`` are one start, the finer one."""
    invalid_precision: Precision = "exact"
    """The same of the end."""
    excludes: tuple[str, ...] = ()
    """Ids of stored facts that cannot hold beside it, if the extractor was shown them and says so.
    """
    settled: bool = False
    """True if the extractor was shown what holds and said how this stands to it: no arbiter is
    asked the same again."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything one extractor read in one episode."""

    mentions: tuple[Mention, ...] = ()
    claims: tuple[Claim, ...] = ()
    dropped: tuple[str, ...] = ()
    """What was read and not believed, in words, such as an entity that the text does not name, or a
    place that is not in the text."""
    adjusted: tuple[str, ...] = ()
    """What was believed otherwise than it was read, in words, such as a date that is none."""
    shown: tuple[str, ...] = ()
    """Ids of the stored facts that the extractor was shown."""
