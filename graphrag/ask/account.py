"""What every word of a question is used for, so that none is passed over.

A word is used if it means the relation, names what the answer is, or orders, bounds or limits it,
or if it is one of grammar alone. A question with any other word is not understood, and no answer.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from graphrag.ask.again import AGAIN
from graphrag.ask.asked import Asked, Clause, Token
from graphrag.ask.qualify import ENDING, edge_of
from graphrag.ask.relate import Evidence
from graphrag.ask.senses import is_light, senses_of, stem_of, stems_of
from graphrag.ask.world import World
from graphrag.temporal.vocabulary import MONTHS

_DATES: Final = ("when", "since", "until", "how long", "how often", "age")
_COUNTED: Final = ("how long", "how many", "how often")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _ordered(asked: Asked) -> bool:
    return bool(
        asked.order
        or asked.neighbor
        or asked.wants == "how long"
        or asked.choices
        or asked.wants in ("since", "until")
        or any(clause.order for clause in asked.clauses)
    )


def _linked(asked: Asked) -> bool:
    return bool(asked.link or _ordered(asked) or asked.apart)


def _timed(asked: Asked) -> bool:
    return bool(asked.present or asked.during or asked.link or asked.wants != "entities")


_NEEDS: Final[tuple[tuple[frozenset[str], Callable[[Asked], bool]], ...]] = (
    (
        _words("no not never nor neither none nobody n't without hardly rarely"),
        lambda asked: asked.apart,
    ),
    (_words("other else another"), lambda asked: bool(asked.limits.excluded or asked.choices)),
    (
        _words("same simultaneously concurrently together overlap overlapped coincide"),
        lambda asked: (
            asked.link == "while" or asked.limits.beside or bool(asked.choices or asked.apart)
        ),
    ),
    (
        _words(
            "first second third fourth fifth sixth seventh eighth ninth tenth last latest earliest "
            "final finally initial initially original originally oldest newest longest shortest "
            "1st 2nd 3rd recent recently most next previous previously preceding early earlier "
            "late later order sequence rank"
        ),
        _ordered,
    ),
    (
        _words("before after during while until till since following soon shortly once just then"),
        lambda asked: _linked(asked) or asked.during is not None or asked.wants == "age",
    ),
    (_words("more much less least few fewer longer shorter than"), _linked),
    (_words("many often"), lambda asked: asked.wants.startswith("how")),
    (_words("long"), lambda asked: asked.wants == "how long"),
    (_words("how"), lambda asked: asked.wants in (*_DATES, "how many")),
    (_words("why if only alone even twice decade century ?"), lambda asked: bool(asked.choices)),
    (_words("both"), lambda asked: asked.limits.plus is not None or asked.wants == "whether"),
    (
        _words("between"),
        lambda asked: bool(asked.apart or asked.choices or asked.link or len(asked.main.names) > 1),
    ),
    (_words("apart ago"), lambda asked: asked.apart or asked.limits.ago),
    (_words("current currently now today present presently nowadays still"), _timed),
    (_words("former formerly"), lambda asked: asked.limits.ended),
)
"""Words of grammar that say something of the answer, and whether a question was read so."""

_SPARE: Final[tuple[tuple[frozenset[str], Callable[[Asked], bool]], ...]] = (
    (
        _words("term terms tenure stint stints spell spells period point phase very starting"),
        lambda asked: True,
    ),
    (_words("fall falls fell falling"), lambda asked: asked.during is not None),
    (_words("counting counted going"), lambda asked: _ordered(asked) or asked.wants != "entities"),
    (_words("up back over"), lambda asked: _linked(asked) or asked.during is not None),
    (_words("true so already yet"), lambda asked: asked.wants == "whether"),
    (
        _words("far full whole complete entire continuous lie lies lay"),
        lambda asked: asked.wants in _COUNTED,
    ),
    (_words("fellow fellows"), lambda asked: asked.limits.beside),
    (_words("penultimate ordinal ultimate ultimately but"), _ordered),
    (_words("alongside"), lambda asked: asked.limits.beside),
    (AGAIN, lambda asked: True),
    (
        _words("vacant vacancy unoccupied unfilled empty interregnum nobody unstaffed"),
        lambda asked: asked.apart,
    ),
)
"""Words that need no relation where they stand beside what they belong to."""

_SUPPORT: Final = _words(
    "take took taken taking make made making give gave given giving pay paid paying hold held "
    "holding put conclude concluded concluding count counted bring brought carry carried receive "
    "received come came serve served serving occupy occupied remain remained stay stayed serves"
)
"""Verbs that say nothing beside their noun: "paid a visit"."""

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
_ABOVE: Final = {
    "place": (1, 2, 3, 4, 10),
    "organisation": (7, 8, 9),
    "thing": tuple(range(11)),
}
_COUNTRY: Final = 2
_REGIONS: Final = (2, 3, 4)
_UNTYPED: Final = frozenset({"", "thing", "entity"})
_GROUP: Final = {
    stem_of(word): number
    for number, line in enumerate(_KINDS.strip().split("\n"))
    for word in line.split()
}


def unread(asked: Asked) -> list[str]:
    """Return the words of grammar of which nothing was made, and times beyond the one read."""
    found = []
    for clause in asked.clauses:
        for token in clause.tokens:
            needs = (
                asked.order is None
                if token.word[:1].isdigit()
                else any(token.word in words and not used(asked) for words, used in _NEEDS)
            )
            month = token.word in MONTHS and token.text[:1].isupper() and token.named is None
            negated = token.word.endswith("n't") and token.named is None
            if token.said is not None or needs or negated or month:
                found.append(token.text)
    ordered = asked.order is not None and asked.wants in ("entities", "how many")
    if (ordered or asked.choices) and edge_of(asked.main) == "end":
        found += [token.text for token in asked.main.tokens if token.word in ENDING]
    return list(dict.fromkeys(found))


class Kinds:
    """What the nouns of a clause that mean no relation say of what answers: "which city"."""

    def __init__(self, world: World, clause: Clause, rows: Iterable[int] = ()) -> None:
        self._world = world
        self._clause = clause
        self.rows = set(rows)
        """What answers, of the kinds that were said."""
        self._open = bool(self.rows)
        self.above = ""
        """What it lies in."""

    def fits(self, at: int) -> bool:
        """Tell whether a word says of which kind something is; leave only what is."""
        word, after = self._clause.tokens[at].word, self._clause.tokens[at + 1 : at + 3]
        after = after[1:] if after and after[0].word == "of" else after[:1]
        named = after[0].named if after else None
        if named is not None and stem_of(word) in _GROUP:  # "the city of A"
            return any(self._is(row, word) for row in self._world.rows_of(named))
        known = {self._world.kind(row) for row in self.rows} - _UNTYPED
        if stem_of(word) not in _GROUP and not any(is_kind(word, kind) for kind in known):
            return False
        kept = {row for row in self.rows if self._is(row, word)}
        if self._open and not kept and _GROUP.get(stem_of(word)) in _REGIONS:
            self.above = word
            return True
        if self._open and not kept:
            return False
        self.rows = kept
        return True

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
    stems = {stem_of(word), *(["capit", "citizen"] if _GROUP[stem_of(word)] == _COUNTRY else [])}
    return any(
        line.object == row and not stems.isdisjoint(stems_of(line.relation))
        for line in world.lines([row])
    )


def unmeant(asked: Asked, clause: Clause, meant: Evidence, kinds: Kinds) -> list[str]:
    """Return the words of a clause that neither mean its relation nor say what answers are."""
    tokens, places = clause.tokens, set(meant.places)
    left = [
        at
        for at, token in enumerate(tokens)
        if token.named is None
        and token.said is None
        and not is_light(token.word)
        and at not in places
        and not any(token.word in words and used(asked) for words, used in _SPARE)
        and not (token.word in _SUPPORT and any(abs(at - place) <= _NEAR for place in places))
        and not _coordinated(tokens, at, places)
    ]
    again = [at for at in meant.places if meant.relation and _nested(tokens, at)]
    return [tokens[at].text for at in (*left, *again) if at in again or not kinds.fits(at)]


def _nested(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a word is said of itself: one relation is not "parents of the parents"."""
    words = [token.word for token in tokens[max(0, at - _NEAR + 1) : at]]
    return words[-3:] == [tokens[at].word, "of", "the"] or words[-2:] == [tokens[at].word, "'s"]


_NEAR: Final = 4


def _coordinated(tokens: Sequence[Token], at: int, places: set[int]) -> bool:
    """Tell whether a word is the other half of "party or organisation", or "place" of one."""
    words = [token.word for token in tokens]
    if _GROUP.get(stem_of(words[at])) == 0 and words[at + 1 : at + 2] == ["of"]:
        return at + 2 in places
    for place in places:
        low, high = sorted((at, place))
        if "or" in words[low + 1 : high] and high - low <= _NEAR:
            between = tokens[low + 1 : high]
            if any(one.named or one.said for one in between):
                return False
            return all(one.word == "or" or not is_light(one.word) for one in between)
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
