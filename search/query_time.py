"""Time in a question: its periods, whether it asks for a time, and whether it looks back.

A wrong filter hides the answer, so only a single time with a preposition ("in 2019", "as of March
2021", "now") filters. Others are preferences. Questions come in lower case and with slips, so
regular expressions look for words, not for sentences.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Final, Literal

from graphrag.temporal.find import find_times
from graphrag.temporal.interval import Bound, Granularity, Interval, Period, Prefer, day_of
from graphrag.temporal.moment import utc_now

Asks = Literal["when", "how long"]


@dataclass(frozen=True, slots=True)
class Said:
    """One time that a question speaks of."""

    words: str
    interval: Interval
    """Half open, in UTC; an open side is None: "since 1990" has no end."""
    bound: Bound = "in"
    granularity: Granularity | None = None
    """Calendar unit of the words; None for "now" and its like, and for ranges."""
    led: bool = False
    """True with a preposition before it, "in 2019", or for "now": it can filter."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An event whose time bounds the answer: "before the move"."""

    words: str
    """The event alone: ``the move``."""
    bound: Bound


@dataclass(frozen=True, slots=True)
class When:
    """How a question was understood in time; false if it says nothing of time.

    The times of ``said`` are alternatives: what overlaps any of them fits.
    """

    said: tuple[Said, ...] = ()
    filters: bool = False
    """True: only what overlaps ``said`` answers. False: it comes first."""
    asks: Asks | None = None
    """What it wants to know: a date, or a duration or an age."""
    anchors: tuple[Anchor, ...] = ()
    past: bool = False
    """It looks back ("used to", "first", "before the move"): what has ended may answer."""

    def __bool__(self) -> bool:
        return self != _SILENT

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The periods spoken of, in the order of the question."""
        return tuple(said.interval for said in self.said)

    def __str__(self) -> str:
        mode = "filter" if self.filters else "preference"
        parts = [f"{said.words!r} {said.interval!r} ({mode})" for said in self.said]
        parts += [f"{anchor.bound} {anchor.words!r}" for anchor in self.anchors]
        parts += [f"asks {self.asks}"] if self.asks else []
        parts += ["looks back"] if self.past else []
        return "; ".join(parts) or "no time"


def read_when(question: str, reference: datetime | None = None) -> When:
    """Read what an English question says about time, asked at an aware moment; default: now."""
    if len(question) > _LONGEST:
        return _SILENT
    text = question.translate(_SIGNS)
    at = utc_now() if reference is None else reference
    times = _times(text, at)
    spans = [(start, end) for start, end, _ in times]
    said = tuple(dict.fromkeys(said for *_, said in _joined(times, text)))
    asks, anchors = _asks(text), tuple(_anchors(text, spans))
    return When(
        said=said,
        filters=len(said) == 1 and said[0].led and asks is None,
        asks=asks,
        anchors=anchors,
        past=_PAST.search(text) is not None or bool(anchors),
    )


def times_in(
    question: str, at: datetime, *, leaning: Prefer | None = None
) -> list[tuple[int, int, Said]]:
    """Return the times that a question speaks of, each with where it stands; a range is one."""
    if len(question) > _LONGEST:
        return []
    text = question.translate(_SIGNS)
    return _joined(_times(text, at, leaning), text)


_SILENT: Final = When()
_LONGEST: Final = 2_000
"""Characters; what is longer is a text, not a question."""
_MOST: Final = 8
"""Bare years that are read; each is another look at the whole question."""
_SIGNS: Final = str.maketrans("’‘–—−", "''---")
Found = tuple[int, int, Said]

_LEAD: Final = (
    r"(?:in|on|at|by|as of|as at|since|until|till|up to|before|prior to|after|during|throughout|"
    r"over|within|between|from|to|through|of the year|(?:for|during|in|over) the period|"
    r"between the years)"
)
"""Prepositions that make a time the answer's own; "about 2019" is not one."""
_LED: Final = re.compile(rf"\b{_LEAD}$", re.IGNORECASE)
_LEADS: Final = re.compile(rf"{_LEAD}\b", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?<![\w$€£#./:,'-])(?:1[0-9]\d\d|20\d\d)(?![\w%]|[./:,'-]\w)")
_EITHER: Final = re.compile(r"(?<![\w$/.-])(0?[1-9]|1[0-2])([-/.])(0?[1-9]|1[0-2])\2(\d{4})(?!\w)")
"""3/4/2017: of a question both readings are worth looking at."""
_NOW: Final = re.compile(
    r"\b(?:(?:right )?now(?!\s+[A-Z])|currently|presently|nowadays|these days|at present|"
    r"at (?:the|this) moment|to date|(?:the )?current|anymore|any more)\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:used? to (?!it\b)|formerly|former|previous(?:ly)?|in the past|back then|at first|once|"
    r"ex-\w+|no longer|before(?=\W*$)|ago|earliest|oldest|1st|original(?:ly)?|initial(?:ly)?|"
    r"first(?! (?:names?|lad(?:y|ies)|person|class|aid|language|half|quarter)\b))\b",
    re.IGNORECASE,
)


def _times(text: str, at: datetime, leaning: Prefer | None = None) -> list[Found]:
    """Find the dates any text could have, bare years, dates of two readings, and words for now."""
    found: list[Found] = []
    for expression in find_times(text, at, leaning=leaning):
        led = _LED.search(text[: expression.start].rstrip()) is not None
        led = led or _LEADS.match(expression.text) is not None or expression.period.bound != "in"
        said = _said(expression.text, expression.period, led)
        found.append((expression.start, expression.end, said))
    for match in _EITHER.finditer(text):
        first, second, year = (int(part) for part in match.group(1, 3, 4))
        if not _taken(match.span(), found):
            for month, day in sorted({(first, second), (second, first)}):
                said = _said(match.group(), day_of(year, month, day), False)
                found.append((*match.span(), said))
    bare = (match for match in _YEAR.finditer(text) if not _taken(match.span(), found))
    for match in list(islice(bare, _MOST)):
        # As if "in" stood before it, so that the doubts of any text are heard: "2000 people".
        again = find_times(f"{text[: match.start()]}in {text[match.start() :]}", at)
        read = next((expression for expression in again if expression.start == match.start()), None)
        if read is not None and read.text.endswith(match.group()):
            led = _LED.search(text[: match.start()].rstrip()) is not None
            found.append((*match.span(), _said(match.group(), read.period.bounded("in"), led)))
    instant = Interval(at, at + datetime.resolution)
    now = [(*now.span(), Said(now.group(), instant, led=True)) for now in _NOW.finditer(text)]
    return sorted([*found, *now], key=lambda found: found[0])


def _said(words: str, period: Period, led: bool) -> Said:
    return Said(words, period.interval, period.bound, period.granularity, led)


def _taken(span: tuple[int, int], found: list[Found]) -> bool:
    return any(start < span[1] and span[0] < end for start, end, _ in found)


def _joined(found: list[Found], text: str) -> list[Found]:
    """Join what opens and what closes one stretch: "after 2010 and before 2014", "1982 to 1989"."""
    joined: list[Found] = []
    stop = 0
    for start, end, said in found:
        last = joined[-1][2] if joined else None
        both = None
        if last is not None and _range(text, stop, start, last.words):
            opening, closing = last.interval.start, said.interval.end
            both = Interval(opening, closing) if opening and closing and opening < closing else None
        elif last is not None and {_half(last), _half(said)} == {"after", "before"}:
            both = last.interval.intersection(said.interval)
        if last is not None and both is not None:
            words = f"{last.words} {said.words}"
            range_ = replace(last, words=words, interval=both, bound="in", granularity=None)
            joined[-1] = joined[-1][0], end, range_
        else:
            joined.append((start, end, said))
        stop = end
    return joined


def _range(text: str, stop: int, start: int, first: str) -> bool:
    """Tell whether the words between two times, and before the first, make them one range."""
    joint = text[stop:start].strip().lower()
    before = text[: stop - len(first)].rstrip().lower()
    return joint in ("to", "until", "till", "through", "-") or (
        joint == "and" and before.endswith(("between", "between the years", "between years"))
    )


def _half(said: Said) -> Literal["after", "before"] | None:
    """Return the side of a moment on which a time lies; None if it has two ends, or none."""
    start, end = said.interval.start, said.interval.end
    if (start is None) == (end is None):
        return None
    return "after" if end is None else "before"


_HOW_LONG: Final = re.compile(
    r"\bhow (?:long|old|much (?:time|longer)|many (?:\w+ )?(?:day|week|month|year|decade)s)\b|"
    r"\b(?:what|which) age\b|\bage of\b|\b(?:length|span) of time\b",
    re.IGNORECASE,
)
_WHEN: Final = re.compile(
    r"\b(?:what|which)(?: (?!for\b)\w+){0,2} (?:year|month|day|date|time(?! ?zone)|season|century|"
    r"decade|week|period)s?\b|\b(?:birth|death|start|end|point in) ?(?:time|date|day|year)s?\b|"
    r"(?<!at the )\b(?:date|day|year|time) (?:of|when|that)\b|\b(?:since|until|till) when\b|"
    r"^(?:give|tell|name|find|state|list|show)\b.*\b(?:date|year|time)s?\b",
    re.IGNORECASE,
)
_THAT_IS: Final = re.compile(r"\b(?:point in time|\w+ (?:time|date)) is\b", re.IGNORECASE)
_WORD_WHEN: Final = re.compile(
    r"\bwhen(?P<be>'s| (?:did|do|does|was|were|is|are|has|have|had|will|would|should|shall|can|"
    r"could|'s|'d)\b)?",
    re.IGNORECASE,
)
_OTHER: Final = re.compile(r"\b(?:who|whom|whose|what|which|where|why|how)\b", re.IGNORECASE)
_EVENT: Final = re.compile(
    r"\b(?P<how>before|prior to|(?<!named )(?<!look )(?<!looks )(?<!looking )(?<!looked )after|"
    r"since|until|till|during|throughout|while|when|at the time of)\s+(?P<what>[^?.!;,]+)",
    re.IGNORECASE,
)
_BOUNDS: Final[Mapping[str, Bound]] = {
    "before": "before",
    "prior to": "before",
    "after": "after",
    "since": "since",
    "until": "until",
    "till": "until",
}
_NO_EVENT: Final = re.compile(
    r"(?:(?:that|this|then|it|when|now|a while|ever|all)\b\W*|(?:how|what|which|whose|who)\b.*)",
    re.IGNORECASE,
)
"""What follows "after" without being an event: "that", or the question itself, "how many"."""


def _anchors(text: str, dated: list[tuple[int, int]]) -> Iterator[Anchor]:
    """Yield the events that bound the answer; a date is none."""
    for match in _EVENT.finditer(text):
        how, words, at = match["how"].lower(), match["what"].strip(), match.start("what")
        is_dated = any(start == match.start() or start <= at < end for start, end in dated)
        asks = how == "when" and _interrogative(text, match)
        if not (is_dated or asks or _NO_EVENT.fullmatch(words)):
            yield Anchor(words, _BOUNDS.get(how, "in"))


def _interrogative(text: str, match: re.Match[str]) -> bool:
    """Tell a "when" that asks from one that says when: "when did", "who led it when he came"."""
    here = _WORD_WHEN.match(text, match.start())
    if here is None or here["be"] is not None:
        return True
    before, after = text[: here.start()], text[here.end() :]
    return not after.strip(" ?.!") or not (_OTHER.search(before) or _OTHER.search(after))


def _asks(text: str) -> Asks | None:
    if _HOW_LONG.search(text):
        return "how long"
    if any(_interrogative(text, match) for match in _WORD_WHEN.finditer(text)):
        return "when"
    return "when" if _WHEN.search(_THAT_IS.sub("", text)) else None
