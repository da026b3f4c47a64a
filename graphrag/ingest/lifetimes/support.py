"""What each statement supports: a stretch of world time, and what follows it.

| kind | said | supports |
|---|---|---|
| bounded | ``since`` and ``until`` | ``[since, until)`` |
| running | ``since`` | ``[since, max(since, at)]``, and afterwards until something newer |
| running | only ``at`` | that moment (observed), and afterwards |
| running | no time at all | nothing in particular, and runs until something newer |
| running | timeless | every moment |
| ended | only ``until`` | the moment just before; nothing afterwards |
| was | over at ``at``, undated, and not seen then | no moment: it ended somewhere before |
| event | its date | the day, month or year; it never runs |
| was | past, no date | no moment: it was so somewhere before ``at`` |

A plan is read as what it plans. An end that lies ahead of its source ("until 2030", stated in 2024)
supports ``at`` and runs until then; what "was so since 2010" runs from then and is over at ``at``.
Every end stated of a value is evidence against what runs of it: its own, one without an object, and
the events of which ``Relation.ends`` says so.

Dates are as precise as they were stated. A finer date inside a coarser one of the same value and
side gives its moment, unless that one's own source speaks of an earlier one. An explicit end stated
as a day, month or year comes after whatever of the value was seen in it before the end was stated:
who is seen in March and "left that year" did not come back in March.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import ge, gt
from typing import Literal

from graphrag.ingest.lifetimes.statement import FINENESS, Statement
from graphrag.model.assertion import BEGINNING, FOREVER, Date
from graphrag.ontology.relations import Relation
from graphrag.temporal.moment import to_micros

Shape = Literal["bounded", "running", "ended", "event", "was"]
Line = tuple[str, str, str]
"""Relation, subject and object, however they were named: what says the same is of one line."""


@dataclass(frozen=True, slots=True)
class End:
    """Evidence that a value does not hold from a moment on."""

    statement: Statement
    moment: int
    explicit: bool
    """False for the end of a stretch that was stated whole: the value may go on from there."""


@dataclass(frozen=True, slots=True)
class Support:
    """What one statement supports, in microseconds since 1970."""

    statement: Statement
    line: Line
    kind: Shape
    first: int
    last: int
    """The last moment of it: how new the evidence is."""
    stop: int = FOREVER
    """From when on what was stated of its own value leaves nothing of it."""
    end: End | None = None
    """What stops it, if it could have run on."""
    stated: bool = False
    """True if ``first`` is a start that was stated."""

    @property
    def evidence(self) -> int:
        """Return how new it is to rivals: what was stated whole is as new as its start."""
        return self.first if self.kind == "bounded" else self.last

    @property
    def competes(self) -> bool:
        """Tell whether newer or better evidence of a rival takes its place."""
        return self.kind in ("running", "ended")


@dataclass(slots=True)
class Account:
    """All that was said of one value."""

    line: Line
    statements: list[Statement] = field(default_factory=list)
    supports: list[Support] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)


def work_out(
    account: Account, shared: Iterable[tuple[Statement, Date]], relation: Relation
) -> None:
    """Work out what the statements of one line support, and the ends stated of it."""
    if relation.timeless:
        account.supports = [_timeless(statement, account.line) for statement in account.statements]
        return
    dates = _Dates(account.statements)
    explicit: list[Statement] = []
    for statement in account.statements:
        if statement.explicit_end:
            explicit.append(statement)
        else:
            account.supports.append(_plain(statement, account.line, dates))
    seen = {
        support.last
        for support in account.supports
        if support.kind == "running"
        and support.statement.kind != "was"
        and support.last == _at(support.statement)
    }
    sightings = sorted(seen)
    for statement in explicit:
        date, at = statement.until, _at(statement)
        assert date is not None, "an explicit end has its date"
        end = End(statement, dates.end(date, sightings, statement), explicit=True)
        account.ends.append(end)
        ahead = statement.kind == "state" and BEGINNING < at < date.start
        undated = date.precision == "exact" and at == date.start and at not in seen
        kind: Shape = "running" if ahead else "was" if undated else "ended"
        moment = at if ahead or undated else end.moment - 1
        account.supports.append(
            Support(statement, account.line, kind, moment, moment, end.moment, end)
        )
    for support in account.supports:
        if support.end is not None:
            continue  # it is among them
        if support.kind in ("bounded", "was"):
            account.ends.append(End(support.statement, support.stop, explicit=False))
        elif support.kind == "running" and support.statement.kind == "was":
            account.ends.append(End(support.statement, _at(support.statement), explicit=False))
    for statement, date in shared:
        account.ends.append(End(statement, dates.end(date, sightings, statement), explicit=True))
    account.supports = list(_stopped(account.supports, account.ends))


def _stopped(supports: Sequence[Support], ends: Sequence[End]) -> Iterator[Support]:
    """Yield supports as far as ends of the same value leave them.

    An end takes what is not newer (what is older, if a stretch was stated whole) and not trusted
    more; one that is trusted more takes what reaches over it as well.
    """
    levels = {support.statement.trust for support in supports} if ends else set()
    newer, better = (
        {
            level: sorted(
                (since(end), end.moment, _content(end.statement), place)
                for place, end in enumerate(ends)
                if least(end.statement.trust, level)
            )
            for level in levels
        }
        for since, least in ((_evidence, ge), (_moment, gt))
    )
    for support in supports:
        if support.kind != "running" or not ends or support.last == FOREVER - 1:
            yield support
            continue
        level = support.statement.trust
        after = (
            (newer[level], bisect_left(newer[level], (support.last,))),
            (better[level], bisect_left(better[level], (support.first + 1,))),
        )
        rows = [table[place] for table, place in after if place < len(table)]
        first = min(rows, key=lambda row: row[1:], default=None)
        if first is None:
            yield support
        else:
            last = min(support.last, first[1] - 1)
            yield replace(support, last=last, stop=first[1], end=ends[first[-1]])


def _content(statement: Statement) -> tuple[bool, str, str, str, str]:
    """Return which of two equal ends counts, whatever their ids: one that names what it ends."""
    return (
        not statement.object,
        statement.relation,
        statement.subject,
        statement.object,
        statement.id,
    )


def _evidence(end: End) -> int:
    return end.moment if end.explicit else end.moment - 1


def _moment(end: End) -> int:
    return end.moment


def _plain(statement: Statement, line: Line, dates: "_Dates") -> Support:
    """Return what a statement supports that is no explicit end."""
    at = _at(statement)
    if statement.kind == "timeless":
        return _timeless(statement, line)
    if statement.since is None:
        if statement.kind == "was":
            return Support(statement, line, "was", at, at, at)
        return Support(statement, line, "running", at, at)
    if statement.kind == "event" and statement.until is None:
        first, after = dates.event(statement.since)
        return Support(statement, line, "event", first, after - 1, after, stated=True)
    first = dates.start(statement)
    if statement.until is not None:
        until = dates.end_of_bounded(statement, first)
        return Support(statement, line, "bounded", first, until - 1, until, stated=True)
    if statement.kind == "was":
        return Support(statement, line, "running", first, first, stated=True)
    return Support(statement, line, "running", first, max(first, at), stated=True)


def _timeless(statement: Statement, line: Line) -> Support:
    return Support(statement, line, "running", BEGINNING, FOREVER - 1)


def _at(statement: Statement) -> int:
    return to_micros(statement.at, BEGINNING)


class _Dates:
    """The dates stated of one value: the finer ones give the moments of the coarser ones."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        starts, events, ends = set[Date](), set[Date](), set[Date]()
        for statement in statements:
            if statement.since is not None:
                (events if statement.kind == "event" else starts).add(statement.since)
            if statement.until is not None:
                ends.add(statement.until)
        self._starts, self._events, self._ends = map(_sorted, (starts, events, ends))

    def start(self, statement: Statement) -> int:
        """Return the first moment of a statement that gives its start."""
        date = statement.since
        assert date is not None, "a start was stated"
        finer = _finer(date, self._starts)
        if finer is None:
            return date.start
        if statement.until is not None and not finer.start < statement.until.start:
            return date.start
        if statement.at is not None and date.start <= _at(statement) < finer.start:
            return date.start
        return finer.start

    def event(self, date: Date) -> tuple[int, int]:
        """Return the stretch in which an event happened."""
        finer = _finer(date, self._events) or date
        return finer.start, finer.end

    def end(self, date: Date, sightings: Sequence[int], statement: Statement) -> int:
        """Return the first moment after an explicit end, given when the value was seen."""
        finer = _finer(date, self._ends, last=True) or date
        if finer.precision == "exact":
            return finer.start
        at = _at(statement)
        after = min(finer.end, at + 1) if at >= finer.start else finer.end
        place = bisect_left(sightings, after) - 1
        if place < 0 or sightings[place] < finer.start:
            return finer.start
        return sightings[place] + 1

    def end_of_bounded(self, statement: Statement, first: int) -> int:
        """Return the end of a stretch that was stated whole."""
        date = statement.until
        assert date is not None, "an end was stated"
        finer = _finer(date, self._ends, last=True)
        if finer is not None and finer.start > first:
            return finer.start
        return date.start if date.start > first else date.end


def _sorted(dates: Iterable[Date]) -> list[Date]:
    return sorted(dates, key=lambda date: (date.start, FINENESS[date.precision]))


def _finer(date: Date, dates: Sequence[Date], *, last: bool = False) -> Date | None:
    """Return the first of the finer dates inside one, or the last of them, as fine as it goes."""
    if date.precision == "exact" or not dates:
        return None
    low = bisect_left(dates, date.start, key=lambda other: other.start)
    high = bisect_left(dates, date.end, key=lambda other: other.start)
    inside = range(low, high)
    for place in reversed(inside) if last else inside:
        if FINENESS[dates[place].precision] > FINENESS[date.precision]:
            return _finer(dates[place], dates, last=last) or dates[place]
    return None
