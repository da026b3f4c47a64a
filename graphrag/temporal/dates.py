"""Expressions that name a place in the calendar: "3 May 2021", "spring of 2022", "the 1990s".

A table of shapes, tried in order; each is one regular expression over the normalised words and the
function that reads it. What the calendar does not have (30 February) raises ValueError, which the
caller takes for "not a date". 4/7/1995 is None: two readings are none.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from graphrag.temporal.period import (
    DAY,
    WEEK,
    Granularity,
    Period,
    Reference,
    day_of,
    floor,
    midnight,
    shift,
    unit_from,
)
from graphrag.temporal.vocabulary import (
    DECADES,
    FEASTS,
    HOLIDAYS,
    MONTHS,
    ORDINALS,
    SEASONS,
    WEEKDAY_SHORT,
    WEEKDAYS,
    any_of,
    ordinal,
)

MONTH: Final = any_of(MONTHS)
WEEKDAY: Final = any_of(WEEKDAYS)
_FEAST = f"{any_of(FEASTS)}|{any_of(HOLIDAYS)}"
NAMED: Final = f"{WEEKDAY}|{MONTH}|{any_of(SEASONS)}|{_FEAST}"
YEAR: Final = r"(?:1\d{3}|20\d\d|2100)"
ORDINAL: Final = rf"\d\d?|{any_of(ORDINALS)}"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_ON = rf"(?:(?:{WEEKDAY}|{WEEKDAY_SHORT}) )?"
_YEAR_END = rf"(?: (?:in )?(?P<year>{YEAR})| '(?P<short>\d\d))?"
Shape = tuple[re.Pattern[str], Callable[[re.Match[str], Reference], Period | None]]


def occurrence(name: str, reference: Reference, cycle: int) -> Period:
    """Give a weekday of the reference's week, or a month, season or holiday of its year.

    Args:
        name: A word of ``NAMED``.
        reference: Moment whose week or year counts as cycle 0.
        cycle: How many weeks or years later.
    """
    if name in WEEKDAYS:
        monday = floor(reference.moment, "week")
        return unit_from(monday + WEEKDAYS[name] * DAY + cycle * WEEK, "day")
    return named_in_year(name, reference.moment.year + cycle)


def named_in_year(name: str, year: int) -> Period:
    """Give the month, season or holiday of a year."""
    if name in MONTHS:
        return unit_from(midnight(year, MONTHS[name]), "month")
    if name in SEASONS:
        start = midnight(year, SEASONS[name])
        return Period(start, shift(start, "month", 3), "season")
    if name in FEASTS:
        from dateutil.easter import easter  # few texts name one

        feast = easter(year) + timedelta(days=FEASTS[name])
        return day_of(feast.year, feast.month, feast.day)
    return day_of(year, *HOLIDAYS[name])


def nearest(candidates: Callable[[int], Period], reference: Reference) -> Period | None:
    """Pick the candidate that is going on, or else the closest on the preferred side."""
    for cycle in (1, 0, -1, -2) if reference.prefer == "past" else (-1, 0, 1, 2):
        period = candidates(cycle)
        if reference.prefer == "past" and period.start <= reference.moment:
            return period
        if reference.prefer == "future" and period.end > reference.moment:
            return period
    return None


def _iso(match: re.Match[str], _: Reference) -> Period:
    year, month, day = (*(int(part) for part in match.groups()), 0)[:3]
    # Wikidata writes an unknown month or day as 0.
    if not month and not day:
        return unit_from(midnight(year), "year")
    return unit_from(midnight(year, month), "month") if not day else day_of(year, month, day)


def _two_years(match: re.Match[str], _: Reference) -> Period | None:
    first = int(match[1])
    years = (int(match[2]) - first) % 100 + 1
    return unit_from(midnight(first), "year", years) if 1 < years <= 20 else None


def _instant(match: re.Match[str], _: Reference) -> Period | None:
    moment = datetime.fromisoformat(match.group().upper())
    if moment.utcoffset() is None:
        return None
    start = moment.astimezone(UTC)
    return Period(start, start + datetime.resolution, "instant")


def _numeric(match: re.Match[str], _: Reference) -> Period | None:
    number, two, year = (int(part) for part in match.group(1, 3, 4))
    if number <= 12 and two <= 12 and number != two:
        return None
    month, day = (number, two) if two > 12 else (two, number)
    return day_of(year, month, day)


def _year(match: re.Match[str], _: Reference) -> Period:
    return unit_from(midnight(int(match["year"])), "year")


def _decade(match: re.Match[str], _: Reference) -> Period:
    if match["name"]:
        start = DECADES[match["name"]]
    elif match["short"]:
        start = 1900 + int(match["short"])
    else:
        start = int(match["year"])
    if start % 100 == 0 and start != 2000:
        return Period(midnight(start), midnight(start + 100), "century")
    return unit_from(midnight(start), "decade")


def _century(match: re.Match[str], _: Reference) -> Period:
    return unit_from(midnight(ordinal(match[1]) * 100 - 99), "century")


def _days(match: re.Match[str], reference: Reference) -> Period | None:
    month = MONTHS[match["month"]]
    first = ordinal(match["day"])
    last = ordinal(match["last"] or match["day"])

    def in_year(year: int) -> Period:
        end = day_of(year, month, last).end
        return Period(midnight(year, month, first), end, "day")

    if last < first:
        return None
    if year := _named_year(match, reference):
        return in_year(year)
    if (month, last) == (2, 29):
        return None
    return nearest(lambda cycle: in_year(reference.moment.year + cycle), reference)


def _named(match: re.Match[str], reference: Reference) -> Period | None:
    name = match["name"]
    if year := _named_year(match, reference):
        return named_in_year(name, year)
    return nearest(lambda cycle: occurrence(name, reference, cycle), reference)


def _winter(match: re.Match[str], _: Reference) -> Period | None:
    year, next_year = match[1], match[2]
    if int(next_year) % 100 != (int(year) + 1) % 100:
        return None
    return named_in_year("winter", int(year))


def _slice(match: re.Match[str], reference: Reference) -> Period | None:
    granularity: Granularity = "quarter" if match["unit"].startswith("q") else "year"
    length = 3 if granularity == "quarter" else 6
    count = ordinal(match["count"])
    if count > 12 // length:
        return None

    def in_year(year: int) -> Period:
        start = midnight(year, (count - 1) * length + 1)
        return Period(start, shift(start, "month", length), granularity)

    groups = match.groupdict()
    if year := groups["year"] or groups.get("before"):
        return in_year(int(year))
    if granularity == "year":
        return None
    return nearest(lambda cycle: in_year(reference.moment.year + cycle), reference)


def _named_year(match: re.Match[str], reference: Reference) -> int | None:
    groups = match.groupdict()
    if groups.get("year"):
        return int(groups["year"])
    if groups.get("short"):
        # "'69" is the latest such year that is not far ahead of the text.
        ahead = reference.moment.year + 10
        return ahead - (ahead - int(groups["short"])) % 100
    return None


def _shape(pattern: str, read: Callable[[re.Match[str], Reference], Period | None]) -> Shape:
    return re.compile(pattern, re.ASCII), read


_TO = r"(?: ?- ?| to | and | until | through )"
SHAPES: Final[tuple[Shape, ...]] = (
    _shape(rf"({YEAR})-((?!0|10|11|12)\d\d)", _two_years),
    _shape(r"(\d{4})-(\d\d)", _iso),
    _shape(r"(\d{4})-(\d\d?)-(\d\d?)", _iso),
    _shape(r"(\d{4})/(\d\d?)/(\d\d?)", _iso),
    _shape(rf"({YEAR})/(\d\d)", _two_years),
    _shape(r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d.*", _instant),
    _shape(r"(\d\d?)([-/.])(\d\d?)\2(\d{4})", _numeric),
    _shape(rf"(?:year )?(?P<year>{YEAR})", _year),
    _shape(r"(?:(?:ad|year) )?(?P<year>\d{3,4})(?: ad| ce)", _year),
    _shape(r"(?:ad|year ad) (?P<year>\d{3,4})", _year),
    _shape(
        rf"(?:(?P<year>1\d\d0|20[0-9]0)'?s|'?(?P<short>[3-9]0)'?s|(?P<name>{any_of(DECADES)}))",
        _decade,
    ),
    _shape(rf"({ORDINAL}) century(?: ad| ce)?", _century),
    _shape(
        rf"{_ON}(?P<day>{_DAY}|{any_of(ORDINALS)})(?:{_TO}(?P<last>{_DAY}))? (?P<month>{MONTH})"
        + _YEAR_END,
        _days,
    ),
    _shape(
        rf"{_ON}(?P<month>{MONTH}) (?P<day>{_DAY}|{any_of(ORDINALS)})(?:{_TO}(?P<last>{_DAY}))?"
        + _YEAR_END,
        _days,
    ),
    _shape(rf"winter (?:in )?({YEAR})[-/](\d\d(?:\d\d)?)", _winter),
    _shape(rf"(?P<name>{MONTH}|{any_of(SEASONS)}|{_FEAST}){_YEAR_END}", _named),
    _shape(rf"(?P<name>{WEEKDAY})", _named),
    _shape(
        rf"(?:(?P<before>{YEAR}) )?(?P<unit>[qh])(?P<count>[1-4])(?: (?:in )?(?P<year>{YEAR}))?",
        _slice,
    ),
    _shape(
        r"(?P<count>first|second|third|fourth|[1-4]) (?P<unit>quarter|half)"
        rf"(?: (?:in )?(?P<year>{YEAR}))?",
        _slice,
    ),
)
