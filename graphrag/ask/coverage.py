"""What every word of a clause is used for, so that none is passed over.

A word is used if it means the relation, says what answers are ("which city"), or is one of grammar.
A question with any other word is not understood.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from graphrag.ask.clause import Clause, Token
from graphrag.ask.names import QUOTES
from graphrag.ask.parse import CHANGING
from graphrag.ask.relate import Evidence, mutual
from graphrag.ask.senses import NESTING, parts_of, senses_of, stem_of
from graphrag.ask.wants import EDGES
from graphrag.ask.world import World

_KINDS: Final = """
place location spot
city town village municipality settlement
country nation
state county province region district
continent
person people man woman men women human somebody
organisation organization body institution group
company firm business corporation enterprise
club society team side
school university college hospital clinic museum theatre
building house mill hall
thing entity name
"""
_ABOVE: Final = {0: (1, 2, 3, 4, 10), 6: (7, 8, 9), 11: tuple(range(11))}
_REGIONS: Final = (2, 3, 4)
_UNTYPED: Final = frozenset({"", "thing", "entity"})
_GROUP: Final = {
    stem_of(word): number
    for number, line in enumerate(_KINDS.strip().split("\n"))
    for word in line.split()
}
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
        "stay belong pertain associate relate connect link file issue".split(),
    )
)
"""Verbs that say nothing beside their noun: "paid a visit", "holds citizenship"."""
_NEAR: Final = 4
_INSIDE: Final = (NESTING - {"where", "in"}) | {"E"}
"""Words behind which something else is spoken of."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the words of a clause beside its relation are used for."""

    left: tuple[str, ...] = ()
    """Words that are used for nothing."""
    rows: frozenset[int] = frozenset()
    """The entities among the answers that are what the question calls them."""
    kind: str = ""
    """The noun by which some answers were left out."""


def coverage(
    clause: Clause, meant: Evidence, world: World, answers: Iterable[int] = ()
) -> Coverage:
    """Return what the words of a clause are used for, if it means a relation with these answers."""
    tokens, places, rows = clause.tokens, set(meant.places), frozenset(answers)
    left, kind = [] if _together(clause, meant.relation, world) else ["with"], ""
    for at, token in enumerate(tokens):
        word = token.word
        grammatical = not token.says or word in _SPARE or word in CHANGING
        paired = word in EDGES and len(clause.names) > 1
        if grammatical or paired or at in places or _beside(tokens, at, places):
            continue
        if _describes(tokens, at, world):
            continue
        known = {world.kind(row) for row in rows} - _UNTYPED
        kept = frozenset(row for row in rows if is_of(row, word, world))
        noun = stem_of(word) in _GROUP or any(is_kind(word, kind) for kind in known)
        if not noun:  # "which party": those that are called so
            kept = frozenset(row for row in rows if word in world.name(row).casefold().split())
            noun = bool(rows) and kept == rows
        if not noun or (rows and not kept):
            left.append(token.text)
        elif kept != rows:
            rows, kind = kept, word
    return Coverage(tuple(left), rows, kind)


def _together(clause: Clause, relation: str, world: World) -> bool:
    """Tell whether "with" of a clause, if it is there, is of its relation: "met with"."""
    if "with" not in clause.words or not relation:
        return True
    if clause.tokens[-1].word == "with" and not {"which", "what"}.isdisjoint(clause.words):
        return True  # "which club was A with"
    names = world.relations.same(relation)
    return any("with" in parts_of(name) for name in names) or mutual(relation, world)


def _beside(tokens: Sequence[Token], at: int, places: set[int]) -> bool:
    """Tell whether a word says nothing more than one near it that means the relation."""
    stem = stem_of(tokens[at].word)
    if stem in _SUPPORT and any(abs(at - place) <= _NEAR for place in places):
        return True
    for place in places:  # "the school where A was schooled"
        low, high = sorted((at, place))
        between = {token.word for token in tokens[low + 1 : high]}
        if stem == stem_of(tokens[place].word) and between and between.isdisjoint(_INSIDE):
            return True
    low = high = at  # "party or organisation"
    while low > 0 and _listed(tokens[low - 1]):
        low -= 1
    while high + 1 < len(tokens) and _listed(tokens[high + 1]):
        high += 1
    words = [token.word for token in tokens[low : high + 1]]
    return "or" in words and not places.isdisjoint(range(low, high + 1))


def _listed(token: Token) -> bool:
    return token.word in ("or", ",") or token.says


def _describes(tokens: Sequence[Token], at: int, world: World) -> bool:
    """Tell whether a noun says what a name behind it is: "the album A", "the city of A"."""
    first, last = at, at + 1
    while first > 0 and tokens[first - 1].says:
        first -= 1
    kind = stem_of(tokens[at].word) in _GROUP
    while last < len(tokens) and (
        tokens[last].says or tokens[last].word in QUOTES or (kind and tokens[last].word == "of")
    ):
        last += 1
    named = tokens[last].named if last < len(tokens) else None
    if named is None or first == 0 or tokens[first - 1].word != "the":
        return False
    rows = world.rows_of(named)
    if kind:
        return any(is_of(row, tokens[at].word, world) for row in rows)
    kinds = {world.kind(row) for row in rows} - _UNTYPED
    return not any(stem_of(kind) in _GROUP for kind in kinds)


def is_of(row: int, word: str, world: World) -> bool:
    """Tell whether an entity is what a word calls it, by its type.

    What has no type may be anything but a country, a region or a continent.
    """
    kind = world.kind(row)
    if kind in _UNTYPED:
        return _GROUP.get(stem_of(word)) not in _REGIONS
    return is_kind(word, kind) or is_kind(kind, word)


def is_kind(word: str, kind: str) -> bool:
    """Tell whether something of a type is what a word calls it: a city is a place."""
    stem, other = stem_of(word), stem_of(kind)
    group, below = _GROUP.get(stem), _GROUP.get(other)
    if stem == other or (group is not None and group == below):
        return True
    above = () if group is None else _ABOVE.get(group, ())
    return below in above or bool(senses_of(stem) & senses_of(other))
