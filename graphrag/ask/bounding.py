"""The facts of a clause that a question allows: in its time, on one side of another, in order.

Half-open lifetimes throughout. "Before", "after", "first" and their like go by the moment at which
facts begin; "while" asks for a common moment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from graphrag.ask.asked import Asked, Clause, Order, is_yearless
from graphrag.ask.holders import held_together, next_holders
from graphrag.ask.lookup import CannotAnswer, Found, open_facts, pair_facts
from graphrag.ask.qualify import Edge, edge_of
from graphrag.ask.senses import is_light, stems_of
from graphrag.ask.spell import lasts, stretch_words
from graphrag.ask.world import Line, World, bounds_of, by_start
from graphrag.ask.yearless import in_its_year
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.search.query_time import Said


@dataclass(slots=True)
class Solution:
    """What came out: values in words, the facts that they rest on, and the steps."""

    values: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    """The facts of the answer."""
    support: list[Line] = field(default_factory=list)
    """Facts of what bounds it."""
    steps: list[str] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)

    def step(self, words: str) -> None:
        """Note what was done."""
        self.steps.append(words)


def found_in(asked: Asked, clause: Clause, world: World, done: Solution) -> Found:
    """Return the facts of a clause with one entity or two."""
    if len(clause.names) >= 2:
        found = pair_facts(asked, clause, clause.names[0], clause.names[1], world)
    else:
        found = open_in(asked, clause, world)
    done.step(f"{counted(found.lines)} of {found.relation} for “{clause}”")
    return found


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
        anchors = anchor_lines(asked, found, world, done)
        lines = _linked(asked, lines, anchors, edge, found, world, done)
    return lines


def _during(
    asked: Asked, said: Said, lines: list[Line], edge: Edge | None, world: World, done: Solution
) -> list[Line]:
    """Return the facts of the time that a question speaks of."""

    def fits(line: Line, start: int, end: int) -> bool:
        ordered = asked.order is not None and asked.order.kind in ("first", "last")
        if edge is not None:
            return start <= _point(line, edge) < end
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


def edge_in(clause: Clause, relation: str, world: World) -> Edge | None:
    """Return which end of facts of a relation a clause speaks of, if its words are not its name."""
    own = {stem for name in world.relations.same(relation) for stem in stems_of(name)}
    return edge_of(clause, own)


def _point(line: Line, edge: Edge | None) -> int:
    return line.end if edge == "end" else line.start


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


def anchor_lines(asked: Asked, found: Found | None, world: World, done: Solution) -> list[Line]:
    """Return the facts that the other clause speaks of.

    Raises:
        CannotAnswer: if there are none.
    """
    clause = asked.anchor
    assert clause is not None
    names, owner = clause.names, asked.main.names[0] if asked.main.names else None
    words = [word for word in clause.words if not is_light(word)]
    if len(names) >= 2:
        lines = list(pair_facts(asked, clause, names[0], names[1], world).lines)
    elif len(names) == 1 and words and (alone := _alone(asked, clause, world)):
        lines = alone
    elif len(names) == 1 and owner is not None:
        prefer = "" if words or found is None else found.relation
        lines = list(pair_facts(asked, clause, owner, names[0], world, prefer=prefer).lines)
    else:
        raise CannotAnswer(f"“{clause}” names nothing that the graph knows")
    lines = by_start(lines)
    if clause.order is not None:
        lines = in_order_of(lines, clause.order, world)
    done.support += lines
    done.step(f"“{clause}” is {stretch_words(lines[0])}" if lines else f"no “{clause}”")
    return lines


def _alone(asked: Asked, clause: Clause, world: World) -> list[Line]:
    """Return the facts of a clause about one entity alone: "before A died"."""
    try:
        found = open_facts(asked, clause, world)
    except CannotAnswer:
        return []
    place = next(at for at, one in enumerate(clause.tokens) if one.named is not None)
    verb = next(
        (
            at
            for at, one in enumerate(clause.tokens)
            if not is_light(one.word) and one.named is None
        ),
        0,
    )
    return list(found.lines) if verb > place else []


def _linked(
    asked: Asked,
    lines: Sequence[Line],
    anchors: list[Line],
    edge: Edge | None,
    found: Found,
    world: World,
    done: Solution,
) -> list[Line]:
    """Return the facts before, after or during others."""
    if not anchors:
        return []
    assert asked.anchor is not None
    rows = {line.row for line in anchors}
    others = [line for line in lines if line.row not in rows]
    anchor, side = anchors[0], edge_in(asked.anchor, anchors[0].relation, world)
    point = _point(anchor, side)
    if side == "end" and point > world.now:
        raise CannotAnswer(f"“{asked.anchor}” has not come about: no end is known")
    key: Callable[[Line], int] = lambda line: _point(line, edge)  # noqa: E731
    holders = asked.neighbor and asked.order is None and edge is None and found.side == "object"
    if holders and asked.link in ("before", "after") and held_together(lines):
        kept, words = next_holders(asked.link, others, anchors, world.now)
        done.step(words)
        return kept
    match asked.link:
        case "before":
            kept = [line for line in others if key(line) < point or key(line) == point == line.end]
            last = max((key(line) for line in kept), default=0)
        case "after":
            kept = [line for line in others if key(line) > point - (side == "end")]
            last = min((key(line) for line in kept), default=0)
        case "since":
            return [line for line in others if line.meets(point, FOREVER)]
        case "until":
            return [line for line in others if line.meets(BEGINNING, point)]
        case _ if side is not None or edge is not None:
            # "When she moved there" is the moment, not all the time since.
            moments = [_point(line, side) for line in anchors]
            if edge is None:
                return [line for line in lines if any(line.meets(at, at + 1) for at in moments)]
            spans = (
                [(at, at + 1) for at in moments] if side else [(a.start, a.end) for a in anchors]
            )
            return [line for line in lines if any(a <= key(line) < b for a, b in spans)]
        case _:
            return [line for line in lines if any(line.meets(a.start, a.end) for a in anchors)]
    done.step(f"{counted(kept)} that began {asked.link} it")
    if asked.neighbor and asked.order is None:
        kept = [line for line in kept if key(line) == last]
    return kept


def in_order_of(lines: Sequence[Line], order: Order, world: World) -> list[Line]:
    """Return the first, the last, the nth or the longest; several if they begin together."""
    if not lines:
        return []
    if order.kind in ("longest", "shortest"):
        known = [line for line in lines if line.start != BEGINNING]
        if not known:
            raise CannotAnswer("no beginning is known, so no length is")
        length: Callable[[Line], int] = lambda line: min(line.end, world.now) - line.start  # noqa: E731
        most = (max if order.kind == "longest" else min)(map(length, known))
        return [line for line in known if length(line) == most]
    ordered = by_start(lines)
    if order.n > len(ordered):
        raise CannotAnswer(f"only {len(ordered)} are known, no number {order.n}")
    if order.n == 1:
        edge = ordered[0 if order.kind == "first" else -1].start
        return [line for line in ordered if line.start == edge]
    return [ordered[order.n - 1 if order.kind == "first" else -order.n]]


def pick(lines: Sequence[Line], order: Order | None, world: World) -> Line:
    """Return the fact that stands for several: the first one, or what the order says."""
    if not lines:
        raise CannotAnswer("no such fact is known")
    return in_order_of(by_start(lines), order or Order("first"), world)[0]


def counted(lines: Sequence[Line]) -> str:
    """Return how many facts there are, in words."""
    return f"{len(lines)} {'fact' if len(lines) == 1 else 'facts'}"
