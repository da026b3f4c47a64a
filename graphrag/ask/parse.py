"""English questions of time as structures: what is wanted, in which order, bounded by what.

Grammar, no wordings: the question word and its noun say what is wanted, connectives divide the
clauses, ordinals and superlatives order them. Which relation the words mean is left to the graph.
"""

import re
from dataclasses import replace
from typing import Final, Literal

from graphrag.search.query_time import Said
from graphrag.temporal.interval import Interval
from graphrag.ask.asked import Asked, Clause, Link, Order, Token, Unit, Wants
from graphrag.ask.segments import (
    Parts,
    Tokens,
    divided,
    known_in,
    place_of,
    shape_of,
    shape_slice,
    without_frame,
)

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
)
_IN_UNITS: Final = re.compile(r"\b(?:in|counted in|measured in|expressed in) (?P<unit>days|weeks|months|years)\b")
_HOW_OFTEN: Final = re.compile(
    r"\bhow (?:many times|often|frequently)\b|\bnumber of times\b|"
    r"\bhow many (?:separate |different )?(?:occasions|instances|spells|stints|terms)\b"
)
_HOW_MANY: Final = re.compile(r"\bhow many\b|\b(?:what|which) number of\b|\bnumber of\b|^count\b")
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
    r"|\b(?:from|since) which\b"
)
_UNTIL: Final = re.compile(
    rf"\b(?:until|till|up to|up until|til) (?:when|{_ASK}(?:{_UNIT}|date|time)|how late)\b"
    r"|\bhow late\b"
    rf"|\b(?:last|final|latest) (?:{_UNIT}|date) (?:on|in|that|when|of)\b"
    r"|\b(?:until|till)\W*$|\b(?:until|till|up to) which\b"
)
_BEGIN: Final = frozenset(
    "begin began begun begins beginning start started starts starting become became join joined "
    "commence commenced enter entered".split()
)
_END: Final = frozenset(
    "end ended ends ending stop stopped stops cease ceased finish finished leave left quit resign "
    "resigned conclude concluded expire expired over terminate terminated".split()
)
_AUX: Final = frozenset(
    "did do does was were is are am has have had will would can could".split()
)
_WH: Final = frozenset("who whom whose what which where when how why".split())
_OTHER_WAY: Final = re.compile(
    r"\bother way (?:round|around)\b|\bvice versa\b|\bthe (?:earlier|later|former|first) (?:one|of)\b|"
    r"\bwhich of\b|\bwhich (?:one )?(?:was|is|came|comes|happened|began|started|of)\b"
)
_EITHER: Final = re.compile(r"E (?:, )?(?:or|and) (?:[a-z]+ ){0,2}?E\b")
_COMPARING: Final = re.compile(r"\b(?:first|earlier|earliest|sooner|before|later|last|latest)\b")
_LATER: Final = re.compile(r"\b(?:later|last|latest|after|more recent(?:ly)?)\b")
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
)
_NEXT: Final = re.compile(
    r"\b(?:immediately|right|just|directly|straight|next|subsequently|first|most recently|last|"
    r"preceding|previous|shortly|thereupon|then)\b"
)
_CAME: Final = r"(?:came|come|comes) (?:right |just |next |directly |immediately |straight )?"
_SUCCEED: Final = re.compile(
    r"\b(?:succeed|succeeds|succeeded|follow|follows|followed|replace|replaces|replaced|successor|"
    r"succeeding|following|supersede|superseded|took over|take over|"
    rf"{_CAME}after)\b"
)
_PRECEDE: Final = re.compile(
    r"\b(?:precede|precedes|preceded|predecessor|preceding|handed over|"
    rf"hand over|made way|make way|gave way|give way|{_CAME}before)\b"
)
_LEADING: Final = re.compile(
    r"\b(?:(?P<after>following|(?:later|newer|more recent) than|subsequent to|after)"
    r"|preceding|(?:earlier|older) than|ahead of|before|prior to)$"
)
_INDIRECT: Final = re.compile(r"when E\b(?!.* [,:] )(?!.*\b(?:who|whom|what|which|where|how|did)\b)")
_GAP: Final = re.compile(
    r"\b(?:vacant|vacancy|unoccupied|unfilled|empty|gap|interregnum|lapse|open)\b"
)
_BETWEEN: Final = re.compile(r"\b(?:between|from|separate|separates|separated)\b(?= )")


def parse(text: str, tokens: Tokens) -> Asked:
    """Return a question as a structure.

    Args:
        text: The question as asked.
        tokens: Its words, with names and times as one each.
    """
    known, words = known_in(without_frame(tokens))
    words = _stripped(without_frame(words))
    if _INDIRECT.match(shape_of(words)):  # "do you know when A moved"
        words = (words[0], Token("did", "did"), *words[1:])
    wants, unit = _wants(shape_of(words))
    if wants in ("entities", "whether") and (choice := _choice(text, words, known)):
        return choice
    if wants == "how long" and (apart := _apart(words)):
        first, second = apart
        return Asked(
            text, wants, first, "while", second, apart=True, unit=unit, known=known
        )
    parts = _both(wants, divided(words))
    main, during = _timed(parts.main)
    anchor, other = _timed(parts.anchor)
    asked = Asked(
        text,
        wants,
        Clause(main),
        parts.link,
        Clause(anchor, order_of(anchor)) if anchor else None,
        order=None if wants == "how long" else order_of(main, bounded=parts.link is not None),
        during=during or other,
        known=known,
        unit=unit,
    )
    return _present(_linked(asked, parts, words))


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


def _stripped(tokens: Tokens) -> Tokens:
    while tokens and tokens[0].word in (",", ":", "that", "-"):
        tokens = tokens[1:]
    while tokens and tokens[-1].word in ("?", ".", "!", ","):
        tokens = tokens[:-1]
    return tokens


def _wants(shape: str) -> tuple[Wants, Unit | None]:
    """Return what a question asks for, and the unit that it says."""
    given = _IN_UNITS.search(shape)
    unit = _UNITS[given["unit"]] if given else None
    if _HOW_OFTEN.search(shape):
        return "how often", unit
    if found := _HOW_LONG.search(shape):
        return "how long", _UNITS.get(found["unit"] or "", unit)
    if _HOW_MANY.search(shape):
        return "how many", unit
    when = _WHEN.search(shape)
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
    plain = re.sub(r"\b(?:on|in|at|during|for|by) which\b", "", shape) if first in _AUX else shape
    # "When" and "which" may open a clause of it: "did A live there when B did".
    if first in _AUX and not (_WH & set(plain.split())) - {"when", "which"}:
        return "whether", unit
    return "entities", unit


def _timed(tokens: Tokens) -> tuple[Tokens, Said | None]:
    """Return some words without their time, and the time."""
    place = next((at for at, token in enumerate(tokens) if token.said is not None), None)
    if place is None:
        return tokens, None
    said = tokens[place].said
    assert said is not None
    lead = _LEADING.search(shape_of(tokens[:place]))
    if lead is None or said.bound != "in":
        return tuple(token for token in tokens if token.said is None), said
    begin = place_of(shape_of(tokens[:place]), lead.start())
    rest = tuple(token for token in tokens[:begin] + tokens[place:] if token.said is None)
    words = f"{lead.group()} {said.words}"
    if lead["after"]:
        return rest, replace(said, words=words, bound="after", interval=Interval(said.interval.end))
    return rest, replace(
        said, words=words, bound="before", interval=Interval(end=said.interval.start)
    )


def _choice(text: str, tokens: Tokens, known: Said | None) -> Asked | None:
    """Read a question that names what it lets one choose from: "which came first, A or B?"."""
    shape = shape_of(tokens)
    either = list(_EITHER.finditer(shape))
    picks = re.search(r"\bor\b|\bwhich of\b|\b(?:of|between) E and E\b", shape) is not None
    if not (picks and _COMPARING.search(shape)):
        return None
    asking = _OTHER_WAY.search(shape) or _WH & set(shape.split()) or re.search(r"E (?:, )?or ", shape)
    if not asking:
        return None
    main, during = _timed(tokens)
    shape = shape_of(main)
    either = [one for one in _EITHER.finditer(shape) if " or " in one.group()] or either
    places = [place for place, token in enumerate(main) if token.named is not None]
    if not either and _OTHER_WAY.search(shape):
        # "Did A begin with B before C, or the other way round?"
        if len(places) < 3:
            return None
        chosen = places[-2:]
    elif len(places) >= 4 and not either:
        cut = next((at for at, token in enumerate(main) if token.word == "or"), None)
        if cut is None or sum(place > cut for place in places) != 2:
            return None
        left = [place for place in places if place < cut][-2:]
        begin = max((at for at in range(left[0]) if main[at].word in (":", ",", ";", "-")), default=left[0] - 1)
        pair = Clause(main[begin + 1 : cut]), Clause(main[cut + 1 :])
        late = Order("last" if _LATER.search(shape_of(main[: begin + 1])) else "first")
        return Asked(text, "which", Clause(main[: begin + 1]), choices=pair, order=late, known=known)
    elif either:
        span = either[-1]
        chosen = [place_of(shape, span.start()), place_of(shape, span.end() - 1)]
    else:
        return None
    choices = tuple(Clause((main[place],)) for place in chosen)
    rest = Clause(tuple(token for place, token in enumerate(main) if place not in chosen))
    words = re.sub(r"\bother way (?:round|around)\b", "", shape)
    tail = words.rpartition(" or ")[2] if _OTHER_WAY.search(shape) and "before" in words else words
    late = _LATER.search(tail) is not None and not re.search(r"\b(?:earlier|first|sooner)\b", tail)
    return Asked(
        text,
        "which",
        rest,
        choices=choices,
        order=Order("last" if late else "first"),
        during=during,
        known=known,
    )


def _apart(tokens: Tokens) -> tuple[Clause, Clause] | None:
    """Return the two clauses whose distance is asked for: "between A ... and B ..."."""
    shape = shape_of(tokens)
    openings = [(0, one.start(), one.end() + 1) for one in _BETWEEN.finditer(shape)]
    for _, stop, begin in [*openings, (0, 0, 0)]:
        inside = shape_slice(tokens, shape, begin, len(shape))
        places = [at for at, token in enumerate(inside) if token.named is not None]
        for cut, token in enumerate(inside):
            if token.word not in ("and", "to", "until", "till", "from"):
                continue
            left = sum(place < cut for place in places)
            right = len(places) - left
            if (left, right) == (1, 2) and stop:  # "the gap between A and B as C"
                shared = (inside[places[2]],)
                one, two = inside[:cut] + shared, inside[cut + 1 :]
                return Clause(one, order_of(one)), Clause(two, order_of(two))
            if (left, right) == (2, 1) and stop:  # "from the end of A's term as B to C's"
                one, two = inside[:cut], inside[cut + 1 :] + (inside[places[1]],)
                return Clause(one, order_of(one)), Clause(two, order_of(two))
            if left and left == right <= 2:
                head = shape_slice(tokens, shape, 0, stop)
                if left == 1 and not stop:
                    continue
                if left == 1:  # the gap between two holders of one thing
                    own = tuple(one for one in head if one.named is not None)
                    if len(own) != 1:
                        continue
                    one, two = inside[:cut] + head, inside[cut + 1 :] + head
                else:
                    one, two = inside[:cut], inside[cut + 1 :]
                return Clause(one, order_of(one)), Clause(two, order_of(two))
    return None


def _linked(asked: Asked, parts: Parts, words: Tokens) -> Asked:
    """Settle how the two clauses are linked: neighbors, all on one side, or a distance."""
    shape = shape_of(asked.main.tokens)
    then = re.search(r"\b(?:(before|after) (?:that|then|this|it)|beforehand|afterwards?|thereafter)$", shape)
    if asked.link == "while" and then is not None:
        side: Link = "before" if then.group().startswith("before") else "after"
        asked = replace(asked, link=side)
    if asked.during is not None and asked.link is None and asked.order is None:
        # "After 3 May, whom did A visit next?"
        half: dict[str, Literal["first", "last"]] = {"after": "first", "before": "last"}
        kind = half.get(asked.during.bound)
        if kind is not None and _NEXT.search(shape):
            asked = replace(asked, order=Order(kind))
    if asked.link in ("before", "after") and asked.wants in ("entities", "when", "whether"):
        near = parts.near or _NEXT.search(shape) is not None
        several = _several(asked.main.tokens)
        alone = asked.wants == "entities" and not several
        asked = replace(asked, neighbor=near or alone)
        if asked.neighbor and asked.order in (Order("first"), Order("last")):
            asked = replace(asked, order=None)
    if asked.wants == "how long" and asked.link in ("before", "after"):
        asked = replace(asked, apart=True)
    if asked.anchor is None and asked.wants == "entities":
        asked = _succession(asked)
    return asked


def _both(wants: Wants, parts: Parts) -> Parts:
    """Divide "both A ... and B ..." of a question whether they held at one time."""
    has = [sum(token.named is not None for token in one) for one in (parts.main, parts.anchor)]
    if wants != "whether" or sorted(has) != [0, 4]:
        return parts
    tokens = parts.main if has[0] else parts.anchor
    places = [at for at, token in enumerate(tokens) if token.named is not None]
    for cut, token in enumerate(tokens):
        if token.word in ("and", "with") and places[1] < cut < places[2]:
            return Parts(tokens[:cut], "while", False, tokens[cut + 1 :])
    return parts


def _succession(asked: Asked) -> Asked:
    """Read "who succeeded A as B", "A's predecessor as B", "what followed B among A's jobs"."""
    tokens = asked.main.tokens
    shape = shape_of(tokens)
    link: Link = "after"
    verb = _SUCCEED.search(shape)
    if verb is None:
        link, verb = "before", _PRECEDE.search(shape)
    places = [place for place, token in enumerate(tokens) if token.named is not None]
    if verb is None or not places:
        return asked
    at, stop = place_of(shape, verb.start()), place_of(shape, verb.end() - 1)
    whom = stop + 1 < len(tokens) and tokens[stop + 1].word in ("whom", "who", "which", "what")
    noun = verb.group() in ("successor", "predecessor")
    before = [place for place in places if place < at]
    after = [place for place in places if place > stop]
    passive = any(
        tokens[place].word in ("was", "were", "is", "been", "being", "be")
        for place in range(at)
    ) and re.search(r"\bby\b", shape) is not None
    aux = before and any(token.word in ("did", "does", "do") for token in tokens[: before[0]])
    if noun:
        anchor = next((p for p in before if p + 1 < len(tokens) and tokens[p + 1].word == "'s"), None)
        anchor = anchor if anchor is not None else next(iter(after), places[0])
    elif before and (aux or passive or whom):
        anchor = before[-1]
        if not passive:
            link = "before" if link == "after" else "after"
    elif after:
        anchor = after[0]
    else:
        return asked
    if re.search(r"\bfrom E", shape):  # "who took over the chair from A"
        anchor = next(p for p in places if tokens[p - 1].word == "from")
    rest = tuple(
        token for place, token in enumerate(tokens) if place != anchor and not at <= place <= stop
    )
    return replace(
        asked,
        main=Clause(rest),
        anchor=Clause((tokens[anchor],)),
        link=link,
        neighbor=True,
        order=None,
    )


def _several(tokens: Tokens) -> bool:
    """Tell whether several things are asked for: "which offices", "list", "all"."""
    words = [token.word for token in tokens]
    if {"all", "list", "any", "every", "ever", "each"} & set(words):
        return True
    for place, word in enumerate(words[:-1]):
        if word in ("which", "what", "whose", "name"):
            noun = next((w for w in words[place + 1 :] if w not in ("other", "different", "the")), "")
            return _plural(noun)
    return False


def _plural(noun: str) -> bool:
    return noun in ("people", "men", "women", "children") or (
        len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
    )


def _present(asked: Asked) -> Asked:
    """Mark a question that asks of now: in the present tense, with no time and no order."""
    words = [token.word for token in asked.main.tokens]
    now = {"currently", "now", "still", "presently", "nowadays"} & set(words)
    bounded = asked.during or asked.order or asked.link or asked.wants not in (
        "entities",
        "whether",
        "how many",
    )
    if bounded:
        return asked
    if asked.wants == "how many" and not now:
        counted = re.search(r"(?:how many|number of) (.*)", shape_of(asked.main.tokens))
        words = counted.group(1).split() if counted else ["did"]
    verb = next((word for word in words if word in _AUX), None)
    if asked.wants == "how many" and not now and verb not in ("is", "are", "do", "does", "am"):
        return asked
    past = verb in ("did", "was", "were", "had", "has", "have", "would", "could")
    if "ever" in words or "known" in words or (past and not now):
        return asked
    if verb is None and not now and any(_past(token) for token in asked.main.tokens):
        return asked
    return replace(asked, present=True)


def _past(token: Token) -> bool:
    from graphrag.ask.senses import _IRREGULAR

    return token.word.endswith("ed") or token.word in _IRREGULAR
