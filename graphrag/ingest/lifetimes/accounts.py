"""What was said of each value: what stands, what cancels plans and ends things, who are rivals."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby, islice, takewhile
from typing import TYPE_CHECKING

from graphrag.ingest.lifetimes import Exclusion, Statement
from graphrag.ingest.lifetimes.evidence import ClaimEvidence, ClaimKey, Evidence, work_out
from graphrag.model.assertion import BEGINNING, FOREVER, Assertion, Date
from graphrag.ontology.relations import DEATHS, Relations
from graphrag.temporal.moment import to_micros

if TYPE_CHECKING:
    from graphrag.ingest.lifetimes.nesting import Nesting

ConflictKey = tuple[str, ...]
"""What only one value has a place in at a time: what every pair of values in it shares."""
ConflictKeys = Mapping[ClaimKey, Sequence[ConflictKey]]


def first_moment(spoken: Assertion) -> int:
    """Return the first moment for which something was said."""
    if spoken.since is not None:
        return spoken.since.start
    if spoken.until is not None:
        return spoken.until.start - 1
    return to_micros(spoken.at, BEGINNING)


def accounts(
    statements: Iterable[Statement], relations: Relations
) -> tuple[dict[ClaimKey, ClaimEvidence], dict[str, Statement]]:
    """Return what stands by line, and by the ids of cancelled plans what cancelled them."""
    standing = [statement for statement in statements if statement.void is None]
    cancellations = _cancellations(standing, relations)
    by_line: dict[ClaimKey, ClaimEvidence] = {}
    shared: dict[tuple[str, ...], list[tuple[Statement, Date]]] = defaultdict(list)
    for statement in standing:
        if statement.kind == "cancelled" or statement.id in cancellations:
            continue
        line = line_of(statement, relations)
        if "" not in line:
            by_line.setdefault(line, ClaimEvidence(line)).statements.append(statement)
        for key, date in _ends_shared(statement, line, relations):
            shared[key].append((statement, date))
    for (name, subject, object_), account in by_line.items():
        pair = "pair", name, *sorted((subject, object_))
        keys = ("subject", name, subject), ("object", name, object_), pair
        work_out(account, [end for key in keys for end in shared.get(key, ())], relations[name])
    return by_line, cancellations


def line_of(statement: Statement, relations: Relations) -> ClaimKey:
    """Return the value that a statement is about."""
    return relations.line(statement.relation, statement.subject, statement.object)


def _ends_shared(
    statement: Statement, line: ClaimKey, relations: Relations
) -> Iterator[tuple[tuple[str, ...], Date]]:
    """Yield what a statement ends of whatever an entity has: without an object, or by an event."""
    name, subject, object_ = line
    relation = relations[name]
    if "" in line:
        date = statement.until
        assert date is not None, "what has no object is an end"
        if subject or relation.symmetric:
            yield ("subject", name, subject or object_), date
        if object_ or relation.symmetric:
            yield ("object", name, subject or object_), date
        return
    if not (relation.ends or relation.ends_between) or statement.ends:
        return
    date = statement.since or (Date(statement.at) if statement.at is not None else None)
    if date is None or (statement.kind == "was" and statement.since is None):
        return  # nobody knows when it was
    for ended in (relations.canonical(other)[0] for other in relation.ends):
        for entity in (subject, object_) if relation.symmetric else (subject,):
            yield ("subject", ended, entity), date
            yield ("object", ended, entity), date
    for ended in (relations.canonical(other)[0] for other in relation.ends_between):
        yield ("pair", ended, *sorted((subject, object_))), date


def _cancellations(standing: Sequence[Statement], relations: Relations) -> dict[str, Statement]:
    plans = [it for it in standing if it.planned and not it.undated_plan]
    if not plans:
        return {}
    by_line: dict[ClaimKey, list[Statement]] = defaultdict(list)
    called_off: dict[ClaimKey, list[Statement]] = defaultdict(list)
    for statement in standing:
        of_kind = called_off if statement.kind == "cancelled" else by_line
        of_kind[line_of(statement, relations)].append(statement)
    deaths: dict[str, list[Statement]] = defaultdict(list)
    for statement in standing:
        if statement.kind != "cancelled" and relations.canonical(statement.relation)[0] in DEATHS:
            deaths[statement.subject].append(statement)
    dates = {line: PlanDates(by_line[line]) for line in {line_of(it, relations) for it in plans}}
    cancellations: dict[str, Statement] = {}
    for plan in plans:
        relation, subject, object_ = line = line_of(plan, relations)
        lines = [line, (relation, subject, ""), (relation, "", object_)]
        if relations[relation].symmetric:
            lines.append((relation, object_, ""))
        off = (statement for about in lines for statement in called_off.get(about, ()))
        matching = [statement for statement in off if _cancels(statement, plan)]
        known = (*deaths.get(subject, ()), *deaths.get(object_, ()))
        matching += [death for death in known if _outlived(plan, relation, death, relations)]
        if matching:
            cancellations[plan.id] = min(matching, key=lambda statement: statement.id)
        elif (instead := dates[line].instead_of(plan)) is not None:
            cancellations[plan.id] = instead
    return cancellations


def _outlived(plan: Statement, relation: str, death: Statement, relations: Relations) -> bool:
    """Tell whether a plan of what a death ends was made before that was known, for after it."""
    assert plan.since is not None, "a plan has a start"
    if relation not in {relations.canonical(name)[0] for name in relations[death.relation].ends}:
        return False
    moment = death.since.moment if death.since is not None else death.at
    if moment is None or moment > plan.since.moment or death.trust < plan.trust:
        return False
    return plan.at is None or death.at is None or plan.at <= death.at


def _cancels(statement: Statement, plan: Statement) -> bool:
    assert plan.since is not None, "a plan has a start"
    at, until = statement.at, statement.until
    if statement.source and statement.source == plan.source and statement.start <= plan.start:
        return False  # "the concert in May is off, it will be in June"
    if statement.trust < plan.trust or (until is not None and until.moment < plan.since.moment):
        return False  # "never so until then" says nothing of what is to come
    return at is None or (is_ahead(plan, at) and (plan.at is None or plan.at <= at))


class PlanDates:
    """The dates stated of one value, by which a plan of it may be replaced."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        words = sorted(statements, key=lambda statement: (statement.at_micros, statement.id))
        self._plans = [word for word in words if word.planned and not word.undated_plan]
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
            later = map(self._reports.__getitem__, range(start, len(self._reports)))
            trusted = (report for report in later if report[0][2] >= plan.trust)
            _, first = next(groupby(trusted, key=lambda report: report[0][0]), (0, iter(())))
            for (_, since, _), report in first:
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


def spares(support: Evidence, slot: ConflictKey) -> bool:
    """Tell whether a statement excludes nothing of a slot that is as this one: a table's own."""
    return support.statement.as_given and slot[0] != "ruling"


def first_said(spoken: Iterable[Assertion]) -> int:
    """Return the first moment for which something was said of a value."""
    return min(map(first_moment, spoken), default=BEGINNING)


def last_said(spoken: Iterable[Assertion]) -> int:
    """Return the last moment for which something was said of a value; never for nothing."""
    moments = (max(first_moment(word), to_micros(word.at, BEGINNING)) for word in spoken)
    return max(moments, default=FOREVER)


def end_said(spoken: Iterable[Assertion]) -> int:
    """Return when the newest of what was said of a value ended it; never if that ended nothing."""
    running, ended = BEGINNING, BEGINNING
    for word in spoken:
        at = to_micros(word.at, BEGINNING)
        if word.until is not None or word.kind == "was":
            ended = max(ended, at if word.until is None else word.until.start)
        else:
            running = max(running, first_moment(word), at)
    return ended if ended > BEGINNING and ended >= running else FOREVER


def conflict_keys(
    lines: Mapping[str, ClaimKey],
    relations: Relations,
    rulings: Iterable[Exclusion],
    nesting: "Nesting | None" = None,
) -> dict[ClaimKey, tuple[ConflictKey, ...]]:
    """Return in which slots each value competes; ``lines`` are by the id of the statement."""
    declared = {line: list(_declared(line, relations)) for line in lines.values()}
    parted: ConflictKeys = declared if nesting is None else nesting.parted(declared)
    slots = {line: [*own] for line, own in parted.items()}
    for ruling in rulings:
        for line in dict.fromkeys(lines[id_] for id_ in ruling.statements if id_ in lines):
            slots[line].append(("ruling", ruling.id))
    return {line: tuple(dict.fromkeys(own)) for line, own in slots.items()}


def _declared(line: ClaimKey, relations: Relations) -> Iterator[ConflictKey]:
    name, subject, object_ = line
    relation = relations[name]
    if relation.symmetric and (relation.single_valued or relation.single_holder):
        # Both ends are subjects: an entity has one slot, on whichever side it was named.
        yield "subject", name, subject
        yield "subject", name, object_
    elif relation.single_valued:
        yield "subject", name, subject
    if relation.single_holder and not relation.symmetric:
        yield "object", name, object_
    for other in relation.exclusive_with:
        other, _ = relations.canonical(other)
        either = relation.symmetric or relations[other].symmetric
        pair = sorted((subject, object_)) if either else (subject, object_)
        yield "pair", *sorted((name, other)), *pair
