"""Find the contradictions of a group as seen from a view: what was settled, and what is open."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from graphrag.audit.contradictions import Contradiction, Contradictions, Outcome, Rule
from graphrag.audit.rivals import Rivals
from graphrag.differences import Axis
from graphrag.edits import CONFIRMED, CORRECTED
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.read_aside import read_aside
from graphrag.invalidate import ARBITER, exclusion, overlap
from graphrag.models import Fact
from graphrag.relations import Relations
from graphrag.search.visible import Past, Visible
from graphrag.sources import quotes_of
from graphrag.store.store import Store
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros


@dataclass(frozen=True, slots=True)
class Asked:
    """Which contradictions are wanted."""

    since: datetime | None = None
    until: datetime | None = None
    axis: Axis = "system"
    at: datetime | None = None
    """World time that both facts must have been told for; None for any."""
    limit: int = 100
    outcomes: frozenset[Outcome] = frozenset()
    """Those wanted; empty for any."""

    def wants(self, one: Contradiction) -> bool:
        """Tell whether a contradiction is one of those."""
        if self.outcomes and one.outcome not in self.outcomes:
            return False
        if self.at is not None and not (one.disputed and one.disputed.contains(self.at)):
            return False
        if self.since is None and self.until is None:
            return True
        if self.axis == "system":
            early = self.since is not None and one.at < self.since
            return not early and (self.until is None or one.at < self.until)
        window = interval(self.since, self.until)
        return bool(window and one.disputed and window.overlaps(one.disputed))


@dataclass(frozen=True, slots=True)
class Sources:
    """Where contradictions are looked for."""

    index: GroupIndex
    store: Store
    seen: Visible
    """What is visible of all times."""
    past: Past
    relations: Relations

    async def read(self, rows: Iterable[int]) -> dict[int, Fact]:
        """Return facts by row, as they were then."""
        ids = {row: self.index.facts.ids[row] for row in rows}
        then = self.past.facts(await self.store.get(Fact, ids.values()), self.index)
        return {row: then[id_] for row, id_ in ids.items() if id_ in then}


async def find_contradictions(sources: Sources, asked: Asked) -> Contradictions:
    """Return what was asked for, open ones first, the latest first."""
    index = sources.index
    wanted = {"relates_to": ["invalidated_by", "expired_at", "attributes"]}
    await read_aside(sources.store, index, wanted)
    found = [*await _open(sources), *await _settled(sources, asked)]
    fitting = sorted(filter(asked.wants, found), key=_order)
    shown = fitting[: asked.limit]
    return Contradictions(
        index.group_id, tuple(await _quoted(shown, sources.store)), len(fitting) - len(shown)
    )


async def _settled(sources: Sources, asked: Asked) -> list[Contradiction]:
    """Return the facts that another one closed, without most of those that are not wanted."""
    row_of = sources.index.facts.row_of
    closed = _then("invalidated_by", sources)
    if asked.axis == "system" and not sources.past.before:
        # Columns say when: a window of a large group reads the facts inside alone.
        rows = np.array([*closed], dtype=np.intp)
        columns = sources.index.facts
        expired = columns.aside["expired_at"].values(len(columns))[rows]
        retracted = sources.seen.retracted[rows]
        at = np.where(retracted == FOREVER, expired, retracted)
        early, late = to_micros(asked.since, BEGINNING), to_micros(asked.until, FOREVER)
        closed = {row: closed[row] for row in rows[(early <= at) & (at < late)].tolist()}
    facts = await sources.read(closed)
    closers = await sources.read({row_of[id_] for id_ in closed.values() if id_ in row_of})
    found = []
    for row, fact in facts.items():
        closer = closers.get(row_of.get(closed[row], -1))
        # What only repeats another fact is put aside in its favour, and contradicts nothing.
        if closer is not None and not (fact.reason or "").startswith(CONFIRMED):
            found.append(settled(fact, closer, sources.relations))
    return found


async def _open(sources: Sources) -> list[Contradiction]:
    """Return the facts that overlap others, and those that end before they start."""
    seen = sources.seen
    live = seen.facts & (seen.retracted == FOREVER)
    waits = seen.told & ~seen.facts & (seen.retracted == FOREVER)
    attributes = _then("attributes", sources)
    rivals = Rivals.among(sources.index, seen, live | waits, attributes)
    pairs = {
        (min(pair), max(pair))
        for pair in rivals.pairs(sources.relations)
        if live[pair[0]] or live[pair[1]]
    }
    inverted = np.flatnonzero(live & (seen.valid > seen.invalid)).tolist()
    facts = await sources.read({*inverted, *(row for pair in pairs for row in pair)})
    found = [unsettled(facts[one], facts[other], sources.relations) for one, other in pairs]
    impossible = (
        Contradiction(facts[row], None, "impossible", None, None, facts[row].created_at)
        for row in inverted
    )
    return [*filter(None, found), *impossible]


def settled(fact: Fact, closer: Fact, relations: Relations) -> Contradiction:
    """Return a fact with the one that closed it."""
    rule, outcome = _decided(fact, closer, relations)
    told_until = fact.told_end_at if outcome == "ended" else fact.invalid_at
    own = interval(fact.valid_at, told_until)
    both = own and _meeting(own, interval(closer.valid_at, closer.invalid_at))
    # One that corrects another need not speak of the same time: all of the other is in dispute.
    disputed = both or (None if outcome == "ended" else own)
    at = fact.retracted_at or fact.expired_at or closer.created_at
    return Contradiction(fact, closer, outcome, rule, disputed, at)


def unsettled(one: Fact, other: Fact, relations: Relations) -> Contradiction | None:
    """Return two facts that overlap, if they exclude each other by what is declared."""
    one, other = sorted((one, other), key=lambda it: (not it.pending, it.created_at, it.id))
    rule = exclusion(one, other, relations)
    if rule is None or not overlap(one, other):
        return None
    together = set(one.episodes) & set(other.episodes)
    outcome: Outcome = "waiting" if one.pending else "both" if together else "open"
    disputed = Interval(one.valid_at, one.invalid_at).intersection(
        Interval(other.valid_at, other.invalid_at)
    )
    return Contradiction(one, other, outcome, rule, disputed, max(one.created_at, other.created_at))


def interval(start: datetime | None, end: datetime | None) -> Interval | None:
    """Return a stretch of time, None for an empty one."""
    return None if start is not None and end is not None and start >= end else Interval(start, end)


def _meeting(one: Interval, other: Interval | None) -> Interval | None:
    return None if other is None else one.intersection(other)


def _decided(fact: Fact, closer: Fact, relations: Relations) -> tuple[Rule | None, Outcome]:
    """Return by what a fact was closed, and what became of it; its reason says so."""
    reason = fact.reason or ""
    corrected = reason.startswith(("corrected: ", CORRECTED))
    outcome: Outcome = (
        "ended" if fact.retracted_at is None else "corrected" if corrected else "replaced"
    )
    if reason.endswith(ARBITER):
        return "arbiter", outcome
    if corrected:
        return "by_hand" if reason.startswith(CORRECTED) else "correction", outcome
    return exclusion(fact, closer, relations), outcome


def _then(column: str, sources: Sources) -> dict[int, Any]:
    """Return the values of a column by row, of the facts that had one then."""
    index = sources.index
    values = dict(index.facts.aside[column].sparse)
    for record, image in sources.past.before.items():
        table, _, id_ = record.partition(":")
        row = index.facts.row_of.get(id_) if table == "relates_to" else None
        if row is not None and (image is None or column in image):
            values[row] = None if image is None else image[column]
    return {row: value for row, value in values.items() if value}


def _order(one: Contradiction) -> tuple[bool, float, str, str]:
    other = "" if one.other is None else one.other.id
    return not one.open, -one.at.timestamp(), one.fact.id, other


async def _quoted(found: Sequence[Contradiction], store: Store) -> list[Contradiction]:
    facts = {fact.id: fact for one in found for fact in (one.fact, one.other) if fact is not None}
    quotes = await quotes_of(list(facts.values()), store)
    of = {id_: tuple(some) for id_, some in zip(facts, quotes, strict=True)}
    return [
        replace(
            one,
            quotes=of[one.fact.id],
            other_quotes=() if one.other is None else of[one.other.id],
        )
        for one in found
    ]
