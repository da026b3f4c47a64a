"""What several had at the same time: colleagues, neighbors, those who lived somewhere together."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from graphrag.ask.account import unmeant
from graphrag.ask.again import AGAIN
from graphrag.ask.asked import Asked, Named
from graphrag.ask.bounding import bounded
from graphrag.ask.kinds import Kinds
from graphrag.ask.lookup import CannotAnswer, Found, open_facts, pair_facts
from graphrag.ask.relate import best, mutual
from graphrag.ask.senses import parts_of, senses_of, stem_of, stems_of
from graphrag.ask.solution import Solution
from graphrag.ask.world import Line, World, bounds_of, by_start
from graphrag.index.group import BEGINNING, FOREVER


def fellows(asked: Asked, world: World, done: Solution) -> list[Line] | None:
    """Return the facts of those who had the same as somebody, at the same time.

    None if the relation is one between two: "with whom did A negotiate".
    """
    names = asked.main.names
    if not names or len(names) > _PAIR:
        return None
    try:
        own = _own(asked, names, world)
    except CannotAnswer:
        return None
    if own is None:
        return None
    lines = bounded(asked, own, world, done)
    rows = {line.subject for line in lines}
    others = [
        one
        for one in world.lines({line.object for line in lines})
        if one.relation == own.relation and one.subject not in rows and _met(asked, one, lines)
    ]
    done.support += lines
    done.step(f"{len(others)} facts of others who had the same")
    return by_start(others)


def _met(asked: Asked, other: Line, lines: Sequence[Line]) -> bool:
    start, end = bounds_of(asked.during.interval) if asked.during else (BEGINNING, FOREVER)
    return any(
        other.object == line.object and other.meets(max(start, line.start), min(end, line.end))
        for line in lines
    )


def _own(asked: Asked, names: Sequence[Named], world: World) -> Found | None:
    """Return the facts that others are to share, from the one who is named as their subject."""
    if len(names) == 1:
        found = open_facts(asked, asked.main, world)
        own = found if found.side == "subject" else None
    else:
        found = pair_facts(asked, asked.main, names[0], names[1], world)
        # "Who worked at A with B": the facts are of B.
        own = replace(found, side="subject")
    if own is None or mutual(own.relation, world) or not _common(own.relation):
        return None
    return own


def _common(relation: str) -> bool:
    """Tell whether several can have the same by a relation: a home, an employer, a club."""
    senses = frozenset().union(*map(senses_of, stems_of(relation)))
    return bool(senses & _SHARED) and "with" not in parts_of(relation)


_SHARED: Final = frozenset().union(
    *(senses_of(stem_of(word)) for word in ("live", "work", "member", "study", "play"))
)
_PAIR: Final = 2


def shared(asked: Asked, world: World) -> list[Line] | None:
    """Return the facts by which two had the same at one time: "did A live with B (in C)".

    None if nothing of the kind is asked or known of one of them.
    """
    names = asked.main.names
    if not asked.limits.beside and "with" not in asked.main.words:
        return None
    had = [_had(asked, name, world) for name in names]
    some = [lines for lines in had if lines]
    if len(some) != _PAIR or len(names) > _PAIR + 1:
        return None
    if len(names) > _PAIR:  # the third is what both had
        rows = world.rows_of(
            next(name for name, lines in zip(names, had, strict=True) if not lines)
        )
        some = [[line for line in lines if line.object in rows] for lines in some]
    one, other = some
    return by_start(
        [line for line in one if _met(asked, line, other)]
        + [line for line in other if _met(asked, line, one)]
    )


def _had(asked: Asked, name: Named, world: World) -> list[Line]:
    """Return the facts of somebody that others may share, of the relation that is meant."""
    if asked.main.words & AGAIN:
        return []
    rows = world.rows_of(name)
    lines = [line for line in world.lines(rows) if line.subject in rows and _common(line.relation)]
    meant = [one for one in best(asked.main, lines, world) if one.places]
    for one in meant[:1]:
        if not unmeant(asked, asked.main, one, Kinds(world, asked.main)):
            return [line for line in lines if line.relation == one.relation]
    return []
