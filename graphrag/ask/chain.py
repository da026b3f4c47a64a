"""Several hops: "the capital of the country that A is a citizen of".

The words of the question are spent along a path: every hop must be meant by words that no other hop
is meant by, and of all paths the one that leaves the fewest words unexplained is taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from graphrag.ask.asked import Asked, Clause, Token
from graphrag.ask.relate import Evidence, evidence, mutual
from graphrag.ask.senses import NESTING, is_light, senses_of, stem_of
from graphrag.ask.world import Line, World, bounds_of, by_start

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
    if not NESTING & set(token.word for token in clause.tokens[1:]):
        return None
    spoken = [at for at, token in enumerate(clause.tokens) if _says(token)]
    if len(spoken) < 2:
        return None
    start = Way(tuple(world.rows_of(clause.names[0])))
    ways, ended = [start], [start]
    for _ in range(_HOPS):
        ways = [after for way in ways for after in _steps(asked, way, world)]
        ways = sorted(ways, key=_worth, reverse=True)[:_BEAM]
        ended += ways
        if not ways:
            break
    best = max(ended, key=_worth)
    if len(best.hops) < 2:
        return None
    steps += [
        f"{len(lines)} facts of {hop}" for hop, lines in zip(best.hops, best.lines, strict=True)
    ]
    support = [line for lines in best.lines[:-1] for line in lines]
    return Chained(list(best.rows), list(best.lines[-1]), support)


def _worth(way: Way) -> float:
    return way.score - _COST * len(way.hops)


def _says(token: Token) -> bool:
    return token.named is None and token.said is None and not is_light(token.word)


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
        same = [line for line in lines if line.relation == relation]
        same = world.newest(same, relation)
        for side in ("subject", "object"):
            taken = _at(side, same, way.rows, relation, world)
            if taken:
                found.append(_longer(way, meant, taken, side, left, world))
    return found


def _holds(asked: Asked, line: Line, world: World) -> bool:
    if asked.during is not None:
        return line.meets(*bounds_of(asked.during.interval))
    return line.start <= world.now < line.end


def _at(
    side: str, lines: Sequence[Line], rows: Sequence[int], relation: str, world: World
) -> list[Line]:
    taken = [line for line in lines if (line.subject if side == "subject" else line.object) in rows]
    if mutual(relation, world) and side == "object":
        taken = [line._replace(subject=line.object, object=line.subject) for line in taken]
    return by_start(taken)


def _longer(
    way: Way, meant: Evidence, lines: list[Line], side: str, clause: Clause, world: World
) -> Way:
    turned = side == "object" and not mutual(meant.relation, world)
    rows = tuple(dict.fromkeys(line.subject if turned else line.object for line in lines))
    kinds = {stem_of(world.kind(row)) for row in rows}
    senses = frozenset().union(*map(senses_of, kinds))
    typed = [
        at
        for at, token in enumerate(clause.tokens)
        if _says(token)
        and (stem_of(token.word) in kinds or senses & senses_of(stem_of(token.word)))
    ]
    backwards = _BACK if turned and not (meant.swapped or meant.passive) else 0.0
    score = way.score + meant.score + _KIND * bool(set(typed) - set(meant.places)) - backwards
    return Way(
        rows,
        score,
        way.used | set(meant.places) | set(typed[:1]),
        (*way.hops, meant.relation),
        (*way.lines, tuple(lines)),
    )
