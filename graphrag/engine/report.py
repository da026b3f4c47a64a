"""What the commands on indexes report."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Built:
    """One thing that was made: the rows that follow from a table, or an index."""

    name: str
    rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class IndexState:
    """One index of SurrealDB, and the rows that it covers."""

    name: str
    table: str
    """The table whose rows it finds."""
    there: bool
    rows: int
    """Rows that it covers."""
    sampled: int
    found: int
    """How many of the sampled rows it led back to."""

    @property
    def recall(self) -> float:
        """Return the part of the sampled rows that it found; 1 if there was nothing to find."""
        return self.found / self.sampled if self.sampled else 1.0


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The indexes of a store of the engine profile."""

    indexes: tuple[IndexState, ...]
    findings: tuple[str, ...]
    """What is wrong, in words; ``build_indexes()`` makes all of it right."""

    @property
    def sound(self) -> bool:
        """Tell whether every index is there and agrees with its table."""
        return not self.findings
