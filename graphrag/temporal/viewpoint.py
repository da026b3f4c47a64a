"""The moments a read looks from: which facts were true then, and which were known by then."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A point in world time and one in system time; both None means now."""

    valid_at: datetime | None = None
    """Facts whose interval contains this moment; None is the moment of the read."""
    known_at: datetime | None = None
    """Only what the graph had been told by then; None is everything told so far."""
    history: bool = False
    """Facts of every time, ended ones too; retracted ones included."""


NOW = Viewpoint()
