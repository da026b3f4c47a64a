"""What a question says of the facts beside their time: lengths, exceptions, ends, company.

Each is read off the words and taken out of them, so that what is left over is seen to be left.
"""

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Final, Literal

from graphrag.ask.asked import Clause, Lasting, Limits, Token, Unit
from graphrag.ask.segments import Tokens, plain, shape_of, shape_slice
from graphrag.ask.senses import stem_of

_SMALL: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBERS: Final = {
    "a": 1,
    "an": 1,
    "hundred": 100,
    **{word: number for number, word in enumerate(_SMALL, 1)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
    **{
        f"{ten}-{one}": 10 * tens + ones
        for tens, ten in enumerate(_TENS, 2)
        for ones, one in enumerate(_SMALL[:9], 1)
    },
}
_BOUNDS: Final[tuple[tuple[Literal["more", "least", "less", "most", "exactly"], str], ...]] = (
    ("least", "at least|no less than|not less than|no fewer than|no shorter than"),
    ("most", "at most|no more than|not more than|no longer than|not longer than|up to"),
    ("more", "(?:for )?(?:more|longer) than|over|upwards of|in excess of"),
    ("less", "(?:for )?(?:less|fewer|shorter) than|under"),
    ("exactly", "exactly|precisely"),
)
_OR: Final[dict[str, Literal["least", "most"]]] = {
    "more": "least",
    "longer": "least",
    "less": "most",
    "shorter": "most",
    "fewer": "most",
}
_SPANS: Final[dict[str, tuple[int, Unit]]] = {
    "day": (1, "day"),
    "week": (1, "week"),
    "month": (1, "month"),
    "year": (1, "year"),
    "decade": (10, "year"),
    "century": (100, "year"),
    "centurie": (100, "year"),
}
_LENGTH: Final = (
    rf"(?P<n>\d+|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}) "
    rf"(?P<unit>{'|'.join(_SPANS)})s?"
    r"(?! (?:before|after|ago|later|earlier|old|prior|of|or))\b"
)
_LASTING: Final = re.compile(
    r"\b(?:(?:that |which )?(?:lasted|lasting|lasts) )?(?:for )?(?:"
    + "|".join(f"(?P<{name}>{words})" for name, words in _BOUNDS)
    + rf") {_LENGTH}"
)
_OR_MORE: Final = re.compile(
    r"\b(?:for )?"
    + _LENGTH.replace("|of|or", "|of")
    + r" (?:or|and) (?P<or>more|longer|less|shorter|fewer)\b"
)
_EXCEPT: Final = re.compile(
    r"(?:, )?\b(?:other than|besides|beside|apart from|aside from|except for|except|excepting|"
    r"excluding|but not|but for|not counting|not including|in addition to) "
    r"(?:(?:at|in|for|with|by|as|to) )?(?P<names>E(?: (?:,|and|or|nor|, and) E)*)(?: ,)?"
)
_ENDED: Final = re.compile(
    r"\b(?:no longer|formerly|former|used to be|used to|use to|in the past)\b"
)
_WILL: Final = frozenset({"will", "shall"})
_PLANNED: Final = re.compile(
    r"\b(?:going to|planned to|planned|scheduled to|scheduled|upcoming|about to|future)\b"
)
_AGO: Final = re.compile(r"\bhow (?:long|many (?:days|weeks|months|years)) ago\b")
_FELLOWS: Final = frozenset(
    (
        "colleague colleagues coworker coworkers co-worker co-workers workmate workmates teammate "
        "teammates team-mate team-mates housemate housemates flatmate flatmates roommate roommates "
        "classmate classmates fellow fellows"
    ).split()
)
_WITH: Final = re.compile(
    r"^(?:and )?(?:together |alongside )?with (?:whom|who|which|what)\b|"
    r"\b(?:who|whom|what people) .*\b(?:with|alongside)\W*$|"
    r"\b(?:who|whom|what people|which people) (?!.*\bdid E)(?:[a-z]+ )*(?:with|alongside) E\b"
)
_TOGETHER: Final = re.compile(
    r"^(?:did|was|were|have|has|do|does) .* (?:at the same time|simultaneously|concurrently)$"
)
_SAME_DAY: Final = re.compile(r"on the same (?:day|date) as E(?: [?.!])*$")
AUXILIARIES: Final = frozenset(
    "did do does was were is are am has have had will would can could".split()
)
_NEVER: Final = frozenset({"never", "not", "n't"})
_JOINS: Final = frozenset({"but", "that", "which", "who", "whom", "and", "yet", "where"})
STARTING: Final = frozenset(
    (
        "began begin begins started start starts joined join joins became become becomes moved "
        "move moves entered enter enters commenced commence arrived arrive hired hire appointed "
        "elected inaugurated return returns returned returning rejoin rejoins rejoined rejoining "
        "joining becoming moving entering arriving"
    ).split()
)
ENDING: Final = frozenset(
    (
        "ended end ends left leave leaves quit quits resigned resign resigns stopped stop stops "
        "ceased cease finished finish retired retire retires departed depart expired expire fired "
        "dismissed terminated terminate leaving quitting resigning retiring departing"
    ).split()
)
_NOUN: Final = frozenset({"the", "a", "an", "to", "its", "his", "her", "their", "'s"})
Edge = Literal["start", "end"]


def edge_of(clause: Clause, own: Container[str] = ()) -> Edge | None:
    """Return which end of facts a clause speaks of: "who joined A" of their beginning.

    Words whose stem is in ``own`` are those of a relation: of "left", if it is one.
    """
    found: Edge | None = None
    for place, token in enumerate(clause.tokens):
        lead = clause.tokens[place - 1].word if place else ""
        if token.word in STARTING | ENDING and lead not in _NOUN and stem_of(token.word) not in own:
            if token.word in ENDING:
                return "end"
            found = "start"
    return found


@dataclass(frozen=True, slots=True)
class _Words:
    """Words that are left, and what was read of the others."""

    tokens: Tokens
    limits: Limits

    def without(self, found: re.Match[str], limits: Limits) -> "_Words":
        """Take out what a pattern found."""
        shape = shape_of(self.tokens)
        left = shape_slice(self.tokens, shape, 0, max(0, found.start() - 1))
        return _Words(left + shape_slice(self.tokens, shape, found.end() + 1, len(shape)), limits)


def qualified(tokens: Tokens) -> tuple[Tokens, Limits]:
    """Return the words of a question without what limits its facts, and the limits."""
    words = _lasting(_alive(_true(_Words(plain(tokens), Limits()))))
    shape = shape_of(words.tokens)
    if found := _EXCEPT.search(shape):
        left = shape_slice(words.tokens, shape, found.start("names"), found.end("names"))
        names = tuple(token.named for token in left if token.named is not None)
        words = words.without(found, replace(words.limits, excluded=names))
    words = _plus(_minus(words))
    if found := _ENDED.search(shape_of(words.tokens)):
        words = words.without(found, replace(words.limits, ended=True))
    if found := _PLANNED.search(shape_of(words.tokens)):
        words = words.without(found, replace(words.limits, planned=True))
    shape = shape_of(words.tokens)
    if together := _TOGETHER.search(shape):
        words = replace(words, tokens=words.tokens[: -4 if shape.endswith("time") else -1])
    if _SAME_DAY.search(shape) and (last := words.tokens[-1].named) is not None:
        excluded = (*words.limits.excluded, last)
        words = replace(words, limits=replace(words.limits, excluded=excluded))
    fellows = any(token.word in _FELLOWS for token in words.tokens)
    will = not _WILL.isdisjoint(shape.split())
    return words.tokens, replace(
        words.limits,
        planned=words.limits.planned or will,
        ago=_AGO.search(shape) is not None,
        beside=fellows or together is not None or _WITH.search(shape) is not None,
    )


def _true(words: _Words) -> _Words:
    """Read "is it true that A never led B" as "did A lead B", with yes for no."""
    shape = shape_of(words.tokens)
    found = _TRUE.match(shape)
    if found is None:
        return words
    rest = shape_slice(words.tokens, shape, found.end() + 1, len(shape))
    plain = tuple(token for token in rest if token.word not in _NEVER)
    limits = replace(words.limits, inverted=len(rest) - len(plain) == 1)
    return _Words((Token("did", "did"), *(plain if limits.inverted else rest)), limits)


def _alive(words: _Words) -> _Words:
    """Read "is A still alive" of whether A is dead, with yes for no."""
    kept = tuple(token for token in words.tokens if token.word != "still")
    shape = shape_of(kept)
    if _LIVING.match(shape) is None:
        return words
    return _Words(kept, replace(words.limits, inverted=not words.limits.inverted))


_LIVING: Final = re.compile(r"(?:is|was|are|were) E alive\b")
_TRUE: Final = re.compile(
    r"(?:is|was) it (?:really )?(?:(?:true|correct|right|fair)(?: to say)?|so|the case|a fact) "
    r"that\b|is it so that\b"
)


def _lasting(words: _Words) -> _Words:
    shape = shape_of(words.tokens)
    found = _OR_MORE.search(shape)
    bound: Literal["more", "least", "less", "most", "exactly"]
    if found is not None:
        bound = _OR[found["or"]]
    elif (found := _LASTING.search(shape)) is not None:
        bound = next(name for name, _ in _BOUNDS if found[name])
    else:
        return words
    number = int(found["n"]) if found["n"].isdigit() else _NUMBERS[found["n"]]
    times, unit = _SPANS[found["unit"]]
    lasting = Lasting(bound, number * times, unit)
    return words.without(found, replace(words.limits, lasting=lasting))


def _minus(words: _Words) -> _Words:
    """Read "who led A but never led B": who did the one, without who ever did the other."""
    tokens = words.tokens
    never = next((at for at, token in enumerate(tokens) if token.word in _NEVER), None)
    if never is None or tokens[0].word in AUXILIARIES:
        return words
    named = [at for at, token in enumerate(tokens) if token.named is not None]
    joins = [at for at in range(never) if tokens[at].word in _JOINS and any(n < at for n in named)]
    cut = joins[-1] if joins else never
    left, right = tokens[:cut], tokens[cut + 1 :] if joins else tokens[never + 1 :]
    right = tuple(token for token in right if token.word not in _NEVER)
    one = [[t for t in part if t.named is not None] for part in (left, right)]
    if [len(part) for part in one] != [1, 1] or not any(t.word == "never" for t in tokens):
        return words
    return _Words(_closed(left), replace(words.limits, minus=Clause(_closed(right))))


def _plus(words: _Words) -> _Words:
    """Read "who has both lived in A and worked at B": who did the one and did the other."""
    tokens = words.tokens
    shape = shape_of(tokens)
    found = _BOTH.match(shape)
    if found is None:
        return words
    left = shape_slice(tokens, shape, 0, found.end("left"))
    right = shape_slice(tokens, shape, found.start("right"), len(shape))
    return _Words(left, replace(words.limits, plus=Clause(_closed(right))))


_ONE: Final = r"(?:(?!E |and |when |while |before |after |or )[a-z]+ )*E"
_BOTH: Final = re.compile(
    rf"(?P<left>(?:who|which|what|how many|name|list) {_ONE}) and (?:also )?"
    rf"(?P<right>[a-z]+ {_ONE})(?: [?.!])*$"
)


def _closed(tokens: Tokens) -> Tokens:
    """Return some words without the auxiliaries and marks that they end with."""
    while tokens and tokens[-1].word in ("?", ".", ",", "did", "has", "have", "had", "was", "were"):
        tokens = tokens[:-1]
    return tokens


def aged(tokens: Tokens) -> Tokens | None:
    """Return the words of a question for an age without those that say so, None for another."""
    shape = shape_of(tokens)
    found = _AGE.search(shape)
    if found is None:
        return None
    rest = _Words(tokens, Limits()).without(found, Limits()).tokens
    shape = shape_of(rest)
    if event := _EVENT.search(shape):  # "at the birth of B" is when B was born
        words = event["event"].split()
        verb = {"birth": "born", "death": "died"}.get(words[0], "wed")
        before = shape_slice(rest, shape, 0, max(0, event.start() - 1))
        after = shape_slice(rest, shape, event.end() + 1, len(shape))
        return (*before, Token("when", "when"), *after[:1], Token(verb, verb), *after[1:])
    return rest


_EVENT: Final = re.compile(r"\b(?:at|on|by) the (?P<event>birth|death|wedding|marriage) of(?= E)")
_AGE: Final = re.compile(
    r"\b(?:how old|(?:at|by)?(?: ?(?:what|which|the))? ?age (?:of|at which|when|that)|"
    r"(?:at|by) (?:what|which) age|(?:what|which) age|'s age|age)\b"
)
