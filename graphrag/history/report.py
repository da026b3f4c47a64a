"""What forgetting is asked for, and what it did."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from graphrag.model.values import Event

Texts = Literal["erase", "keep"]
"""What becomes of the episodes that name what is forgotten."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased."""

    group: str
    records: Mapping[str, int]
    """Erased rows by table; of a whole group also its ``event`` rows."""
    event: Event | None = None
    """What the log keeps: that something was forgotten, and when. None for a whole group, and for
    what was only counted.
    """
