"""Counts of a graph, for people and for health checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

import numpy as np

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.scope import Array
from graphrag.model.values import CONCEPT, Entity
from graphrag.search.visibility import Visible
from graphrag.search.within import checked_number
from graphrag.store.store import Store
from graphrag.temporal.moment import from_micros, to_micros

_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Stats:
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


def count(index: GroupIndex, seen: Visible, ever: Visible, *, events: int, at: datetime) -> Stats:
    """Count one group, from memory.

    Args:
        index: The group.
        seen: What is visible at the viewpoint.
        ever: What is visible of all times.
        events: Transactions that the viewpoint knows.
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
        facts_pending=int((ever.told & ~ever.facts).sum()),
        events=events,
        first=from_micros(int(times.min())) if times.size else None,
        last=from_micros(int(times.max())) if times.size else None,
        relations=_tally(index.facts["relation"][held], index.relations),
        types=_tally(index.entities["type"][seen.entities], index.types),
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
    index: GroupIndex, store: Store, seen: Visible, *, limit: int
) -> list[tuple[Entity, int]]:
    """Return the entities with the most visible facts, without retracted ones, and their number.

    Concepts are left out: common nouns gather facts of many different things.

    Raises:
        QueryError: for an impossible limit.
    """
    checked_number("limit", limit, least=0, most=_MOST)
    degree = degrees(index, seen)
    order = (row for row in np.argsort(-degree, kind="stable").tolist() if degree[row])
    named = (row for row in order if index.entity_type(index.entities.ids[row]) != CONCEPT)
    rows = list(islice(named, limit))
    found = await store.get(Entity, [index.entities.ids[row] for row in rows])
    return [(found[index.entities.ids[row]], int(degree[row])) for row in rows]
