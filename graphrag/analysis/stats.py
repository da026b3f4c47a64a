"""Counts of the contents of a graph, and its growth in system time."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Literal

import numpy as np

from graphrag.display.cards import table
from graphrag.display.visible import Html
from graphrag.index.arrays import Array
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.scope import MISSING
from graphrag.index.tables import read_aside
from graphrag.model.values import PLAIN, Entity
from graphrag.search.frames import table_of
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import VisibleRows
from graphrag.store.store import Store
from graphrag.temporal.moment import from_micros, to_micros

_SHOWN = 14  # types, and relations, that a notebook shows


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of the contents of a group."""

    group: str
    episodes: int
    entities: int
    facts: int
    facts_now: int
    """Facts that hold at the moment of counting."""
    facts_ended: int
    """Facts that ended before the moment of counting."""
    facts_retracted: int
    """Facts that were retracted because they were never true."""
    facts_pending: int
    """Facts that wait in ``edit.pending()``; the other counts leave them out."""
    events: int
    """Transactions in the log."""
    first: datetime | None
    """Reference time of the earliest episode."""
    last: datetime | None
    """Reference time of the latest episode."""
    relations: Mapping[str, int] = field(default_factory=dict)
    """Number of facts that hold or held, by relation, largest first."""
    types: Mapping[str, int] = field(default_factory=dict)
    """Number of entities by type, largest first."""

    def _repr_html_(self) -> Html:
        counts = {item.name: getattr(self, item.name) for item in fields(self)}
        kinds = {"type": counts.pop("types"), "relation": counts.pop("relations")}
        for kind, numbers in kinds.items():
            counts |= {f"{kind}: {name}": numbers[name] for name in [*numbers][:_SHOWN]}
            if others := [*numbers.values()][_SHOWN:]:
                counts[f"{kind}: {len(others)} others"] = sum(others)
        rows = (
            (
                name.replace("_", " "),
                f"{value:%Y-%m-%d}" if isinstance(value, datetime) else str(value),
            )
            for name, value in counts.items()
            if value
        )
        return table((), rows, words=True)


def count(
    index: GroupIndex, past: Rewind, seen: VisibleRows, ever: VisibleRows, *, at: datetime
) -> Stats:
    """Count one group, from memory; "now" and "ended" are judged at a moment."""
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
    counts = np.bincount(codes, minlength=len(names)).tolist()
    ranked = sorted((-number, name) for number, name in zip(counts, names, strict=True) if number)
    return {name: -number for number, name in ranked}


def triples(index: GroupIndex, past: Rewind, ever: VisibleRows) -> Counter[tuple[str, str, str]]:
    """Count the facts that hold or held by type of the subject, relation and type of the object."""
    held, kinds = np.flatnonzero(ever.facts & (ever.retracted == FOREVER)), past.types(index)
    subjects, objects = ([index.types[it] for it in kinds[end[held]].tolist()] for end in ever.ends)
    relations = [index.relations[code] for code in index.facts["relation"][held].tolist()]
    return Counter(zip(subjects, relations, objects, strict=True))


def degrees(index: GroupIndex, seen: VisibleRows) -> Array:
    """Return how many visible facts, without retracted ones, each entity has, by row (int64)."""
    live = seen.facts & (seen.retracted == FOREVER)
    ends = np.concatenate([end[live] for end in seen.ends])
    return np.bincount(ends, minlength=len(index.entities)) * seen.entities


async def hubs(
    index: GroupIndex, past: Rewind, store: Store, seen: VisibleRows, *, limit: int
) -> list[tuple[Entity, int]]:
    """Return the entities with the most visible facts, without retracted ones, and their number.

    Concepts and values are left out: they gather facts of many different things.
    """
    degree = degrees(index, seen)
    order = (row for row in np.argsort(-degree, kind="stable").tolist() if degree[row])
    type_of, ids = past.type_of, index.entities.ids
    named = (row for row in order if type_of(ids[row], index) not in PLAIN)
    rows = list(islice(named, limit))
    found = await store.get(Entity, [ids[row] for row in rows])
    return [(found[ids[row]], int(degree[row])) for row in rows]


Period = Literal["day", "week", "month", "year"]
_TABLES = ("episode", "entity", "relates_to")
_COLUMNS = ("start", "episodes", "entities", "facts")
_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True, slots=True)
class Grown:
    """Numbers of items added in one period."""

    start: datetime
    episodes: int
    entities: int
    facts: int


@dataclass(frozen=True, slots=True, repr=False)
class Growth:
    """Numbers of items added to a group by period; periods without any are left out."""

    group: str
    by: Period
    periods: tuple[Grown, ...] = ()

    def __iter__(self) -> Iterator[Grown]:
        return iter(self.periods)

    def __len__(self) -> int:
        return len(self.periods)

    def __repr__(self) -> str:
        facts = sum(period.facts for period in self.periods)
        return f"Growth({self.group!r} by {self.by}: {len(self)} of them, {facts} facts)"

    def __str__(self) -> str:
        lines = [f"{'':<10} {'episodes':>9} {'entities':>9} {'facts':>9}"]
        lines += [
            f"{period.start:%Y-%m-%d} {period.episodes:>9} {period.entities:>9} {period.facts:>9}"
            for period in self.periods
        ]
        return "\n".join(lines)

    def to_dataframe(self) -> Any:
        """Return one row for each period as a pandas data frame.

        Raises:
            MissingExtraError: if pandas is not installed.
        """
        return table_of([asdict(period) for period in self.periods], _COLUMNS)

    def _repr_html_(self) -> Html:
        rows = (
            (f"{period.start:%Y-%m-%d}", *(str(getattr(period, name)) for name in _COLUMNS[1:]))
            for period in self.periods
        )
        return table((self.by, *_COLUMNS[1:]), rows)


async def read_growth(index: GroupIndex, store: Store, ever: VisibleRows, by: Period) -> Growth:
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


def _start(day: datetime, by: Period) -> datetime:
    if by == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(month=1 if by == "year" else day.month, day=day.day if by == "day" else 1)
