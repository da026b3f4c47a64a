"""Contradictions of a group as seen from a view, settled or open, from the columns alone."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphrag.analysis.contradictions import (
    Contradiction,
    ContradictionFilter,
    Contradictions,
    Outcome,
    Rule,
    interval,
)
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.tables import read_aside
from graphrag.ingest.lifetimes.rivalry import exclusion, overlap
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations
from graphrag.search.results import quotes_of
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import Mask, VisibleRows
from graphrag.store.store import Store
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros

if TYPE_CHECKING:
    from graphrag.ingest.lifetimes.nesting import Nesting

Pair = tuple[int, int]
_Keys = npt.NDArray[np.int64]
_Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ContradictionScope:
    """The facts among which contradictions are sought."""

    index: GroupIndex
    store: Store
    seen: VisibleRows  # what is visible of all times
    past: Rewind
    relations: Relations

    async def read(self, rows: Iterable[int]) -> dict[int, Fact]:
        """Return facts by row, as they were then."""
        ids = {row: self.index.facts.ids[row] for row in rows}
        then = self.past.facts(await self.store.get(Fact, ids.values()), self.index)
        return {row: then[id_] for row, id_ in ids.items() if id_ in then}

    def pairs(self, compared: Mask, given: Mask) -> Iterator[Pair]:
        """Yield the rows of two compared facts of different values that overlap, some pairs twice.

        Two facts that are ``given`` exclude nothing: they are of tables that nobody was to judge.
        """
        subject, object_ = (end.astype(np.int64) for end in self.seen.ends)
        names = self.index.relations

        def rows_of(relation: int) -> _Rows:
            return np.flatnonzero(compared & (self.index.facts["relation"] == relation))

        for code, name in enumerate(names):
            relation, rows = self.relations[name], rows_of(code)
            if not rows.size:
                continue
            if relation.single_valued and relation.symmetric:
                ends = np.concatenate((subject[rows], object_[rows]))
                others = np.concatenate((object_[rows], subject[rows]))
                yield from self._overlapping(given, np.concatenate((rows, rows)), ends, others)
            elif relation.single_valued:
                yield from self._overlapping(given, rows, subject[rows], object_[rows])
            if relation.single_holder:
                yield from self._overlapping(given, rows, object_[rows], subject[rows])
            for other in relation.exclusive_with:
                # It is declared both ways: a pair of relations is looked at from the first one.
                if other in names[code + 1 :]:
                    both = np.concatenate((rows, against := rows_of(names.index(other))))
                    keys = subject[both] << 32 | object_[both]
                    side = np.repeat(np.array([0, 1]), (len(rows), len(against)))
                    yield from self._overlapping(given, both, keys, side)

    def _overlapping(self, given: Mask, rows: _Rows, keys: _Keys, values: _Keys) -> Iterator[Pair]:
        _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
        several = np.flatnonzero(counts[which] > 1)
        rows, keys, values = rows[several], keys[several], values[several]
        order = np.lexsort((rows, self.seen.valid[rows], keys))
        columns = (self.seen.valid, self.seen.invalid, given)
        starts, stops, tables = (column[rows[order]].tolist() for column in columns)
        facts, groups, others = (column[order].tolist() for column in (rows, keys, values))
        running: list[int] = []
        for at, start in enumerate(starts):
            running = [
                number
                for number in running
                if groups[number] == groups[at] and stops[number] > start
            ]
            for number in running:
                if others[number] != others[at] and not (tables[number] and tables[at]):
                    yield facts[number], facts[at]
            running.append(at)


async def find_contradictions(
    scope: ContradictionScope, asked: ContradictionFilter
) -> Contradictions:
    """Return the wanted contradictions: open ones first, the latest first."""
    index = scope.index
    wanted = {"relates_to": ["invalidated_by", "expired_at", "untyped", "as_given"]}
    await read_aside(scope.store, index, wanted)
    contradictions = [*await _open(scope), *await _settled(scope, asked)]

    def rank(pair: Contradiction) -> tuple[bool, float, str, str]:
        other = pair.other.id if pair.other else ""
        return not pair.open, -pair.at.timestamp(), pair.fact.id, other

    fitting = sorted(filter(asked.wants, contradictions), key=rank)
    shown = fitting[: asked.limit]
    return Contradictions(
        index.group_id, tuple(await _quoted(shown, scope)), len(fitting) - len(shown)
    )


async def _settled(scope: ContradictionScope, asked: ContradictionFilter) -> list[Contradiction]:
    """Return the facts that another one closed; most of the unwanted are left out."""
    row_of = scope.index.facts.row_of
    stored = scope.index.facts.aside["invalidated_by"].sparse
    was = {**stored, **dict(_before("invalidated_by", scope))}
    closed = {row: id_ for row, id_ in was.items() if id_}
    if asked.axis == "system" and not scope.past:
        # Columns say when: a window of a large group reads the facts inside alone.
        rows = np.array([*closed], dtype=np.intp)
        columns = scope.index.facts
        expired = columns.aside["expired_at"].values(len(columns))[rows]
        retracted = scope.seen.retracted[rows]
        at = np.where(retracted == FOREVER, expired, retracted)
        early, late = to_micros(asked.since, BEGINNING), to_micros(asked.until, FOREVER)
        closed = {row: closed[row] for row in rows[(early <= at) & (at < late)].tolist()}
    facts = await scope.read(closed)
    closers = await scope.read({row_of[id_] for id_ in closed.values() if id_ in row_of})
    contradictions = []
    for row, fact in facts.items():
        closer = closers.get(row_of.get(closed[row], -1))
        # What only repeats another fact contradicts nothing; nor does what a death or a rule ended.
        aside = "ended" if fact.retracted_at is None else "superseded"
        if closer is not None and fact.closed_as != aside:
            contradictions.append(settled(fact, closer, scope.relations))
    return contradictions


async def _open(scope: ContradictionScope) -> list[Contradiction]:
    """Return the facts that overlap others, and those that end before they start."""
    seen = scope.seen
    live = seen.facts & (seen.retracted == FOREVER)
    waits = seen.stated & ~seen.facts & (seen.retracted == FOREVER)
    compared = (live | waits) & (seen.valid < seen.invalid) & ~_flags("untyped", scope)
    pairs = {
        (min(pair), max(pair))
        for pair in scope.pairs(compared, _flags("as_given", scope))
        if live[pair[0]] or live[pair[1]]
    }
    inverted = np.flatnonzero(live & (seen.valid > seen.invalid)).tolist()
    facts = await scope.read({*inverted, *(row for pair in pairs for row in pair)})
    nesting = await _nesting(facts.values(), scope)
    open_ = [
        pair
        for row, other in pairs
        if (pair := unsettled(facts[row], facts[other], scope.relations)) is not None
        and not (nesting and nesting.beside(pair.fact, pair.other))
    ]
    for row in inverted:
        at = facts[row].created_at
        open_.append(Contradiction(facts[row], None, "impossible", None, None, at))
    return open_


async def _nesting(facts: Iterable[Fact], scope: ContradictionScope) -> "Nesting | None":
    """Return which places lie in which, as it was known then; None if it matters to no fact."""
    relations, index = scope.relations, scope.index
    if not any(relations.canonical(fact.relation)[0] in relations.nested for fact in facts):
        return None
    from graphrag.ingest.lifetimes.nesting import Nesting

    codes = [code for code, name in enumerate(index.relations) if name in relations.nesting]
    rows = np.flatnonzero(scope.seen.stated & np.isin(index.facts["relation"], codes))
    return Nesting.of((await scope.read(rows.tolist())).values(), relations)


def settled(fact: Fact, closer: Fact, relations: Relations) -> Contradiction:
    """Return a fact with the one that closed it."""
    rule, outcome = _decided(fact, closer, relations)
    stated_until = fact.invalid_at
    if outcome == "ended":  # it was cut short: what counts is the end that was stated
        ends = (statement.until.moment for statement in fact.statements if statement.until)
        stated_until = max(ends, default=None)
    own = interval(fact.valid_at, stated_until)
    its = interval(closer.valid_at, closer.invalid_at)
    both = own.intersection(its) if own and its else None
    # One that corrects another need not speak of the same time: all of the other is in dispute.
    disputed = both or (None if outcome == "ended" else own)
    at = fact.retracted_at or fact.expired_at or closer.created_at
    return Contradiction(fact, closer, outcome, rule, disputed, at)


def unsettled(first: Fact, second: Fact, relations: Relations) -> Contradiction | None:
    """Return two facts that overlap, if they exclude each other by what is declared."""
    first, second = sorted((first, second), key=lambda it: (not it.pending, it.created_at, it.id))
    rule = exclusion(first, second, relations)
    if rule is None or not overlap(first, second):
        return None
    together = set(first.episodes) & set(second.episodes)
    outcome: Outcome = "waiting" if first.pending else "both" if together else "open"
    disputed = Interval(first.valid_at, first.invalid_at).intersection(
        Interval(second.valid_at, second.invalid_at)
    )
    return Contradiction(
        first, second, outcome, rule, disputed, max(first.created_at, second.created_at)
    )


def _decided(fact: Fact, closer: Fact, relations: Relations) -> tuple[Rule | None, Outcome]:
    """Return the rule by which a fact was closed, and the outcome."""
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


def _flags(column: str, scope: ContradictionScope) -> Mask:
    facts = scope.index.facts
    flags = facts.aside[column].values(len(facts))[: len(scope.seen.valid)].copy()
    for row, value in _before(column, scope):
        if row < len(flags):
            flags[row] = bool(value)
    return flags


def _before(column: str, scope: ContradictionScope) -> Iterator[tuple[int, Any]]:
    row_of = scope.index.facts.row_of
    for id_, image in scope.past.images("relates_to"):
        if column in image and (row := row_of.get(id_)) is not None:
            yield row, image[column]
    for row in scope.past.rows_later("relates_to", scope.index.facts).tolist():
        yield row, None


async def _quoted(found: Sequence[Contradiction], scope: ContradictionScope) -> list[Contradiction]:
    facts = {
        fact.id: fact
        for contradiction in found
        for fact in (contradiction.fact, contradiction.other)
        if fact is not None
    }
    quotes = await quotes_of(list(facts.values()), scope.store, scope.past)
    of = {id_: tuple(own) for id_, own in zip(facts, quotes, strict=True)}
    return [
        replace(
            contradiction,
            quotes=of[contradiction.fact.id],
            other_quotes=() if contradiction.other is None else of[contradiction.other.id],
        )
        for contradiction in found
    ]
