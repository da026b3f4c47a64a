"""What every word of a question is used for, so that none is passed over.

A word is used if it means the relation, names what the answer is, or orders, bounds or limits it,
or if it is one of grammar alone. A question with any other word is not understood, and no answer.
"""

from collections.abc import Callable, Sequence
from typing import Final

from graphrag.ask.again import AGAIN
from graphrag.ask.asked import Asked, Clause, Token
from graphrag.ask.kinds import Kinds, is_place
from graphrag.ask.qualify import ENDING, edge_of
from graphrag.ask.relate import Evidence
from graphrag.ask.senses import NESTING, is_light, stem_of
from graphrag.temporal.vocabulary import MONTHS

_DATES: Final = ("when", "since", "until", "how long", "how often", "age")
_COUNTED: Final = ("how long", "how many", "how often")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem_of, text.split()))


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

_SUPPORT: Final = _stems(
    "take make give pay hold put conclude count bring carry receive come serve occupy remain stay "
    "belong pertain associate relate connect link"
)
"""Verbs that say nothing beside their noun: "paid a visit", "holds citizenship"."""
_COLLOCATED: Final = {
    stem: _stems(verbs)
    for nouns, verbs in (
        ("sport game", "play practise specialise coach"),
        ("religion faith church", "follow believe profess practise"),
    )
    for stem in _stems(nouns)
}
"""Nouns, and verbs that say no more than that one has what they name: "the sport played by A"."""


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
        and not _supporting(tokens, at, places)
        and not _coordinated(tokens, at, places)
        and not _repeated(tokens, at, places)
    ]
    again = [at for at in meant.places if meant.relation and _nested(tokens, at)]
    return [tokens[at].text for at in (*left, *again) if at in again or not kinds.fits(at)]


def _supporting(tokens: Sequence[Token], at: int, places: set[int]) -> bool:
    """Tell whether a word is a verb that says nothing beside a noun that is used."""
    stem = stem_of(tokens[at].word)
    if stem in _SUPPORT and any(abs(at - place) <= _NEAR for place in places):
        return True
    return any(stem in _COLLOCATED.get(stem_of(tokens[place].word), ()) for place in places)


def _repeated(tokens: Sequence[Token], at: int, places: set[int]) -> bool:
    """Tell whether a word says again what one beside it says: "the school where A was educated"."""
    stem = stem_of(tokens[at].word)
    for place in places:
        low, high = sorted((at, place))
        between = [token.word for token in tokens[low + 1 : high]]
        attributive = place > at + 1 and _listed(tokens[at + 1])  # "educational institution where"
        inside = not attributive and not _INSIDE.isdisjoint(between)
        if stem == stem_of(tokens[place].word) and between and not inside:
            return True
    return False


_INSIDE: Final = (NESTING - {"where", "in"}) | {"E"}
"""Words behind which something else is spoken of."""


def _nested(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a word is said of itself: one relation is not "parents of the parents"."""
    words = [token.word for token in tokens[max(0, at - _NEAR + 1) : at]]
    return words[-3:] == [tokens[at].word, "of", "the"] or words[-2:] == [tokens[at].word, "'s"]


_NEAR: Final = 4


def _coordinated(tokens: Sequence[Token], at: int, places: set[int]) -> bool:
    """Tell whether a word is the other half of "party or organisation", or "place" of one."""
    words = [token.word for token in tokens]
    if is_place(words[at]) and words[at + 1 : at + 2] == ["of"]:
        return at + 2 in places
    beside = {*words[max(0, at - 1) : at], *words[at + 1 : at + 2]}
    if beside.isdisjoint(_OR | {","}):
        return False
    low = high = at
    while low > 0 and _listed(tokens[low - 1]):
        low -= 1
    while high + 1 < len(tokens) and _listed(tokens[high + 1]):
        high += 1
    run = words[low : high + 1]
    return (
        not _OR.isdisjoint(run)
        and "," not in (run[0], run[-1])
        and not places.isdisjoint(range(low, high + 1))
    )


_OR: Final = frozenset({"or", "/"})


def _listed(token: Token) -> bool:
    """Tell whether a token may be of a list of words, "spoken, written or signed"."""
    if token.named is not None or token.said is not None:
        return False
    return token.word in _OR or token.word == "," or not is_light(token.word)
