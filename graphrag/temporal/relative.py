"""Expressions that count from somewhere: "last week", "two years ago", "the day before 9 June".

The same kind of table as in `dates`. Months and years count in calendar units ("two years ago" is
that calendar year), weeks ago in seven days from the day counted back to. Shapes that hold another
expression ("end of X", "the week before X") are given the reader of the whole phrase.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from graphrag.temporal.dates import (
    NAMED,
    NUMBERS,
    ORDINAL,
    PARTS,
    UNITS,
    WEEKDAY,
    WEEKDAYS,
    any_of,
    instant,
    number,
    occurrence,
    ordinal,
)
from graphrag.temporal.interval import DAY, WEEK, Period, Reference, Unit, floor, shift, unit_from

Inner = Callable[[str], Period | None]  # reads a phrase inside the phrase
Shape = tuple[re.Pattern[str], Callable[[re.Match[str], Reference, Inner], Period | None]]

_NUMBER = rf"\d{{1,3}}|{any_of(NUMBERS)}"
_UNIT = any_of(UNITS)
_PART = any_of(PARTS)
_THIRDS: Final[dict[str, tuple[Unit, int, int]]] = {
    "week": ("day", 2, 4),
    "month": ("day", 10, 20),
    "quarter": ("month", 1, 2),
    "season": ("month", 1, 2),
    "year": ("month", 4, 8),
    "decade": ("year", 4, 7),
    "century": ("year", 33, 67),
}
"""Where early, middle and late meet, per granularity."""
_ENDS = _THIRDS | {"year": ("month", 3, 9), "decade": ("year", 2, 8), "century": ("year", 10, 90)}
"""The same for start and end, which are shorter than early and late."""


def _day_word(match: re.Match[str], reference: Reference, _: Inner) -> Period:
    offset = {"yesterday": -1, "today": 0, "tomorrow": 1}[match["word"]]
    return unit_from(shift(reference.today, "day", offset), "day")


def _now(_: re.Match[str], reference: Reference, __: Inner) -> Period:
    return Period(reference.moment, reference.moment + datetime.resolution, "instant")


def _tonight(match: re.Match[str], reference: Reference, _: Inner) -> Period:
    part = match.groupdict().get("part") or "night"
    offset = -1 if match["which"] == "last" else 0
    return _part_of(shift(reference.today, "day", offset), part)


def _part(match: re.Match[str], _: Reference, inner: Inner) -> Period | None:
    period = inner(match["day"])
    if period is None or period.granularity != "day" or period.end - period.start != DAY:
        return None
    return _part_of(period.start, match["part"])


def _part_of(day: datetime, part: str) -> Period:
    first, last = (day + timedelta(hours=hour) for hour in PARTS[part])
    return Period(first, last, "part_of_day")


def _clock(match: re.Match[str], _: Reference, inner: Inner) -> Period | None:
    """Read a time of day in a stated zone; without one it could be any of two dozen instants."""
    day = inner(match["day"])
    if day is None or day.granularity != "day" or day.end - day.start != DAY:
        return None
    zone = "Z" if match["zone"].isalpha() else match["zone"]
    return instant(f"{day.start.date().isoformat()}T{match['time']:0>5}{zone}")


def _ago(match: re.Match[str], reference: Reference, _: Inner) -> Period | None:
    unit, count = UNITS[match["unit"]], number(match["count"])
    if unit == "century":
        return None
    at = shift(reference.moment, unit, -count)
    if unit in ("month", "quarter", "weekend"):
        return unit_from(floor(at, unit), unit)
    if unit == "decade" or (unit == "year" and count >= 20 and count % 10 == 0):
        # A round number of years is no more precise than its decade.
        return unit_from(shift(floor(at, "year"), "year", -5), "decade")
    return unit_from(floor(at, "year" if unit == "year" else "day"), unit)


def _hours_ago(match: re.Match[str], reference: Reference, _: Inner) -> Period:
    length = timedelta(hours=1) if match["unit"] == "hour" else timedelta(minutes=1)
    start = reference.moment - number(match["count"]) * length
    return Period(start, start + length, "part_of_day")


def _ahead(match: re.Match[str], reference: Reference, _: Inner) -> Period | None:
    unit, count = UNITS[match["unit"]], number(match["count"])
    if unit in ("decade", "century"):
        return None
    at = shift(reference.moment, unit, count)
    return unit_from(floor(at, "day" if unit == "week" else unit), unit)


def _window(match: re.Match[str], reference: Reference, _: Inner) -> Period | None:
    unit, count = UNITS[match["unit"]], number(match.groupdict().get("count") or "one")
    if unit in ("weekend", "century"):
        return None
    if match["which"] in ("next", "coming"):
        return Period(reference.moment, shift(reference.moment, unit, count), unit)
    return Period(shift(reference.today, unit, -count), reference.moment, unit)


def _which(match: re.Match[str], reference: Reference, _: Inner) -> Period | None:
    """Give the one |side| places before or after the reference; 0 is the current cycle's."""
    side = {**_SIDE, "before last": -2, "after next": 2}[match["which"]]
    if match["unit"] is not None:
        unit = UNITS[match["unit"]]
        return unit_from(shift(floor(reference.moment, unit), unit, side), unit)
    around = [occurrence(match["name"], reference, cycle) for cycle in range(-3, 4)]
    if side < 0:
        return [p for p in around if p.end <= reference.today][side]
    if side > 0:
        return [p for p in around if p.start > reference.moment][side - 1]
    return next((p for p in around if p.start <= reference.moment < p.end), around[3])


def _edge(match: re.Match[str], _: Reference, inner: Inner) -> Period | None:
    # "late in 1999" is in late 1999, but "beginning in 1999" is since 1999.
    rest = match["rest"].removeprefix("in ") if match["edge"] in _EARLY else match["rest"]
    period = None if rest.startswith("in ") else inner(rest)
    if period is None:
        return None
    if period.granularity in ("day", "part_of_day") and match["edge"] in ("early", "late"):
        return period
    cuts = (_THIRDS if match["edge"] in _EARLY else _ENDS).get(period.granularity)
    if cuts is None:
        return None
    unit, first, second = cuts
    start, middle, late = period.start, *(shift(period.start, unit, at) for at in (first, second))
    if not start < middle < late < period.end:
        return None
    ends = {"early": (start, middle), "mid": (middle, late), "late": (late, period.end)}
    return Period(*ends[_EDGES[match["edge"]]], period.granularity)


def _anchored(match: re.Match[str], _: Reference, inner: Inner) -> Period | None:
    anchor = inner(match["anchor"])
    if anchor is None or anchor.granularity == "instant":
        return None
    count, after = number(match["count"] or "one"), match["side"] in ("after", "following")
    name = match["unit"]
    if name in WEEKDAYS or name == "weekend":
        day, length = (5, 2) if name == "weekend" else (WEEKDAYS[name], 1)
        ends = anchor.end + 6 * DAY if after else anchor.start - length * DAY
        start = floor(ends, "day") - (ends.weekday() - day) % 7 * DAY
        start += (count - 1) * (WEEK if after else -WEEK)
        return unit_from(start, "weekend" if name == "weekend" else "day")
    unit = UNITS[name]
    if unit in ("day", "week"):
        base = anchor.end if after else floor(anchor.start, "day")
        start = shift(base, unit, count - 1 if after else -count)
        return unit_from(floor(start, "day"), unit)
    base = floor(anchor.end - datetime.resolution if after else anchor.start, unit)
    return unit_from(shift(base, unit, count if after else -count), unit)


def _nth(match: re.Match[str], _: Reference, inner: Inner) -> Period | None:
    whole = inner(match["rest"])
    if whole is None or whole.granularity not in ("month", "season", "year"):
        return None
    last, name = match["count"] == "last", match["unit"]
    step = -1 if last else ordinal(match["count"]) - 1
    base = whole.end if last else whole.start
    unit: Unit = "week" if name == "week" else "weekend" if name == "weekend" else "day"
    if name in ("week", "day"):
        start = shift(base, unit, step)
    else:
        day = 5 if name == "weekend" else WEEKDAYS[name]
        start = base + (day - base.weekday()) % 7 * DAY + step * WEEK
    return unit_from(start, unit) if whole.start <= start < whole.end else None


_EARLY = ("early", "mid", "middle", "late")
_EDGES = {
    **dict.fromkeys(("early", "start", "beginning"), "early"),
    **dict.fromkeys(("mid", "middle"), "mid"),
    **dict.fromkeys(("late", "end"), "late"),
}
_SIDE = {
    **dict.fromkeys(("last", "previous", "past", "this past"), -1),
    **dict.fromkeys(("this", "current"), 0),
    **dict.fromkeys(("next", "coming", "following", "upcoming", "this coming"), 1),
}
_WHOLE = "week|weekend|month|quarter|year|decade|century"
_SIDES = "before|after|following|preceding|prior to"


def _shape(pattern: str, read: Callable[[re.Match[str], Reference, Inner], Period | None]) -> Shape:
    return re.compile(pattern, re.ASCII), read


SHAPES: Final[tuple[Shape, ...]] = (
    _shape(r"(?P<word>yesterday|today|tomorrow)", _day_word),
    _shape(r"(?:right )?now", _now),
    _shape(r"(?P<which>)tonight", _tonight),
    _shape(r"(?P<which>this|last) (?P<part>morning|afternoon|evening|night)", _tonight),
    _shape(rf"(?:late |early )?(?P<day>.+?) (?:in )?(?P<part>{_PART})", _part),
    _shape(rf"(?P<part>{_PART}) (?P<day>.+)", _part),
    _shape(
        r"(?P<day>.+?)(?: at)? (?P<time>\d\d?:\d\d(?::\d\d)?) ?(?P<zone>utc|gmt|z|[+-]\d\d:?\d\d)",
        _clock,
    ),
    _shape(rf"(?P<count>{_NUMBER}) (?P<unit>{_UNIT})s? (?:ago|back)", _ago),
    _shape(rf"(?P<count>{_NUMBER}) (?P<unit>hour|minute)s? ago", _hours_ago),
    _shape(rf"(?P<count>{_NUMBER}) (?P<unit>{_UNIT})s? (?:from (?:now|today)|hence)", _ahead),
    _shape(rf"in (?P<count>{_NUMBER}) (?P<unit>{_UNIT})(?:s?'?s? time|s?)", _ahead),
    _shape(
        rf"(?P<which>past|last|previous|next|coming) (?P<count>{_NUMBER}) (?P<unit>{_UNIT})s",
        _window,
    ),
    _shape(r"(?P<which>past|this past) (?P<unit>day|week|month|quarter|year|decade)", _window),
    _shape(rf"(?P<which>{'|'.join(_SIDE)}) (?:(?P<unit>{_WHOLE})|(?P<name>{NAMED}))", _which),
    _shape(rf"(?:(?P<unit>{_WHOLE})|(?P<name>{NAMED})) (?P<which>before last|after next)", _which),
    _shape(rf"(?P<edge>{'|'.join(_EDGES)}) (?P<rest>.+)", _edge),
    _shape(
        rf"(?:(?P<count>{_NUMBER}) )?(?P<unit>{_UNIT}|{WEEKDAY})s? (?P<side>{_SIDES})"
        " (?P<anchor>.+)",
        _anchored,
    ),
    _shape(
        rf"(?P<count>last|{ORDINAL}) (?P<unit>week|weekend|day|{WEEKDAY}) (?:in )?(?P<rest>.+)",
        _nth,
    ),
)
