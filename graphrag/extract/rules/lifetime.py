"""When a clause's relation began and ended, from its verb, its tense and its time expressions.

Tense says what no date says: a state in the past tense is over ("was a nurse"), a deed in the past
tense happened once ("met"), and only the present and what lasts since a date speaks of now.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import Manner
from graphrag.model.assertion import Kind, Precision
from graphrag.temporal.period import Granularity, Period

_PRECISION: dict[Granularity, Precision] = {
    "instant": "exact",
    "part_of_day": "day",
    "day": "day",
    "weekend": "month",
    "week": "month",
    "month": "month",
    "quarter": "year",
    "season": "year",
    "year": "year",
    "decade": "year",
    "century": "year",
}
"""The finest that is not finer than what was said: a season is somewhere in a year."""


@dataclass(frozen=True, slots=True)
class Life:
    """What a text says of when a relation holds."""

    start: datetime | None = None
    end: datetime | None = None
    kind: Kind = "state"
    current: bool = False
    start_precision: Precision = "exact"
    end_precision: Precision = "exact"
    over: bool = False
    """True if all it says is that it holds no more: the relation's end."""

    def beginning(self, period: Period) -> "Life":
        """Return it with a start."""
        late = period.bound in ("after", "until")
        moment = period.end if late else period.start
        precision = "exact" if late else _PRECISION[period.granularity]
        return replace(self, start=moment, start_precision=precision)

    def ending(self, period: Period) -> "Life":
        """Return it with an end; what lasts until a year takes in that year."""
        last = period.bound == "until"
        return replace(
            self,
            end=period.end if last else period.start,
            end_precision="exact" if last else _PRECISION[period.granularity],
        )


ALWAYS = Life()
GONE = Life(kind="was")
CANCELLED = Life(kind="cancelled")


def lifetime(
    manner: Manner, clause: Clause | None, periods: Sequence[Period], said: datetime
) -> Life | None:
    """Return the stated start and end of a relation; None if it is only to come, at no date.

    Args:
        manner: How the relation's words speak of time.
        clause: The clause that states it; None for a noun phrase.
        periods: The times that belong to it.
        said: When the text was written.
    """
    if manner in ("state", "start"):
        periods = [part for period in periods for part in ends_of(period)]
    past = clause is not None and clause.past and (not clause.perfect or clause.pluperfect)
    past = past or (clause is not None and clause.over)
    since = any(period.bound in ("since", "after") for period in periods)
    life = Life()
    match manner:
        case "timeless":
            life = Life(kind="timeless")
            return life.beginning(periods[0]) if periods else life
        case "event" if clause is None or not clause.lasting:
            return _event(clause, periods, past=past)
        case "end":
            life = _end(periods)
        case "start":
            life = _start(periods)
        case "state" | "event":  # "has been attending since May" goes on
            life = _state(periods, past=past, since=since)
    ahead = clause is not None and (
        clause.future or (clause.coming and manner in ("start", "end") and not clause.negated)
    )
    if ahead and life.start is None and life.end is None:
        return None  # "she will join Acme", "is moving to Rome": nobody knows when
    if manner in ("state", "event") and not past and life.start is not None:
        lasting = clause is None or clause.perfect or not clause.future
        return replace(life, current=lasting and life.start <= said and life.end is None)
    return life


def _start(periods: Sequence[Period]) -> Life:
    life = Life()
    for period in periods:
        if period.bound in ("until", "before"):
            life = life.ending(period)
        elif life.start is None:
            life = life.beginning(period)
    return life


def _end(periods: Sequence[Period]) -> Life:
    life = Life(over=True)
    for period in periods:
        if period.bound == "since":
            continue
        life = life.ending(period)
    if life.end is None and periods:
        life = life.ending(replace(periods[0], bound="in"))
    return life


def _state(periods: Sequence[Period], *, past: bool, since: bool) -> Life:
    life = Life()
    for period in periods:
        if period.bound in ("until", "before"):
            life = life.ending(period)
        elif period.bound in ("since", "after") or not past:
            if life.start is None or period.start < life.start:  # "since 2016, from May as captain"
                life = life.beginning(period)
        elif life.start is None:  # "worked at Acme in 2019": known to hold in that time only
            life = life.beginning(period)
            life = replace(life, end=period.end)
    if past and life.start is None and life.end is None:
        return GONE
    return life


def _event(clause: Clause | None, periods: Sequence[Period], *, past: bool) -> Life:
    dated = [period for period in periods if period.bound != "until"]
    if dated:
        return replace(Life(kind="event").beginning(dated[0]))
    if past or (clause is not None and (clause.perfect or clause.passive)):
        return Life(kind="event")
    return Life()


def ends_of(period: Period) -> tuple[Period, ...]:
    """Return both ends of ``from 8 to 20 August``, a stretch of days; any other time as it is."""
    day = timedelta(days=1)
    if period.bound != "in" or period.granularity != "day" or period.end - period.start <= day:
        return (period,)
    first = Period(period.start, period.start + day, "day", "since")
    return first, Period(period.end - day, period.end, "day", "until")


def day_before(period: Period) -> Period:
    """Return the last day of a period: ``at the end of March`` is the 31st."""
    return Period(period.end - timedelta(days=1), period.end, "day", period.bound)
