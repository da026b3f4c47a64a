"""Counts of a graph, and how it grew in system time."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate, islice
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from graphrag.display.cards import table
from graphrag.display.chart import Chart, Point, tally
from graphrag.display.lists import some
from graphrag.display.picture import Drawing, Picture, type_colours, word
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.lazy import MISSING
from graphrag.index.read_lazy import read_aside
from graphrag.index.scope import Array
from graphrag.model.values import CONCEPT, Entity
from graphrag.search.rewind import Past
from graphrag.search.visibility import Visible
from graphrag.store.store import Store
from graphrag.temporal.moment import from_micros, to_micros

_SHOWN = 14
"""Types, and relations, that a picture names; the rest are one number."""
_STATES = MappingProxyType(
    {
        "hold": "#2a7f62",
        "ended": "#7a8794",
        "never true": "#b5483a",
        "wait for review": "#e69f00",
        "to come": "#4477aa",
    }
)


@dataclass(frozen=True, slots=True)
class Stats(Picture):
    """What a group holds."""

    group: str
    episodes: int
    entities: int
    facts: int
    facts_now: int
    """Facts that hold at the moment of counting."""
    facts_ended: int
    """Facts whose interval is over."""
    facts_retracted: int
    """Facts that were found never to have been true."""
    facts_pending: int
    """Facts that wait in ``edit.pending()``, counted nowhere else."""
    events: int
    """Transactions in the log."""
    first: datetime | None
    """Reference time of the earliest episode."""
    last: datetime | None
    """Reference time of the latest episode."""
    relations: Mapping[str, int] = field(default_factory=dict)
    """Facts that were ever true by relation, most first."""
    types: Mapping[str, int] = field(default_factory=dict)
    """Entities by type, most first."""

    def _draw(self) -> Drawing:
        """Draw how many there are of each type and relation, and how facts stand."""
        counted = (self.facts_now, self.facts_ended, self.facts_retracted)
        numbers = (*counted, self.facts_pending, self.facts - sum(counted))
        counts = (
            some(self.episodes, "episode"),
            some(self.entities, "entity", "entities"),
            some(self.facts, "fact"),
        )
        words = word(12, 20, f"{self.group}: {', '.join(counts)}", 13, bold=True)
        if self.first is not None and self.last is not None:
            days = f"episodes of {self.first:%Y-%m-%d} to {self.last:%Y-%m-%d}"
            words += word(12, 37, days, 10, soft=True)
        types = _leading(self.types)
        colours = {**_STATES, **type_colours(self.types.keys())}
        held = {name: count for name, count in zip(_STATES, numbers, strict=True) if count > 0}
        facts = tally("facts", held, colours, (12, 64))
        entities = tally("entities", types, colours, (12, facts.height + 34))
        relations = tally("relations", _leading(self.relations), {}, (400, 64))
        parts = (facts, entities, relations)
        return Drawing(
            800,
            max(part.height for part in parts) + 12,
            "".join(part.shapes for part in parts),
            words + "".join(part.words for part in parts),
        )


def _leading(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the largest numbers by name, in words, and what the others come to."""
    first = dict(islice(counts.items(), _SHOWN))
    rest = sum(counts.values()) - sum(first.values())
    leading = {name.replace("_", " "): number for name, number in first.items()}
    return {**leading, f"{len(counts) - _SHOWN} others": rest} if rest else leading


def count(index: GroupIndex, past: Past, seen: Visible, ever: Visible, *, at: datetime) -> Stats:
    """Count one group, from memory.

    Args:
        index: The group.
        past: What must be undone.
        seen: What is visible at the viewpoint.
        ever: What is visible of all times.
        at: The moment that "now" and "ended" are judged at.
    """
    moment = to_micros(at, FOREVER)
    held = ever.facts & (ever.retracted == FOREVER)
    times = index.episodes["valid"][seen.episodes]
    return Stats(
        group=index.group_id,
        episodes=int(seen.episodes.sum()),
        entities=int(seen.entities.sum()),
        facts=int(ever.facts.sum()),
        facts_now=int((held & (ever.valid <= moment) & (moment < ever.invalid)).sum()),
        facts_ended=int((held & (ever.invalid <= moment)).sum()),
        facts_retracted=int((ever.facts & ~held).sum()),
        facts_pending=int((ever.stated & ~ever.facts).sum()),
        events=past.upto if past else index.seq,
        first=from_micros(int(times.min())) if times.size else None,
        last=from_micros(int(times.max())) if times.size else None,
        relations=_tally(index.facts["relation"][held], index.relations),
        types=_tally(past.types(index)[seen.entities], index.types),
    )


def _tally(codes: Array, names: Sequence[str]) -> dict[str, int]:
    """Count codes by what they stand for, most first."""
    counts = np.bincount(codes, minlength=len(names)).tolist()
    some = [(-number, name) for number, name in zip(counts, names, strict=True) if number]
    return {name: -number for number, name in sorted(some)}


def degrees(index: GroupIndex, seen: Visible) -> Array:
    """Return how many visible facts, without retracted ones, each entity has, by row (int64)."""
    live = seen.facts & (seen.retracted == FOREVER)
    ends = np.concatenate([end[live] for end in seen.ends])
    return np.bincount(ends, minlength=len(index.entities)) * seen.entities


async def hubs(
    index: GroupIndex, past: Past, store: Store, seen: Visible, *, limit: int
) -> list[tuple[Entity, int]]:
    """Return the entities with the most visible facts, without retracted ones, and their number.

    Concepts are left out: common nouns gather facts of many different things.
    """
    degree = degrees(index, seen)
    order = (row for row in np.argsort(-degree, kind="stable").tolist() if degree[row])
    named = (row for row in order if past.type_of(index.entities.ids[row], index) != CONCEPT)
    rows = list(islice(named, limit))
    found = await store.get(Entity, [index.entities.ids[row] for row in rows])
    return [(found[index.entities.ids[row]], int(degree[row])) for row in rows]


Period = Literal["day", "week", "month", "year"]
_TABLES = ("episode", "entity", "relates_to")
_COLUMNS = ("start", "episodes", "entities", "facts")
_DAY = 86_400_000_000
"""Microseconds."""


@dataclass(frozen=True, slots=True)
class Grown:
    """What was added in one period."""

    start: datetime
    episodes: int
    entities: int
    facts: int


@dataclass(frozen=True, slots=True, repr=False)
class Growth(Picture):
    """What was added to a group, period by period; those without anything are left out."""

    group: str
    by: Period
    periods: tuple[Grown, ...] = ()

    def __iter__(self) -> Iterator[Grown]:
        """Iterate over the periods, in order."""
        return iter(self.periods)

    def __len__(self) -> int:
        """Count the periods in which something was added."""
        return len(self.periods)

    def __repr__(self) -> str:
        """Show how many periods there are."""
        facts = sum(period.facts for period in self.periods)
        return f"Growth({self.group!r} by {self.by}: {len(self)} of them, {facts} facts)"

    def __str__(self) -> str:
        """Write a line a period."""
        lines = [f"{'':<10} {'episodes':>9} {'entities':>9} {'facts':>9}"]
        lines += [
            f"{period.start:%Y-%m-%d} {period.episodes:>9} {period.entities:>9} {period.facts:>9}"
            for period in self.periods
        ]
        return "\n".join(lines)

    def to_dataframe(self) -> Any:
        """Return one row a period as a pandas data frame.

        Raises:
            MissingExtraError: if pandas is not installed.
        """
        from graphrag.search.frames import table_of

        return table_of([asdict(period) for period in self.periods], _COLUMNS)

    def _draw(self) -> Drawing:
        """Draw what there was in all at the end of each period."""
        moments = [_next(period.start, self.by) for period in self.periods]
        moments = [*(period.start for period in self.periods[:1]), *moments]
        lines: dict[str, Sequence[Point]] = {}
        for name in _COLUMNS[1:]:
            numbers = (getattr(period, name) for period in self.periods)
            lines[name] = list(zip(moments, accumulate(numbers, initial=0), strict=False))
        return Chart(f"{self.group}: what was there, by {self.by}", lines)._draw()

    def _repr_html_(self) -> str:
        rows = (
            (f"{period.start:%Y-%m-%d}", *(str(getattr(period, name)) for name in _COLUMNS[1:]))
            for period in self.periods
        )
        numbers = table((self.by, *_COLUMNS[1:]), rows)
        return f"{self.to_svg()}<details><summary>in numbers</summary>{numbers}</details>"


async def read_growth(index: GroupIndex, store: Store, ever: Visible, by: Period) -> Growth:
    """Count by the moments at which records were made; those of all times, removed ones too."""
    await read_aside(store, index, {table: ["created_at"] for table in _TABLES})
    counts: defaultdict[datetime, Counter[str]] = defaultdict(Counter)
    scopes = (index.episodes, index.entities, index.facts)
    there = (ever.episodes, ever.entities, ever.stated)
    for name, scope, mask in zip(_COLUMNS[1:], scopes, there, strict=True):
        micros = scope.aside["created_at"].values(len(scope))[mask]
        # Few days and many records: numpy counts the days, and only those become dates.
        days, numbers = np.unique(micros[micros != MISSING] // _DAY, return_counts=True)
        for day, number in zip(days.tolist(), numbers.tolist(), strict=True):
            counts[_start(from_micros(day * _DAY), by)][name] += number
    periods = (
        Grown(start, *(counts[start][name] for name in _COLUMNS[1:])) for start in sorted(counts)
    )
    return Growth(index.group_id, by, tuple(periods))


def _next(start: datetime, by: Period) -> datetime:
    """Return where the next period begins."""
    days = {"day": 1, "week": 7, "month": 31, "year": 366}[by]
    return _start(start + timedelta(days=days), by)


def _start(day: datetime, by: Period) -> datetime:
    match by:
        case "day":
            return day
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return datetime(day.year, day.month, 1, tzinfo=UTC)
    return datetime(day.year, 1, 1, tzinfo=UTC)
