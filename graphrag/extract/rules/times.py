"""Times of a parsed sentence, also as people jot them down: ``the 19th``, ``since Tue``, ``31/8``.

The tense tells on which side of the text's own day an undated one lies.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from graphrag.temporal.dates import WEEKDAYS
from graphrag.temporal.find import TimeExpression, find_times
from graphrag.temporal.interval import Bound, Period, Prefer, Unit, day_of, floor, shift, unit_from

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_PRESENT = frozenset({"VBZ", "VBP", "MD"})
_EDGE = re.compile(r"\bend(?:ing)?(?: of)?\b", re.IGNORECASE)
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
_FEASTS = {"christmas": (12, 25), "xmas": (12, 25), "new year": (1, 1), "new year's": (1, 1)}


Make = Callable[[re.Match[str], datetime, bool], Period | None]
"""Match, reference and whether it looks ahead to a period."""


def times_of(sentence: "Span", reference: datetime) -> list[tuple[int, int, Period]]:
    """Return the time expressions of a sentence: where they stand in its document, and when.

    In "Ann said that she starts on 1 March" the verb that a time stands below decides, not the
    tense of the sentence.
    """
    text, ahead = sentence.text, looks_ahead(sentence)
    present = any(token.tag_ in _PRESENT for token in sentence)
    leaning: Prefer | None = "future" if ahead and present else None
    expressions = _short_times(text, reference, ahead=ahead, leaning=leaning)
    times = {expression.start: expression for expression in expressions}
    if present and not ahead:
        for coming in _short_times(text, reference, ahead=True, leaning="future"):
            covered = any(it.start < coming.start < it.end for it in expressions)
            if not covered and _is_present(_verb(sentence, coming)):
                times[coming.start] = coming
    at = sentence.start_char
    return [
        (at + expression.start, at + expression.end, _period(expression))
        for _, expression in sorted(times.items())
    ]


def _period(expression: TimeExpression) -> Period:
    """Return what an expression names: of "the end of March" its last day."""
    period = expression.period
    ends = _EDGE.search(expression.text) and period.granularity != "day"
    if ends:  # "at the end of March" is the 31st
        return Period(period.end - timedelta(days=1), period.end, "day", period.bound)
    return period


def _is_present(verb: "Token") -> bool:
    """Tell whether a verb is in the present or the future: of its dates, undated ones lie ahead."""
    helpers = {child.tag_ for child in verb.children if child.dep_ in ("aux", "auxpass")}
    if verb.tag_ in ("VBZ", "VBP") or "MD" in helpers:
        return True
    return (
        verb.tag_ in ("VBG", "VBN")
        and bool(helpers & {"VBZ", "VBP"})
        and not any(
            child.lemma_ in ("have", "'ve") for child in verb.children if child.dep_ == "aux"
        )
    )


def looks_ahead(sentence: "Span") -> bool:
    """Tell whether no verb of the sentence is in a past tense."""
    for token in sentence:
        if token.tag_ == "VBD":
            return False
        if token.tag_ == "VBN" and token.dep_ != "amod":  # "the state-owned firm starts"
            helpers = [child for child in token.children if child.dep_ in ("aux", "auxpass")]
            if not helpers or any(helper.lemma_ in ("have", "'ve") for helper in helpers):
                return False
    return True


def _verb(sentence: "Span", expression: TimeExpression) -> "Token":
    """Return the nearest verb above a time, or its own last word."""
    start = sentence.start_char + expression.start
    stop = sentence.start_char + expression.end
    inside = [token for token in sentence if start <= token.idx < stop] or [sentence.root]
    above = (token for token in inside[-1].ancestors if token.pos_ in ("VERB", "AUX"))
    return next(above, inside[-1])


def _short_times(
    text: str, reference: datetime, *, ahead: bool, leaning: Prefer | None = None
) -> list[TimeExpression]:
    """Find the expressions of time of a sentence, plain and short ones, in order.

    Args:
        text: One sentence.
        reference: When it was written.
        ahead: True if an undated day lies in the future: no verb of it is in the past tense.
        leaning: Where it lies for sure, whatever the other words say.
    """
    plain = find_times(text, reference, prefer="future" if ahead else "past", leaning=leaning)
    short: list[TimeExpression] = []
    for match, make in ((match, make) for shape, make in _SHAPES for match in shape.finditer(text)):
        start, end = match.span()
        if any(time.start < end and start < time.end for time in short):
            continue
        covered = [time for time in plain if time.start < end and start < time.end]
        if any(time.end - time.start > end - start for time in covered):
            continue
        period = make(match, reference, ahead)
        if period is not None:
            plain = [time for time in plain if time not in covered]
            short.append(TimeExpression(start, end, match.group(), period))
    return sorted((*plain, *short), key=lambda time: time.start)


def _bounded(match: re.Match[str], period: Period | None) -> Period | None:
    return None if period is None else _put(match, period)


def _put(match: re.Match[str], period: Period) -> Period:
    bound = (match.groupdict().get("bound") or "").lower()
    return period.bounded(_BOUND.get(bound, "in"))


def _ordinal(match: re.Match[str], said: datetime, ahead: bool) -> Period | None:
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


def _weekday(match: re.Match[str], said: datetime, ahead: bool) -> Period:
    names = [number for name, number in WEEKDAYS.items() if name.startswith(match["name"].lower())]
    back = (said.weekday() - names[0]) % 7
    bound = (match["bound"] or "").lower()
    day = floor(said, "day")
    if match["last"] or bound == "since" or not ahead:
        at = day - timedelta(days=back or 7 * bool(match["last"]))
    else:
        at = day + timedelta(days=7 - back)
    return _put(match, day_of(at.year, at.month, at.day))


def _slashed(match: re.Match[str], said: datetime, _: bool) -> Period | None:
    month, year = int(match["month"]), int(match["year"])
    if not 1 <= month <= 12:
        return None
    return _bounded(match, unit_from(datetime(year, month, 1, tzinfo=said.tzinfo), "month"))


def _numeric(match: re.Match[str], said: datetime, ahead: bool) -> Period | None:
    """Return ``31/8``, ``31.8.`` or ``31/8/24``; without a year the next or last such day.

    ``3/4`` may be in March or in April, and ``9.30`` is a time of day.
    """
    day, month, year, sep = int(match["day"]), int(match["month"]), match["year"], match["sep"]
    if sep == "/" and month > 12:
        day, month = month, day
    if (sep == "/" and day <= 12 and day != month) or match.group().endswith(f".{match['month']}"):
        return None
    today = said.month, said.day
    if year is not None:
        number = int(year) if len(year) > 2 else said.year // 100 * 100 + int(year)
        number -= 100 * (number > said.year + 50)
    elif ahead and (match["bound"] or "").lower() != "since":
        number = said.year + ((month, day) < today)
    else:
        number = said.year - ((month, day) > today)
    try:
        return _bounded(match, day_of(number, month, day))
    except ValueError:
        return None


def _feast(match: re.Match[str], said: datetime, ahead: bool) -> Period:
    month, day = _FEASTS[match["name"].lower()]
    ahead = ahead and (match["bound"] or "").lower() != "since"
    year = said.year
    here = day_of(year, month, day)
    if ahead and here.end <= said:
        here = day_of(year + 1, month, day)
    if not ahead and here.start > said:
        here = day_of(year - 1, month, day)
    return _put(match, here)


def _edge(match: re.Match[str], said: datetime, ahead: bool) -> Period | None:
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


_SHAPES: tuple[tuple[re.Pattern[str], Make], ...] = tuple(
    (re.compile(pattern, flags | re.ASCII), make)
    for pattern, flags, make in (
        (rf"\b{_LEAD}the (?P<day>[123]?\d)(?:st|nd|rd|th)\b(?! (?:of|century|[A-Z]))", 0, _ordinal),
        (rf"\b{_LEAD}(?P<last>last )?(?P<name>{_DAY})\b(?!'?s\b)(?! \d)", re.I, _weekday),
        (rf"\b{_LEAD}the (?P<edge>end|start|beginning) of (?:(?P<which>the|this|next|last) )?"
         r"(?P<unit>year|month|week)\b", re.I, _edge),
        (rf"\b{_LEAD}(?P<month>\d\d?)/(?P<year>(?:19|20)\d\d)\b", re.I, _slashed),
        (rf"\b{_LEAD}(?P<day>\d\d?)(?P<sep>[./])(?P<month>\d\d?)"
         r"(?:(?P=sep)(?P<year>\d\d(?:\d\d)?)?)?(?![\d/]|[:.]\d)", re.I, _numeric),
        (rf"\b{_LEAD}(?P<name>christmas|xmas|new year(?:'s)?)\b(?! (?:\d|eve|party|dinner))", re.I,
         _feast),
    )
)  # fmt: skip
"""Longest or surest first: where two overlap the first counts."""
