"""The facts of a clause that a question allows: in its time, on one side of another, in order.

Half-open lifetimes throughout. "Before", "after", "first" and their like go by the moment at which
facts begin; "while" asks for a common moment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from graphrag.ask.asked import Asked, Clause, Order
from graphrag.ask.lookup import CannotAnswer, Found, open_facts, pair_facts
from graphrag.ask.senses import is_light
from graphrag.ask.spell import stretch_words
from graphrag.ask.world import Line, World, bounds_of, by_start
from graphrag.index.group import BEGINNING, FOREVER

_BEGINNING = frozenset("moved became started began joined entered".split())
"""Verbs of which a fact is the outcome."""


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


def bounded(asked: Asked, found: Found, world: World, done: Solution) -> list[Line]:
    """Return those of the facts that the times and the other clause of a question allow."""
    lines = by_start(found.lines)
    if asked.during is not None:
        start, end = bounds_of(asked.during.interval)
        ordered = asked.order is not None and asked.order.kind in ("first", "last")
        if ordered and (start == BEGINNING or end == FOREVER) and asked.link is None:
            lines = [line for line in lines if start <= line.start < end]
        else:
            lines = [line for line in lines if line.meets(start, end)]
        done.step(f"{counted(lines)} in {asked.during.words!r}, {asked.during.interval!r}")
    elif asked.present or (asked.link is None and world.relations[found.relation].timeless):
        lines = [line for line in lines if line.start <= world.now < line.end]
        lines = world.newest(lines, found.relation)
        done.step(f"{counted(lines)} that hold now")
    if asked.anchor is not None and asked.link is not None:
        anchors = anchor_lines(asked, found, world, done)
        lines = _linked(asked, lines, anchors, done)
    return lines


def anchor_lines(asked: Asked, found: Found, world: World, done: Solution) -> list[Line]:
    """Return the facts that the other clause speaks of.

    Raises:
        CannotAnswer: if there are none.
    """
    clause = asked.anchor
    assert clause is not None
    names, owner = clause.names, asked.main.names[0] if asked.main.names else None
    words = [word for word in clause.words if not is_light(word)]
    if len(names) >= 2:
        lines = list(pair_facts(clause, names[0], names[1], world).lines)
    elif len(names) == 1 and words and (alone := _alone(clause, world)):
        lines = alone
    elif len(names) == 1 and owner is not None:
        prefer = "" if words else found.relation
        lines = list(pair_facts(clause, owner, names[0], world, prefer=prefer).lines)
    else:
        raise CannotAnswer(f"“{clause}” names nothing that the graph knows")
    lines = by_start(lines)
    if clause.order is not None:
        lines = in_order_of(lines, clause.order, world)
    done.support += lines
    done.step(f"“{clause}” is {stretch_words(lines[0])}" if lines else f"no “{clause}”")
    return lines


def _alone(clause: Clause, world: World) -> list[Line]:
    """Return the facts of a clause about one entity alone: "before A died"."""
    try:
        found = open_facts(clause, world)
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


def _linked(asked: Asked, lines: Sequence[Line], anchors: list[Line], done: Solution) -> list[Line]:
    """Return the facts before, after or during others."""
    if not anchors:
        return []
    rows = {line.row for line in anchors}
    others = [line for line in lines if line.row not in rows]
    anchor = anchors[0]
    match asked.link:
        case "before":
            kept = [line for line in others if line.start < anchor.start]
            edge = max((line.start for line in kept), default=0)
        case "after":
            kept = [line for line in others if line.start > anchor.start]
            edge = min((line.start for line in kept), default=0)
        case "since":
            return [line for line in others if line.meets(anchor.start, FOREVER)]
        case "until":
            return [line for line in others if line.meets(BEGINNING, anchor.start)]
        case _ if asked.anchor is not None and not _BEGINNING.isdisjoint(asked.anchor.words):
            # "When she moved there" is the moment, not all the time since.
            return [
                line for line in lines if any(line.meets(a.start, a.start + 1) for a in anchors)
            ]
        case _:
            return [line for line in lines if any(line.meets(a.start, a.end) for a in anchors)]
    done.step(f"{counted(kept)} that began {asked.link} it")
    if asked.neighbor and asked.order is None:
        kept = [line for line in kept if line.start == edge]
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
