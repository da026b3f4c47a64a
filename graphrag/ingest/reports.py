"""Results of writes, as their callers receive them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from graphrag.errors import GraphRAGError
from graphrag.ingest.plan import Plan, SkippedRow
from graphrag.model.extraction import Extraction, Usage
from graphrag.model.values import Entity, Episode, Fact
from graphrag.ontology.conform import Violation

_NAME = 40
"""Characters of a text that stand for its name."""
_LOST = ("superseded", "overruled", "corrected", "cancelled", "retracted")
"""Ways in which a fact ends that its own source did not speak of."""


@dataclass(frozen=True, slots=True)
class Added:
    """Result of adding one episode."""

    episode: Episode
    new: bool
    """False if the graph already had this episode, by its key or by its content and time."""
    entities: tuple[Entity, ...] = ()
    """New entities."""
    facts: tuple[Fact, ...] = ()
    """New facts."""
    changed: tuple[Fact, ...] = ()
    """Older facts that were closed, corrected or confirmed."""
    violations: tuple[Violation, ...] = ()
    """Extracted entities and facts that do not fit the ontology."""
    dropped: tuple[str, ...] = ()
    """Extracted items that were rejected, in words: entities that the text does not name, facts
    that it does not state, invalid text positions."""
    adjusted: tuple[str, ...] = ()
    """Extracted items that were stored with changes or wait for review, in words."""
    closed: tuple[str, ...] = ()
    """Facts, old or new, that this episode ended or retracted, in words."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Seconds spent in each step: ``embed``, ``resolve``, ``store`` and ``index``."""
    usage: Usage | None = None
    """Calls and tokens of the language model; None without one that counts them."""

    @classmethod
    def by(
        cls,
        plan: Plan,
        read: Extraction,
        violations: tuple[Violation, ...],
        seconds: Mapping[str, float],
    ) -> "Added":
        """Return the result of the plan of an episode and of its extraction."""
        assert plan.text is not None, "it is that of an episode"
        return cls(
            plan.text.episode,
            new=True,
            entities=tuple(plan.entities.values()),
            facts=tuple(plan.facts.values()),
            changed=tuple(after for _, after in plan.changed_facts.values()),
            violations=violations,
            dropped=plan.notes,
            adjusted=read.adjusted,
            closed=tuple(closed(plan.facts.values(), plan.changed_facts.values())),
            seconds=seconds,
        )


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Result of adding one fact."""

    fact: Fact
    """The new fact, or the stored fact that it repeats."""
    new: bool
    """False if the graph already had this fact."""
    entities: tuple[Entity, ...] = ()
    """New entities."""
    changed: tuple[Fact, ...] = ()
    """Older facts that were closed, replaced or confirmed."""
    notes: tuple[str, ...] = ()
    """Reasons, in words, why the fact was closed at once by a newer or more trusted one."""

    @classmethod
    def by(cls, plan: Plan) -> "WriteResult":
        """Return the result of the plan of one fact."""
        [(new, stands)] = plan.stands.items()
        return cls(
            plan.facts.get(stands) or plan.repeated[stands],
            new=new == stands,
            entities=tuple(plan.entities.values()),
            changed=tuple(after for _, after in plan.changed_facts.values()),
            notes=plan.notes,
        )


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Result or progress of an import."""

    rows: int = 0
    """Number of rows that are in the graph."""
    total: int | None = None
    """Total number of rows; None for a stream of unknown length."""
    facts: int = 0
    """Number of new facts; ``entities`` counts the new entities."""
    entities: int = 0
    repeated: int = 0
    """Number of facts that the graph already had."""
    changed: int = 0
    """Number of older facts that were closed, replaced or confirmed."""
    contested: int = 0
    """Number of rows that a newer or more trusted fact closed at once."""
    skipped: tuple[SkippedRow, ...] = ()
    """Invalid rows with the reason; only with ``on_error="skip"``."""
    violations: int = 0
    """Number of violations of the ontology; the logger ``graphrag`` describes each."""
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Return the number of rows per second."""
        return self.rows / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Return the estimated seconds until the end at this rate; None if the total is unknown."""
        if self.total is None or not self.rate:
            return None
        return (self.total - self.rows - len(self.skipped)) / self.rate

    def after(self, plan: Plan, *, rows: int, seconds: float) -> "ImportReport":
        """Return the report after one more batch."""
        return ImportReport(
            rows=self.rows + rows,
            total=self.total,
            facts=self.facts + len(plan.facts),
            entities=self.entities + len(plan.entities),
            repeated=self.repeated + len(plan.repeated),
            changed=self.changed + len(plan.changed_facts),
            contested=self.contested + len(plan.notes),
            skipped=(*self.skipped, *plan.skipped),
            violations=self.violations + len(plan.violations),
            seconds=seconds,
        )


@dataclass(frozen=True, slots=True)
class Failed:
    """An episode of a batch that could not be added."""

    number: int
    """Position in the input, from 1; 0 for a file that could not be read."""
    name: str
    """Name of the episode, or the beginning of its content."""
    error: GraphRAGError


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a batch after an episode."""

    done: int
    """Number of episodes that were added, already in the graph, or skipped."""
    total: int | None
    """Total number of episodes; None for a stream of unknown length."""
    last: Added | None
    """Result of this episode; None if it failed."""
    failed: int = 0
    """Number of episodes skipped so far."""
    seconds: float = 0.0
    """Seconds since the start of the batch."""

    @property
    def eta(self) -> float | None:
        """Return the estimated seconds until the end at the current rate; None if unknown."""
        if self.total is None or not self.done:
            return None
        return self.seconds / self.done * (self.total - self.done)


@dataclass(slots=True)
class BatchReport:
    """Result of a batch."""

    added: int = 0
    unchanged: int = 0
    """Number of episodes that the graph already had."""
    entities: int = 0
    facts: int = 0
    """Number of new facts; ``entities`` counts the new entities."""
    changed: int = 0
    """Number of older facts that were closed, corrected or confirmed."""
    violations: int = 0
    """Number of violations of the ontology; the logger ``graphrag`` describes each."""
    waiting: int = 0
    """Number of new facts that wait for review: see ``edit.pending``."""
    dropped: list[str] = field(default_factory=list)
    """Extracted items that were rejected, in words, with the name of the episode."""
    adjusted: list[str] = field(default_factory=list)
    """Extracted items that were stored with changes or wait for review, in words."""
    closed: list[str] = field(default_factory=list)
    """Facts that ended or were retracted, in words."""
    failed: list[Failed] = field(default_factory=list)
    """Episodes that were skipped, with their errors; only with ``on_error="skip"``."""
    usage: Usage | None = None
    """Calls and tokens of the language model; None without one that counts them."""
    seconds: float = 0.0
    steps: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Seconds spent in each step."""

    @property
    def done(self) -> int:
        """Return the number of processed episodes."""
        return self.added + self.unchanged + len(self.failed)

    def charge(self, usage: Usage | None) -> None:
        """Add the cost of one episode."""
        if usage is not None:
            self.usage = usage if self.usage is None else self.usage + usage

    def count(self, added: Added) -> None:
        """Add the result of one episode to the counts."""
        self.added += added.new
        self.unchanged += not added.new
        self.entities += len(added.entities)
        self.facts += len(added.facts)
        self.changed += len(added.changed)
        self.violations += len(added.violations)
        self.waiting += sum(fact.pending for fact in added.facts)
        name = added.episode.name or added.episode.content[:_NAME]
        self.dropped += (f"{name}: {note}" for note in added.dropped)
        self.adjusted += (f"{name}: {note}" for note in added.adjusted)
        self.closed += (f"{name}: {note}" for note in added.closed)
        self.charge(added.usage)
        for step, seconds in added.seconds.items():
            self.steps[step] += seconds


def closed(new: Iterable[Fact], changed: Iterable[tuple[Fact, Fact]]) -> Iterator[str]:
    """Yield a sentence for each fact that was ended, reopened, dated anew or retracted."""
    for before, after in changed:
        if after.retracted_at is not None and before.retracted_at is None:
            yield _words(after, f"was {after.closed_as or 'retracted'}")
        elif after.closed_as == "overruled" != before.closed_as:
            yield _words(after, "holds at no moment any more (overruled)")
        elif after.invalid_at != before.invalid_at:
            yield _words(after, _ended(after))
        elif after.valid_at != before.valid_at and before.valid_at is not None:
            since = "unknown" if after.valid_at is None else f"{after.valid_at:%Y-%m-%d}"
            yield _words(after, f"begins at another time: {since}")
        elif after.closed_as == "overruled" and after.statements != before.statements:
            yield _words(after, f"was said again, and {_ended(after)}")
    for fact in new:
        if fact.closed_as in _LOST and not fact.pending:
            yield _words(fact, f"is new, and {_ended(fact)}")


def _ended(fact: Fact) -> str:
    if fact.closed_as == "overruled" and fact.reason:
        return f"is overruled, {fact.reason}"
    if fact.invalid_at is None:
        return "has no end any more" if fact.closed_as is None else f"is {fact.closed_as}"
    return f"ends {fact.invalid_at:%Y-%m-%d} ({fact.closed_as or 'ended'})"


def _words(fact: Fact, what: str) -> str:
    return f"{fact.subject} {fact.relation} {fact.object}: {what}"
