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
who is seen in March and "left that year" did not come back in March. A less trusted source refines
no date of a more trusted one: what it saw in March is over with the end that is stated.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import accumulate
from math import inf
from operator import itemgetter
from typing import Literal

from graphrag.ingest.lifetimes.statement import UNREFINED, Dates, Statement
from graphrag.model.assertion import BEGINNING, FOREVER, Date
from graphrag.ontology.relations import Relation

Shape = Literal["bounded", "running", "ended", "event", "was", "silent"]
ClaimKey = tuple[str, str, str]
"""Relation, subject and object, however they were named: what says the same is of one line."""


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
    shared = list(shared)
    if not shared and len(account.statements) == 1 and not account.statements[0].explicit_end:
        account.supports = [_plain(account.statements[0], account.line, UNREFINED)]
        _note_ends(account)
        account.supports = list(_stopped(account.supports, account.ends))
        return

    @cache
    def dates(trust: float) -> Dates:
        return Dates(statement for statement in account.statements if statement.trust >= trust)

    @cache
    def sightings(trust: float) -> list[int]:
        return sorted({support.last for support in seen if support.statement.trust >= trust})

    def ended(statement: Statement, date: Date) -> EndEvidence:
        refined, trust = dates(statement.trust), statement.trust
        moment, last = (refined.end(date, sightings(at), statement) for at in (trust, -inf))
        return EndEvidence(statement, moment, last, explicit=True)

    explicit: list[Statement] = []
    undated: list[Statement] = []
    for statement in account.statements:
        if statement.explicit_end:
            explicit.append(statement)
        elif statement.undated:
            undated.append(statement)
        else:
            account.supports.append(_plain(statement, account.line, dates(statement.trust)))
    seen = [
        support
        for support in account.supports
        if support.kind == "running"
        and support.statement.kind != "was"
        and support.last == support.statement.at_micros
    ]
    for statement in explicit:
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
    dated = (support.statement.trust for support in account.supports if support.kind != "was")
    level = max(dated, default=-inf)
    for statement in undated:
        kind = "silent" if statement.trust <= level else "running"
        account.supports.append(Evidence(statement, account.line, kind, BEGINNING, BEGINNING))
    _note_ends(account)
    account.ends += (ended(statement, date) for statement, date in shared)
    account.supports = list(_stopped(account.supports, account.ends))


def _note_ends(account: ClaimEvidence) -> None:
    """Note the ends of stretches that were stated whole, and of what merely was."""
    for support in account.supports:
        if support.end is not None:
            continue  # it is among them
        if support.kind in ("bounded", "was"):
            account.ends.append(EndEvidence(support.statement, support.stop, support.stop - 1))
        elif support.kind == "running" and support.statement.kind == "was":
            at = support.statement.at_micros
            account.ends.append(EndEvidence(support.statement, at, at - 1))


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
        level = support.statement.trust
        candidates = newer(level).since(support.last), better(level).since(support.first + 1)
        end = min(filter(None, candidates), key=_order, default=None)
        if end is None:
            yield support
        else:
            last = min(support.last, end.moment - 1)
            yield replace(support, last=last, stop=end.moment, end=end)


class _First:
    """The first of the ends from a moment on."""

    def __init__(self, ends: Iterable[tuple[int, EndEvidence]]) -> None:
        newest = sorted(ends, key=itemgetter(0), reverse=True)
        self._moments = [-moment for moment, _ in newest]
        self._first = list(accumulate((end for _, end in newest), partial(min, key=_order)))

    def since(self, moment: int) -> EndEvidence | None:
        place = bisect_right(self._moments, -moment)
        return self._first[place - 1] if place else None


def _order(end: EndEvidence) -> tuple[int, bool, str, str, str, str]:
    """Return which end comes first; of equal ones one that names what it ends, whatever its id."""
    statement = end.statement
    ends = statement.relation, statement.subject, statement.object
    return end.moment, not statement.object, *ends, statement.id


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
    if statement.kind == "was":
        return Evidence(statement, line, "running", first, first, stated=True)
    return Evidence(statement, line, "running", first, max(first, at), stated=True)


def _timeless(statement: Statement, line: ClaimKey) -> Evidence:
    return Evidence(statement, line, "running", BEGINNING, FOREVER - 1)
