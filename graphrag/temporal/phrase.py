"""One English time expression becomes a period, or None.

A wrong date poisons a temporal graph and a missing one is honest, so the rules are closed tables
of shapes (`dates`, `relative`) that must match the whole phrase. dateparser sees only what is left,
and only if every word of it is a word of time: on its own it reads "3" as March.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from graphrag.errors import TimeError
from graphrag.temporal import dates, relative
from graphrag.temporal.period import (
    DAY,
    Bound,
    Granularity,
    Period,
    Prefer,
    Reference,
    Unit,
    floor,
    unit_from,
)
from graphrag.temporal.vocabulary import normalise

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

__all__ = ["Bound", "Granularity", "Period", "read_phrase", "reference_of", "resolve_phrase"]

_IMPOSSIBLE: Final = (ValueError, OverflowError)
"""Raised by what the calendar lacks (30 February) and beyond years 1-9999."""
_VERBS: Final = ("may", "march", "fall", "spring")
"""Alone and in lower case more often not times."""
_LONGEST = 80
"""Characters; no expression that we can read is longer, and a regular expression should not try."""
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


def resolve_phrase(text: str, reference: datetime, *, prefer: Prefer = "past") -> Period | None:
    """Say which stretch of time an English expression names, or None if that is not certain.

    A range ("from 2015 to 2019") is one period from the first instant of its first part to the last
    of its second. Days are UTC days and weeks start on Monday.

    Args:
        text: The expression and nothing else: "last Friday", "since March 2021", "the 1990s".
        reference: Aware moment the text was written at.
        prefer: Side on which an undated "Friday" or "3 May" lies.

    Raises:
        TimeError: If the reference is naive.
    """
    base = reference_of(reference, prefer)
    if len(text) > _LONGEST:
        return None
    if text.strip() in _VERBS:
        return None
    words = normalise(text)
    try:
        return _read(words, base) or _read_range(words, base) or _ask_dateparser(words, base)
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
    if pair is None:
        return None
    first, last = pair
    return Period(first.start, last.end, last.granularity)


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


_SAFE: Final = re.compile(
    rf"(?:(?:{dates.MONTH}|{dates.WEEKDAY}|mon|tue|wed|thu|fri|sat|sun|ago|and|at|am|pm|utc|gmt|z"
    r"|(?:day|week|month|year|hour|minute)s?|[\d:+-]+)(?: |$))+"
)
_ANCHOR: Final = re.compile(rf"\b(?:{dates.MONTH}|{dates.WEEKDAY}|ago)\b")


def _ask_dateparser(words: str, reference: Reference) -> Period | None:
    if not _SAFE.fullmatch(words) or not _ANCHOR.search(words) or not re.search(r"\d", words):
        return None
    found = _dateparser(reference).get_date_data(words)
    at = found.date_obj
    if at is None:
        return None
    if found.period == "time":
        # A clock time without a zone could be any of two dozen instants.
        if at.tzinfo is None:
            return None
        start = at.astimezone(UTC)
        return Period(start, start + timedelta(microseconds=1), "instant")
    units: dict[str, Unit] = {"day": "day", "week": "week", "month": "month", "year": "year"}
    if found.period not in units:
        return None
    unit = units[found.period]
    return unit_from(floor(at, "day" if unit == "week" else unit), unit)


@lru_cache(maxsize=64)
def _dateparser(reference: Reference) -> "DateDataParser":
    # Imported here because it costs more than all the rest of the package.
    from dateparser.date import DateDataParser

    return DateDataParser(
        languages=["en"],
        settings={
            "RELATIVE_BASE": reference.moment.replace(tzinfo=None),
            "PREFER_DATES_FROM": reference.prefer,
            "PREFER_DAY_OF_MONTH": "first",
            "PREFER_MONTH_OF_YEAR": "first",
            "RETURN_TIME_AS_PERIOD": True,
        },
    )
