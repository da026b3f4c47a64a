"""Plans of direct writes, as values before anything is written, and their results."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphrag.errors import InputError
from graphrag.ingest.plan import Plan
from graphrag.ingest.summaries import ends_of
from graphrag.model.values import Entity, Fact
from graphrag.ontology.conform import Violation
from graphrag.store.changes import ChangeSet


@dataclass(slots=True, kw_only=True)
class DirectPlan(Plan):
    """New and changed values of given facts, with their vectors."""

    group: str
    repeated: dict[str, Fact] = field(default_factory=dict)
    """Facts that the graph had before, as they are to be."""
    stands: Mapping[str, str] = field(default_factory=dict)
    """By the id that each given fact would have had: the fact that stands for it."""
    notes: tuple[str, ...] = ()
    """What gave way to what is trusted more, or is newer, in words."""
    extra: tuple[str, ...] = ()
    """Ids of the entities that were given apart from any fact."""
    skipped: tuple["SkippedRow", ...] = ()
    """Facts that were left out because they cannot be added."""
    violations: tuple[tuple[str, Violation], ...] = ()
    """What does not fit the ontology, with where it stands."""

    @property
    def touched(self) -> list[str]:
        """Return the entities whose facts this adds to, changes or repeats."""
        changed = [after for _, after in self.changed_facts.values()]
        return ends_of([*self.facts.values(), *changed])

    def changes(self, kind: str, actor: str = "") -> ChangeSet:
        """Return the transaction that writes this plan; an empty one if nothing is new."""
        changes = ChangeSet(self.group, kind=kind, actor=actor)
        self.write(changes)
        return changes


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row of a table that is not in the graph."""

    place: str
    """Where it stands: ``row 7``, ``jobs.csv, line 7``."""
    error: InputError

    @classmethod
    def at(cls, place: str, error: InputError) -> "SkippedRow":
        """Return what was skipped at a place that is written as in the error."""
        return cls(place.removesuffix(": "), error)


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What adding one fact did."""

    fact: Fact
    """The fact that stands for it: a new one, or the one that it repeats."""
    new: bool
    """False if the graph already had this fact."""
    entities: tuple[Entity, ...] = ()
    """Entities that did not exist before."""
    changed: tuple[Fact, ...] = ()
    """Older facts that were closed, replaced or confirmed."""
    notes: tuple[str, ...] = ()
    """What gave way at once to what is trusted more, or is newer, in words."""

    @classmethod
    def by(cls, plan: DirectPlan) -> "WriteResult":
        """Return what a plan of one fact did."""
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
    """What an import did, or has done so far."""

    rows: int = 0
    """Rows that are in the graph."""
    total: int | None = None
    """Rows in all; None for a stream of unknown length."""
    facts: int = 0
    """New facts, as ``entities`` are new entities."""
    entities: int = 0
    repeated: int = 0
    """Facts that the graph already had."""
    changed: int = 0
    """Older facts that were closed, replaced or confirmed."""
    contested: int = 0
    """Rows that gave way at once to what is trusted more, or is newer."""
    skipped: tuple[SkippedRow, ...] = ()
    """Rows that cannot be used, with the reason; only with ``on_error="skip"``."""
    violations: int = 0
    """How often something did not fit the ontology; the log of ``graphrag`` says what."""
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Return rows a second."""
        return self.rows / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Return how long the rest will take at this rate; None if the total is unknown."""
        if self.total is None or not self.rate:
            return None
        return (self.total - self.rows - len(self.skipped)) / self.rate

    def after(self, plan: DirectPlan, *, rows: int, seconds: float) -> "ImportReport":
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
