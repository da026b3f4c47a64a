"""Dates as people jot them down: ``the 19th``, ``since Tue``, ``10/2021``, ``until then``.

They are read only here, where the tense of the clause tells on which side of the text's own day
they lie; in a question or a running text "the 3rd" is too often no date.
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from graphrag.temporal.find import TimeExpression, find_times
from graphrag.temporal.period import Bound, Period, Prefer, Unit, day_of, floor, shift, unit_from
from graphrag.temporal.phrase import resolve_phrase
from graphrag.temporal.vocabulary import MONTHS, WEEKDAYS

_BOUND: dict[str, Bound] = {
    "until": "until", "till": "until", "til": "until", "to": "until", "through": "until",
    "since": "since", "from": "since", "starting": "since", "as of": "since", "as from": "since",
    "before": "before", "after": "after",
}  # fmt: skip
_LEAD = (
    r"(?:(?P<bound>until|till?|since|from|starting|as of|as from|before|after|through|to|on|in|at|"
    r"for|over|by)[ ])?"
)
_DAY = "|".join(f"{day[:3].title()}(?:{day[3:]})?" for day in WEEKDAYS) + "|Tues|Thurs"
_PERFECT = re.compile(r"\b(?:has|have)\b|'(?:ve|s) (?:been|\w+ed)\b", re.IGNORECASE)
_WORDS = {
    "one": 1, "a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20,
    "thirty": 30, "forty": 40,
}  # fmt: skip
_STEPS = {"same": 0, "next": 1, "following": 1}
_COUNT = rf"(?P<count>\d+|{'|'.join(_WORDS)})"
_FEASTS = {"christmas": (12, 25), "xmas": (12, 25), "new year": (1, 1), "new year's": (1, 1)}


Make = Callable[[re.Match[str], datetime, bool, Period | None], Period | None]
"""Match, reference, whether it looks ahead, and the time named before: a period."""


def short_times(
    text: str,
    reference: datetime,
    before: Period | None = None,
    *,
    ahead: bool,
    leaning: Prefer | None = None,
) -> list[TimeExpression]:
    """Find the expressions of time of a sentence, plain and short ones, in order.

    Args:
        text: One sentence.
        reference: When it was written.
        before: The time named last before it: what ``then`` means.
        ahead: True if an undated day lies in the future: no verb of it is in the past tense.
        leaning: Where it lies for sure, whatever the other words say.
    """
    plain = find_times(text, reference, prefer="future" if ahead else "past", leaning=leaning)
    found: list[TimeExpression] = []
    for start, end, make, match in _matches(text):
        if any(one.start < end and start < one.end for one in found):
            continue
        covered = [one for one in plain if one.start < end and start < one.end]
        if any(one.end - one.start > end - start for one in covered):
            continue
        last = [one.period for one in (*plain, *found) if one.end <= start]
        period = make(match, reference, ahead, last[-1] if last else before)
        if period is not None:
            plain = [one for one in plain if one not in covered]
            found.append(TimeExpression(start, end, text[start:end], period))
    return sorted((*plain, *found), key=lambda one: one.start)


def _matches(text: str) -> Iterator[tuple[int, int, Make, re.Match[str]]]:
    for pattern, make in _SHAPES:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), make, match


def _bounded(match: re.Match[str], period: Period | None) -> Period | None:
    return None if period is None else _put(match, period)


def _put(match: re.Match[str], period: Period) -> Period:
    bound = (match.groupdict().get("bound") or "").lower()
    return period.bounded(_BOUND.get(bound, "in"))


def _ordinal(match: re.Match[str], said: datetime, ahead: bool, _: Period | None) -> Period | None:
    """Return ``the 19th``: of this month, or of the next or last one if that is the nearer side."""
    month, day = floor(said, "month"), int(match["day"])
    looks_back = (match["bound"] or "").lower() == "since"
    for step in (0, 1) if ahead and not looks_back else (0, -1):
        at = shift(month, "month", step)
        if day > (shift(at, "month", 1) - at).days:
            continue
        found = day_of(at.year, at.month, day)
        past = found.start <= said
        if step or (not past if ahead and not looks_back else past):
            return _bounded(match, found)
    return None


def _weekday(match: re.Match[str], said: datetime, ahead: bool, _: Period | None) -> Period:
    names = [number for name, number in WEEKDAYS.items() if name.startswith(match["name"].lower())]
    back = (said.weekday() - names[0]) % 7
    bound = (match["bound"] or "").lower()
    last = bool(match["last"]) or bound == "since" or not ahead
    day = floor(said, "day")
    at = day - timedelta(days=back or 7 * bool(match["last"]))
    if not last:
        at = day + timedelta(days=(7 - back) % 7 or 7)
    return _put(match, day_of(at.year, at.month, at.day))


def _month(match: re.Match[str], said: datetime, ahead: bool, _: Period | None) -> Period | None:
    month = MONTHS[match["name"].lower().rstrip(".")]
    bound = (match["bound"] or "").lower()
    back = bound == "since" or not ahead
    year = said.year + (not back and month < said.month) - (back and month > said.month)
    return _bounded(match, unit_from(datetime(year, month, 1, tzinfo=said.tzinfo), "month"))


def _slashed(match: re.Match[str], said: datetime, _: bool, __: Period | None) -> Period | None:
    month, year = int(match["month"]), int(match["year"])
    if not 1 <= month <= 12:
        return None
    return _bounded(match, unit_from(datetime(year, month, 1, tzinfo=said.tzinfo), "month"))


def _short_year(match: re.Match[str], _: datetime, __: bool, ___: Period | None) -> Period | None:
    day, month, year = int(match["day"]), int(match["month"]), 2000 + int(match["year"])
    if not (1 <= month <= 12 and 1 <= day <= 28):
        return None
    return _bounded(match, day_of(year, month, day))


def _feast(match: re.Match[str], said: datetime, ahead: bool, _: Period | None) -> Period:
    month, day = _FEASTS[match["name"].lower()]
    ahead = ahead and (match["bound"] or "").lower() != "since"
    year = said.year
    here = day_of(year, month, day)
    if ahead and here.end <= said:
        here = day_of(year + 1, month, day)
    if not ahead and here.start > said:
        here = day_of(year - 1, month, day)
    return _put(match, here)


def _season(match: re.Match[str], said: datetime, ahead: bool, _: Period | None) -> Period | None:
    """Return the spring before ``left in the spring``; in the present it may be every spring."""
    if ahead and (match["bound"] or "").lower() != "since":
        return None
    return _bounded(match, resolve_phrase(f"in {match['name']}", said, prefer="past"))


def _then(match: re.Match[str], _: datetime, __: bool, before: Period | None) -> Period | None:
    if before is None:
        return None
    moment = before.end if before.bound in ("until", "after") else before.start
    point = Period(moment, moment + timedelta(days=1), "instant")
    if match["bound"].lower() in ("until", "till", "before"):
        return point.bounded("before")
    return point.bounded("since")


def _duration(match: re.Match[str], said: datetime, _: bool, __: Period | None) -> Period | None:
    """Return the start in ``has lived there for ten years``; a job that is over had some other."""
    if not _PERFECT.search(match.string[: match.start()]):
        return None
    count = _WORDS.get(match["count"].lower()) or int(match["count"])
    unit = match["unit"].lower()
    whole: Unit = "month" if unit == "month" else "year"
    try:
        at = shift(said, "decade" if unit == "decade" else whole, -count)
    except (ValueError, OverflowError):
        return None
    return unit_from(floor(at, whole), whole).bounded("since")


def _edge(match: re.Match[str], said: datetime, ahead: bool, _: Period | None) -> Period | None:
    """Return ``at the end of the year``: its last day, and ``the start`` its first month."""
    unit: Unit = "year" if match["unit"].lower() == "year" else "month"
    unit = "week" if match["unit"].lower() == "week" else unit
    which = (match["which"] or "the").lower()
    step = {"next": 1, "last": -1}.get(which, 0)
    at = shift(floor(said, unit), unit, step)
    whole = unit_from(at, unit)
    if match["edge"].lower() == "end":
        found = day_of(*(whole.end - timedelta(days=1)).timetuple()[:3])
    else:
        found = unit_from(at, "month" if unit == "year" else "day")
    return _bounded(match, found)


def _born(match: re.Match[str], said: datetime, _: bool, __: Period | None) -> Period:
    return unit_from(datetime(int(match["year"]), 1, 1, tzinfo=said.tzinfo), "year")


_MONTH = "|".join(sorted((name for name in MONTHS if name != "may"), key=len, reverse=True))
_SHAPES: tuple[tuple[re.Pattern[str], Make], ...] = tuple(
    (re.compile(pattern, flags | re.ASCII), make)
    for pattern, flags, make in (
        (rf"\b{_LEAD}the (?P<day>[123]?\d)(?:st|nd|rd|th)\b(?! (?:of|century|[A-Z]))", 0, _ordinal),
        (rf"\b{_LEAD}(?P<last>last )?(?P<name>{_DAY})\b(?!'?s\b)(?! \d)", 0, _weekday),
        (r"\b(?P<bound>until|till|since|from|in|before|after|to) "
         rf"(?P<name>{_MONTH}|(?-i:May))\b(?!,? '?\d)",
         re.I, _month),
        (rf"\b{_LEAD}the (?P<edge>end|start|beginning) of (?:(?P<which>the|this|next|last) )?"
         r"(?P<unit>year|month|week)\b", re.I, _edge),
        (r"(?<=\bborn )(?P<year>1\d{3}|20\d\d)\b", re.I, _born),
        (rf"\b{_LEAD}(?P<month>\d\d?)/(?P<year>(?:19|20)\d\d)\b", re.I, _slashed),
        (rf"\b{_LEAD}(?P<day>\d\d?)(?P<sep>[./])(?P<month>\d\d?)(?P=sep)(?P<year>\d\d)\b", re.I,
         _short_year),
        (rf"\b{_LEAD}(?P<name>christmas|xmas|new year(?:'s)?)\b(?! (?:\d|eve|party|dinner))", re.I,
         _feast),
        (r"\b(?P<bound>in|since|until|before|after|over) (?:the )?(?:early |late )?"
         r"(?P<name>spring|summer|autumn|winter)\b(?! (?:of|\d))", re.I, _season),
        (r"\b(?P<bound>until|till|since|before|after|from) (?P<word>then|that)\b(?! [a-z]+s\b)",
         re.I, _then),
        (rf"\bfor (?:about |over |nearly |almost |more than |the (?:past|last) )?{_COUNT} "
         r"(?P<unit>year|month|decade)s?\b", re.I, _duration),
    )
)  # fmt: skip
"""Longest or surest first: where two overlap the first counts."""
