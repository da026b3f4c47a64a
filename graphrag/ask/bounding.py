"""The facts of a clause that a question allows: in its time, on one side of another, in order.

Half-open lifetimes throughout. "Before", "after", "first" and their like go by the moment at which
facts begin; "while" asks for a common moment.
"""

from typing import Final

from graphrag.ask.asked import Asked, Clause, is_yearless
from graphrag.ask.linked import edge_in, linked, point_of
from graphrag.ask.lookup import CannotAnswer, Found, open_facts, pair_facts
from graphrag.ask.qualify import Edge
from graphrag.ask.solution import Solution, counted
from graphrag.ask.spell import lasts
from graphrag.ask.world import Line, World, bounds_of, by_start
from graphrag.ask.yearless import in_its_year
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.search.query_time import Said


def found_in(asked: Asked, clause: Clause, world: World, done: Solution) -> Found:
    """Return the facts of a clause with one entity or two."""
    if len(clause.names) > _PAIR:
        raise CannotAnswer(f"“{clause}” names {len(clause.names)} entities: which two are meant?")
    if len(clause.names) == _PAIR:
        found = pair_facts(asked, clause, clause.names[0], clause.names[1], world)
    else:
        found = open_in(asked, clause, world)
    done.step(f"{counted(found.lines)} of {found.relation} for “{clause}”")
    return found


_PAIR: Final = 2


def open_in(asked: Asked, clause: Clause, world: World) -> Found:
    """Return the facts about one entity, or about what several hops lead to."""
    prefer = ""
    if asked.anchor is not None and len(asked.anchor.names) == 1 and clause.names:
        # "Before the Alpine Club": the relation that leads there is meant.
        owner = clause.names[0]
        try:
            prefer = pair_facts(asked, clause, owner, asked.anchor.names[0], world).relation
        except CannotAnswer:
            prefer = ""
    return open_facts(asked, clause, world, prefer=prefer)


def bounded(asked: Asked, found: Found, world: World, done: Solution) -> list[Line]:
    """Return those of the facts that the times, the limits and the other clause allow."""
    lines = _limited(asked, by_start(found.lines), found, world, done)
    if asked.during or asked.link or asked.order or asked.limits.ago or asked.wants == "how long":
        lines = [line for line in lines if line.placed]
    edge = edge_in(asked.main, found.relation, world) if asked.wants not in _DATES else None
    if asked.during is not None:
        lines = _during(asked, asked.during, lines, edge, world, done)
    elif asked.present or (asked.link is None and world.relations[found.relation].timeless):
        lines = [line for line in lines if line.start <= world.now < line.end]
        lines = world.newest(lines, found.relation)
        done.step(f"{counted(lines)} that hold now")
    elif edge == "end" and asked.link is None:
        lines = [line for line in lines if line.end <= world.now]
        done.step(f"{counted(lines)} that ended")
    if asked.anchor is not None and asked.link is not None:
        lines = linked(asked, lines, edge, found, world, done)
    return lines


def _during(
    asked: Asked, said: Said, lines: list[Line], edge: Edge | None, world: World, done: Solution
) -> list[Line]:
    """Return the facts of the time that a question speaks of."""

    def fits(line: Line, start: int, end: int) -> bool:
        ordered = asked.order is not None and asked.order.kind in ("first", "last")
        if edge is not None:
            return start <= point_of(line, edge) < end
        if ordered and (start == BEGINNING or end == FOREVER) and asked.link is None:
            return start <= line.start < end
        return line.meets(start, end)

    if is_yearless(said):
        then = in_its_year(said, lines, fits, world)
        if then is None:
            done.step(f"none in {said.words!r} of any year")
            return []
        said = then
    lines = [line for line in lines if fits(line, *bounds_of(said.interval))]
    done.step(f"{counted(lines)} in {said.words!r}, {said.interval!r}")
    return lines


_DATES: Final = ("when", "since", "until", "how long", "age")


def _limited(
    asked: Asked, lines: list[Line], found: Found, world: World, done: Solution
) -> list[Line]:
    """Return the facts that the limits of a question allow."""
    limits = asked.limits
    if limits.ended:
        live = {found.far(line) for line in lines if line.end > world.now}
        lines = [line for line in lines if line.end <= world.now and found.far(line) not in live]
        done.step(f"{counted(lines)} that ended")
    if limits.planned:
        lines = [line for line in lines if line.start > world.now]
        done.step(f"{counted(lines)} to come")
    elif asked.during is None and asked.wants not in _DATES and world.begun:
        lines = [line for line in lines if line.start <= world.now]
    if limits.excluded:
        rows = {row for named in limits.excluded for row in world.rows_of(named)}
        lines = [line for line in lines if found.far(line) not in rows]
        done.step(f"{counted(lines)} without {', '.join(one.name for one in limits.excluded)}")
    if limits.lasting is not None:
        lines = [line for line in lines if lasts(line, limits.lasting, world.now)]
        done.step(f"{counted(lines)} that lasted {limits.lasting}")
    if limits.plus is not None:
        other = open_facts(asked, limits.plus, world, prefer=found.relation)
        rows = {other.far(line) for line in other.lines}
        done.support += [line for line in other.lines if other.far(line) in rows]
        done.step(f"{len(rows)} of “{limits.plus}”")
        lines = [line for line in lines if found.far(line) in rows]
    if limits.minus is not None:
        never = open_facts(asked, limits.minus, world, prefer=found.relation)
        rows = {never.far(line) for line in never.lines}
        done.step(f"{len(rows)} of “{limits.minus}” are left out")
        lines = [line for line in lines if found.far(line) not in rows]
    return lines
