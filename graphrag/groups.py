"""The groups of a store with their sizes, as a list that a notebook shows as a table."""

from dataclasses import dataclass
from datetime import datetime
from typing import SupportsIndex, overload

from graphrag.cards import table


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


class Groups(list[Group]):
    """The groups of a store by name: a list that a notebook shows as a table."""

    @overload
    def __getitem__(self, at: SupportsIndex) -> Group: ...
    @overload
    def __getitem__(self, at: slice) -> "Groups": ...
    def __getitem__(self, at: SupportsIndex | slice) -> "Group | Groups":
        """Return one group, or a list of some."""
        found = super().__getitem__(at)
        return Groups(found) if isinstance(found, list) else found

    def __repr__(self) -> str:
        """Name each group with its number of facts."""
        return f"Groups({', '.join(f'{one.name!r}: {_facts(one)}' for one in self)})"

    def _repr_html_(self) -> str:
        return table(HEADER, map(cells, self))


HEADER = ("group", "episodes", "entities", "facts", "last change (UTC)")


def cells(group: Group) -> tuple[str, ...]:
    """Return a group as cells under ``HEADER``."""
    counts = (f"{number:,}" for number in (group.episodes, group.entities, group.facts))
    return group.name, *counts, f"{group.changed_at:%Y-%m-%d %H:%M:%S}"


def _facts(group: Group) -> str:
    return f"{group.facts:,} fact{'' if group.facts == 1 else 's'}"
