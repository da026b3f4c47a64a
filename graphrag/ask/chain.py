"""Several hops: "the capital of the country that A is a citizen of".

The words of a clause are spent along a path: every hop must be meant by words that no other hop is
meant by, and of all paths the one that leaves the fewest words unexplained is taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from graphrag.ask.clause import Clause, Token
from graphrag.ask.coverage import coverage
from graphrag.ask.query import Named, Query
from graphrag.ask.relate import Evidence, evidence, mutual, owned
from graphrag.ask.senses import stem_of
from graphrag.ask.wants import order_of
from graphrag.ask.world import FactRow, World

_HOPS: Final = 4
_BEAM: Final = 12
_COST: Final = 0.7
"""What a hop must explain to be worth taking."""
_BACK: Final = 2.5
"""What a hop against the direction of its words costs: "country" leads to one, not from one."""
_MOST: Final = 40
"""Entities that a hop may start from."""


@dataclass(frozen=True, slots=True)
class Way:
    """Where some hops lead, and the words that they were meant by."""

    rows: tuple[int, ...]
    query: Query | Named
    score: float = 0.0
    used: frozenset[int] = frozenset()
    length: int = 0
    seen: frozenset[int] = frozenset()
    """Where the hops have been: nobody is their own mother's mother."""

    @property
    def worth(self) -> float:
        """Return how well the words are explained, less what the hops cost."""
        return self.score - _COST * self.length


def hops(clause: Clause, owner: Named, world: World) -> Query | None:
    """Return a clause of several hops as nested queries, None if no path explains its words."""
    rows = tuple(world.rows_of(owner))
    ways = ended = [Way(rows, owner, seen=frozenset(rows))]
    for _ in range(_HOPS):
        ways = [after for way in ways for after in _steps(clause, way, world)]
        ways = sorted(ways, key=lambda way: way.worth, reverse=True)[:_BEAM]
        ended = [*ended, *ways]
        if not ways:
            break
    way = max(ended, key=lambda way: way.worth)
    if way.length < 2 or not isinstance(way.query, Query):
        return None
    if coverage(clause, Evidence("", places=tuple(way.used)), world, way.rows).left:
        return None
    return way.query


def _steps(clause: Clause, way: Way, world: World) -> list[Way]:
    """Return the ways one hop longer whose relation is meant by words that are left."""
    if not way.rows or len(way.rows) > _MOST:
        return []
    left = Clause(
        tuple(
            Token("", "", token.named, token.said) if at in way.used else token
            for at, token in enumerate(clause.tokens)
        )
    )
    rows = world.rows(way.rows)
    relations = list(dict.fromkeys(row.relation for row in rows))
    found: list[Way] = []
    for relation in relations:
        meant = evidence(left, relation, world)
        alone = not way.length and len(relations) == 1  # "the mayor of A" of who holds that office
        if not meant.places and not alone:
            continue
        # Of "the parents of the parents" each hop is meant by one.
        words = {stem_of(clause.tokens[at].word): at for at in meant.places}
        meant = replace(meant, places=tuple(words.values()))
        same = world.newest([row for row in rows if row.relation == relation])
        for side in ("subject", "object"):
            taken = _at(side, same, way.rows, relation, world)
            if taken:
                found.append(_longer(way, meant, taken, side, left, world))
    return found


def _at(
    side: str, rows: Sequence[FactRow], ends: Sequence[int], relation: str, world: World
) -> list[FactRow]:
    taken = [row for row in rows if row.at(side) in ends]
    if mutual(relation, world) and side == "object":
        taken = [row.turned for row in taken]
    return taken


def _longer(
    way: Way, meant: Evidence, rows: list[FactRow], side: str, clause: Clause, world: World
) -> Way:
    turned = side == "object" and not mutual(meant.relation, world)
    ends = dict.fromkeys(row.subject if turned else row.object for row in rows)
    straight = meant.swapped or meant.passive or mutual(meant.relation, world) or not meant.places
    natural = owned(clause, meant)  # "the parents of A" are parents of A
    backwards = _BACK if turned is not natural and not straight else 0.0
    # "The first husband of A": the order is of this hop.
    orders = (order_of(clause.tokens[at - 1 : at]) for at in meant.places if at)
    order = next((order for order in orders if order), None)
    subject, object_ = (None, way.query) if turned else (way.query, None)
    query = Query(subject, meant.relation, object_, order=order)
    return Way(
        tuple(row for row in ends if row not in way.seen),
        query,
        way.score + meant.score - backwards,
        way.used | set(meant.places),
        way.length + 1,
        way.seen | {*ends},
    )
