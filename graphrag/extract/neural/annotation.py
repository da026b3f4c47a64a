"""What the network says of a window: spans, the relations between two, and which mean the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

KINDS: Final = tuple(
    " person organization place thing role concept value times name date".split(" ")
)
"""What a span may be; "" is nothing, "name" a name as a name ("formerly called Initech")."""
DATE: Final = KINDS.index("date")
ROLES: Final = ("from", "to", "on", "for")
FLAGS: Final = ("was", "planned", "about")


@dataclass(frozen=True, slots=True)
class Span:
    """Words that mean something: ``start`` to ``end``, both in it."""

    start: int
    end: int
    kind: int
    sure: float


@dataclass(frozen=True, slots=True)
class Link:
    """A relation that the text states between two spans."""

    subject: int
    object: int
    relation: int
    sure: float
    flags: tuple[float, ...]
    dates: tuple[tuple[str, int, float], ...]
    """What a date is to it, which span that is, and how sure."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read in one window."""

    spans: tuple[Span, ...] = ()
    links: tuple[Link, ...] = ()
    same: Mapping[int, int] = field(default_factory=dict)
    """The earlier span that a span means the same as."""
