"""What a noun of a question says of the kind of something: "which city", "the country of A"."""

from collections.abc import Iterable
from typing import Final

from graphrag.ask.clause import Clause
from graphrag.ask.names import QUOTES
from graphrag.ask.senses import parts_of, senses_of, stem_of, stems_of
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
thing entity party name
"""
_ABOVE: Final = {"place": (1, 2, 3, 4, 10), "organisation": (7, 8, 9), "thing": tuple(range(11))}
_COUNTRY: Final = 2
_REGIONS: Final = (2, 3, 4)
_UNTYPED: Final = frozenset({"", "thing", "entity"})
_GROUP: Final = {
    stem_of(word): number
    for number, line in enumerate(_KINDS.strip().split("\n"))
    for word in line.split()
}


class Kinds:
    """What the nouns of a clause that mean no relation say of what answers: "which city"."""

    def __init__(self, world: World, clause: Clause, rows: Iterable[int] = ()) -> None:
        self._world = world
        self._clause = clause
        self.rows = set(rows)
        """What answers, of the kinds that were said."""
        self._open = bool(self.rows)
        self.said = ""
        """The word by which some of it was left out."""

    def fits(self, at: int) -> bool:
        """Tell whether a word says of which kind something is; leave only what is."""
        word, after = self._clause.tokens[at].word, self._clause.tokens[at + 1 : at + 3]
        after = after[1:] if after and after[0].word == "of" else after[:1]
        named = after[0].named if after else None
        if named is not None and stem_of(word) in _GROUP:  # "the city of A"
            return any(self._is(row, word) for row in self._world.rows_of(named))
        if self._describes(at):
            return True
        known = {self._world.kind(row) for row in self.rows} - _UNTYPED
        if stem_of(word) not in _GROUP and not any(is_kind(word, kind) for kind in known):
            return False
        kept = {row for row in self.rows if self._is(row, word)}
        if self._open and not kept:
            return False
        if kept != self.rows:
            self.said = word
        self.rows = kept
        return True

    def _describes(self, at: int) -> bool:
        """Tell whether a noun is put before a name whose kind is not known: "the album A"."""
        tokens = self._clause.tokens
        first, last = at, at + 1
        while first > 0 and tokens[first - 1].says:
            first -= 1
        while last < len(tokens) and tokens[last].says:
            last += 1
        if last < len(tokens) and tokens[last].word in QUOTES:
            last += 1
        named = tokens[last].named if last < len(tokens) else None
        if named is None or first == 0 or tokens[first - 1].word != "the":
            return False
        kinds = {self._world.kind(row) for row in self._world.rows_of(named)} - _UNTYPED
        return not any(stem_of(kind) in _GROUP for kind in kinds)

    def _is(self, row: int, word: str) -> bool:
        return is_of(row, word, self._world)


def is_of(row: int, word: str, world: World) -> bool:
    """Tell whether an entity is what a word calls it, by its type or by what it is to others.

    What has no type may be anything but a country or region: that is to be known of it.
    """
    kind = world.kind(row)
    if kind not in _UNTYPED and not is_kind(kind, word):
        return is_kind(word, kind)
    if _GROUP.get(stem_of(word)) not in _REGIONS:
        return True
    of_country = _GROUP[stem_of(word)] == _COUNTRY
    stems = {stem_of(word), *(["capit", "citizen"] if of_country else [])}
    for line in world.rows([row]):
        # The capital of a country is its object; the country is that of "capital of".
        turned = parts_of(line.relation) in (("capital",), ("has", "capital"))
        if not stems.isdisjoint(stems_of(line.relation)):
            if row == (line.subject if turned else line.object):
                return True
    return False


def is_kind(word: str, kind: str) -> bool:
    """Tell whether something of a type is what a word calls it: a city is a place."""
    if stem_of(word) == stem_of(kind):
        return True
    one, other = _GROUP.get(stem_of(word)), _GROUP.get(stem_of(kind))
    if one is not None and one == other:
        return True
    above = next((name for name, below in _ABOVE.items() if _GROUP[stem_of(name)] == one), None)
    if above is not None and other is not None and other in _ABOVE[above]:
        return True
    return bool(senses_of(stem_of(word)) & senses_of(stem_of(kind)))


def is_place(word: str) -> bool:
    """Tell whether a word is for a place of any kind."""
    return _GROUP.get(stem_of(word)) == 0
