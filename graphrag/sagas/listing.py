"""The sagas of a group with their sizes, as a list that a notebook shows as a table."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from graphrag.display.cards import table
from graphrag.display.lists import Listed, some
from graphrag.index.group import GroupIndex
from graphrag.sagas.order import sagas_then
from graphrag.search.rewind import Past
from graphrag.search.visibility import Visible
from graphrag.temporal.moment import from_micros


@dataclass(frozen=True, slots=True, repr=False)
class SagaInfo:
    """One saga: how many episodes it has, and from when to when."""

    name: str
    episodes: int
    first: datetime
    """Reference time of its first episode."""
    last: datetime
    """Reference time of its last episode."""

    def __repr__(self) -> str:
        """Show the name, the number of episodes and the dates."""
        _, _, *days = cells(self)
        episodes = some(self.episodes, "episode")
        return f"SagaInfo({self.name!r}: {episodes}, {' to '.join(dict.fromkeys(days))})"


class Sagas(Listed[SagaInfo]):
    """The sagas of a group, the one that begins first before the others."""

    @property
    def names(self) -> list[str]:
        """Return their names."""
        return [one.name for one in self]

    def __repr__(self) -> str:
        """Name each saga with its number of episodes."""
        shown = (f"{one.name!r}: {some(one.episodes, 'episode')}" for one in self)
        return f"Sagas({', '.join(shown)})"

    def _repr_html_(self) -> str:
        return table(HEADER, map(cells, self))


HEADER = ("saga", "episodes", "first", "last")


def cells(saga: SagaInfo) -> tuple[str, ...]:
    """Return a saga as cells under ``HEADER``."""
    return saga.name, f"{saga.episodes:,}", f"{saga.first:%Y-%m-%d}", f"{saga.last:%Y-%m-%d}"


def saga_list(index: GroupIndex, seen: Visible, past: Past) -> Sagas:
    """Return the sagas that have a visible episode; one pass over the columns."""
    codes, valid = sagas_then(index, past)[seen.episodes], index.episodes["valid"][seen.episodes]
    order = np.lexsort((valid, codes))
    codes, valid = codes[order], valid[order]
    found, starts, counts = np.unique(codes, return_index=True, return_counts=True)
    place = {
        int(code): (int(start), int(count))
        for code, start, count in zip(found, starts, counts, strict=True)
    }
    listed = [
        SagaInfo(
            name,
            count,
            from_micros(int(valid[start])),
            from_micros(int(valid[start + count - 1])),
        )
        for name in index.sagas
        if (at := place.get(index.saga_code(name))) is not None
        for start, count in (at,)
    ]
    return Sagas(sorted(listed, key=lambda one: (one.first, one.name)))


def missing(name: str, group: str, known: Iterable[str]) -> str:
    """Return what to say about a saga that is not there."""
    names = ", ".join(map(repr, known)) or "none"
    return f"there is no saga {name!r} in group {group!r}; sagas: {names}"
