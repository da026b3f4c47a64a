"""The words of a question: tokens, the clauses that they make, and the frame around them.

The words are read as a shape, ``who was E before E first visited E ?``, in which every name is an
``E`` and every time a ``T``: patterns over it are grammar, whatever the names are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final, Literal

from graphrag.ask.query import Holds, Link, Named, Order, Unit, Wants
from graphrag.ask.wording import is_light
from graphrag.display.visible import flatten
from graphrag.search.query_time import Said
from graphrag.temporal.dates import MONTHS

CLOSING: Final = frozenset("and but yet , ? . ! -".split())


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question, or several that name an entity or a time."""

    text: str
    word: str
    """The word in small letters; ``E`` for an entity, ``T`` for a time."""
    named: Named | None = None
    said: Said | None = None

    @property
    def says(self) -> bool:
        """Tell whether it may say something of a relation."""
        return self.named is None and self.said is None and not is_light(self.word)


Tokens = tuple[Token, ...]


def shape_of(tokens: Sequence[Token]) -> str:
    """Return the words of a question with ``E`` for every name and ``T`` for every time."""
    return " ".join(token.word for token in tokens)


def place_of(shape: str, at: int) -> int:
    """Return which token stands at a place of a shape."""
    return shape.count(" ", 0, at)


def between(tokens: Tokens, shape: str, start: int, end: int) -> Tokens:
    """Return the tokens of a part of their shape."""
    if start >= end:
        return ()
    return tokens[place_of(shape, start) : place_of(shape, end - 1) + 1]


def around(tokens: Tokens, found: re.Match[str]) -> tuple[Tokens, Tokens]:
    """Return the tokens before and after those that a pattern found in their shape."""
    shape = found.string
    before = between(tokens, shape, 0, max(0, found.start() - 1))
    return before, between(tokens, shape, found.end() + 1, len(shape))


def without(tokens: Tokens, found: re.Match[str]) -> Tokens:
    """Return the tokens but those that a pattern found in their shape."""
    before, after = around(tokens, found)
    return before + after


def stripped(tokens: Tokens) -> Tokens:
    """Return the words of a question without the marks around it."""
    while tokens and tokens[0].word in (",", ":", "that", "-"):
        tokens = tokens[1:]
    return trimmed(tokens)


def trimmed(tokens: Tokens) -> Tokens:
    """Return some words without the marks and joints at their end."""
    while tokens and tokens[-1].word in CLOSING:
        tokens = tokens[:-1]
    return tokens


_PART: Final = re.compile(
    r"\b(?:weeks?|half|quarters?|beginning|end|start|middle|months?|days?|early|late|mid|around|"
    r"about|roughly|nearly|circa)(?: (?:of|in|the))*$|"
    r"\b(?:following|preceding|before|after|prior to|"
    r"(?:later|newer|more recent|earlier|older) than)$"
)
"""Words before a time that mean a part of it, near it, or a side of it."""


def timed(tokens: Tokens) -> tuple[Tokens, Said | None]:
    """Return some words without their time, and the time."""
    place = next((at for at, token in enumerate(tokens) if token.said is not None), None)
    if place is None or _PART.search(shape_of(tokens[:place])):
        return tokens, None  # "in the first week of May" is not all of May
    return tokens[:place] + tokens[place + 1 :], tokens[place].said


_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 2
    )
}
_NTH: Final = re.compile(rf"\b(?P<n>{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))\b")
_FROM_END: Final = re.compile(
    r"\b(?:penultimate|last but one|(?:second|next)(?: |-)to(?: |-)last|second(?: |-)last)\b"
)
_FIRST: Final = re.compile(
    r"\b(?:first|earliest|initial|initially|original|originally|1st|oldest|to begin with|"
    r"(?:start|started|begin|began) (?:out|off))\b"
)
_LAST: Final = re.compile(
    r"\b(?:last|latest|final|finally|most recent|most recently|newest|ultimately|lastly)\b"
)
_EXTREME: Final = re.compile(
    r"\b(?:(?P<long>longest|for the most (?:time|days|months|years))|shortest|briefest)\b"
)


def order_of(tokens: Tokens) -> Order | None:
    """Return which of several some words ask for."""
    shape = shape_of(tokens)
    if _FROM_END.search(shape):
        return Order("last", 2)
    if nth := _NTH.search(shape):
        word = nth["n"]
        number = _ORDINALS.get(word) or int(re.sub(r"\D", "", word))
        kind: Literal["first", "last"] = "last" if f"{word} last" in shape else "first"
        return Order(kind, number)
    if extreme := _EXTREME.search(shape):
        return Order("longest" if extreme["long"] else "shortest")
    first, last = _FIRST.search(shape), _LAST.search(shape)
    if first and not (last and last.start() < first.start()):
        return Order("first")
    return Order("last") if last else None


@dataclass(frozen=True)
class Clause:
    """A part of a question that speaks of one relation: its words, in order."""

    tokens: Tokens
    order: Order | None = None
    """``first`` in "before A first visited B"."""
    during: Said | None = None

    @classmethod
    def of(cls, tokens: Tokens) -> "Clause":
        """Read the time and the order that some words say."""
        tokens, said = timed(tokens)
        return cls(tokens, order_of(tokens), said)

    @cached_property
    def names(self) -> tuple[Named, ...]:
        """Return the entities that it names, in order."""
        return tuple(token.named for token in self.tokens if token.named is not None)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return its other words."""
        return frozenset(token.word for token in self.tokens if token.word not in "ET")

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Return the words that may say something of a relation, in order."""
        return tuple(token.word for token in self.tokens if token.says)

    def __str__(self) -> str:
        return flatten(" ".join(token.text for token in self.tokens).replace(" 's", "'s"))


@dataclass(frozen=True, slots=True)
class Condition:
    """A clause that bounds what is asked for."""

    link: Link
    clause: Clause
    nearest: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """A question as its grammar reads: operation, times and clauses, nothing of the graph."""

    text: str
    wants: Wants
    main: Clause
    unit: Unit | None = None
    conditions: tuple[Condition, ...] = ()
    among: tuple[Named, ...] = ()
    apart: Clause | None = None
    from_end: bool = False
    """Whether the time apart counts from the end of the first: a vacancy."""
    known: Said | None = None
    holds: Holds = ""
    ago: bool = False
    without: tuple[Named, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def known_at(self) -> datetime | None:
        """Return the last moment of the time that knowledge is asked of."""
        end = None if self.known is None else self.known.interval.end
        return None if end is None else end - datetime.resolution

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Return all that it says something of."""
        apart = () if self.apart is None else (self.apart,)
        return (self.main, *(condition.clause for condition in self.conditions), *apart)

    @property
    def names(self) -> list[Named]:
        """Return the entities that it names and that are known."""
        every = (*self.among, *(name for clause in self.clauses for name in clause.names))
        return [name for name in every if name.ids]


_EDGE: Final = frozenset("first last latest earliest newest oldest next".split())
_COMPARING: Final = frozenset("more most less least few fewer longer shorter than once".split())
_UNPLACED: Final = frozenset(
    "previous previously preceding next earlier later recently then soon".split()
)
"""Words that order facts, by something that is not said: "where did A live previously"."""
CHANGING: Final = frozenset(
    "no not never nor neither none nobody n't without hardly rarely other else another why if "
    "only alone even twice decade century half same together simultaneously again back return "
    "returns returned returning rejoin rejoins rejoined rejoining eldest youngest older "
    "younger can could would".split()
)
"""Words that change what is asked, and that no grammar here reads."""


def unread_words(frame: Frame) -> tuple[str, ...]:
    """Return the words of a frame that change what is asked, of which nothing was made."""
    unread = [
        token.text
        for clause in frame.clauses
        for at, token in enumerate(clause.tokens)
        if token.named is None and _is_unread(frame, clause, at)
    ]
    return tuple(dict.fromkeys(unread))


def _is_unread(frame: Frame, clause: Clause, at: int) -> bool:
    """Tell whether a word changes what is asked, and nothing was made of it."""
    token, word = clause.tokens[at], clause.tokens[at].word
    before = clause.tokens[at - 1].word if at else ""
    if before == "it" and word in ("take", "takes", "took"):
        return True  # "how long did it take A to move"
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
    if word.startswith(("happen", "occur")) and frame.wants == "entities":
        return True
    if word.endswith("n't") or (word == "or" and frame.wants == "whether"):
        return True
    if word[:1].isdigit():
        return clause.order is None
    if word in _COMPARING:
        following = clause.tokens[at + 1].word if at + 1 < len(clause.tokens) else ""
        longest = clause.order is not None and clause.order.kind in ("longest", "shortest")
        return not longest and not following.startswith("recent")
    if word in CHANGING:
        linked = word == "same" and frame.conditions
        return not (linked or frame.among or frame.apart or frame.without)
    if word in _UNPLACED and frame.wants in ("entities", "whether"):
        ordered = any(part.order or part.during for part in frame.clauses)
        return not (frame.conditions or frame.among or frame.apart or ordered)
    asks_number = word in ("how", "many", "often", "long", "total", "count")
    return asks_number and not frame.wants.startswith("how") and frame.wants != "age"
