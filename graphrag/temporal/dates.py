"""English words of time, and expressions of the calendar: "3 May 2021", "spring of 2022", "1990s".

A table of shapes, tried in order; each is one regular expression over the normalised words and the
function that reads it. What the calendar does not have (30 February) raises ValueError, which the
caller takes for "not a date". 4/7/1995 is None: two readings are none.
"""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Final, get_args

from graphrag.temporal.interval import (
    DAY,
    MONTH_NAMES,
    WEEK,
    Granularity,
    Period,
    Reference,
    Unit,
    day_of,
    floor,
    midnight,
    shift,
    unit_from,
)

_MONTHS = {name.lower(): place for place, name in enumerate(MONTH_NAMES, start=1)}
MONTHS: Final = {**_MONTHS, **{name[:3]: _MONTHS[name] for name in _MONTHS}, "sept": 9}
_DAYS_OF_WEEK = "monday tuesday wednesday thursday friday saturday sunday".split()
WEEKDAYS: Final = {name: place for place, name in enumerate(_DAYS_OF_WEEK)}
SHORT_DAYS: Final = {"mon": "monday", "tue": "tuesday", "thu": "thursday", "fri": "friday"}
"""Those that are no other word; read after last, next and this."""
WEEKDAY_SHORT: Final = "mon|tues?|wed|thurs?|thu|fri|sat|sun"
SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month, on the northern hemisphere; a winter has the year it begins in."""
HOLIDAYS: Final = {
    "new year's day": (1, 1), "valentine's day": (2, 14), "michaelmas": (9, 29),
    "halloween": (10, 31), "all saints' day": (11, 1), "christmas eve": (12, 24),
    "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31),
}  # fmt: skip
FEASTS: Final = {
    "ash wednesday": -46, "good friday": -2, "easter": 0, "easter sunday": 0, "easter monday": 1,
    "ascension day": 39, "whit sunday": 49, "pentecost": 49, "whit monday": 50,
}  # fmt: skip
"""Days after Easter."""
UNITS: Final[dict[str, Unit]] = {**{unit: unit for unit in get_args(Unit)}, "yr": "year"}
PARTS: Final = {"morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
"""Hours from midnight; a night runs into the next day."""
_COUNTS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
TENS: Final = {word: 10 * place for place, word in enumerate(_TENS, start=2)}
_ONES = {word: place for place, word in enumerate(_COUNTS, start=1)}
_JOINED = {f"{ten}-{one}": TENS[ten] + _ONES[one] for ten in TENS for one in _COUNTS[:9]}
_SOME = {"a": 1, "an": 1, "a couple": 2, "couple": 2, "a dozen": 12}
NUMBERS: Final = {**_SOME, **_ONES, **TENS, **_JOINED}
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
).split()
ORDINALS: Final = {word: number for number, word in enumerate(_ORDINALS, start=1)}
DECADES: Final = {f"{word[:-1]}ies": 1900 + value for word, value in TENS.items() if value >= 30}


def any_of(words: Iterable[str]) -> str:
    """Write the words as one regular expression, longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def number(word: str) -> int:
    """Give the value of a number word or of digits."""
    return NUMBERS[word] if word in NUMBERS else int(word)


def ordinal(word: str) -> int:
    """Give the value of an ordinal word or of digits."""
    return ORDINALS[word] if word in ORDINALS else int(word)


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

    With ``cycle`` it lies so many weeks, or years, later.
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


def instant(text: str) -> Period | None:
    """Return the moment that ISO 8601 writes; None of one without a zone."""
    moment = datetime.fromisoformat(text)
    if moment.utcoffset() is None:
        return None
    start = moment.astimezone(UTC)
    return Period(start, start + datetime.resolution, "instant")


def _numeric(match: re.Match[str], _: Reference) -> Period | None:
    first, second, year = (int(part) for part in match.group(1, 3, 4))
    if first <= 12 and second <= 12 and first != second:
        return None
    return day_of(year, *((first, second) if second > 12 else (second, first)))


def _year(match: re.Match[str], _: Reference) -> Period:
    return unit_from(midnight(int(match["year"])), "year")


def _decade(match: re.Match[str], _: Reference) -> Period:
    start = DECADES[match["name"]] if match["name"] else int(match["year"] or f"19{match['short']}")
    if start % 100 == 0 and start != 2000:
        return Period(midnight(start), midnight(start + 100), "century")
    return unit_from(midnight(start), "decade")


def _days(match: re.Match[str], reference: Reference) -> Period | None:
    month = MONTHS[match["month"]]
    first = ordinal(match["day"])
    last = ordinal(match["last"] or match["day"])

    def in_year(year: int) -> Period:
        return Period(midnight(year, month, first), day_of(year, month, last).end, "day")

    if last < first:
        return None
    if year := _named_year(match, reference):
        return in_year(year)
    every = 4 if (month, last) == (2, 29) else 1
    this = reference.moment.year - reference.moment.year % every
    return nearest(lambda cycle: in_year(this + cycle * every), reference)


def _named(match: re.Match[str], reference: Reference) -> Period | None:
    name = match["name"]
    if year := _named_year(match, reference):
        return named_in_year(name, year)
    return nearest(lambda cycle: occurrence(name, reference, cycle), reference)


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
    _shape(r"(\d{4})[-/](\d\d?)[-/](\d\d?)", _iso),
    _shape(rf"({YEAR})/(\d\d)", _two_years),
    _shape(r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d.*", lambda match, _: instant(match[0].upper())),
    _shape(r"(\d\d?)([-/.])(\d\d?)\2(\d{4})", _numeric),
    _shape(rf"(?:year )?(?P<year>{YEAR})", _year),
    _shape(r"(?:(?:ad|year) )?(?P<year>\d{3,4})(?: ad| ce)", _year),
    _shape(r"(?:ad|year ad) (?P<year>\d{3,4})", _year),
    _shape(
        rf"(?:(?P<year>1\d\d0|20[0-9]0)'?s|'?(?P<short>[3-9]0)'?s|(?P<name>{any_of(DECADES)}))",
        _decade,
    ),
    _shape(
        rf"({ORDINAL}) century(?: ad| ce)?",
        lambda match, _: unit_from(midnight(ordinal(match[1]) * 100 - 99), "century"),
    ),
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
