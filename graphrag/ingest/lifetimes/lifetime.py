"""What follows from statements: the lifetimes of facts, and what contradicts what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from graphrag.model.values import Closing

NOWHERE = frozenset[Closing | None]({"overruled", "corrected", "cancelled", "retracted"})
"""How a fact is closed that holds at no moment."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """When one fact holds, and why no longer."""

    id: str
    subject: str
    relation: str
    object: str
    valid_at: datetime | None
    """None if unknown. Of a fact that holds nowhere both ends are those that were stated."""
    invalid_at: datetime | None
    observed: bool = False
    """True if no source gives ``valid_at``."""
    closed_as: Closing | None = None
    closed_by: str | None = None
    """Id of the statement without which it would not be closed so."""
    invalidated_by: str | None = None
    """Id of the fact that it gave way to, or of the event that ended it."""
    ruling: str | None = None
    """Id of the ruling without which it would not have given way; None where the rules suffice."""
    reason: str | None = None
    """For people."""
    statements: tuple[str, ...] = ()
    """Ids of what supports it, in the order of telling."""
    confidence: float = 1.0

    def holds_at(self, moment: datetime) -> bool:
        """Tell whether it holds at a moment of world time."""
        if self.closed_as in NOWHERE or (self.valid_at is not None and moment < self.valid_at):
            return False
        return self.invalid_at is None or moment < self.invalid_at


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements that cannot both be right, in a stretch of world time."""

    kind: Literal["open", "both", "overruled"]
    """``open``: both hold; ``both``: they do because one source says both; ``overruled``: the
    first one does not, or not then."""
    fact: str | None
    rival: str | None
    """Ids of the facts: of two that hold the one stated first comes first. One fact for an end and
    what it could not end."""
    statement: str
    against: str
    start: datetime | None
    end: datetime | None


@dataclass(frozen=True, slots=True)
class Settlement:
    """What follows from a set of statements."""

    lifetimes: tuple[Lifetime, ...] = ()
    """One for each fact: those that hold at some moment, then those that hold nowhere."""
    contradictions: tuple[Contradiction, ...] = ()
    joins: Mapping[str, str] = field(default_factory=dict)
    """By the id of a fact whose statements all stand in others: the one that has its first."""
