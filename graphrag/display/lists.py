"""Lists for display (a slice is one too), numbers in words, and the table of groups."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Self, SupportsIndex, TypeVar, overload

from graphrag.display.cards import table

Item = TypeVar("Item")


class Listed(list[Item]):
    """A list whose slices are of its own kind."""

    @overload
    def __getitem__(self, at: SupportsIndex) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Item | Self:
        """Return one item, or a list of some."""
        if isinstance(at, slice):
            return type(self)(super().__getitem__(at))
        return super().__getitem__(at)


def some(count: int, one: str, several: str = "") -> str:
    """Return a number of things in words: ``1 fact``, ``2,000 facts``."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def listed(items: Iterable[str]) -> str:
    """Return items as a list in words: ``a, b and c``."""
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


@dataclass(frozen=True, slots=True)
class Group:
    """One graph of a store: how large it is, and when it last changed."""

    name: str
    episodes: int
    """Those that were not removed, as in ``stats()``."""
    entities: int
    """Those that were not removed or merged into others."""
    facts: int
    """Facts of all times, without those that wait in ``edit.pending()``."""
    created_at: datetime
    """System time of its first event."""
    changed_at: datetime
    """System time of its newest event."""


class Groups(Listed[Group]):
    """The groups of a store by name: a list that a notebook shows as a table."""

    def __repr__(self) -> str:
        """Name each group with its number of facts."""
        groups = (f"{one.name!r}: {some(one.facts, 'fact')}" for one in self)
        return f"Groups({', '.join(groups)})"

    def _repr_html_(self) -> str:
        return table(HEADER, map(cells, self))


HEADER = ("group", "episodes", "entities", "facts", "last change (UTC)")


def cells(group: Group) -> tuple[str, ...]:
    """Return a group as cells under ``HEADER``."""
    counts = (f"{number:,}" for number in (group.episodes, group.entities, group.facts))
    return group.name, *counts, f"{group.changed_at:%Y-%m-%d %H:%M:%S}"
