"""One English time expression becomes a period, or None (being written)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Granularity = Literal[
    "instant",
    "part_of_day",
    "day",
    "week",
    "weekend",
    "month",
    "quarter",
    "season",
    "year",
    "decade",
    "century",
]
Bound = Literal["in", "since", "until", "before", "after"]


@dataclass(frozen=True, slots=True)
class Period:
    """Stub."""

    start: datetime
    end: datetime
    granularity: Granularity
    bound: Bound = "in"


def resolve_phrase(
    text: str, reference: datetime, *, prefer: Literal["past", "future"] = "past"
) -> Period | None:
    """Resolve."""
    return None
