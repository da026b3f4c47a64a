"""What each statement supports: a stretch of world time, and what follows it.

| kind | said | supports |
|---|---|---|
| bounded | ``since`` and ``until`` | ``[since, until)`` |
| running | ``since`` | ``[since, max(since, at)]``, and afterwards until something newer |
| running | only ``at`` | that moment (observed), and afterwards |
| running | no time at all, alone | nothing in particular, and runs until something newer |
| silent | no time at all, beside what gives the value a time | nothing |
| running | timeless | every moment |
| ended | only ``until`` | the moment just before; nothing afterwards |
| event | its date | the day, month or year; it never runs |
| was | past, or over at ``at`` and not seen then; no date | no moment: somewhere before ``at`` |

A plan is read as what it plans. An end ahead of its source ("until 2030", stated in 2024) supports
``at`` and runs until then; "was so since 2010" runs from then and is over at ``at``. Every end of a
value is evidence against it: its own, one without an object, and the events of ``Relation.ends``.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import accumulate
from math import inf
from operator import attrgetter, itemgetter
from typing import Final, Literal

from graphrag.ingest.lifetimes import Statement, without_postponed_ends
from graphrag.model.assertion import BEGINNING, FOREVER, Date, Precision
from graphrag.ontology.relations import Relation

Shape = Literal["bounded", "running", "ended", "event", "was", "silent"]
ClaimKey = tuple[str, str, str]
"""Relation, subject and object, however they were named: what says the same is of one line."""
FINENESS: Final[Mapping[Precision, int]] = {"year": 0, "month": 1, "day": 2, "exact": 3}


@dataclass(frozen=True, slots=True)
class EndEvidence:
    """Evidence that a value does not hold from a moment on."""

    statement: Statement
    moment: int
    last: int
    """The newest evidence that it takes."""
    explicit: bool = False
    """False for the end of a stretch that was stated whole: the value may go on from there."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one statement supports, in microseconds since 1970."""

    statement: Statement
    line: ClaimKey
    kind: Shape
    first: int
    last: int
    """The last moment of it: how new the evidence is."""
    stop: int = FOREVER
    """From when on what was stated of its own value leaves nothing of it."""
    end: EndEvidence | None = None
    """What stops it, if it could have run on."""
    stated: bool = False
    """True if ``first`` is a start that was stated."""

    @property
    def id(self) -> str:
        """Return the id of its statement."""
        return self.statement.id

    @property
    def trust(self) -> float:
        """Return how much its statement is trusted."""
        return self.statement.trust

    @property
    def evidence(self) -> int:
        """Return how new it is to rivals: what was stated whole is as new as its start."""
        return self.first if self.kind == "bounded" else self.last

    @property
    def placed(self) -> bool:
        """Tell whether it says of any moment that the value holds then."""
        return self.kind not in ("was", "silent")

    @property
    def competes(self) -> bool:
        """Tell whether newer or better evidence of a rival takes its place."""
        return self.kind in ("running", "ended")


class Dates:
    """The dates of one value: finer ones give the moments of coarser ones (see docs/time.md)."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        starts, events, ends = set[Date](), set[Date](), set[Date]()
        for statement in statements:
            if statement.since is not None:
                (events if statement.kind == "event" else starts).add(statement.since)
            if statement.until is not None:
                ends.add(statement.until)
        self._starts, self._events, self._ends = (
            sorted(each, key=lambda date: (date.start, FINENESS[date.precision]))
            for each in (starts, events, ends)
        )

    def start(self, statement: Statement) -> int:
        """Return the first moment of a statement that gives its start."""
        date = statement.since
        assert date is not None, "a start was stated"
        finer = _finer(date, self._starts) or date
        over = statement.until is not None and finer.start >= statement.until.start
        earlier = statement.at is not None and date.start <= statement.at_micros < finer.start
        return date.start if over or earlier else finer.start

    def event(self, date: Date) -> tuple[int, int]:
        """Return the stretch in which an event happened."""
        finer = _finer(date, self._events) or date
        return finer.start, finer.end

    def end(self, date: Date, sightings: Sequence[int], statement: Statement) -> int:
        """Return the first moment after an explicit end, given when the value was seen."""
        finer = _finer(date, self._ends, last=True) or date
        if finer.precision == "exact":
            return finer.start
        at = statement.at_micros
        after = min(finer.end, at + 1) if at >= finer.start else finer.end
        place = bisect_left(sightings, after) - 1
        return finer.start if place < 0 else max(finer.start, sightings[place] + 1)

    def end_of_bounded(self, statement: Statement, first: int) -> int:
        """Return the end of a stretch that was stated whole."""
        date = statement.until
        assert date is not None, "an end was stated"
        finer = _finer(date, self._ends, last=True) or date
        if finer.start > first:
            return finer.start
        return date.start if date.start > first else date.end


def _finer(date: Date, dates: Sequence[Date], *, last: bool = False) -> Date | None:
    """Return the first of the finer dates inside one, or the last of them, as fine as it goes."""
    if date.precision == "exact" or not dates:
        return None
    low, high = (bisect_left(dates, at, key=attrgetter("start")) for at in (date.start, date.end))
    inside = range(low, high)
    for place in reversed(inside) if last else inside:
        if FINENESS[dates[place].precision] > FINENESS[date.precision]:
            return _finer(dates[place], dates, last=last) or dates[place]
    return None


_UNREFINED: Final = Dates(())


@dataclass(slots=True)
class ClaimEvidence:
    """All that was said of one value."""

    line: ClaimKey
    statements: list[Statement] = field(default_factory=list)
    supports: list[Evidence] = field(default_factory=list)
    ends: list[EndEvidence] = field(default_factory=list)


def work_out(
    account: ClaimEvidence, shared: Iterable[tuple[Statement, Date]], relation: Relation
) -> None:
    """Work out what the statements of one line support, and the ends stated of it."""
    if relation.timeless:
        account.supports = [_timeless(statement, account.line) for statement in account.statements]
        return
    account.statements, shared = without_postponed_ends(account.statements), list(shared)
    if not shared and len(account.statements) == 1 and not account.statements[0].ends:
        account.supports = [_plain(account.statements[0], account.line, _UNREFINED)]
    else:
        _work_out_together(account, shared)
    # Stretches that were stated whole end, and so does what merely was.
    for support in account.supports:
        over = support.kind == "running" and support.statement.kind == "was"
        if support.end is None and (over or support.kind in ("bounded", "was")):
            at = support.statement.at_micros if over else support.stop
            account.ends.append(EndEvidence(support.statement, at, at - 1))
    account.supports = list(_stopped(account.supports, account.ends))


def _work_out_together(account: ClaimEvidence, shared: Sequence[tuple[Statement, Date]]) -> None:
    @cache
    def dates(trust: float) -> Dates:
        return Dates(statement for statement in account.statements if statement.trust >= trust)

    @cache
    def sightings(trust: float) -> list[int]:
        return sorted({support.last for support in seen if support.trust >= trust})

    def ended(statement: Statement, date: Date) -> EndEvidence:
        refined, trust = dates(statement.trust), statement.trust
        moment, last = (refined.end(date, sightings(at), statement) for at in (trust, -inf))
        return EndEvidence(statement, moment, last, explicit=True)

    undated = [statement for statement in account.statements if statement.undated]
    account.supports = [
        _plain(statement, account.line, dates(statement.trust))
        for statement in account.statements
        if not (statement.ends or statement.undated)
    ]
    states = (it for it in account.supports if it.kind == "running" and it.statement.kind != "was")
    seen = [support for support in states if support.last == support.statement.at_micros]
    for statement in filter(attrgetter("ends"), account.statements):
        date, at = statement.until, statement.at_micros
        assert date is not None, "an explicit end has its date"
        end = ended(statement, date)
        account.ends.append(end)
        ahead = statement.kind == "state" and BEGINNING < at < date.start
        unplaced = date.precision == "exact" and at == date.start
        unplaced = unplaced and at not in sightings(statement.trust)
        kind: Shape = "running" if ahead else "was" if unplaced else "ended"
        moment = at if ahead or unplaced else end.moment - 1
        account.supports.append(
            Evidence(statement, account.line, kind, moment, moment, end.moment, end)
        )
    level = max((each.trust for each in account.supports if each.kind != "was"), default=-inf)
    for statement in undated:
        kind = "silent" if statement.trust <= level else "running"
        account.supports.append(Evidence(statement, account.line, kind, BEGINNING, BEGINNING))
    account.ends += (ended(statement, date) for statement, date in shared)


def _stopped(supports: Sequence[Evidence], ends: Sequence[EndEvidence]) -> Iterator[Evidence]:
    """Yield supports as far as ends of the same value leave them.

    An end takes what is not newer (what is older, if a stretch was stated whole) and not trusted
    more; one that is trusted more takes what reaches over it as well.
    """
    if not ends:
        yield from supports
        return

    @cache
    def newer(level: float) -> _First:
        return _First((end.last, end) for end in ends if end.statement.trust >= level)

    @cache
    def better(level: float) -> _First:
        return _First((end.moment, end) for end in ends if end.statement.trust > level)

    for support in supports:
        if support.kind != "running" or support.last == FOREVER - 1:
            yield support
            continue
        first, last = newer(support.trust), better(support.trust)
        candidates = first.since(support.last), last.since(support.first + 1)
        end = min(filter(None, candidates), key=_order, default=None)
        if end is not None:
            last_moment = min(support.last, end.moment - 1)
            support = replace(support, last=last_moment, stop=end.moment, end=end)
        yield support


class _First:
    def __init__(self, ends: Iterable[tuple[int, EndEvidence]]) -> None:
        newest = sorted(ends, key=itemgetter(0), reverse=True)
        self._moments = [-moment for moment, _ in newest]
        self._first = list(accumulate((end for _, end in newest), partial(min, key=_order)))

    def since(self, moment: int) -> EndEvidence | None:
        place = bisect_right(self._moments, -moment)
        return self._first[place - 1] if place else None


def _order(end: EndEvidence) -> tuple[int, bool, str, str, str, str]:
    """Return which end comes first; of equal ones one that names what it ends, whatever its id."""
    said = end.statement
    return end.moment, not said.object, said.relation, said.subject, said.object, said.id


def _plain(statement: Statement, line: ClaimKey, dates: Dates) -> Evidence:
    """Return what a statement supports that is no explicit end."""
    at = statement.at_micros
    if statement.kind == "timeless":
        return _timeless(statement, line)
    if statement.since is None:
        if statement.kind == "was":
            return Evidence(statement, line, "was", at, at, at)
        return Evidence(statement, line, "running", at, at)
    if statement.kind == "event" and statement.until is None:
        first, after = dates.event(statement.since)
        return Evidence(statement, line, "event", first, after - 1, after, stated=True)
    first = dates.start(statement)
    if statement.until is not None:
        until = dates.end_of_bounded(statement, first)
        return Evidence(statement, line, "bounded", first, until - 1, until, stated=True)
    last = first if statement.kind == "was" else max(first, at)
    return Evidence(statement, line, "running", first, last, stated=True)


def _timeless(statement: Statement, line: ClaimKey) -> Evidence:
    return Evidence(statement, line, "running", BEGINNING, FOREVER - 1)
