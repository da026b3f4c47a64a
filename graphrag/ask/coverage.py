"""What every word of a clause is used for, so that none is passed over.

A word is used if it means the relation, names what answers are, or is one of grammar. A question
with any other word is not understood.
"""

from collections.abc import Sequence
from typing import Final

from graphrag.ask.clause import Clause, Token
from graphrag.ask.grammar import CHANGING, EDGES
from graphrag.ask.kinds import Kinds, is_place
from graphrag.ask.relate import Evidence, mutual
from graphrag.ask.senses import NESTING, parts_of, stem_of
from graphrag.ask.world import World

_SPARE: Final = frozenset(
    "term terms tenure stint stints spell spells period very starting counting counted going up "
    "over but true so already yet far full whole complete vacant vacancy unoccupied penultimate "
    "ultimately fall falls fell".split()
)
"""Words that need no relation where they stand beside what they belong to."""
_SUPPORT: Final = frozenset(
    map(
        stem_of,
        "take make give pay hold put conclude count bring carry receive come serve occupy remain "
        "stay belong pertain associate relate connect link".split(),
    )
)
"""Verbs that say nothing beside their noun: "paid a visit", "holds citizenship"."""
_NEAR: Final = 4


def unmeant(clause: Clause, meant: Evidence, kinds: Kinds, world: World) -> list[str]:
    """Return the words of a clause that neither mean its relation nor say what answers are."""
    tokens, places, paired = clause.tokens, set(meant.places), len(clause.names) > 1
    left = [] if _together(clause, meant.relation, world) else ["with"]
    return left + [
        token.text
        for at, token in enumerate(tokens)
        if token.says
        and at not in places
        and token.word not in _SPARE
        and token.word not in CHANGING
        and not (paired and token.word in EDGES)
        and not _supporting(tokens, at, places)
        and not _coordinated(tokens, at, places)
        and not _repeated(tokens, at, places)
        and not kinds.fits(at)
    ]


def _together(clause: Clause, relation: str, world: World) -> bool:
    """Tell whether "with" of a clause, if it is there, is of its relation: "met with"."""
    if "with" not in clause.words or not relation:
        return True
    names = world.relations.same(relation)
    return any("with" in parts_of(name) for name in names) or mutual(relation, world)


def _supporting(tokens: Sequence[Token], at: int, places: set[int]) -> bool:
    """Tell whether a word is a verb that says nothing beside a noun that is used."""
    near = any(abs(at - place) <= _NEAR for place in places)
    return near and stem_of(tokens[at].word) in _SUPPORT


def _repeated(tokens: Sequence[Token], at: int, places: set[int]) -> bool:
    """Tell whether a word says again what one beside it says: "the school where A was schooled"."""
    stem = stem_of(tokens[at].word)
    for place in places:
        low, high = sorted((at, place))
        between = {token.word for token in tokens[low + 1 : high]}
        if stem == stem_of(tokens[place].word) and between and between.isdisjoint(_INSIDE):
            return True
    return False


_INSIDE: Final = (NESTING - {"where", "in"}) | {"E"}
"""Words behind which something else is spoken of."""


def _coordinated(tokens: Sequence[Token], at: int, places: set[int]) -> bool:
    """Tell whether a word is the other half of "party or organisation", or "place" of one."""
    words = [token.word for token in tokens]
    if is_place(words[at]) and words[at + 1 : at + 2] == ["of"]:
        return at + 2 in places
    low = high = at
    while low > 0 and _listed(tokens[low - 1]):
        low -= 1
    while high + 1 < len(tokens) and _listed(tokens[high + 1]):
        high += 1
    return "or" in words[low : high + 1] and not places.isdisjoint(range(low, high + 1))


def _listed(token: Token) -> bool:
    return token.word in ("or", ",") or token.says
