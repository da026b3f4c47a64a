"""The groups of a store with their sizes, as a list that a notebook shows as a table."""

from dataclasses import dataclass
from datetime import datetime

from graphrag.cards import table
from graphrag.listed import Listed, some


@dataclass(frozen=True, slots=True)
class Group:
    """One graph of a store: how large it is, and when it last changed."""

    name: str
    episodes: int
    """Those that were not removed, as in ``stats()``."""
    entities: int
    """Those that were not removed or merged into others."""
    facts: int
    """Facts of all times, without those that wait in ``pending_review()``."""
    created_at: datetime
    """System time of its first event."""
    changed_at: datetime
    """System time of its newest event."""


class Groups(Listed[Group]):
    """The groups of a store by name: a list that a notebook shows as a table."""

    def __repr__(self) -> str:
        """Name each group with its number of facts."""
        told = (f"{one.name!r}: {some(one.facts, 'fact')}" for one in self)
        return f"Groups({', '.join(told)})"

    def _repr_html_(self) -> str:
        return table(HEADER, map(cells, self))


HEADER = ("group", "episodes", "entities", "facts", "last change (UTC)")


def cells(group: Group) -> tuple[str, ...]:
    """Return a group as cells under ``HEADER``."""
    counts = (f"{number:,}" for number in (group.episodes, group.entities, group.facts))
    return group.name, *counts, f"{group.changed_at:%Y-%m-%d %H:%M:%S}"
