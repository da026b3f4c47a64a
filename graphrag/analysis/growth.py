"""How a group grew: what it was told in each day, week, month or year of system time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from graphrag.display.visible import escape
from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.index.lazy import MISSING
from graphrag.index.read_lazy import read_aside
from graphrag.search.visibility import Visible
from graphrag.store.store import Store
from graphrag.temporal.moment import from_micros

Period = Literal["day", "week", "month", "year"]
_TABLES = ("episode", "entity", "relates_to")
_COLUMNS = ("start", "episodes", "entities", "facts")


@dataclass(frozen=True, slots=True)
class Grown:
    """What was told in one period."""

    start: datetime
    episodes: int
    entities: int
    facts: int


@dataclass(frozen=True, slots=True, repr=False)
class Growth:
    """What a group was told, period by period; those without anything are left out."""

    group: str
    by: Period
    periods: tuple[Grown, ...] = ()

    def __iter__(self) -> Iterator[Grown]:
        """Iterate over the periods, in order."""
        return iter(self.periods)

    def __len__(self) -> int:
        """Count the periods in which something was told."""
        return len(self.periods)

    def __repr__(self) -> str:
        """Show how many periods there are."""
        facts = sum(one.facts for one in self.periods)
        return f"Growth({self.group!r} by {self.by}: {len(self)} of them, {facts} facts)"

    def __str__(self) -> str:
        """Write a line a period."""
        lines = [f"{'':<10} {'episodes':>9} {'entities':>9} {'facts':>9}"]
        lines += [
            f"{one.start:%Y-%m-%d} {one.episodes:>9} {one.entities:>9} {one.facts:>9}"
            for one in self.periods
        ]
        return "\n".join(lines)

    def to_dataframe(self) -> Any:
        """Return one row a period as a pandas data frame.

        Raises:
            MissingExtraError: if pandas is not installed.
        """
        from graphrag.search.frames import table_of

        rows = [{name: getattr(one, name) for name in _COLUMNS} for one in self.periods]
        return table_of(rows, _COLUMNS)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{one.start:%Y-%m-%d}</td><td>{one.episodes}</td><td>{one.entities}</td>"
            f"<td>{one.facts}</td></tr>"
            for one in self.periods
        )
        head = "".join(f"<th>{name}</th>" for name in (self.by, *_COLUMNS[1:]))
        return (
            f"<table><caption>{escape(self.group)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )


def checked_period(by: Period) -> Period:
    """Return a period, or say which there are.

    Raises:
        QueryError: for another one.
    """
    if by not in get_args(Period):
        raise QueryError(f"by {by!r}: choose from {', '.join(get_args(Period))}")
    return by


async def read_growth(index: GroupIndex, store: Store, ever: Visible, by: Period) -> Growth:
    """Count by the moments at which records were made; those of all times, removed ones too."""
    await read_aside(store, index, {table: ["created_at"] for table in _TABLES})
    counts: dict[datetime, list[int]] = {}
    scopes = (index.episodes, index.entities, index.facts)
    there = (ever.episodes, ever.entities, ever.told)
    for place, (scope, mask) in enumerate(zip(scopes, there, strict=True)):
        micros = scope.aside["created_at"].values(len(scope))[mask]
        for start, number in _by_period(micros[micros != MISSING], by):
            counts.setdefault(start, [0, 0, 0])[place] = number
    periods = (Grown(start, *counts[start]) for start in sorted(counts))
    return Growth(index.group_id, by, tuple(periods))


def _by_period(micros: npt.NDArray[np.int64], by: Period) -> Iterator[tuple[datetime, int]]:
    # Few days and many records: numpy counts the days, and only those become dates.
    days, numbers = np.unique(micros // 86_400_000_000, return_counts=True)
    counts: dict[datetime, int] = {}
    for day, number in zip(days.tolist(), numbers.tolist(), strict=True):
        start = _start(from_micros(day * 86_400_000_000), by)
        counts[start] = counts.get(start, 0) + number
    yield from counts.items()


def _start(day: datetime, by: Period) -> datetime:
    match by:
        case "day":
            return day
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return datetime(day.year, day.month, 1, tzinfo=UTC)
    return datetime(day.year, 1, 1, tzinfo=UTC)
