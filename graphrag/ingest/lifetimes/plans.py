"""Plans of one value: which date stands, and what took the place of the others."""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime
from itertools import islice, takewhile

from graphrag.ingest.lifetimes.statement import Statement
from graphrag.model.assertion import BEGINNING, Assertion, Date
from graphrag.temporal.moment import to_micros

Spoken = Statement | Assertion
"""What was said of a value, and when."""


def first_moment(one: Spoken) -> int:
    """Return the first moment for which something was said."""
    if one.since is not None:
        return one.since.start
    if one.until is not None:
        return one.until.start - 1
    return to_micros(one.at, BEGINNING)


class PlanDates:
    """The dates stated of one value, to be asked what took the place of a plan."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        words = sorted(statements, key=lambda statement: (statement.at_micros, statement.id))
        self._plans = [word for word in words if word.planned]
        self._next = [len(self._plans)] * len(self._plans)
        """For each plan the next one of another start."""
        for place in range(len(self._plans) - 2, -1, -1):
            same = self._plans[place].since == self._plans[place + 1].since
            self._next[place] = self._next[place + 1] if same else place + 1
        reports: dict[tuple[int, Date | None, float], Statement] = {}
        for word in words:
            if not word.planned and word.kind != "timeless":
                reports.setdefault((first_moment(word), word.since, word.trust), word)
        self._reports = sorted(reports.items(), key=lambda report: report[0][0])

    def instead_of(self, plan: Statement) -> Statement | None:
        """Return the statement whose date replaces that of a plan; None if none does.

        That is the first report of the value after the plan was made, or a newer plan that was made
        while this one was still to come, if they give another day, month or year.
        """
        if plan.at is not None:
            start = bisect_right(self._reports, plan.at_micros, key=lambda report: report[0][0])
            first = None
            for (moment, since, trust), report in islice(self._reports, start, None):
                if trust < plan.trust or (first is not None and moment > first):
                    if first is not None:
                        break
                    continue
                first = moment
                if since is not None and _apart(plan, report):
                    return report
        place = bisect_right(self._plans, plan.at_micros, key=lambda statement: statement.at_micros)
        while place < len(self._plans) and is_ahead(plan, self._plans[place].at):
            other = self._plans[place]
            apart = _apart(plan, other)
            if apart and other.trust >= plan.trust and not self._parts(plan, other):
                return other
            place = place + 1 if apart else self._next[place]
        return None

    def _parts(self, plan: Statement, other: Statement) -> bool:
        """Tell whether a report lies between two plans, which are then of two stretches."""
        low, high = sorted((first_moment(plan), first_moment(other)))
        place = bisect_right(self._reports, low - 1, key=lambda report: report[0][0])
        later = islice(self._reports, place, None)
        between = takewhile(lambda report: report[0][0] < high, later)
        return any(trust >= plan.trust for (_, _, trust), _ in between)


def _apart(plan: Statement, other: Statement) -> bool:
    """Tell whether two starts cannot be the same day, month or year."""
    assert plan.since is not None and other.since is not None, "both were stated"
    return plan.since.end <= other.since.start or other.since.end <= plan.since.start


def is_ahead(plan: Statement, at: datetime | None) -> bool:
    """Tell whether a plan is still to come: in March, what is planned for March is."""
    assert plan.since is not None, "a plan has a start"
    return to_micros(at, BEGINNING) < max(plan.since.start, plan.since.end - 1)
