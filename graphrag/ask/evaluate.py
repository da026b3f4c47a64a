"""A typed query worked out on the facts: looked up, limited, bounded, put in order, read off.

Half-open lifetimes throughout. "Before", "after", "first" and their like go by the moment at which
facts begin; "while" asks for a common moment. What is not known is said, never guessed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from graphrag.ask.kinds import is_of
from graphrag.ask.query import Bound, Order, Query, Term, Unit
from graphrag.ask.reading import Stated, between, date_words, lasted, lasts, stretch_words
from graphrag.ask.relate import mutual
from graphrag.ask.world import CannotAnswer, FactRow, World, bounds_of, by_start
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.ontology.relations import FIGURES

_MOST: Final = 40
"""Entities that a query inside another may stand for."""
_FIGURE: Final = re.compile(r"[1-9][\d,. ]*(?:thousand|million|billion)?(?= |$)")
"""A number that a text gives itself: that of ``has_employees 240``."""
_DATES: Final = ("when", "since", "until", "how long", "age")


@dataclass(slots=True)
class Solution:
    """What came out: values in words, the facts that they rest on, and the steps."""

    values: list[str] = field(default_factory=list)
    rows: list[FactRow] = field(default_factory=list)
    """The facts of the answer."""
    support: list[FactRow] = field(default_factory=list)
    """The facts that bound it."""
    steps: list[str] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)


def solve(query: Query, world: World, steps: Sequence[str] = ()) -> Solution:
    """Work out a query.

    Raises:
        CannotAnswer: saying what is missing.
    """
    done = Solution(steps=[*steps])
    _SOLVERS[query.wants](query, world, done)
    done.rows = list(dict.fromkeys(done.rows))
    done.support = [row for row in dict.fromkeys(done.support) if row not in done.rows]
    return done


def matching(query: Query, world: World, done: Solution) -> list[FactRow]:
    """Return the facts that fit the pattern of a query alone, in order of their beginning."""
    ends = [
        None if term is None else _rows_of(term, world, done)
        for term in (query.subject, query.object)
    ]
    known = next((rows for rows in ends if rows is not None), None)
    if known is None:
        raise CannotAnswer("a query names its subject or its object")
    names = {world.relations.canonical(name) for name in query.relations}
    rows = []
    for line in world.rows(known):
        turns = [swapped for name, swapped in names if name == line.relation] if names else [False]
        if turns and mutual(line.relation, world):
            turns = [False, True]
        for swapped in turns:
            turned = line._replace(subject=line.object, object=line.subject)
            if _fits(turned if swapped else line, ends):
                rows.append(turned if swapped else line)
                break
    return by_start(_once(rows))


def _fits(line: FactRow, ends: Sequence[Sequence[int] | None]) -> bool:
    return all(rows is None or end in rows for end, rows in zip((line.subject, line.object), ends))


def _once(rows: Sequence[FactRow]) -> list[FactRow]:
    """Return facts without those that say the same of the same time from the other end."""
    seen: dict[tuple[object, ...], FactRow] = {}
    for row in rows:
        seen.setdefault((row.subject, row.relation, row.object, row.start, row.end), row)
    return list(seen.values())


def _rows_of(term: "Term | Query", world: World, done: Solution) -> list[int]:
    """Return the entities that a term of a query stands for."""
    if not isinstance(term, Query):
        return world.rows_of(term)
    rows = matching(term, world, done)
    if term.interval is not None:
        rows = [row for row in rows if row.meets(*bounds_of(term.interval))]
    else:
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


def far(query: Query, row: FactRow) -> int:
    """Return the end of a fact that answers."""
    return row.object if query.object is None else row.subject


def facts_of(query: Query, world: World, done: Solution) -> list[FactRow]:
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
            rows = [row for row in rows if start <= _point(row, query.edge) < end]
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
            rows = world.newest([row for row in rows if row.holds(world.now)])
        case "ended":
            live = {far(query, row) for row in rows if row.end > world.now}
            live = set() if query.edge == "end" else live
            rows = [row for row in rows if row.end <= world.now and far(query, row) not in live]
        case "planned":
            rows = [row for row in rows if row.start > world.now]
        case _ if query.interval is None and query.wants not in _DATES and world.begun:
            rows = [row for row in rows if row.start <= world.now]
    if query.holds:
        done.steps.append(f"{counted(rows)}: {query.holds}")
    if query.without:
        out = {end for term in query.without for end in world.rows_of(term)}
        rows = [row for row in rows if far(query, row) not in out]
        done.steps.append(f"{counted(rows)} without {', '.join(map(str, query.without))}")
    if query.lasting is not None:
        rows = [row for row in rows if lasted(row, query.lasting, world.now)]
        done.steps.append(f"{counted(rows)} that lasted {query.lasting}")
    return rows


def _point(row: FactRow, edge: str | None) -> int:
    """Return the moment at which a fact began, or ended."""
    return row.end if edge == "end" else row.start


def _anchors(bound: Bound, world: World, done: Solution) -> list[FactRow]:
    """Return the facts that a bound speaks of.

    Raises:
        CannotAnswer: if there are none.
    """
    query = bound.query
    rows = matching(query, world, done)
    if query.interval is not None:
        rows = [row for row in rows if row.meets(*bounds_of(query.interval))]
    if query.order is not None:
        rows = in_order_of(rows, query.order, world)
    if not rows:
        raise CannotAnswer(f"no fact is known: {query.pattern}")
    done.support += rows
    done.steps.append(f"{query.pattern} is {stretch_words(rows[0])}")
    return rows


def _bounded(
    query: Query, bound: Bound, rows: list[FactRow], world: World, done: Solution
) -> list[FactRow]:
    """Return the facts before, after or during those of a bound."""
    anchors = _anchors(bound, world, done)
    others = [row for row in rows if row.row not in {anchor.row for anchor in anchors}]
    side, edge = bound.query.edge, query.edge
    point = _point(anchors[0], side)
    if side == "end" and point > world.now:
        raise CannotAnswer(f"it has not ended: {bound.query.pattern}")
    holders = bound.nearest and edge is None and query.object is not None
    if holders and bound.link in ("before", "after") and _held_together(rows):
        return _next_holders(bound.link, others, anchors, world.now, done)
    several = len(query.bounds) > 1
    match bound.link:
        case "before":
            if several:  # of a stretch between two: what still held before the one
                return [row for row in rows if row.start < point and row not in anchors]
            kept = [
                r for r in others if _point(r, edge) < point or _point(r, edge) == point == r.end
            ]
            nearest = max((_point(row, edge) for row in kept), default=0)
        case "after":
            if several:
                end = point if side else anchors[-1].end
                return [row for row in others if row.end > end]
            kept = [row for row in others if _point(row, edge) > point - (side == "end")]
            nearest = min((_point(row, edge) for row in kept), default=0)
        case "since":
            return [row for row in others if row.meets(point, FOREVER)]
        case "until":
            return [row for row in others if row.meets(BEGINNING, point)]
        case _ if side is not None or edge is not None:
            # "When she moved there" is the moment, not all the time since.
            spans = [(a.start, a.end) for a in anchors]
            if side is not None:
                spans = [(at, at + 1) for at in (_point(row, side) for row in anchors)]
            if edge is None:
                return [row for row in rows if any(row.meets(*span) for span in spans)]
            return [row for row in rows if any(a <= _point(row, edge) < b for a, b in spans)]
        case _:
            return [row for row in rows if any(row.meets(a.start, a.end) for a in anchors)]
    done.steps.append(f"{counted(kept)} that began {bound.link} it")
    if bound.nearest and query.order is None:
        kept = [row for row in kept if _point(row, edge) == nearest]
    return kept


_HANDOVER: Final = 31 * 86_400_000_000
"""What two may overlap by and hold a post one after the other: a month of handing over."""


def _held_together(rows: Sequence[FactRow]) -> bool:
    """Tell whether different holders of one thing hold it at one time."""
    last: FactRow | None = None
    for row in by_start(rows):
        if last is not None and row.subject != last.subject:
            if min(last.end, row.end) - row.start > _HANDOVER:
                return True
        if last is None or row.end > last.end:
            last = row
    return False


def _next_holders(
    link: str, others: Sequence[FactRow], anchors: Sequence[FactRow], now: int, done: Solution
) -> list[FactRow]:
    """Return who held it last of those who had ended, or first of those who came once it ended.

    Raises:
        CannotAnswer: if the beginning or end that it depends on is not known, or yet to come.
    """
    done.steps.append("several hold it at once: next to each other by the end of the earlier one")
    if link == "before":
        if anchors[0].start == BEGINNING:
            raise CannotAnswer("several hold it at once, and no beginning is known")
        over = [row for row in others if row.end <= anchors[0].start]
        return [row for row in over if row.end == max(one.end for one in over)]
    end = anchors[-1].end
    if end > now:
        raise CannotAnswer("several hold it at once, and no end is known")
    later = [row for row in others if row.start >= end]
    return [row for row in later if row.start == min(one.start for one in later)]


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


def _entities(query: Query, world: World, done: Solution) -> None:
    if query.subject is not None and query.object is not None:
        raise CannotAnswer("both ends are named: nothing is left to be found")
    rows = facts_of(query, world, done)
    if query.order is not None:
        rows = in_order_of(rows, query.order, world)
        done.steps.append(f"{query.order}: {counted(rows)}")
    done.rows = rows
    done.entities = list(dict.fromkeys(far(query, row) for row in rows))
    done.values = [world.name(row) for row in done.entities]


def _dates(query: Query, world: World, done: Solution) -> None:
    rows = facts_of(query, world, done)
    if query.order is not None:
        rows = in_order_of(rows, query.order, world)
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
    found: dict[str, None] = {}
    over = query.edge == "end"
    for row in rows:
        if row.relation == "has_birthday" and query.unit is None:
            found[world.name(row.object)] = None  # a day of each year
            continue
        if query.wants != "until" and not over and not world.began(row):
            continue
        if query.wants == "until" and not lasts(row):
            continue  # what happened on a day has no end
        unit = query.unit or world.unit(row.relation)
        known = (None, None) if query.unit else stated.get(row.row, (None, None))
        words = date_words(query.wants, row, unit, known, over=over)
        if words is not None:
            found[words] = None
    return list(found)


def _how_long(query: Query, world: World, done: Solution) -> None:
    if query.apart is not None:
        _apart(query, query.apart, world, done)
        return
    rows = facts_of(query, world, done)
    done.rows = rows
    ended = query.ago and query.edge == "end"
    if not rows or not (ended or all(map(world.began, rows))):
        raise CannotAnswer(f"no beginning is known: {query.pattern}{world.already(rows)}")
    unit = query.unit or _unit(rows[0].relation, world)
    if query.ago:
        then = _point(rows[-1], query.edge)
        if then > world.now:
            raise CannotAnswer(f"it has not ended: {query.pattern}")
        total = between(then, world.now, unit)
    else:
        total = sum(between(row.start, min(row.end, world.now), unit) for row in rows)
        if any(row.end > world.now for row in rows):
            done.steps.append("counted up to now, as it has not ended")
    done.values = [_length(query, total, unit)]


def _length(query: Query, total: int, unit: Unit) -> str:
    return str(total) if query.unit else f"{total} {unit}{'' if total == 1 else 's'}"


def _unit(relation: str, world: World) -> Unit:
    return "year" if world.unit(relation) == "year" else "day"


def _apart(query: Query, other: Query, world: World, done: Solution) -> None:
    """Count the time between the facts of two patterns."""
    picked = []
    for part in (query, other):
        rows = in_order_of(matching(part, world, done), part.order or Order("first"), world)
        if not rows:
            raise CannotAnswer(f"no such fact is known: {part.pattern}")
        picked.append(rows[0])
    done.rows = picked
    early, late = by_start(picked)
    start = early.end if query.edge == "end" else early.start
    end = late.start
    if BEGINNING in (early.start, late.start) or FOREVER in (start, end):
        raise CannotAnswer("a date of one of them is not known")
    unit = query.unit or _unit(early.relation, world)
    done.values = [_length(query, between(start, end, unit) if start <= end else 0, unit)]


def _how_many(query: Query, world: World, done: Solution) -> None:
    rows = facts_of(query, world, done)
    done.rows = rows
    ends = list(dict.fromkeys(far(query, row) for row in rows))
    both = query.subject is not None and query.object is not None
    if query.wants == "how often" or both:
        done.values = [str(len(rows))]
        return
    done.entities = ends
    figure = _FIGURE.match(world.name(ends[0])) if len(ends) == 1 else None
    if not {*query.relations}.isdisjoint(FIGURES):
        if figure is None:
            raise CannotAnswer(f"no number is known then: {query.pattern}")
        done.values = [figure.group()]
        return
    done.values = [str(len(ends))]


def _which(query: Query, world: World, done: Solution) -> None:
    picked: list[tuple[FactRow, str]] = []
    for choice in query.among:
        open_ = replace(query, wants="entities", order=None, among=())
        part = (
            replace(open_, object=choice)
            if query.object is None
            else replace(open_, subject=choice)
        )
        rows = facts_of(part, world, done)
        if not rows:
            raise CannotAnswer(f"no fact is known: {part.pattern}")
        if not world.began(rows[0]):
            raise CannotAnswer(f"no beginning is known: {part.pattern}{world.already(rows[:1])}")
        done.steps.append(f"{choice} is {stretch_words(rows[0])}")
        picked.append((rows[0], str(choice)))
    late = query.order is not None and query.order.kind == "last"
    edge = (max if late else min)(row.start for row, _ in picked)
    done.support = [row for row, _ in picked]
    done.rows = [row for row, _ in picked if row.start == edge]
    done.values = [words for row, words in picked if row.start == edge]
    if len(done.values) > 1:
        raise CannotAnswer("they began at the same time")


def _whether(query: Query, world: World, done: Solution) -> None:
    asked = query
    if any(bound.nearest for bound in query.bounds) and query.object is not None:
        asked = replace(query, subject=None)  # of all holders, is the next one this?
    rows = facts_of(asked, world, done)
    if asked is not query and query.subject is not None:
        own = _rows_of(query.subject, world, done)
        rows = [row for row in rows if row.subject in own]
    done.rows = rows or matching(query, world, done)
    done.values = ["yes" if rows else "no"]


def _age(query: Query, world: World, done: Solution) -> None:
    """Count the years from the birth of somebody to the time that is asked of."""
    births = matching(query, world, done)
    if len({row.start for row in births}) != 1 or births[0].start == BEGINNING:
        raise CannotAnswer(f"{'no' if not births else 'more than one'} birthday is known")
    then = world.now
    if query.bounds:
        anchor = _anchors(query.bounds[0], world, done)[0]
        then = _point(anchor, query.bounds[0].query.edge)
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
    "when": _dates,
    "since": _dates,
    "until": _dates,
    "how long": _how_long,
    "age": _age,
    "how many": _how_many,
    "how often": _how_many,
    "which": _which,
    "whether": _whether,
}
