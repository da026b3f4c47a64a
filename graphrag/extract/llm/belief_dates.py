"""Dates of a model's claims, validated.

A valid date of the model stands, even where the rules of time disagree. What dates mean depends on
the ``Tense`` (holds, held, happened, planned, off). A wrong date is reported and the fact stays.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, partial

from graphrag.errors import TimeError
from graphrag.extract.llm.wire import ReadFact
from graphrag.model.assertion import FOREVER, Date, Kind, Precision
from graphrag.model.values import Episode
from graphrag.temporal.find import find_times
from graphrag.temporal.interval import Period
from graphrag.temporal.moment import from_micros, parse_moment, precision_of
from graphrag.temporal.phrase import resolve_phrase

_READ = 20_000
_HORIZON = timedelta(days=365 * 100)
"""Nothing that is said to end or begin later than this is meant literally."""
_NOTHING = frozenset(
    "now present today's ongoing current currently unknown unclear none null n/a na - ? never "
    "unspecified undated".split()
)
_ABOUT = re.compile(r"^(?:~|≈|c\.|ca\.?|circa|about|around|approx\.?)\s*|[?~]$", re.IGNORECASE)
_DATE = re.compile(
    r"(\d{4})(?:[-/.](\d\d?|[Xx?]{2}))?(?:[-/.](\d\d?|[Xx?]{2}))?(?:[Tt ][\d:.,+Zz-]*)?"
)
_GRAIN: dict[str, Precision] = {"year": "year", "month": "month", "day": "day"}
_SINCE = re.compile(
    r"\b(?:since|ever since|seit|seitdem|desde|depuis|dal|dalla|sinds|siden|sedan|od)\b",
    re.IGNORECASE,
)
"""Words that say that what began then still holds."""
_LAST = re.compile(
    r"\b(?:last (?:day|working day)|until|through|expire\w*|letzte\w? (?:arbeits)?tag|bis|hasta|"
    r"último día|jusqu\w*|dernier jour|fino al?)\b",
    re.IGNORECASE,
)
"""Words by which a day is the last one."""


class Dating:
    """The times of one episode."""

    def __init__(self, episode: Episode, *, strict: bool = False) -> None:
        """Take the episode; with ``strict`` a date that its text does not name is none."""
        self._episode = episode
        self._strict = strict
        self.begins: set[str] = set()
        """Dates from which on something else holds: what ends then has no last day of its own."""

    @cached_property
    def _named(self) -> list[Period]:
        return self._periods(self._episode.content[:_READ])

    def stop(
        self, given: str, quote: str, *, over: bool = False, counted: bool = True
    ) -> Date | None:
        """Return the first moment at which something no longer holds.

        A stated last day ("until 31 July") is included. Of what is ``over``, a past day is the
        first without it, and a day to come the last, unless that is not ``counted`` or the first
        of a month.
        """
        date = self.start(given)
        if date is None:
            return None
        for period in self._periods(quote):
            if period.bound == "until" and period.start <= date.moment <= period.end:
                return Date(period.end, "day")  # "until 2019" takes in 2019
        ahead = counted and date.moment.day > 1 and date.moment > self._episode.valid_at
        counts = ahead or not over or _LAST.search(quote) is not None
        follows = given.strip() in self.begins
        if counts and not follows and self._is_last(date, quote):
            return Date(from_micros(date.end), "day")
        return date

    def _is_last(self, date: Date, quote: str) -> bool:
        """Tell whether a day is the last on which something holds."""
        # A record gives the first day on which it does not. So does a model for "until the end of
        # July": a first of a month that the words do not name.
        if date.precision != "day" or self._episode.source == "json":
            return False
        return date.moment.day > 1 or re.search(r"(?<!\d)0?1(?!\d)", quote) is not None

    def lasts(self, quote: str) -> bool:
        """Tell whether a quote says that what began at its date still holds."""
        return _SINCE.search(quote) is not None

    def _read(self, given: str) -> Date | None:
        words = _ABOUT.sub("", given.strip()).strip()
        if not words or words.casefold() in _NOTHING:
            return None
        if parts := _DATE.fullmatch(words):
            known = [parts[1]]
            for part in parts.group(2, 3):
                if part is None or not part.isdigit() or int(part) == 0:
                    break
                known.append(part.zfill(2))
            words = "-".join(known)
        reference = self._episode.valid_at
        moment = parse_moment(words, reference=reference)
        if moment > reference + _HORIZON:
            raise TimeError(f"{given!r} is too far from the date of the text")
        precision = precision_of(words)
        if precision == "exact" and (period := resolve_phrase(words, reference)) is not None:
            precision = _GRAIN.get(period.granularity, "exact")
        return Date(moment, precision)

    def start(self, given: str) -> Date | None:
        """Return a date, None if none is given; a weak model's has to be named by the text."""
        date = self._read(given)
        if date is None or not self._strict or str(date.moment.year) in self._episode.content:
            return date
        if any(_meets(date, period) for period in self._named):
            return date
        raise TimeError(f"{date.moment:%Y-%m-%d} is no time that the text names")

    def _periods(self, text: str) -> list[Period]:
        return [found.period for found in find_times(text, self._episode.valid_at)]


def _meets(date: Date, period: Period) -> bool:
    """Tell whether a date, as finely as it was given, has a moment of a period."""
    ends = date.moment if date.end >= FOREVER else from_micros(date.end)
    return date.moment <= period.end and period.start <= ends


_BEGAN = re.compile(
    r"\b(?:since|from|joined|began|begun|start\w*|hired|founded|seit|begann|desde|depuis)\b",
    re.IGNORECASE,
)
"""Words by which the lone date of something that is over may be its start."""
Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Tense:
    """The part of a claim that says when."""

    kind: Kind = "state"
    since: Date | None = None
    until: Date | None = None
    ends: bool = False
    current: bool = False
    unplaced: bool = False  # True for a plan of which nobody says when it is to begin
    moment: str = ""  # when something happened that has no lifetime, such as a birth


def tense_of(fact: ReadFact, dating: Dating, reference: datetime, drop: Note) -> Tense:
    """Return when a fact holds; ``drop`` takes what is left out, in words."""
    since = _read(partial(dating.start, fact.since), fact, drop)
    over = fact.kind == "ended"
    stop = partial(dating.stop, fact.until, fact.quote, over=over, counted=fact.last)
    until = _read(stop, fact, drop)
    if fact.kind == "ended" and since is not None and until is None:
        if not _BEGAN.search(fact.quote):
            stop = partial(dating.stop, fact.since, fact.quote, over=True)
            since, until = None, _read(stop, fact, drop)
    if since is not None and until is not None and until.moment <= since.moment:
        until = _after(since, until, fact, drop)
    match fact.kind:
        case "ended":
            return _ended(fact, since, until, reference, drop)
        case "was":
            return Tense("was", since, until)
        case "event":
            return Tense("event", since or until, until if since else None)
        case "timeless":
            date = since or until
            return Tense("timeless", moment="" if date is None else _shown(date))
        case "planned_event" if since or until:
            return Tense("event", since or until, until if since else None)
        case "planned" | "planned_event":
            return Tense("planned", since, until, unplaced=since is None)
        case "cancelled":
            return Tense("cancelled")
        case "state":
            current = since is not None and dating.lasts(fact.quote)
            return Tense("state", since, until, current=current)


def _read(read: Callable[[], Date | None], fact: ReadFact, drop: Note) -> Date | None:
    try:
        return read()
    except TimeError as error:
        drop(f"a time of the fact {str(fact)!r} is left out: {error}")
        return None


def _after(since: Date, until: Date, fact: ReadFact, drop: Note) -> Date | None:
    if until.precision != "exact" and until.end > since.start:
        return Date(from_micros(until.end), "day")
    drop(
        f"the end of the fact {str(fact)!r} is left out: {_shown(until)} is not after "
        f"{_shown(since)}"
    )
    return None


def _ended(
    fact: ReadFact, since: Date | None, until: Date | None, reference: datetime, drop: Note
) -> Tense:
    if since is None:
        return Tense(until=until, ends=True)
    if not fact.object.strip() and not fact.reference:
        drop(f"the start of the fact {str(fact)!r} is left out: nobody knows what it is that ended")
        return Tense(until=until, ends=True)
    return Tense(since=since, until=until or Date(reference))


def _shown(date: Date) -> str:
    form = {"year": "%Y", "month": "%Y-%m"}.get(date.precision, "%Y-%m-%d")
    return date.moment.strftime(form)
