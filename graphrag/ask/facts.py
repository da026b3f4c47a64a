"""The facts that fit a typed query: looked up, limited, bounded, put in order.

Half-open lifetimes throughout. "Before", "after", "first" and their like go by the moment at which
facts begin; "while" asks for a common moment. What is not known is said, never guessed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from graphrag.ask.coverage import mutual
from graphrag.ask.query import Bound, Order, Query, Term
from graphrag.ask.senses import is_of
from graphrag.ask.world import CannotAnswer, FactRow, World, bounds_of, by_start, stretch_words
from graphrag.index.group import BEGINNING, FOREVER

_MOST: Final = 40
"""Entities that a query inside another may stand for."""
DATES: Final = ("when", "since", "until", "how long", "age")


@dataclass(slots=True)
class Solution:
    """What came out: values in words, the facts that they rest on, and the steps."""

    values: list[str] = field(default_factory=list)
    rows: list[FactRow] = field(default_factory=list)
    support: list[FactRow] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)


def matching(query: Query, world: World, done: Solution) -> list[FactRow]:
    """Return the facts that fit the pattern of a query alone, in order of their beginning."""
    subjects, objects = (
        None if term is None else rows_of(term, world, done)
        for term in (query.subject, query.object)
    )
    known = objects if subjects is None else subjects
    if known is None:
        raise CannotAnswer("a query names its subject or its object")
    names = {world.relations.canonical(name) for name in query.relations}
    rows: dict[tuple[object, ...], FactRow] = {}
    for line in world.rows(known):
        turns = [swapped for name, swapped in names if name == line.relation] if names else [False]
        if turns and mutual(line.relation, world):
            turns = [False, True]
        for swapped in turns:
            turned = line.turned if swapped else line
            ahead = subjects is None or turned.subject in subjects
            if ahead and (objects is None or turned.object in objects):
                rows.setdefault(turned[1:], turned)  # once, if both ends have it
                break
    return by_start([*rows.values()])


def rows_of(term: "Term | Query", world: World, done: Solution) -> list[int]:
    """Return the entities that a term of a query stands for."""
    if not isinstance(term, Query):
        return world.rows_of(term)
    rows = _inner(term, world, done)
    if term.order is None and term.interval is None:
        standing = [row for row in rows if row.holds(world.now) or row.happened]
        ends = {far(term, row) for row in rows}
        rows = standing or (rows if len(ends) == 1 else [])
    found = list(dict.fromkeys(far(term, row) for row in rows))
    done.steps.append(f"{counted(rows)} for {term.pattern}")
    if not found:
        raise CannotAnswer(f"nothing known fits {term.pattern}")
    if len(found) > _MOST:
        raise CannotAnswer(f"{len(found)} entities fit {term.pattern}")
    done.support += rows
    return found


def _inner(query: Query, world: World, done: Solution) -> list[FactRow]:
    """Return the facts of a query inside another, within its time and in its order."""
    rows = matching(query, world, done)
    if query.interval is not None:
        rows = [row for row in rows if row.meets(*bounds_of(query.interval))]
    return rows if query.order is None else in_order_of(rows, query.order, world)


def far(query: Query, row: FactRow) -> int:
    """Return the end of a fact that answers."""
    return row.object if query.object is None else row.subject


def fitting(query: Query, world: World, done: Solution) -> list[FactRow]:
    """Return the facts that fit a query, its time, its limits and its bounds."""
    rows = matching(query, world, done)
    done.steps.append(f"{counted(rows)} for {query.pattern}")
    rows = _limited(query, rows, world, done)
    if query.interval or query.bounds or query.order or query.ago or query.wants == "how long":
        rows = [row for row in rows if row.placed]
    if query.interval is not None:
        start, end = bounds_of(query.interval)
        half = BEGINNING == start or end == FOREVER
        if query.edge is not None:
            rows = [row for row in rows if start <= edge_point(row, query.edge) < end]
        elif half and query.order and query.order.kind in ("first", "last") and not query.bounds:
            rows = [row for row in rows if start <= row.start < end]
        else:
            rows = [row for row in rows if row.meets(start, end)]
        done.steps.append(f"{counted(rows)} in {query.interval!r}")
    for bound in query.bounds:
        rows = _bounded(query, bound, rows, world, done)
    return rows


def _limited(query: Query, rows: list[FactRow], world: World, done: Solution) -> list[FactRow]:
    if query.kind:
        rows = [row for row in rows if is_of(far(query, row), query.kind, world)]
    match query.holds:
        case "now":
            standing = [row for row in rows if row.holds(world.now)]
            happened = all(row.happened for row in rows) and (
                query.wants == "how many" or all(map(world.momentary, query.relations))
            )
            rows = rows if happened and not standing else standing  # "how many prizes has A"
        case "ended":
            live = {far(query, row) for row in rows if row.end > world.now}
            live = set() if query.edge == "end" else live
            rows = [row for row in rows if row.end <= world.now and far(query, row) not in live]
        case "planned":
            rows = [row for row in rows if row.start > world.now]
        case _ if query.interval is None and query.wants not in DATES and world.begun:
            rows = [row for row in rows if row.start <= world.now]
    if query.holds:
        done.steps.append(f"{counted(rows)}: {query.holds}")
    if query.without:
        out = {end for term in query.without for end in world.rows_of(term)}
        rows = [row for row in rows if far(query, row) not in out]
        done.steps.append(f"{counted(rows)} without {', '.join(map(str, query.without))}")
    return rows


def edge_point(row: FactRow, edge: str | None) -> int:
    """Return the moment at which a fact began, or ended."""
    return row.end if edge == "end" else row.start


def anchors(bound: Bound, world: World, done: Solution) -> list[FactRow]:
    """Return the facts that a bound speaks of."""
    pattern, rows = bound.query.pattern, _inner(bound.query, world, done)
    if not rows:
        raise CannotAnswer(f"no fact is known: {pattern}")
    done.support += rows
    done.steps.append(f"{pattern} is {stretch_words(rows[0])}")
    return rows


def _bounded(
    query: Query, bound: Bound, rows: list[FactRow], world: World, done: Solution
) -> list[FactRow]:
    marks = anchors(bound, world, done)
    others = [row for row in rows if row.row not in {anchor.row for anchor in marks}]
    side, edge = bound.query.edge, query.edge
    point = edge_point(marks[0], side)
    if side == "end" and point > world.now:
        raise CannotAnswer(f"it has not ended: {bound.query.pattern}")
    several = len(query.bounds) > 1
    match bound.link:
        case "before":
            if several:  # of a stretch between two: what still held before the one
                return [row for row in rows if row.start < point and row not in marks]
            # What ended at that very moment was before it, by its end too.
            kept = [row for row in others if row.end == point or edge_point(row, edge) < point]
            nearest = max((edge_point(row, edge) for row in kept), default=0)
        case "after":
            if several:
                end = point if side else marks[-1].end
                return [row for row in others if row.end > end]
            first = point if side == "end" else point + 1  # an end is the first moment after
            kept = [row for row in others if edge_point(row, edge) >= first]
            nearest = min((edge_point(row, edge) for row in kept), default=0)
        case "since":
            return [row for row in others if row.meets(point, FOREVER)]
        case "until":
            return [row for row in others if row.meets(BEGINNING, point)]
        case _:
            spans = [(row.start, row.end) for row in marks]
            if side is not None:  # "when she moved there" is the moment, not all the time since
                spans = [(at, at + 1) for at in (edge_point(row, side) for row in marks)]
            kept = others if side is None and query.wants == "entities" else rows
            if edge is not None:
                moments = ((row, edge_point(row, edge)) for row in kept)
                return [row for row, at in moments if any(a <= at < b for a, b in spans)]
            return [row for row in kept if any(row.meets(*span) for span in spans)]
    done.steps.append(f"{counted(kept)} that began {bound.link} it")
    if bound.nearest and query.order is None:
        kept = [row for row in kept if edge_point(row, edge) == nearest]
    return kept


def in_order_of(rows: Sequence[FactRow], order: Order, world: World) -> list[FactRow]:
    """Return the first, the last, the nth or the longest; several if they begin together."""
    if not rows:
        return []
    if order.kind in ("longest", "shortest"):
        known = [row for row in rows if row.start != BEGINNING]
        if not known:
            raise CannotAnswer("no beginning is known, so no length is")
        lengths = [min(row.end, world.now) - row.start for row in known]
        edge = max(lengths) if order.kind == "longest" else min(lengths)
        return [row for row, length in zip(known, lengths, strict=True) if length == edge]
    ordered = by_start(rows)
    if order.n > len(ordered):
        raise CannotAnswer(f"only {len(ordered)} are known, no number {order.n}")
    if order.n == 1:
        edge = ordered[0 if order.kind == "first" else -1].start
        return [row for row in ordered if row.start == edge]
    return [ordered[order.n - 1 if order.kind == "first" else -order.n]]


def counted(rows: Sequence[FactRow]) -> str:
    """Return how many facts there are, in words."""
    return f"{len(rows)} {'fact' if len(rows) == 1 else 'facts'}"
