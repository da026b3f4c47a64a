"""A typed query worked out: its facts, and what is read off them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from graphrag.ask import facts
from graphrag.ask.facts import Solution
from graphrag.ask.query import Order, Query
from graphrag.ask.world import (
    CannotAnswer,
    FactRow,
    Stated,
    World,
    between,
    bounds_of,
    by_start,
    date_words,
    stretch_words,
)
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.ontology.relations import FIGURES

_FIGURE: Final = re.compile(r"[1-9][\d,. ]*(?:thousand|million|billion)?(?= |$)")
"""A number that a text gives itself: that of ``has_employees 240``."""


def solve(query: Query, world: World, steps: Sequence[str] = ()) -> Solution:
    """Work out a query."""
    done = Solution(steps=[*steps])
    _SOLVERS[query.wants](query, world, done)
    done.rows = list(dict.fromkeys(done.rows))
    done.support = [row for row in dict.fromkeys(done.support) if row not in done.rows]
    return done


def _entities(query: Query, world: World, done: Solution) -> None:
    if query.subject is not None and query.object is not None:
        raise CannotAnswer("both ends are named: nothing is left to be found")
    rows = facts.fitting(query, world, done)
    if query.order is not None:
        rows = facts.in_order_of(rows, query.order, world)
        done.steps.append(f"{query.order}: {facts.counted(rows)}")
    done.rows = rows
    done.entities = list(dict.fromkeys(facts.far(query, row) for row in rows))
    done.values = [world.name(row) for row in done.entities]


def _dates(query: Query, world: World, done: Solution) -> None:
    rows = facts.fitting(query, world, done)
    if query.order is not None:
        rows = facts.in_order_of(rows, query.order, world)
    elif query.wants in ("since", "until") and len(rows) > 1:
        # Of several spells the one that holds, or the last one.
        holding = [row for row in rows if row.holds(world.now)]
        rows = holding or rows[-1:] if query.wants == "since" else rows[-1:]
    done.rows = rows
    done.values = dates_of(query, rows, world, {})
    if rows and not done.values:
        end = "end" if query.wants == "until" else "beginning"
        raise CannotAnswer(f"no {end} is known: {query.pattern}{world.already(rows)}")


def dates_of(
    query: Query, rows: Sequence[FactRow], world: World, stated: dict[int, Stated]
) -> list[str]:
    """Return the dates that are asked for, as finely as asked, else as stated, each once."""
    found: dict[str | None, None] = {}
    over, fixed = query.edge == "end", query.unit is not None
    for row in rows:
        if row.relation == "has_birthday" and not fixed:
            found[world.name(row.object)] = None  # a day of each year
        # What happened on a day has no end.
        elif row.lasts if query.wants == "until" else over or world.began(row):
            unit = query.unit or world.unit(row.relation)
            known = stated.get(row.row, (None, None))
            found[date_words(query.wants, row, unit, known, fixed=fixed, over=over)] = None
    return [words for words in found if words is not None]


def _how_long(query: Query, world: World, done: Solution) -> None:
    if query.apart is not None:
        _apart(query, query.apart, world, done)
        return
    rows = facts.fitting(query, world, done)
    done.rows = rows
    ended = query.ago and query.edge == "end"
    if not rows or not (ended or all(map(world.began, rows))):
        raise CannotAnswer(f"no beginning is known: {query.pattern}{world.already(rows)}")
    spans = [(row.start, min(row.end, world.now)) for row in rows]
    if query.ago:
        then = facts.edge_point(rows[-1], query.edge)
        if then > world.now:
            raise CannotAnswer(f"it has not ended: {query.pattern}")
        spans = [(then, world.now)]
    elif any(row.end > world.now for row in rows):
        done.steps.append("counted up to now, as it has not ended")
    done.values = [_length(query, spans, rows[0].relation, world)]


def _length(query: Query, spans: Sequence[tuple[int, int]], relation: str, world: World) -> str:
    unit = query.unit or ("year" if world.unit(relation) == "year" else "day")
    total = sum(between(start, end, unit) for start, end in spans)
    return str(total) if query.unit else f"{total} {unit}{'' if total == 1 else 's'}"


def _apart(query: Query, other: Query, world: World, done: Solution) -> None:
    picked = []
    for part in (query, other):
        rows = facts.matching(part, world, done)
        rows = facts.in_order_of(rows, part.order or Order("first"), world)
        if not rows:
            raise CannotAnswer(f"no such fact is known: {part.pattern}")
        picked.append(rows[0])
    done.rows = picked
    early, late = by_start(picked)
    start = early.end if query.edge == "end" else early.start
    if BEGINNING in (early.start, late.start) or FOREVER in (start, late.start):
        raise CannotAnswer("a date of one of them is not known")
    done.values = [_length(query, [(start, late.start)], early.relation, world)]


def _how_many(query: Query, world: World, done: Solution) -> None:
    rows = facts.fitting(query, world, done)
    done.rows = rows
    ends = list(dict.fromkeys(facts.far(query, row) for row in rows))
    both = query.subject is not None and query.object is not None
    if query.wants == "how often" or both:
        done.values = [str(len(rows))]
        return
    done.entities, done.values = ends, [str(len(ends))]
    if not {*query.relations}.isdisjoint(FIGURES):
        figure = _FIGURE.match(world.name(ends[0])) if len(ends) == 1 else None
        if figure is None:
            raise CannotAnswer(f"no number is known then: {query.pattern}")
        done.values = [figure.group()]


def _which(query: Query, world: World, done: Solution) -> None:
    picked: list[FactRow] = []
    every = replace(query, wants="entities", order=None, among=())
    for choice in query.among:
        ahead, of = query.object is None, replace(every, subject=choice)
        part = replace(every, object=choice) if ahead else of
        rows = facts.fitting(part, world, done)
        if not rows and query.subject is query.object is None:  # "who was born first, A or B"
            rows = [row.turned for row in facts.fitting(of, world, done)]
        if not rows:
            raise CannotAnswer(f"no fact is known: {part.pattern}")
        if not world.began(rows[0]):
            raise CannotAnswer(f"no beginning is known: {part.pattern}{world.already(rows[:1])}")
        done.steps.append(f"{choice} is {stretch_words(rows[0])}")
        picked.append(rows[0])
    late = query.order is not None and query.order.kind == "last"
    edge = (max if late else min)(row.start for row in picked)
    done.support = picked
    done.rows = [row for row in picked if row.start == edge]
    done.values = [world.name(facts.far(query, row)) for row in done.rows]
    if len(done.values) > 1:
        raise CannotAnswer("they began at the same time")


def _whether(query: Query, world: World, done: Solution) -> None:
    near = query.object is not None and any(bound.nearest for bound in query.bounds)
    # Of all holders, is the next one this?
    rows = facts.fitting(replace(query, subject=None) if near else query, world, done)
    if query.among:  # are the first of all holders among these?
        rows = facts.in_order_of(rows, query.order, world) if query.order else rows
        own = [row for term in query.among for row in world.rows_of(term)]
        rows = [row for row in rows if facts.far(query, row) in own]
    if near and query.subject is not None:
        own = facts.rows_of(query.subject, world, done)
        rows = [row for row in rows if row.subject in own]
    if query.holds == "planned" and not rows:
        raise CannotAnswer(f"nothing is planned: {query.pattern}")
    done.rows = rows or facts.matching(query, world, done)
    done.values = ["yes" if rows else "no"]


def _age(query: Query, world: World, done: Solution) -> None:
    births = facts.matching(query, world, done)
    if len({row.start for row in births}) != 1 or births[0].start == BEGINNING:
        raise CannotAnswer(f"{'no' if not births else 'more than one'} birthday is known")
    then = world.now
    if query.bounds:
        anchor = facts.anchors(query.bounds[0], world, done)[0]
        then = facts.edge_point(anchor, query.bounds[0].query.edge)
    elif query.interval is not None:
        start, end = bounds_of(query.interval)
        if BEGINNING == start or end == FOREVER:
            raise CannotAnswer("an age is of a moment")
        then = end - 1
    if then < births[0].start:
        raise CannotAnswer("that was before the birth")
    done.rows = births[:1]
    done.values = [str(between(births[0].start, then, "year"))]


_SOLVERS: Final[dict[str, Callable[[Query, World, Solution], None]]] = {
    "entities": _entities,
    **dict.fromkeys(("when", "since", "until"), _dates),
    **dict.fromkeys(("how many", "how often"), _how_many),
    "how long": _how_long,
    "age": _age,
    "which": _which,
    "whether": _whether,
}
