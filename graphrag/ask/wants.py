"""What a question wants: a date, a length, a number, yes or no, or entities, and which of several.

The question word and its noun decide, and ordinals and superlatives order what is found.
"""

import re
from dataclasses import replace
from typing import Final

from graphrag.ask.asked import Limits, Order, Token, Unit, Wants
from graphrag.ask.qualify import AUXILIARIES, ENDING, STARTING
from graphrag.ask.relatives import kin_of
from graphrag.ask.segments import Tokens, shape_of
from graphrag.ask.senses import is_light, senses_of, stem_of

_UNITS: Final[dict[str, Unit]] = {
    **dict.fromkeys(("day", "days", "date", "dates"), "day"),
    **dict.fromkeys(("week", "weeks"), "week"),
    **dict.fromkeys(("month", "months"), "month"),
    **dict.fromkeys(("year", "years"), "year"),
}
_UNIT: Final = "days?|weeks?|months?|years?"
_HOW_LONG: Final = re.compile(
    rf"\b(?:how (?:many|much)|what number of|(?:the )?number of) (?:\w+ )?(?P<unit>{_UNIT})\b"
    r"|\bhow long\b|\bhow much time\b|\b(?:what|which) (?:length|amount|stretch|span) of time\b"
    r"|\b(?:what|which) (?:is|was) the (?:length|duration|time|gap|interval)\b|\bfor what period\b"
    r"|\b(?:length|duration) of\b"
    rf"|^count the (?P<count>{_UNIT})\b"
)
_IN_UNITS: Final = re.compile(
    r"\b(?:in|counted in|measured in|expressed in) (?P<unit>days|weeks|months|years)\b"
)
_HOW_OFTEN: Final = re.compile(
    r"\bhow (?:many times|often|frequently)\b|\bnumber of times\b|"
    r"\bhow many (?:separate |different )?(?:occasions|instances|spells|stints|terms)\b"
)
_HOW_MANY: Final = re.compile(
    r"\bhow many\b|(?:^|\b(?:what|which|the|a|total|give|state) )number of\b|^count\b"
)
_ASK: Final = r"(?:what|which)(?: exact| calendar| precise)? "
_WHEN: Final = re.compile(
    r"(?:^|[,:] |^(?:since|until|till|from|by|up to) )when\b|"
    rf"\b{_ASK}(?P<unit>day|date|week|month|year|time)\b|"
    r"(?:^|what (?:is|was) |give |name |state )(?:the )?(?:[a-z]+ |most recent |very [a-z]+ )?"
    r"(?P<of>date|day|year|month|time)s? (?:of|on|in|when|that|at|from|since|until|till|up to|E)\b"
)
_SINCE: Final = re.compile(
    rf"\b(?:since|from) (?:when|{_ASK}(?:{_UNIT}|date|time)|how long ago)\b|\bsince\b\W*$"
    r"|\b(?:starting|beginning|as of) when\b|\bhow (?:far back|early)\b"
    rf"|\b(?:first|earliest|very first) (?:{_UNIT}|date) (?:on|in|that|when|of)\b"
    r"|\b(?:from|since) which (?:E|he|she|it|they)\b"
)
_UNTIL: Final = re.compile(
    rf"\b(?:until|till|up to|up until|til) (?:when|{_ASK}(?:{_UNIT}|date|time)|how late)\b"
    r"|\bhow late\b"
    rf"|\b(?:last|final|latest) (?:{_UNIT}|date) (?:on|in|that|when|of)\b"
    r"|\b(?:until|till)\W*$|\b(?:until|till|up to) which\b"
)
_BEGIN: Final = STARTING | frozenset("begun beginning starting become marry wed".split())
_END: Final = ENDING | frozenset("ending over".split())
WH: Final = frozenset("who whom whose what which where when how why".split())
_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
        "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        2,
    )
}
_NTH: Final = re.compile(rf"\b(?P<n>{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))\b")
_FROM_END: Final = re.compile(
    r"\b(?:penultimate|last but one|(?:second|next)(?: |-)to(?: |-)last|second(?: |-)last)\b"
)
_LONGEST: Final = re.compile(r"\b(?:longest|for the most (?:time|days|months|years))\b|\blongest-")
_SHORTEST: Final = re.compile(r"\b(?:shortest|briefest)\b|\bshortest-")
_FIRST: Final = re.compile(
    r"\b(?:first|earliest|initial|initially|original|originally|1st|oldest)\b|"
    r"\b(?:at the (?:very )?(?:start|outset|beginning)|to begin with|"
    r"(?:start|starts|started|begin|began) (?:out|off))\b"
)
_LAST: Final = re.compile(
    r"\b(?:last|latest|final|finally|most recent|most recently|newest|ultimately|lastly)\b"
    r"|\bin the end\b"
)


def order_of(tokens: Tokens, *, bounded: bool = False) -> Order | None:
    """Return which of several some words ask for."""
    shape = shape_of(tokens)
    if _FROM_END.search(shape):
        return Order("last", 2)
    if numbered := re.search(r"\b(?:number|no|no\.|place|position) (\d+)\b", shape):
        return Order("first", int(numbered.group(1)))
    if nth := _NTH.search(shape):
        word = nth["n"]
        number = _ORDINALS.get(word) or int(re.sub(r"\D", "", word))
        return Order("last" if re.search(rf"{word}(?: |-)(?:to )?last", shape) else "first", number)
    if _LONGEST.search(shape):
        return Order("longest")
    if _SHORTEST.search(shape):
        return Order("shortest")
    first, last = _FIRST.search(shape), _LAST.search(shape)
    if first and not (last and last.start() < first.start()):
        return Order("first")
    return Order("last") if last else None


def wants_of(shape: str) -> tuple[Wants, Unit | None]:
    """Return what a question asks for, and the unit that it says."""
    given = _IN_UNITS.search(shape)
    unit = _UNITS[given["unit"]] if given else None
    if _HOW_OFTEN.search(shape):
        return "how often", unit
    found = _HOW_LONG.search(shape)
    if found and not re.search(r" , (?:since|until) (?:when|which|what)\b", shape):
        return "how long", _UNITS.get(found["unit"] or found["count"] or "", unit)
    if _HOW_MANY.search(shape):
        return "how many", unit
    when = _WHEN.search(shape)
    if when is not None and when.start() and when.group().endswith(" when"):
        # ", when he was there" bounds what another word asks for
        when = None if WH & set(shape[: when.start()].split()) else when
    if when is not None and not re.match(r"(?:[a-z]+ )?when E", shape):
        named = _UNITS.get(when["unit"] or when["of"] or "", unit)
        if _SINCE.search(shape):
            return "since", named
        if _UNTIL.search(shape):
            return "until", named
        words = set(re.split(r"\bbefore\b|\bafter\b|\bwhile\b", shape)[0].split())
        if words & _END:
            return "until", named
        return ("since" if words & _BEGIN else "when"), named
    if _SINCE.search(shape):
        return "since", unit
    if _UNTIL.search(shape):
        return "until", unit
    first = next((word for word in shape.split() if word not in ("T", ",")), "")
    plain = (
        re.sub(r"\b(?:on|in|at|during|for|by) which\b", "", shape)
        if first in AUXILIARIES
        else shape
    )
    # "When" and "which" may open a clause of it: "did A live there when B did".
    if first in AUXILIARIES and not (WH & set(plain.split())) - {"when", "which"}:
        return "whether", unit
    return "entities", unit


_WHOSE: Final = re.compile(r"^whose (?P<noun>[a-z]+) (?P<be>is|was) (?=(?:the )?E)")


_HOW_MUCH: Final = re.compile(r"^how (?:much|high|large|heavy) (?:do|does|did|is|was|are|were)\b")


def reworded(tokens: Tokens) -> Tokens:
    """Return a question in the words of facts: whose boat something is, is who owns it.

    And how much somebody earns, what.
    """
    if _HOW_MUCH.match(shape_of(tokens)):
        return (Token("what", "what"), *tokens[2:])
    found = _WHOSE.match(shape_of(tokens))
    noun = found["noun"] if found else ""
    if found and not (is_light(noun) or senses_of(stem_of(noun)) or kin_of(noun)):
        words = ("who", found["be"], "the", "owner", "of")
        tokens = (*(Token(word, word) for word in words), *tokens[3:])
    return tokens


def elder(tokens: Tokens, limits: Limits) -> tuple[Tokens, Limits]:
    """Return a question without the word that asks for the eldest or youngest, and that in limits.

    Of two that are named, it is which of them was born first: "who is older, A or B".
    """
    words = [token.word for token in tokens]
    places = [at for at, word in enumerate(words) if word in _ELDER]
    if len(places) != 1 or "than" in words:
        return tokens, limits
    [at] = places
    first = _ELDER[words[at]]
    named = [place for place, token in enumerate(tokens) if token.named is not None]
    if len(named) == _PAIR and not {"or", "and"}.isdisjoint(words[named[0] : named[1]]):
        if set(words) - _CHOOSING - {words[at], "E"}:
            return tokens, limits
        one, other = (tokens[place] for place in named)
        when = Token("first", "first") if first else Token("last", "last")
        asked = (Token("who", "who"), Token("was", "was"), Token("born", "born"), when)
        return (*asked, Token(",", ","), one, Token("or", "or"), other), limits
    low = at - (at > 0 and words[at - 1] == "the")
    return tokens[:low] + tokens[at + 1 :], replace(limits, aged="eldest" if first else "youngest")


_ELDER: Final = {
    **dict.fromkeys(("elder", "eldest", "older"), True),
    **dict.fromkeys(("younger", "youngest"), False),
}
_CHOOSING: Final = frozenset(
    "who which of the two one is was or and , : person between people them".split()
)
_PAIR: Final = 2
