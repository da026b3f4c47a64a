"""Time in a question: its periods, and whether it asks for a time.

A wrong filter hides the answer, so only a single time with a preposition ("in 2019", "as of March
2021", "now") filters. Others are preferences; events stay words for the graph to date.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Final

from graphrag.search.query_events import Anchor, Asks, Order, anchors_in, asked_of, order_of
from graphrag.temporal.find import find_times
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import utc_now
from graphrag.temporal.period import Bound, Granularity, Period, day_of


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
class When:
    """How a question was understood in time; false if it says nothing of time.

    The times of ``said`` are alternatives: what overlaps any of them fits.
    """

    said: tuple[Said, ...] = ()
    filters: bool = False
    """True: only what overlaps ``said`` answers. False: it comes first."""
    asks: Asks | None = None
    """What it wants to know: a date, or a duration or an age."""
    order: Order | None = None
    """"first", "latest": which end of time it prefers."""
    anchors: tuple[Anchor, ...] = ()
    past: bool = False
    """It looks back ("used to", "former", "before"): what has ended may answer."""

    def __bool__(self) -> bool:
        """Tell whether the question says anything of time."""
        return self != _SILENT

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The periods spoken of, in the order of the question."""
        return tuple(said.interval for said in self.said)

    def __str__(self) -> str:
        """Say in words how the question was understood."""
        mode = "filter" if self.filters else "preference"
        parts = [f"{said.words!r} {said.interval!r} ({mode})" for said in self.said]
        parts += [f"{anchor.bound} {anchor.words!r}" for anchor in self.anchors]
        parts += [f"{self.order} first"] if self.order else []
        parts += [f"asks {self.asks}"] if self.asks else []
        parts += ["looks back"] if self.past else []
        return "; ".join(parts) or "no time"


def read_when(question: str, reference: datetime | None = None) -> When:
    """Read what an English question says about time.

    Args:
        question: The question as asked.
        reference: Aware moment it is asked at, or of the viewpoint it is asked from; default: now.

    Raises:
        TimeError: If the reference is naive.
    """
    if len(question) > _LONGEST:
        return _SILENT
    text = question.translate(_SIGNS)
    at = utc_now() if reference is None else reference
    found = _found(text, at)
    spans = [(start, end) for start, end, _ in found]
    anchors = tuple(anchors_in(text, spans))
    said = tuple(dict.fromkeys(said for *_, said in _joined(found, text)))
    asks = asked_of(text)
    return When(
        said=said,
        filters=len(said) == 1 and said[0].led and asks is None,
        asks=asks,
        order=order_of(text),
        anchors=anchors,
        past=_PAST.search(text) is not None or any(anchor.bound == "before" for anchor in anchors),
    )


def times_in(question: str, at: datetime) -> list[tuple[int, int, Said]]:
    """Return the times that a question speaks of, each with where it stands; a range is one."""
    if len(question) > _LONGEST:
        return []
    text = question.translate(_SIGNS)
    return _joined(_found(text, at), text)


def _found(text: str, at: datetime) -> list[tuple[int, int, Said]]:
    return sorted([*_dated(text, at), *_current(text, at)], key=lambda one: one[0])


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
    r"\b(?:used? to (?!it\b)|formerly|former|previous(?:ly)?|in the past|back then|originally|"
    r"at first|once|ex-\w+|no longer|before(?=\W*$)|ago)\b",
    re.IGNORECASE,
)


def _dated(text: str, at: datetime) -> list[Found]:
    """Find the dates: those any text could have, bare years, and dates of two readings."""
    found: list[Found] = []
    for expression in find_times(text, at):
        led = _LED.search(text[: expression.start].rstrip()) is not None
        led = led or _LEADS.match(expression.text) is not None or expression.period.bound != "in"
        found.append(
            (expression.start, expression.end, _said(expression.text, expression.period, led))
        )
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
    return found


def _said(words: str, period: Period, led: bool) -> Said:
    return Said(words, period.interval, period.bound, period.granularity, led)


def _taken(span: tuple[int, int], found: list[Found]) -> bool:
    return any(start < span[1] and span[0] < end for start, end, _ in found)


def _current(text: str, at: datetime) -> list[Found]:
    """Find the words for now."""
    instant = Interval(at, at + datetime.resolution)
    return [
        (*match.span(), Said(match.group(), instant, led=True)) for match in _NOW.finditer(text)
    ]


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
        elif last is not None and _half(last) and _half(said) and _opens(last) != _opens(said):
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


def _half(said: Said) -> bool:
    return said.interval.start is None or said.interval.end is None


def _opens(said: Said) -> bool:
    return said.interval.end is None
