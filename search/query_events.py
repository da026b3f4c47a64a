"""What a question wants of time: a date or a duration, an end of it, or an event to look around.

Regular expressions over the question as it was typed, often in lower case and with slips, so they
look for words and not for sentences.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from graphrag.temporal.period import Bound

Asks = Literal["when", "how long"]
Order = Literal["earliest", "latest"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """An event whose time bounds the answer: "before the move"."""

    words: str
    """The event alone: ``the move``."""
    bound: Bound


_LATEST: Final = re.compile(
    r"\b(?:latest|newest|most recent(?:ly)?|recent(?:ly)?|lately|(?:the )?last time|"
    r"last(?! (?:name|names|word|words|year|month|week|night|day|spring|summer|autumn|fall|winter|"
    r"decade|century|weekend|quarter|\d+|\w+day|two|three|four|five|few)\b))\b",
    re.IGNORECASE,
)
_EARLIEST: Final = re.compile(
    r"\b(?:earliest|original(?:ly)?|initial(?:ly)?|oldest|1st|"
    r"first(?! (?:name|names|lady|ladies|person|class|aid|language|half|quarter)\b))\b",
    re.IGNORECASE,
)
_HOW_LONG: Final = re.compile(
    r"\bhow (?:long|many (?:(?:more|full) )?(?:day|week|month|year|decade)s|much (?:time|longer)|"
    r"old)\b|\b(?:at )?(?:what|which) age\b|\bage of\b|\bfor what (?:length|span) of time\b",
    re.IGNORECASE,
)
_BE: Final = "did|do|does|was|were|is|are|has|have|had|will|would|should|shall|can|could|'s|'d"
_WHEN: Final = re.compile(
    r"\b(?:what|which|whic|wich|wat)(?:'s)?(?: (?:is|was|are|were))?(?: the)?"
    r"(?: (?:exact|specific|first|last|final|calendar|same))?"
    r" (?:year|month|day|date|time(?! ?zone)|season|century|decade|week|weekday|period|era)s?\b"
    r"|\b(?:start|end|starting|ending|begin+ing|finishing) (?:time|date|year)s?\b"
    r"|\b(?:point in time|(?<!in the )time ?(?:period|frame|span)(?! from)|birth ?da(?:y|te)|"
    r"day of (?:birth|death)|death ?date|date(?: of\b| for\b|$| that| when| on which)|"
    r"(?<!at )the (?:date|day|year|month|time)s? (?:of|when|that|in which|on which|at which|"
    r"\w+ (?:was|were|did|became)))"
    r"|\b(?:since|until|till) when\b|\b(?:since|until)\W*$"
    r"|^(?:give|tell|provide|name|find|state|list|show)\b.*\b(?:date|year|month|time|point)s?\b",
    re.IGNORECASE,
)
_THAT_IS: Final = re.compile(
    r"\b(?:point in time|start (?:time|date)|end (?:time|date)|publication date|\w+ date) is\b",
    re.IGNORECASE,
)
_WORD_WHEN: Final = re.compile(
    r"\bwhen(?P<be>'s| (?:(?:exactly|precisely|in \w+) )?(?:" + _BE + r")\b)?", re.IGNORECASE
)
_OTHER: Final = re.compile(r"\b(?:who|whom|whose|what|which|where|why|how)\b", re.IGNORECASE)
_EVENT: Final = re.compile(
    r"\b(?P<how>just before|right before|before|prior to|just after|right after|"
    r"(?<!named )(?<!look )(?<!looks )(?<!looking )(?<!looked )after|"
    r"ever since|since|until|till|during|throughout|while|when|at the time of|at the time when)\s+"
    r"(?P<what>[^?.!;,]+)",
    re.IGNORECASE,
)
_EVENT_BOUND: Final[dict[str, Bound]] = {
    **dict.fromkeys(("before", "just before", "right before", "prior to"), "before"),
    **dict.fromkeys(("after", "just after", "right after"), "after"),
    **dict.fromkeys(("since", "ever since"), "since"),
    **dict.fromkeys(("until", "till"), "until"),
}
_NO_EVENT: Final = re.compile(
    r"(?:(?:that|this|then|it|when|now|a while|ever|all)\b\W*|(?:how|what|which|whose|who)\b.*)",
    re.IGNORECASE,
)
"""What follows "after" without being an event: "that", or the question itself, "how many"."""


def anchors_in(text: str, taken: Sequence[tuple[int, int]]) -> list[Anchor]:
    """Find the events that bound the answer; what is dated is no event."""
    found = []
    for match in _EVENT.finditer(text):
        how, what = match["how"].lower(), match["what"].strip()
        dated = any(start <= match.start("what") < end for start, end in taken)
        dated = dated or any(start == match.start() for start, _ in taken)
        if dated or _NO_EVENT.fullmatch(what) or (how == "when" and _interrogative(text, match)):
            continue
        found.append(Anchor(what, _EVENT_BOUND.get(how, "in")))
    return found


def _interrogative(text: str, match: re.Match[str]) -> bool:
    """Tell a "when" that asks from one that says when: "when did", "who led it when he came"."""
    here = _WORD_WHEN.match(text, match.start())
    if here is None or here["be"] is not None:
        return True
    before = text[: here.start()]
    if not text[here.end() :].strip(" ?.!"):
        return True
    return _OTHER.search(before) is None and _OTHER.search(text[here.end() :]) is None


def asked_of(text: str) -> Asks | None:
    """Tell whether a question asks for a date or for a duration."""
    if _HOW_LONG.search(text):
        return "how long"
    if any(_interrogative(text, match) for match in _WORD_WHEN.finditer(text)):
        return "when"
    return "when" if _WHEN.search(_THAT_IS.sub("", text)) else None


def order_of(text: str) -> Order | None:
    """Tell whether it prefers what is first or what is latest."""
    latest, earliest = _LATEST.search(text), _EARLIEST.search(text)
    if bool(latest) == bool(earliest):
        return None
    return "latest" if latest else "earliest"
