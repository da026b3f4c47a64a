"""Counts of a graph, for people and for health checks."""

from dataclasses import dataclass
from datetime import datetime
from itertools import islice

import numpy as np

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.models import CONCEPT, Entity
from graphrag.store.store import Store
from graphrag.temporal.moment import from_micros, to_micros


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
    """Facts that wait in ``pending_review()``, counted nowhere else."""
    events: int
    """Transactions in the log."""
    first: datetime | None
    """Reference time of the earliest episode."""
    last: datetime | None
    """Reference time of the latest episode."""


def count(index: GroupIndex, *, now: datetime) -> Stats:
    """Count one group, from memory."""
    at = to_micros(now, FOREVER)
    waiting = index.facts.alive.values & index.facts["pending"]
    alive = index.facts.alive.values & ~waiting
    retracted = alive & (index.facts["retracted"] != FOREVER)
    held = alive & ~retracted
    told = index.episodes.alive.values & (index.episodes["removed"] == FOREVER)
    there = index.entities.alive.values & (index.entities["removed"] == FOREVER)
    times = index.episodes["valid"][told]
    return Stats(
        group=index.group_id,
        episodes=int(told.sum()),
        entities=sum(
            bool(there[row]) for id_, row in index.entities.row_of.items() if id_ not in index.heirs
        ),
        facts=int(alive.sum()),
        facts_now=int((held & (index.facts["valid"] <= at) & (at < index.facts["invalid"])).sum()),
        facts_ended=int((held & (index.facts["invalid"] <= at)).sum()),
        facts_retracted=int(retracted.sum()),
        facts_pending=int(waiting.sum()),
        events=index.seq,
        first=from_micros(int(times.min())) if times.size else None,
        last=from_micros(int(times.max())) if times.size else None,
    )


async def most_connected(
    index: GroupIndex, store: Store, *, limit: int
) -> list[tuple[Entity, int]]:
    """Return the entities with the most facts that were not retracted, with their number.

    Concepts are left out: common nouns gather facts of many different things.
    """
    live = index.facts.alive.values & (index.facts["retracted"] == FOREVER)
    live &= ~index.facts["pending"]
    ends = np.concatenate([end[live] for end in index.ends()])
    degree = np.bincount(ends, minlength=len(index.entities)) * index.entities.alive.values
    order = (row for row in np.argsort(-degree, kind="stable").tolist() if degree[row])
    named = (row for row in order if index.entity_type(index.entities.ids[row]) != CONCEPT)
    rows = list(islice(named, limit))
    found = await store.get(Entity, [index.entities.ids[row] for row in rows])
    return [(found[index.entities.ids[row]], int(degree[row])) for row in rows]
