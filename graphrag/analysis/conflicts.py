"""Contradictions of a group as seen from a view, settled or open, from the columns alone."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphrag.analysis.contradictions import (
    Asked,
    Contradiction,
    Contradictions,
    Outcome,
    Rule,
    interval,
)
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.read_lazy import read_aside
from graphrag.ingest.lifetimes.rivalry import exclusion, overlap
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations
from graphrag.search.rewind import Past
from graphrag.search.sources import quotes_of
from graphrag.search.visibility import Mask, Visible
from graphrag.store.store import Store
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros

if TYPE_CHECKING:
    from graphrag.ingest.lifetimes.nesting import Nesting

Pair = tuple[int, int]
_Keys = npt.NDArray[np.int64]
_Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Rivals:
    """The facts to compare."""

    index: GroupIndex
    seen: Visible
    """Their lifetimes and ends, as they are known at the view."""
    compared: Mask
    given: Mask
    """Facts of tables that nobody was to judge: two of them exclude nothing."""

    def pairs(self, relations: Relations) -> Iterator[Pair]:
        """Yield the rows of two facts of different values that overlap, some pairs twice."""
        subject, object_ = (end.astype(np.int64) for end in self.seen.ends)
        names = self.index.relations
        for code, name in enumerate(names):
            relation, rows = relations[name], self._rows_of(code)
            if not rows.size:
                continue
            if relation.single_valued and relation.symmetric:
                ends = np.concatenate((subject[rows], object_[rows]))
                others = np.concatenate((object_[rows], subject[rows]))
                yield from self._overlapping(np.concatenate((rows, rows)), ends, others)
            elif relation.single_valued:
                yield from self._overlapping(rows, subject[rows], object_[rows])
            if relation.single_holder:
                yield from self._overlapping(rows, object_[rows], subject[rows])
            for other in relation.exclusive_with:
                # It is declared both ways: a pair of relations is looked at from the first one.
                if other in names[code + 1 :]:
                    both = np.concatenate((rows, against := self._rows_of(names.index(other))))
                    keys = subject[both] << 32 | object_[both]
                    side = np.repeat(np.array([0, 1]), (len(rows), len(against)))
                    yield from self._overlapping(both, keys, side)

    def _rows_of(self, relation: int) -> _Rows:
        return np.flatnonzero(self.compared & (self.index.facts["relation"] == relation))

    def _overlapping(self, rows: _Rows, keys: _Keys, values: _Keys) -> Iterator[Pair]:
        """Yield the rows of one key and two values whose lifetimes overlap."""
        order = np.lexsort((rows, self.seen.valid[rows], keys))
        rows, keys, values = rows[order], keys[order], values[order]
        bounds = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1, append=keys[-1] + 1))
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            if last - first > 1:
                yield from self._swept(rows[first:last], values[first:last].tolist())

    def _swept(self, rows: _Rows, values: Sequence[int]) -> Iterator[Pair]:
        """Yield the overlapping ones of some facts that are in the order of their starts."""
        starts, stops, given = (
            column[rows].tolist() for column in (self.seen.valid, self.seen.invalid, self.given)
        )
        running: list[int] = []
        for at, start in enumerate(starts):
            running = [number for number in running if stops[number] > start]
            for number in running:
                if values[number] != values[at] and not (given[number] and given[at]):
                    yield int(rows[number]), int(rows[at])
            running.append(at)


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
    wanted = {"relates_to": ["invalidated_by", "expired_at", "untyped", "as_given"]}
    await read_aside(sources.store, index, wanted)
    found = [*await _open(sources), *await _settled(sources, asked)]
    fitting = sorted(filter(asked.wants, found), key=_order)
    shown = fitting[: asked.limit]
    return Contradictions(
        index.group_id, tuple(await _quoted(shown, sources)), len(fitting) - len(shown)
    )


async def _settled(sources: Sources, asked: Asked) -> list[Contradiction]:
    """Return the facts that another one closed, without most of those that are not wanted."""
    row_of = sources.index.facts.row_of
    closed = _then("invalidated_by", sources)
    if asked.axis == "system" and not sources.past:
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
        # What only repeats another fact contradicts nothing; nor does what a death or a rule ended.
        aside = "ended" if fact.retracted_at is None else "superseded"
        if closer is not None and fact.closed_as != aside:
            found.append(settled(fact, closer, sources.relations))
    return found


async def _open(sources: Sources) -> list[Contradiction]:
    """Return the facts that overlap others, and those that end before they start."""
    seen = sources.seen
    live = seen.facts & (seen.retracted == FOREVER)
    waits = seen.stated & ~seen.facts & (seen.retracted == FOREVER)
    compared = (live | waits) & (seen.valid < seen.invalid) & ~_flags("untyped", sources)
    rivals = Rivals(sources.index, seen, compared, _flags("as_given", sources))
    pairs = {
        (min(pair), max(pair))
        for pair in rivals.pairs(sources.relations)
        if live[pair[0]] or live[pair[1]]
    }
    inverted = np.flatnonzero(live & (seen.valid > seen.invalid)).tolist()
    facts = await sources.read({*inverted, *(row for pair in pairs for row in pair)})
    nesting = await _nesting(facts.values(), sources)
    found = [unsettled(facts[number], facts[other], sources.relations) for number, other in pairs]
    if nesting is not None:
        found = [
            contradiction
            for contradiction in found
            if contradiction is None or not nesting.beside(contradiction.fact, contradiction.other)
        ]
    impossible = (
        Contradiction(facts[row], None, "impossible", None, None, facts[row].created_at)
        for row in inverted
    )
    return [*filter(None, found), *impossible]


async def _nesting(facts: Iterable[Fact], sources: Sources) -> "Nesting | None":
    """Return what lies in what, as it was known then, if that matters to any of some facts."""
    relations, index = sources.relations, sources.index
    if not any(relations.canonical(fact.relation)[0] in relations.nested for fact in facts):
        return None
    from graphrag.ingest.lifetimes.nesting import Nesting

    codes = [code for code, name in enumerate(index.relations) if name in relations.nesting]
    rows = np.flatnonzero(sources.seen.stated & np.isin(index.facts["relation"], codes))
    return Nesting.of((await sources.read(rows.tolist())).values(), relations)


def settled(fact: Fact, closer: Fact, relations: Relations) -> Contradiction:
    """Return a fact with the one that closed it."""
    rule, outcome = _decided(fact, closer, relations)
    stated_until = _stated_until(fact) if outcome == "ended" else fact.invalid_at
    own = interval(fact.valid_at, stated_until)
    its = interval(closer.valid_at, closer.invalid_at)
    both = own.intersection(its) if own and its else None
    # One that corrects another need not speak of the same time: all of the other is in dispute.
    disputed = both or (None if outcome == "ended" else own)
    at = fact.retracted_at or fact.expired_at or closer.created_at
    return Contradiction(fact, closer, outcome, rule, disputed, at)


def _stated_until(fact: Fact) -> datetime | None:
    """Return the end that was stated for a fact that another one cut short; None for none."""
    return max(
        (statement.until.moment for statement in fact.statements if statement.until), default=None
    )


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


def _decided(fact: Fact, closer: Fact, relations: Relations) -> tuple[Rule | None, Outcome]:
    """Return by what a fact was closed, and what became of it."""
    corrected = fact.closed_as == "corrected"
    outcome: Outcome = "replaced"
    if fact.retracted_at is None:
        outcome = "ended"
    elif corrected:
        outcome = "corrected"
    elif fact.closed_as == "overruled" and _trust(fact) < _trust(closer):
        outcome = "overruled"
    if fact.closed_by_arbiter:
        return "arbiter", outcome
    if corrected:
        return "by_hand" if fact.closed_by_hand else "correction", outcome
    return exclusion(fact, closer, relations), outcome


def _trust(fact: Fact) -> float:
    return max((statement.trust for statement in fact.statements), default=0.0)


def _then(column: str, sources: Sources) -> dict[int, Any]:
    """Return the values of a column by row, of the facts that had one then."""
    values = dict(sources.index.facts.aside[column].sparse)
    values.update(_before(column, sources))
    return {row: value for row, value in values.items() if value}


def _flags(column: str, sources: Sources) -> Mask:
    """Return a column of flags as it was then."""
    facts = sources.index.facts
    flags = facts.aside[column].values(len(facts))[: len(sources.seen.valid)].copy()
    for row, value in _before(column, sources):
        if row < len(flags):
            flags[row] = bool(value)
    return flags


def _before(column: str, sources: Sources) -> Iterator[tuple[int, Any]]:
    """Yield the rows whose value was another one then, with that value."""
    row_of = sources.index.facts.row_of
    for id_, image in sources.past.images("relates_to"):
        if column in image and (row := row_of.get(id_)) is not None:
            yield row, image[column]
    for row in sources.past.rows_later("relates_to", sources.index.facts).tolist():
        yield row, None


def _order(one: Contradiction) -> tuple[bool, float, str, str]:
    other = "" if one.other is None else one.other.id
    return not one.open, -one.at.timestamp(), one.fact.id, other


async def _quoted(found: Sequence[Contradiction], sources: Sources) -> list[Contradiction]:
    facts = {
        fact.id: fact
        for contradiction in found
        for fact in (contradiction.fact, contradiction.other)
        if fact is not None
    }
    quotes = await quotes_of(list(facts.values()), sources.store, sources.past)
    of = {id_: tuple(some) for id_, some in zip(facts, quotes, strict=True)}
    return [
        replace(
            contradiction,
            quotes=of[contradiction.fact.id],
            other_quotes=() if contradiction.other is None else of[contradiction.other.id],
        )
        for contradiction in found
    ]
