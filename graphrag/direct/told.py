"""What direct writes did, for the caller."""

from dataclasses import dataclass

from graphrag.direct.plan import DirectPlan
from graphrag.models import Entity, Fact


@dataclass(frozen=True, slots=True)
class Told:
    """What telling one fact did."""

    fact: Fact
    """The fact that stands for it: a new one, or the one that it repeats."""
    new: bool
    """False if the graph already had this fact."""
    entities: tuple[Entity, ...] = ()
    """Entities that did not exist before."""
    changed: tuple[Fact, ...] = ()
    """Older facts that were closed, replaced or confirmed."""

    @classmethod
    def by(cls, plan: DirectPlan) -> "Told":
        """Return what a plan of one fact did."""
        [fact] = plan.facts.values() or plan.repeated.values()
        return cls(
            fact,
            new=bool(plan.facts),
            entities=tuple(plan.entities.values()),
            changed=tuple(after for _, after in plan.changed_facts.values()),
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
        return (self.total - self.rows) / self.rate

    def after(self, plan: DirectPlan, *, rows: int, seconds: float) -> "ImportReport":
        """Return the report after one more batch."""
        return ImportReport(
            rows=self.rows + rows,
            total=self.total,
            facts=self.facts + len(plan.facts),
            entities=self.entities + len(plan.entities),
            repeated=self.repeated + len(plan.repeated),
            changed=self.changed + len(plan.changed_facts),
            seconds=seconds,
        )
