"""What a check found and what a repair did."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it must be."""

    group: str
    record: str
    """``table:id``."""
    what: str
    """What is wrong, in words."""
    how: str
    """How to repair it, in words."""
    repairable: bool = False
    """True if ``health.repair()`` does it."""

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.record} in group {self.group!r}: {self.what} ({self.how})"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check looked at, and its findings: none for a sound graph."""

    groups: tuple[str, ...]
    records: int
    events: int
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Tell whether nothing was found."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair did and what it left."""

    repaired: tuple[Finding, ...]
    """Found before and not after."""
    left: tuple[Finding, ...]
    """Still there: what cannot be repaired without a decision of yours."""
    events: int
    """Transactions that the repair wrote."""

    @property
    def sound(self) -> bool:
        """Tell whether nothing is left."""
        return not self.left
