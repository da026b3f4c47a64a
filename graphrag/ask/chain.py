"""Several hops: "the capital of the country that A is a citizen of".

The words of the question are spent along a path: every hop must be meant by words that no other hop
is meant by, and of all paths the one that leaves the fewest words unexplained is taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from graphrag.ask.account import unmeant
from graphrag.ask.again import AGAIN
from graphrag.ask.asked import Asked, Clause, Limits, Token, Unit, is_yearless
from graphrag.ask.kinds import Kinds, is_of
from graphrag.ask.lookup import CannotAnswer
from graphrag.ask.qualify import edge_of
from graphrag.ask.relate import Evidence, evidence, mutual, owned
from graphrag.ask.senses import NESTING, parts_of, senses_of, stem_of, stems_of
from graphrag.ask.solution import Solution
from graphrag.ask.world import Line, World, bounds_of, by_start
from graphrag.index.group import BEGINNING
from graphrag.temporal.moment import from_micros
from graphrag.temporal.period import shift

_ORIGIN: Final = frozenset({"original", "originally"})
"""What is first, or what a thing came from: "the original language of"."""
_HOPS: Final = 4
_BEAM: Final = 12
_COST: Final = 0.7
"""What a hop must explain to be worth taking."""
_KIND: Final = 1.5
"""What a word counts that is the type of what a hop leads to: "which city"."""
_BACK: Final = 2.5
"""What a hop against the direction of its words costs: "country" leads to one, not from one."""
_MOST: Final = 40
"""Entities that a hop may start from."""


@dataclass(frozen=True, slots=True)
class Way:
    """Where some hops lead, and the words that they were meant by."""

    rows: tuple[int, ...]
    score: float = 0.0
    used: frozenset[int] = frozenset()
    hops: tuple[str, ...] = ()
    lines: tuple[tuple[Line, ...], ...] = ()
    seen: frozenset[int] = frozenset()
    """Where the hops have been: nobody is their own mother's mother."""


@dataclass(slots=True)
class Chained:
    """What several hops lead to."""

    entities: list[int] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    support: list[Line] = field(default_factory=list)


def follow(asked: Asked, world: World, steps: list[str]) -> Chained | None:
    """Return what a question of several hops asks for, None if one hop explains its words."""
    clause = asked.main
    if len(clause.names) != 1 or asked.anchor is not None:
        return None
    if asked.order is not None and not _ORIGIN & clause.words:
        return None
    if clause.words & AGAIN:
        return None
    if not NESTING & set(token.word for token in clause.tokens[1:]):
        return None
    if replace(asked.limits, excluded=(), beside=False) != Limits() or edge_of(clause) is not None:
        return None  # of which of the hops is it said?
    spoken = [at for at, token in enumerate(clause.tokens) if token.says]
    if len(spoken) < 2:
        return None
    rows = tuple(world.rows_of(clause.names[0]))
    start = Way(rows, seen=frozenset(rows))
    ways, ended = [start], [start]
    for _ in range(_HOPS):
        ways = [after for way in ways for after in _steps(asked, way, world)]
        ways = sorted(ways, key=_worth, reverse=True)[:_BEAM]
        ended += ways
        if not ways:
            break
    way = max(ended, key=_worth)
    if len(way.hops) < 2:
        return None
    others = {row for named in asked.limits.excluded for row in world.rows_of(named)}
    way = replace(way, rows=tuple(row for row in way.rows if row not in others))
    kinds = Kinds(world, clause, way.rows)
    if left := unmeant(asked, clause, Evidence("", places=tuple(way.used)), kinds):
        raise CannotAnswer(f"not understood: {', '.join(left)}; followed: {', '.join(way.hops)}")
    steps += [
        f"{len(lines)} facts of {hop}" for hop, lines in zip(way.hops, way.lines, strict=True)
    ]
    done = Solution(support=[line for lines in way.lines[:-1] for line in lines])
    answering = list(way.rows)
    asks = [token.word for token in clause.tokens]
    if kinds.above and asks[max(0, asks.index(kinds.above) - 1)] in ("which", "what"):
        # "in which country is the city where ..."
        answering = placed(answering, kinds.above, world, done)
        steps += done.steps
    return Chained(answering, list(way.lines[-1]), done.support)


def _worth(way: Way) -> float:
    return way.score - _COST * len(way.hops)


def _steps(asked: Asked, way: Way, world: World) -> list[Way]:
    """Return the ways one hop longer whose relation is meant by words that are left."""
    if not way.rows or len(way.rows) > _MOST:
        return []
    clause = asked.main
    left = Clause(
        tuple(
            Token("", "", token.named, token.said) if at in way.used else token
            for at, token in enumerate(clause.tokens)
        )
    )
    lines = [line for line in world.lines(way.rows) if _holds(asked, line, world)]
    found: list[Way] = []
    for relation in dict.fromkeys(line.relation for line in lines):
        meant = evidence(left, relation, world)
        if not meant.places:
            continue
        # Of "the parents of the parents" each hop is meant by one.
        words = {stem_of(clause.tokens[at].word): at for at in meant.places}
        meant = replace(meant, places=tuple(words.values()))
        same = [line for line in lines if line.relation == relation]
        same = world.newest(same, relation)
        for side in ("subject", "object"):
            taken = _at(side, same, way.rows, relation, world)
            if taken:
                found.append(_longer(way, meant, taken, side, left, world))
    return found


def _holds(asked: Asked, line: Line, world: World) -> bool:
    if asked.during is not None:
        if is_yearless(asked.during):
            raise CannotAnswer(f"“{asked.during.words}” is of every year: say which")
        return line.meets(*bounds_of(asked.during.interval))
    # What happened on a day, or in a year, is so ever since.
    return line.start <= world.now and (world.now < line.end or _is_event(line))


def _is_event(line: Line) -> bool:
    """Tell whether a fact is of one day, month or year: a state ends when it does."""
    if line.start == BEGINNING or not 0 < line.end - line.start <= _YEAR:
        return False
    start, end = from_micros(line.start), from_micros(line.end)
    return any(shift(start, unit, 1) == end for unit in _UNITS)


_YEAR: Final = 366 * 86_400_000_000
_UNITS: Final[tuple[Unit, ...]] = ("day", "month", "year")


def _at(
    side: str, lines: Sequence[Line], rows: Sequence[int], relation: str, world: World
) -> list[Line]:
    taken = [line for line in lines if line.at(side) in rows]
    if mutual(relation, world) and side == "object":
        taken = [line._replace(subject=line.object, object=line.subject) for line in taken]
    return by_start(taken)


def _longer(
    way: Way, meant: Evidence, lines: list[Line], side: str, clause: Clause, world: World
) -> Way:
    turned = side == "object" and not mutual(meant.relation, world)
    ends = dict.fromkeys(line.subject if turned else line.object for line in lines)
    rows = tuple(row for row in ends if row not in way.seen)
    kinds = {stem_of(world.kind(row)) for row in rows}
    senses = frozenset().union(*map(senses_of, kinds))
    typed = [
        at
        for at, token in enumerate(clause.tokens)
        if token.says and (stem_of(token.word) in kinds or senses & senses_of(stem_of(token.word)))
    ]
    straight = meant.swapped or meant.passive or mutual(meant.relation, world)
    natural = owned(clause, meant)  # "the parents of A" are parents of A
    backwards = _BACK if turned is not natural and not straight else 0.0
    score = way.score + meant.score + _KIND * bool(set(typed) - set(meant.places)) - backwards
    return Way(
        rows,
        score,
        way.used | set(meant.places) | set(typed[:1]),
        (*way.hops, meant.relation),
        (*way.lines, tuple(lines)),
        way.seen | {*rows},
    )


def placed(rows: Sequence[int], word: str, world: World, done: Solution) -> list[int]:
    """Return what some places lie in, of the kind that a word says: the countries of towns.

    Raises:
        CannotAnswer: if that is not known of one of them.
    """
    found: dict[int, None] = {}
    for row in rows:
        way, seen = [row], {row}
        while way and not (fits := [one for one in way if is_of(one, word, world)]):
            lines = [line for line in world.lines(way) if line.subject in way and _in(line, word)]
            held = [line for line in lines if line.start <= world.now < line.end] or lines
            done.support += held
            way = [line.object for line in held if line.object not in seen]
            seen.update(way)
        if not way:
            raise CannotAnswer(f"it is not known in which {word} {world.name(row)} lies")
        found.update(dict.fromkeys(fits))
    done.step(f"the {word} of each")
    return list(found)


def _in(line: Line, word: str) -> bool:
    """Tell whether a relation leads from a place to what it lies in."""
    stems, parts = stems_of(line.relation), parts_of(line.relation)
    senses = frozenset().union(*map(senses_of, stems)) if stems else frozenset()
    return (
        bool(senses & senses_of(stem_of("located")))
        or stem_of(word) in stems
        or "capital" in parts
        or parts in (("part", "of"), ("in",), ("within",))
    )
