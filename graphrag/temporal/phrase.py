"""One English time expression becomes a period, or None.

A wrong date poisons a temporal graph and a missing one is honest, so the rules are closed tables
of shapes (`dates`, `relative`) that must match the whole phrase.
"""

import re
from datetime import UTC, datetime
from typing import Final

from graphrag.errors import TimeError
from graphrag.temporal import dates, relative
from graphrag.temporal.dates import MONTHS, SHORT_DAYS, WEEKDAY_SHORT, any_of
from graphrag.temporal.interval import DAY, Bound, Period, Prefer, Reference

_IMPOSSIBLE: Final = (ValueError, OverflowError)  # for 30 February, and beyond years 1-9999
_VERBS: Final = ("may", "march", "fall", "spring")  # alone and in lower case more often not times
_LONGEST = 80  # characters: none that we can read is longer, and regular expressions need a bound
_BOUNDS: Final[dict[str, Bound]] = {
    **dict.fromkeys(("since", "ever since", "from", "between", "as from"), "since"),
    **dict.fromkeys(("starting", "starting in", "starting on"), "since"),
    **dict.fromkeys(("beginning in", "beginning on"), "since"),
    **dict.fromkeys(("until", "till", "up to", "up until", "by", "through", "to"), "until"),
    **dict.fromkeys(("before", "prior to"), "before"),
    "after": "after",
    **dict.fromkeys(("in", "on", "at", "during", "throughout", "over", "within"), "in"),
    **dict.fromkeys(("for", "as"), "in"),
}
_PREFIX: Final = re.compile(
    rf"(?:(?P<bound>{'|'.join(sorted(_BOUNDS, key=len, reverse=True))}) )?"
    r"(?:(?:about|around|approximately|roughly|circa|almost|nearly|exactly|just) )*"
)
_ONWARDS: Final = re.compile(r"(?:from )?(?P<rest>.+) onwards?|from (?P<on>.+) on")
_RANGE: Final = re.compile(
    r"(?:(?P<from>from|between|in|during) )?(?P<first>.+?)"
    r"(?: ?- ?| (?P<to>to|until|till|through|and) )(?P<last>.+)"
)


_ORDINAL_DIGITS = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_JOINED = re.compile(r"\b(early|mid|late)-(?=\w)")
_SILENT = re.compile(r"\b(?:the|of)\b|,")
_SHORT_MONTH = re.compile(rf"\b({any_of(MONTHS)}|{WEEKDAY_SHORT})\.")
_EDGE = " \t\r\n\"'.,;:!?()[]"
_LAST = re.compile(r"\bthe last (?=(?:week|month|quarter|year|decade)\b(?! (?:of|in)\b))")
_SHORT_DAY = re.compile(r"\b(?<=last |next |this )(mon|tue|thu|fri)(?:r?s)?\b")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-", "−": "-"})


def normalise(text: str) -> str:
    """Give lower case without commas, "the", "of" and ordinal endings: one spelling per meaning."""
    plain = text.translate(_SIGNS).lower().strip(_EDGE)
    # "over the last year" is twelve months back from now, "last year" a year of the calendar.
    plain = _SHORT_DAY.sub(lambda match: SHORT_DAYS[match[1]], plain)
    plain = _LAST.sub("past ", plain)
    plain = _JOINED.sub(r"\1 ", _ORDINAL_DIGITS.sub("", plain))
    return " ".join(_SILENT.sub(" ", _SHORT_MONTH.sub(r"\1", plain)).split())


def resolve_phrase(text: str, reference: datetime, *, prefer: Prefer = "past") -> Period | None:
    """Say which stretch of time an English expression names, or None if that is not certain.

    A range ("from 2015 to 2019") is one period from the first instant of its first part to the last
    of its second. Days are UTC days and weeks start on Monday. ``prefer`` is the side of the
    reference on which an undated "Friday" or "3 May" lies.
    """
    base = reference_of(reference, prefer)
    if len(text) > _LONGEST or text.strip() in _VERBS:
        return None
    words = normalise(text)
    try:
        return _read(words, base) or _read_range(words, base)
    except _IMPOSSIBLE:
        return None


def reference_of(moment: datetime, prefer: Prefer) -> Reference:
    """Bring the reference to UTC, or refuse it."""
    if moment.utcoffset() is None:
        raise TimeError(f"reference {moment.isoformat()} has no time zone: pass an aware datetime")
    return Reference(moment.astimezone(UTC), prefer)


def read_phrase(words: str, reference: Reference) -> Period | None:
    """Read normalised words by our own rules alone."""
    try:
        return _read(words, reference)
    except _IMPOSSIBLE:
        return None


def _read(words: str, reference: Reference) -> Period | None:
    if (period := _read_unbound(words, reference)) is not None:
        return period
    if onwards := _ONWARDS.fullmatch(words):
        period = _read_unbound(onwards["rest"] or onwards["on"], reference)
        return period and period.bounded("since")
    prefix = _PREFIX.match(words)
    if prefix is None or not prefix.group():
        return None
    period = _read_unbound(words[prefix.end() :], reference)
    if period is None:
        return None
    bound = _BOUNDS.get(prefix["bound"], "in")
    # "from 3-5 May" has both its ends.
    spans = bound == "since" and period.granularity == "day" and period.end - period.start > DAY
    return period.bounded("in" if spans else bound)


def _read_unbound(words: str, reference: Reference) -> Period | None:
    def inner(part: str) -> Period | None:
        return _read_unbound(part.removeprefix("in "), reference)

    for pattern, read in dates.SHAPES:
        if match := pattern.fullmatch(words):
            return read(match, reference)
    for pattern, read_relative in relative.SHAPES:
        if match := pattern.fullmatch(words):
            if (period := read_relative(match, reference, inner)) is not None:
                return period
    return None


def _read_range(words: str, reference: Reference) -> Period | None:
    match = _RANGE.fullmatch(words)
    if match is None or (match["to"] == "and") != (match["from"] == "between"):
        return None
    pair = read_pair(match["first"], match["last"], reference)
    return pair and Period(pair[0].start, pair[1].end, pair[1].granularity)


def read_pair(first: str, last: str, reference: Reference) -> tuple[Period, Period] | None:
    """Read both sides of a range; the first takes the year of the second if it names none."""
    end = read_phrase(last, reference)
    if end is None or end.bound != "in":
        return None
    year = re.search(rf" ({dates.YEAR})$", last)
    dated = year is not None and re.search(r"\d{4}", first) is None
    start = read_phrase(f"{first} {year[1]}" if year and dated else first, reference)
    if start is None or start.bound != "in" or start.start >= end.end:
        return None
    return start, end
