"""The grammar of a question: what it wants, in which order, in what time, within which limits.

What is left of a clause are the names and the words that mean a relation.
"""

import re
from dataclasses import replace
from typing import Final, Literal, get_args

from graphrag.ask import clause, division, wording
from graphrag.ask.clause import Clause, Frame, Token, Tokens
from graphrag.ask.query import Order, Unit, Wants
from graphrag.ask.wording import stem_of, stems

_UNITS: Final[dict[str, Unit]] = {
    **{form: unit for unit in get_args(Unit) for form in (unit, f"{unit}s")},
    **dict.fromkeys(("date", "dates"), "day"),
}
_UNIT: Final = "days?|weeks?|months?|years?"
_ASK: Final = r"(?:what|which)(?: exact| calendar)? "
_HOW_OFTEN: Final = re.compile(
    r"\bhow (?:many times|often|frequently)\b|\bnumber of times\b|"
    r"\bhow many (?:separate |different )?(?:occasions|instances|spells|stints|terms)\b"
)
_HOW_LONG: Final = re.compile(
    rf"\b(?:how (?:many|much)|(?:the )?number of) (?:\w+ )?(?P<unit>{_UNIT})\b|\bhow long\b|"
    r"\bhow much time\b|\b(?:what|which) (?:is|was) the (?:length|duration|time|gap|interval)\b|"
    rf"\b(?:length|duration) of\b|^count the (?P<count>{_UNIT})\b|"
    rf"^(?:the )?(?:time|{_UNIT}) (?:from|between)\b|"
    rf"\b(?P<before>{_UNIT}) , how many\b"
)
_IN_UNITS: Final = re.compile(
    r"\b(?:in|measured in|expressed in) (?P<unit>days|weeks|months|years)\b"
)
_HOW_MANY: Final = re.compile(r"\bhow many\b|(?:^|\b(?:what|the|total|state) )number of\b|^count\b")
_WHEN: Final = re.compile(
    r"(?:^|[,:] |^(?:since|until|till|from|by|up to) )when\b|"
    rf"\b{_ASK}(?P<unit>day|date|week|month|year|time)\b|"
    r"(?:^|what (?:is|was) |give |name |state )(?:the )?(?:[a-z]+ |most recent |very [a-z]+ )?"
    r"(?P<of>date|day|year|month|time)s? (?:of|on|in|when|that|at|from|since|until|till|E)\b|"
    r"\bE (?:'s )?[a-z]+ (?P<end>date|year)$|\bwhen$|"
    r"[,:-] (?:what |which )?(?:date|(?P<last>year))$|"
    rf"^(?!.*\b(?:{wording.ANY_WH})\b).* on$"
)
_SINCE: Final = re.compile(
    rf"\b(?:since|from) (?:when|{_ASK}(?:{_UNIT}|date|time))\b|\bsince\b\W*$|"
    rf"\b(?:first|earliest) (?:{_UNIT}|date) (?:on|in|that|when|of)\b"
)
_UNTIL: Final = re.compile(
    rf"\b(?:until|till|up to|up until) (?:when|{_ASK}(?:{_UNIT}|date|time))\b|\b(?:until|till)\W*$|"
    rf"\b(?:last|final|latest) (?:{_UNIT}|date) (?:on|in|that|when|of)\b"
)
_AGE: Final = re.compile(
    r"\b(?:how old|(?:at|by) (?:what|which|the) age|(?:what|which) (?:is|was) (?:the )?age of)\b"
    r"|'s age\b"
)
_STARTS: Final = "begin start join become move relocate transfer arrive enter hire appoint elect"
_ENDS: Final = "end leave quit resign stop cease finish retire depart cancel " + wording.DIVORCE
STARTING, ENDING = stems(_STARTS), stems(_ENDS)
EDGES: Final = STARTING | ENDING
_BEGIN: Final = STARTING | stems("marry")
_END: Final = ENDING | {"over"}


def wants_of(shape: str) -> tuple[Wants, Unit | None]:
    """Return what a question asks for, and the unit that it says."""
    given = _IN_UNITS.search(shape)
    unit = _UNITS[given["unit"]] if given else None
    if _AGE.search(shape):
        return "age", None
    if _HOW_OFTEN.search(shape):
        return "how often", unit
    if length := _HOW_LONG.search(shape):
        return "how long", _UNITS.get(
            length["unit"] or length["count"] or length["before"] or "", unit
        )
    if _HOW_MANY.search(shape):
        return "how many", unit
    when = _WHEN.search(shape)
    if when is not None and when.start() and when.group().endswith((" when", ": when")):
        # ", when he was there" bounds what another word asks for
        when = None if wording.WH & set(shape[: when.start()].split()) else when
    if when is not None and not re.match(r"(?:[a-z]+ )?when E", shape):
        unit = _UNITS.get(when["unit"] or when["of"] or when["end"] or when["last"] or "", unit)
    else:
        when = None
    if _SINCE.search(shape):
        return "since", unit
    if _UNTIL.search(shape):
        return "until", unit
    if when is not None:
        words = set(map(stem_of, re.split(r"\b(?:before|after|while)\b", shape)[0].split()))
        return "until" if words & _END else "since" if words & _BEGIN else "when", unit
    first = next((word for word in shape.split() if word not in ("T", ",")), "")
    asks = set(re.sub(r"\b(?:on|in|at|during|for|by) which\b", "", shape).split()) & wording.WH
    # "When" and "which" may open a clause of it: "did A live there when B did".
    if first in wording.AUXILIARIES and not asks - {"when", "which"}:
        return "whether", unit
    return "entities", unit


_EXCEPT: Final = re.compile(
    r"(?:, )?\b(?:other than|besides|apart from|aside from|except for|except|excluding|but not|"
    r"not counting|in addition to) (?:(?:at|in|for|with|by|as|to) )?"
    r"(?P<names>E(?: (?:,|and|or|nor|, and) E)*)(?: ,)?"
)
_ELSE: Final = re.compile(r"(?<=who )else\b|(?<=which )other\b|(?<=what )(?:else|other)\b")
_ENDED: Final = re.compile(r"\b(?:no longer|formerly|former|used to be|used to|use to)\b")
_AGO: Final = re.compile(r"\bhow (?:long|many (?:days|weeks|months|years)) ago\b")


def read(text: str, tokens: Tokens) -> Frame:
    """Return a question as its grammar reads, given its words with names and times as one each."""
    frame = _framed(text, tokens)
    return replace(frame, unread=(*frame.unread, *clause.unread_words(frame)))


def _framed(text: str, tokens: Tokens) -> Frame:
    known, words = division.known_in(clause.stripped(tokens))
    words = clause.stripped(words)
    for pattern, plain in wording.PHRASES:
        if found := pattern.search(clause.shape_of(words)):
            before, after = clause.around(words, found)
            words = (*before, *(Token(word, word) for word in plain.split()), *after)
    if re.match(
        r"when E\b(?!.* [,:] )(?!.*\b(?:who|whom|what|which|where|how|did)\b)",
        clause.shape_of(words),
    ):
        words = (words[0], Token("did", "did"), *words[1:])  # "do you know when A moved"
    words = division.direct(words)
    wants, unit = wants_of(clause.shape_of(words))
    ago = _AGO.search(clause.shape_of(words)) is not None
    frame = Frame(text, wants, Clause(()), unit, known=known, ago=ago)
    frame, words = _limited(frame, words)
    if wants in ("entities", "whether") and (choice := division.choice_in(words)):
        return _choosing(frame, *choice)
    if wants == "how long" and not frame.ago and (apart := division.apart_in(words)):
        first, second = map(Clause.of, apart)
        gap = not _GAP.isdisjoint(clause.shape_of(words).split())
        return replace(frame, main=first, apart=second, from_end=gap)
    main, conditions = division.both_in(words) or division.divided(words)
    single = not conditions and wants in ("entities", "whether")
    if single and (followed := division.succession(main)):
        main, conditions = followed[0], [followed[1]]
    if conditions and not any(token.named for token in main):
        # "Once A sued B, whom did they phone"
        main = division.standing(conditions[0].clause.tokens, main)
    frame = replace(frame, main=Clause.of(main), conditions=tuple(conditions))
    return _present(_linked(replace(frame, unread=division.hanging(main))))


_GAP: Final = frozenset("vacant vacancy unoccupied unfilled empty gap interregnum".split())


def _choosing(frame: Frame, rest: Tokens, choices: tuple[Token, Token]) -> Frame:
    shape = clause.shape_of(rest)
    tail = shape.rpartition(" or ")[2] if "other way" in shape and "before" in shape else shape
    later = division.LATER.search(tail) and not re.search(r"\b(?:earlier|first|sooner)\b", tail)
    words, said = clause.timed(rest)
    main = Clause(words, Order("last" if later else "first"), said)
    among = tuple(token.named for token in choices if token.named is not None)
    return replace(frame, wants="which", main=main, among=among)


def _limited(frame: Frame, tokens: Tokens) -> tuple[Frame, Tokens]:
    if found := _EXCEPT.search(clause.shape_of(tokens)):
        named = clause.between(tokens, found.string, found.start("names"), found.end("names"))
        names = tuple(token.named for token in named if token.named is not None)
        frame, tokens = replace(frame, without=names), clause.without(tokens, found)
    every = tuple(token.named for token in tokens if token.named is not None)
    if len(every) > 1 and (found := _ELSE.search(clause.shape_of(tokens))):
        before, after = clause.around(tokens, found)
        again = any(token.named for token in before) and any(token.named for token in after)
        frame, tokens = replace(frame, without=every), before[-again:] + after
    if found := _ENDED.search(clause.shape_of(tokens)):
        frame, tokens = replace(frame, holds="ended"), clause.without(tokens, found)
    if found := wording.PLANNED.search(clause.shape_of(tokens)):
        frame = replace(frame, holds="planned")
        tokens = tokens if found.start() == 0 else clause.without(tokens, found)
    return frame, tokens


_NEXT: Final = re.compile(
    r"\b(?:immediately|right|just|directly|straight|next|subsequently|first|most recently|last|"
    r"preceding|previous|shortly|then)\b"
)


def _linked(frame: Frame) -> Frame:
    """Settle whether the facts next to a condition are asked for, or all on its side."""
    shape, main = clause.shape_of(frame.main.tokens), frame.main
    if main.during is not None and not frame.conditions and main.order is None:
        # "After 3 May, whom did A visit next?"
        half: dict[str, Literal["first", "last"]] = {"after": "first", "before": "last"}
        kind = half.get(main.during.bound)
        if kind is not None and _NEXT.search(shape):
            return replace(frame, main=replace(main, order=Order(kind)))
    if [condition.link for condition in frame.conditions] not in (["before"], ["after"]):
        return frame
    near = frame.conditions[0].nearest or _NEXT.search(shape) is not None
    near = near or (frame.wants == "entities" and not _several(main.tokens))
    if near and main.order in (Order("first"), Order("last")):
        main = replace(main, order=None)
    conditions = (replace(frame.conditions[0], nearest=near),)
    return replace(frame, main=main, conditions=conditions)


def _several(tokens: Tokens) -> bool:
    """Tell whether several things are asked for: "which offices", "list", "all"."""
    words = [token.word for token in tokens]
    if not {"all", "list", "any", "every", "ever", "each"}.isdisjoint(words):
        return True
    for place, word in enumerate(words[:-1]):
        if word in ("which", "what", "whose", "name"):
            rest = (w for w in words[place + 1 :] if w not in ("other", "different", "the"))
            noun = next(rest, "")
            plural = len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
            return noun == "of" or noun in ("people", "men", "women", "children") or plural
    return False


_NOW: Final = frozenset("currently now still presently nowadays".split())


def _present(frame: Frame) -> Frame:
    """Mark a question that asks of now: in the present tense, with no time and no order."""
    words = [token.word for token in frame.main.tokens]
    now = not _NOW.isdisjoint(words)
    limited = frame.main.during or frame.main.order or frame.holds or frame.conditions
    if limited or frame.wants not in ("entities", "whether", "how many"):
        return frame
    if not {"ever", "known", "record", "recorded"}.isdisjoint(words):
        return frame
    verb = next((word for word in words if word in wording.AUXILIARIES), None)
    if frame.wants == "how many" and not now:
        counted = re.search(r"(?:how many|number of) (.*)", clause.shape_of(frame.main.tokens))
        rest = counted.group(1).split() if counted else words
        verb = next((word for word in rest if word in wording.AUXILIARIES), None)
        live = rest[0] == "people" and not (verb or any(map(wording.is_past, rest[1:])))
        return replace(frame, holds="now") if live or verb in ("is", "are", "do", "does") else frame
    if frame.known is not None and frame.wants == "entities":
        return replace(frame, holds="now")  # "as known in May, who was mayor"
    past = verb in ("did", "was", "were", "had", "has", "have", "would", "could")
    if past and not now:
        return frame
    if verb is None and not now and any(wording.is_past(token.word) for token in frame.main.tokens):
        return frame
    # "Ann Little's husband" and "birthplace of Ann" have no tense.
    tenseless = verb is None and not now and not (wording.WH | {"present", "current"}) & set(words)
    return frame if tenseless else replace(frame, holds="now")
