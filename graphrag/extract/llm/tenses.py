"""When a fact holds by what a model says of it: its kind and its dates, as a claim carries them.

What holds, held, happened, is planned or is off differ in what their dates mean. What is wrong
about a date is put into words, and the fact stays.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from graphrag.errors import TimeError
from graphrag.extract.llm.belief_dates import Dating
from graphrag.extract.llm.wire import ReadFact
from graphrag.model.assertion import Date, Kind
from graphrag.temporal.moment import from_micros

_FILLED = ("holds", "changed", "ended", "was", "event", "planned")
"""Kinds of which a quote may give the date that the model left out."""
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
    unplaced: bool = False
    """True for a plan of which nobody says when it is to begin."""
    moment: str = ""
    """When something happened that has no lifetime, such as a birth."""


def tense_of(fact: ReadFact, dating: Dating, reference: datetime, note: Note, drop: Note) -> Tense:
    """Return when a fact holds.

    Args:
        fact: What the model says.
        dating: Reads its dates.
        reference: The reference time of the text.
        note: Takes what is doubtful about a date, or taken from the quote, in words.
        drop: Takes what is left out.
    """
    doubts = len(dating.doubts)
    since = _read(dating.start_date, fact.since, fact, drop)
    until = _read(dating.stop_date, fact.until, fact, drop)
    if fact.kind == "ended" and since is not None and until is None:
        if not _BEGAN.search(fact.quote):
            since, until = None, _read(dating.stop_date, fact.since, fact, drop)
    elif since is None and until is None and fact.kind in _FILLED:
        since, until = _filled(fact, dating, note)
    for doubt in dating.doubts[doubts:]:
        note(f"of the fact {str(fact)!r}: {doubt}")
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
        case "planned":
            return Tense("planned", since, until, unplaced=since is None)
        case "cancelled":
            return Tense("cancelled")
        case "holds" | "changed" | "correction":
            current = since is not None and dating.lasts(fact.quote)
            return Tense("state", since, until, current=current)


def _read(
    read: Callable[[str, str], Date | None], given: str, fact: ReadFact, drop: Note
) -> Date | None:
    try:
        return read(given, fact.quote)
    except TimeError as error:
        drop(f"a time of the fact {str(fact)!r} is left out: {error}")
        return None


def _filled(fact: ReadFact, dating: Dating, note: Note) -> tuple[Date | None, Date | None]:
    """Return the dates that a quote gives where the model gives none."""
    since, until = dating.only_time(fact.quote)
    if fact.kind == "ended":
        since, until = None, until or since
    for date in filter(None, (since, until)):
        note(f"of the fact {str(fact)!r}: {_shown(date)} is taken from its words")
    return since, until


def _after(since: Date, until: Date, fact: ReadFact, drop: Note) -> Date | None:
    """Return an end that comes after the start: all of its year, or nothing."""
    if until.precision != "exact" and until.end > since.start:
        return Date(from_micros(until.end), "day")
    drop(
        f"the end of the fact {str(fact)!r} is left out: {_shown(until)} is not after "
        f"{_shown(since)}"
    )
    return None


def _ended(
    fact: ReadFact,
    since: Date | None,
    until: Date | None,
    reference: datetime,
    drop: Note,
) -> Tense:
    """Return the tense of what is over: with its start it is a stretch of its own."""
    if since is None:
        return Tense(until=until, ends=True)
    if not fact.object.strip() and not fact.same.strip():
        drop(f"the start of the fact {str(fact)!r} is left out: nobody knows what it is that ended")
        return Tense(until=until, ends=True)
    return Tense(since=since, until=until or Date(reference))


def _shown(date: Date) -> str:
    form = {"year": "%Y", "month": "%Y-%m"}.get(date.precision, "%Y-%m-%d")
    return date.moment.strftime(form)
