"""The facts of a clause that another clause bounds: before, after, during it.

Half-open lifetimes throughout. "Before" and "after" go by the moment at which facts begin; "while"
asks for a common moment.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from graphrag.ask.asked import Asked, Clause
from graphrag.ask.lookup import CannotAnswer, Found, open_facts, pair_facts
from graphrag.ask.qualify import Edge, edge_of
from graphrag.ask.senses import is_light, stems_of
from graphrag.ask.solution import Solution, counted, in_order_of
from graphrag.ask.spell import stretch_words
from graphrag.ask.succession import held_together, next_holders
from graphrag.ask.world import Line, World, by_start
from graphrag.index.group import BEGINNING, FOREVER


def edge_in(clause: Clause, relation: str, world: World) -> Edge | None:
    """Return which end of facts of a relation a clause speaks of, if its words are not its name."""
    own = {stem for name in world.relations.same(relation) for stem in stems_of(name)}
    return edge_of(clause, own)


def point_of(line: Line, edge: Edge | None) -> int:
    """Return the moment at which a fact began, or ended."""
    return line.end if edge == "end" else line.start


def anchor_lines(asked: Asked, found: Found | None, world: World, done: Solution) -> list[Line]:
    """Return the facts that the other clause speaks of.

    Raises:
        CannotAnswer: if there are none.
    """
    clause = asked.anchor
    assert clause is not None
    if len(clause.names) > _PAIR:
        raise CannotAnswer(f"“{clause}” names {len(clause.names)} entities: what is said of each?")
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


def linked(
    asked: Asked,
    lines: list[Line],
    edge: Edge | None,
    found: Found,
    world: World,
    done: Solution,
) -> list[Line]:
    """Return the facts before, after or during those of the other clauses."""
    if asked.also:
        return _meeting(asked, lines, edge, found, world, done)
    anchors = anchor_lines(asked, found, world, done)
    if not anchors:
        return []
    assert asked.anchor is not None
    rows = {line.row for line in anchors}
    others = [line for line in lines if line.row not in rows]
    anchor, side = anchors[0], edge_in(asked.anchor, anchors[0].relation, world)
    point = point_of(anchor, side)
    if side == "end" and point > world.now:
        raise CannotAnswer(f"“{asked.anchor}” has not come about: no end is known")
    key: Callable[[Line], int] = lambda line: point_of(line, edge)  # noqa: E731
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
            moments = [point_of(line, side) for line in anchors]
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


_PAIR = 2
Span = tuple[int, int]


def _meeting(
    asked: Asked, lines: list[Line], edge: Edge | None, found: Found, world: World, done: Solution
) -> list[Line]:
    """Return the facts of a time that several clauses bound: "after A but before B".

    Raises:
        CannotAnswer: if there was no such time, or several with other facts.
    """
    ways: list[list[Span]] = [[(BEGINNING, FOREVER)]]
    assert asked.anchor is not None and asked.link is not None
    for link, clause in ((asked.link, asked.anchor), *asked.also):
        one = replace(asked, link=link, anchor=clause, also=())
        others = _spans(one, anchor_lines(one, found, world, done), world)
        ways = [both for way in ways for other in others if (both := _common(way, other))]
    if not ways:
        raise CannotAnswer("there was no time at which all of it was so")
    kept = [_within(lines, way, edge) for way in ways]
    if any(some != kept[0] for some in kept):
        raise CannotAnswer(f"“{asked.anchor}” was so more than once: say which time")
    done.step(f"{counted(kept[0])} while all of it was so")
    return kept[0]


def _common(way: Sequence[Span], other: Sequence[Span]) -> list[Span]:
    return [(max(a, c), min(b, d)) for a, b in way for c, d in other if max(a, c) < min(b, d)]


def _within(lines: Sequence[Line], spans: Sequence[Span], edge: Edge | None) -> list[Line]:
    if edge is not None:
        return [one for one in lines if any(a <= point_of(one, edge) < b for a, b in spans)]
    return [line for line in lines if any(line.meets(a, b) for a, b in spans)]


def _spans(asked: Asked, anchors: Sequence[Line], world: World) -> list[list[Span]]:
    """Return the stretches in which what one clause says is so: one after each time it was."""
    if not anchors:
        return []
    assert asked.anchor is not None
    side = edge_in(asked.anchor, anchors[0].relation, world)
    if asked.link == "while":
        if side is None:
            return [[(line.start, line.end) for line in anchors]]
        return [[(at, at + 1) for at in (point_of(line, side) for line in anchors)]]
    own: Edge = "end" if asked.link in ("after", "until") else "start"
    points = [point_of(line, side or own) for line in anchors]
    known = [at for at in points if at != BEGINNING and at <= world.now]
    if not known:
        raise CannotAnswer(f"no {side or own} is known of “{asked.anchor}”")
    late = asked.link in ("after", "since")
    return [[(at, FOREVER) if late else (BEGINNING, at)] for at in dict.fromkeys(known)]
