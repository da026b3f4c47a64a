"""The grammar of a question: what it wants, in which order, in what time, within which limits.

What is left of a clause are the names and the words that mean a relation. A word that changes what
is asked and of which nothing was made is unread.
"""

import re
from dataclasses import replace
from typing import Final, Literal

from graphrag.ask.clause import Clause, Condition, Frame, Token, Tokens
from graphrag.ask.division import (
    AUXILIARIES,
    LATER,
    WH,
    Part,
    apart_in,
    between,
    choice_in,
    divided,
    known_in,
    place_of,
    shape_of,
    stripped,
    succession,
    without,
)
from graphrag.ask.query import Order
from graphrag.ask.senses import is_past
from graphrag.ask.wants import PHRASES, order_of, wants_of
from graphrag.search.query_time import Said
from graphrag.temporal.interval import Interval
from graphrag.temporal.vocabulary import MONTHS

_EXCEPT: Final = re.compile(
    r"(?:, )?\b(?:other than|besides|apart from|aside from|except for|except|excluding|but not|"
    r"not counting|in addition to) (?:(?:at|in|for|with|by|as|to) )?"
    r"(?P<names>E(?: (?:,|and|or|nor|, and) E)*)(?: ,)?"
)
_ENDED: Final = re.compile(r"\b(?:no longer|formerly|former|used to be|used to|use to)\b")
_PLANNED: Final = re.compile(r"\b(?:will|shall|going to|planned to|scheduled to|about to)\b")
_AGO: Final = re.compile(r"\bhow (?:long|many (?:days|weeks|months|years)) ago\b")


def read(text: str, tokens: Tokens) -> Frame:
    """Return a question as its grammar reads.

    Args:
        text: The question as asked.
        tokens: Its words, with names and times as one each.
    """
    known, words = known_in(stripped(tokens))
    words = stripped(words)
    for pattern, plain in PHRASES:
        if found := pattern.search(shape_of(words)):
            rest = between(words, found.string, found.end() + 1, len(found.string))
            words = between(words, found.string, 0, max(0, found.start() - 1)) + plain + rest
    if re.match(
        r"when E\b(?!.* [,:] )(?!.*\b(?:who|whom|what|which|where|how|did)\b)", shape_of(words)
    ):
        words = (words[0], Token("did", "did"), *words[1:])  # "do you know when A moved"
    wants, unit = wants_of(shape_of(words))
    frame = Frame(text, wants, Clause(()), unit, known=known)
    frame = replace(frame, ago=_AGO.search(shape_of(words)) is not None)
    frame, words = _limited(frame, words)
    if wants in ("entities", "whether") and (choice := choice_in(words)):
        return _checked(_choosing(frame, *choice))
    if wants == "how long" and not frame.ago and (apart := apart_in(words)):
        one, other = (_clause(part) for part in apart)
        gap = not _GAP.isdisjoint(shape_of(words).split())
        return _checked(replace(frame, main=one, apart=other, from_end=gap))
    main, parts = divided(words)
    if not parts and wants in ("entities", "whether") and (followed := succession(main)):
        main, parts = followed[0], [followed[1]]
    conditions = tuple(Condition(part.link, _clause(part.tokens), part.near) for part in parts)
    if conditions and shape_of(main).startswith(("who else ", "whom else ")):
        # "Who else was there when A was" does not ask for A.
        main = tuple(token for token in main if token.word != "else")
        own = [token.named for token in main if token.named is not None]
        names = (name for condition in conditions for name in condition.clause.names)
        frame = replace(frame, without=(*frame.without, *(n for n in names if n not in own)))
    frame = replace(frame, main=_clause(main), conditions=conditions)
    return _checked(_present(_linked(frame, parts)))


_GAP: Final = frozenset("vacant vacancy unoccupied unfilled empty gap interregnum".split())


def _clause(tokens: Tokens) -> Clause:
    tokens, said = _timed(tokens)
    return Clause(tokens, order_of(tokens), said)


def _choosing(frame: Frame, rest: Tokens, choices: tuple[Token, Token]) -> Frame:
    shape = shape_of(rest)
    tail = shape.rpartition(" or ")[2] if "other way" in shape and "before" in shape else shape
    later = LATER.search(tail) and not re.search(r"\b(?:earlier|first|sooner)\b", tail)
    words, said = _timed(rest)
    main = Clause(words, Order("last" if later else "first"), said)
    among = tuple(token.named for token in choices if token.named is not None)
    return replace(frame, wants="which", main=main, among=among)


def _limited(frame: Frame, tokens: Tokens) -> tuple[Frame, Tokens]:
    """Take what limits the facts out of the words."""
    if found := _EXCEPT.search(shape_of(tokens)):
        named = between(tokens, found.string, found.start("names"), found.end("names"))
        names = tuple(token.named for token in named if token.named is not None)
        frame, tokens = replace(frame, without=names), without(tokens, found)
    if found := _ENDED.search(shape_of(tokens)):
        frame, tokens = replace(frame, ended=True), without(tokens, found)
    if found := _PLANNED.search(shape_of(tokens)):
        frame = replace(frame, planned=True)
        tokens = tokens if found.start() == 0 else without(tokens, found)
    return frame, tokens


_PART: Final = re.compile(
    r"\b(?:weeks?|half|quarters?|beginning|end|start|middle|months?|days?|early|late|mid|around|"
    r"about|roughly|nearly|circa)(?: (?:of|in|the))*$"
)
"""Words before a time that mean a part of it, or near it."""
_LEADING: Final = re.compile(
    r"\b(?:(?P<after>following|(?:later|newer|more recent) than|after)"
    r"|preceding|(?:earlier|older) than|before|prior to)$"
)


def _timed(tokens: Tokens) -> tuple[Tokens, Said | None]:
    """Return some words without their time, and the time."""
    place = next((at for at, token in enumerate(tokens) if token.said is not None), None)
    if place is None or (said := tokens[place].said) is None:
        return tokens, None
    if _PART.search(shape_of(tokens[:place])):
        return tokens, None  # "in the first week of May" is not all of May
    lead = _LEADING.search(shape_of(tokens[:place]))
    if lead is None or said.bound != "in":
        return tokens[:place] + tokens[place + 1 :], said
    begin = place_of(lead.string, lead.start())
    rest = tokens[:begin] + tokens[place + 1 :]
    words = f"{lead.group()} {said.words}"
    if lead["after"]:
        return rest, replace(said, words=words, bound="after", interval=Interval(said.interval.end))
    return rest, replace(
        said, words=words, bound="before", interval=Interval(end=said.interval.start)
    )


_NEXT: Final = re.compile(
    r"\b(?:immediately|right|just|directly|straight|next|subsequently|first|most recently|last|"
    r"preceding|previous|shortly|then)\b"
)


def _linked(frame: Frame, parts: list[Part]) -> Frame:
    """Settle whether the facts next to a condition are asked for, or all on its side."""
    shape, main = shape_of(frame.main.tokens), frame.main
    if main.during is not None and not parts and main.order is None:
        # "After 3 May, whom did A visit next?"
        half: dict[str, Literal["first", "last"]] = {"after": "first", "before": "last"}
        kind = half.get(main.during.bound)
        if kind is not None and _NEXT.search(shape):
            return replace(frame, main=replace(main, order=Order(kind)))
    if len(parts) != 1 or parts[0].link not in ("before", "after"):
        return frame
    if frame.wants not in ("entities", "when", "whether"):
        return frame
    near = parts[0].near or _NEXT.search(shape) is not None
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


def _present(frame: Frame) -> Frame:
    """Mark a question that asks of now: in the present tense, with no time and no order."""
    words = [token.word for token in frame.main.tokens]
    now = not {"currently", "now", "still", "presently", "nowadays"}.isdisjoint(words)
    limits = frame.ended or frame.planned or frame.conditions
    if frame.main.during or frame.main.order or limits:
        return frame
    if frame.wants not in ("entities", "whether", "how many"):
        return frame
    if not {"ever", "known", "record", "recorded"}.isdisjoint(words):
        return frame
    verb = next((word for word in words if word in AUXILIARIES), None)
    if frame.wants == "how many" and not now:
        if counted := re.search(r"(?:how many|number of) (.*)", shape_of(frame.main.tokens)):
            verb = next((w for w in counted.group(1).split() if w in AUXILIARIES), None)
        return replace(frame, present=verb in ("is", "are", "do", "does"))
    if frame.known is not None and frame.wants == "entities":
        return replace(frame, present=True)  # "as known in May, who was mayor"
    past = verb in ("did", "was", "were", "had", "has", "have", "would", "could")
    if past and not now:
        return frame
    if verb is None and not now and any(is_past(token.word) for token in frame.main.tokens):
        return frame
    # "Ann Little's husband" and "birthplace of Ann" have no tense.
    tenseless = verb is None and not now and not WH & set(words)
    return replace(frame, present=not tenseless)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ORDERING: Final = _words(
    "first second third fourth fifth sixth seventh eighth ninth tenth last latest earliest final "
    "finally initial initially original originally oldest newest longest shortest 1st recent "
    "recently next previous previously preceding early earlier late later before after following "
    "soon shortly just then until till since"
)
_EDGE: Final = _words("first last latest earliest newest oldest next")
_COMPARING: Final = _words("more most less least few fewer longer shorter than once")
CHANGING: Final = _words(
    "no not never nor neither none nobody n't without hardly rarely other else another why if "
    "only alone even twice decade century half same together simultaneously again back return "
    "returns returned returning rejoin rejoins rejoined rejoining eldest youngest older younger"
)
"""Words that change what is asked, and that no grammar here reads."""


def _checked(frame: Frame) -> Frame:
    """Note the words that change what is asked, of which nothing was made."""
    unread = [
        token.text
        for clause in frame.clauses
        for at, token in enumerate(clause.tokens)
        if token.named is None and _is_unread(frame, clause, at)
    ]
    return replace(frame, unread=tuple(dict.fromkeys(unread)))


def _is_unread(frame: Frame, clause: Clause, at: int) -> bool:
    """Tell whether a word changes what is asked, and nothing was made of it."""
    token, word = clause.tokens[at], clause.tokens[at].word
    before = clause.tokens[at - 1].word if at else ""
    if before == "," and word in ("his", "her", "their", "its"):
        return True  # "the winner of A, his first job" asks of someone that it does not name
    if word in _EDGE and not (frame.conditions or frame.among or frame.apart):
        earlier = {token.word for token in clause.tokens[: max(0, at - 1)]}
        if earlier & _EDGE and "ever" not in earlier:
            return True  # "who did the first to visit A visit last"
    if token.said is not None or (
        word in MONTHS and (token is clause.tokens[-1] or token.text[:1].isupper())
    ):
        return True
    if word.endswith("n't") or (word == "or" and frame.wants == "whether"):
        return True
    if word == "from" and not {"got", "get", "gets", "received"}.isdisjoint(clause.words):
        return True  # who got something from A is no one who gave it
    if word[:1].isdigit():
        return clause.order is None
    if word in _COMPARING:
        following = clause.tokens[at + 1].word if at + 1 < len(clause.tokens) else ""
        longest = clause.order is not None and clause.order.kind in ("longest", "shortest")
        return not longest and not following.startswith("recent")
    if word in CHANGING:
        linked = word == "same" and frame.conditions
        return not (linked or frame.among or frame.apart or frame.without)
    if word in ("how", "many", "often", "long"):
        return not frame.wants.startswith("how") and frame.wants != "age"
    return word in _ORDERING and not (
        frame.conditions
        or frame.among
        or frame.apart
        or frame.ago
        or frame.wants in ("since", "until", "how long", "age", "which")
        or any(one.order or one.during for one in frame.clauses)
    )
