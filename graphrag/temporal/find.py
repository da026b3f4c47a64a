"""Stub, being written."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from graphrag.temporal.phrase import Period


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """Stub."""

    start: int
    end: int
    text: str
    period: Period


def find_times(
    text: str, reference: datetime, *, prefer: Literal["past", "future"] = "past"
) -> list[TimeExpression]:
    """Find."""
    return []
