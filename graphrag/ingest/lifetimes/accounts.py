"""What was said of each value, and which values are rivals."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from graphrag.ingest.lifetimes.plans import PlanDates, Spoken, first_moment, is_ahead
from graphrag.ingest.lifetimes.statement import Exclusion, Statement
from graphrag.ingest.lifetimes.support import Account, Line, Support, work_out
from graphrag.model.assertion import BEGINNING, FOREVER, Date
from graphrag.ontology.relations import DEATHS, Relation, Relations
from graphrag.temporal.moment import to_micros

Slot = tuple[str, ...]
"""What only one value has a place in at a time: what every pair of values in it shares."""


def line_of(statement: Statement, relations: Relations) -> Line:
    """Return what a statement is about."""
    return relations.line(statement.relation, statement.subject, statement.object)


def accounts(
    statements: Iterable[Statement], relations: Relations
) -> tuple[dict[Line, Account], dict[str, Statement]]:
    """Return what stands by line, and by the ids of cancelled plans what cancelled them."""
    standing = [statement for statement in statements if statement.void is None]
    cancellations = _cancellations(standing, relations)
    by_line: dict[Line, Account] = {}
    shared = _Shared()
    for statement in standing:
        if statement.kind == "cancelled" or statement.id in cancellations:
            continue
        line = line_of(statement, relations)
        if "" in line:
            shared.unnamed(statement, line, relations[line[0]])
            continue
        by_line.setdefault(line, Account(line)).statements.append(statement)
        shared.event(statement, line, relations)
    for line, account in by_line.items():
        work_out(account, shared.of(line), relations[line[0]])
    return by_line, cancellations


def _cancellations(standing: Sequence[Statement], relations: Relations) -> dict[str, Statement]:
    plans = [statement for statement in standing if statement.planned]
    if not plans:
        return {}
    by_line: dict[Line, list[Statement]] = defaultdict(list)
    called_off: dict[Line, list[Statement]] = defaultdict(list)
    for statement in standing:
        found = called_off if statement.kind == "cancelled" else by_line
        found[line_of(statement, relations)].append(statement)
    deaths = _deaths(standing, relations)
    planned = {line_of(plan, relations) for plan in plans}
    dates = {line: PlanDates(by_line[line]) for line in planned}
    cancellations: dict[str, Statement] = {}
    for plan in plans:
        relation, subject, object_ = line = line_of(plan, relations)
        lines = [line, (relation, subject, ""), (relation, "", object_)]
        if relations[relation].symmetric:
            lines.append((relation, object_, ""))
        matching = [
            statement
            for line in lines
            for statement in called_off.get(line, ())
            if _cancels(statement, plan)
        ]
        known = (*deaths.get(subject, ()), *deaths.get(object_, ()))
        matching += [death for death in known if _outlived(plan, relation, death, relations)]
        if matching:
            cancellations[plan.id] = min(matching, key=lambda statement: statement.id)
        elif (instead := dates[lines[0]].instead_of(plan)) is not None:
            cancellations[plan.id] = instead
    return cancellations


def _deaths(standing: Sequence[Statement], relations: Relations) -> dict[str, list[Statement]]:
    """Return what says of whom that they are dead."""
    found: dict[str, list[Statement]] = defaultdict(list)
    for statement in standing:
        if statement.kind != "cancelled" and relations.canonical(statement.relation)[0] in DEATHS:
            found[statement.subject].append(statement)
    return found


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
    if until is not None and until.moment < plan.since.moment:
        return False  # it was never so until then, which says nothing of what is to come
    if at is None or statement.trust < plan.trust:
        return statement.trust >= plan.trust
    return is_ahead(plan, at) and (plan.at is None or plan.at <= at)


@dataclass(slots=True)
class _Shared:
    """Ends of more than one value: those without an object, and events that end things."""

    _at: dict[tuple[str, ...], list[tuple[Statement, Date]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def unnamed(self, statement: Statement, line: Line, relation: Relation) -> None:
        """Note an end of whatever an entity has of a relation."""
        name, subject, object_ = line
        date = statement.until
        assert date is not None, "what has no object is an end"
        if subject or relation.symmetric:
            self._at["subject", name, subject or object_].append((statement, date))
        if object_ or relation.symmetric:
            self._at["object", name, subject or object_].append((statement, date))

    def event(self, statement: Statement, line: Line, relations: Relations) -> None:
        """Note what an event ends, if its relation says that it ends anything."""
        name, subject, object_ = line
        relation = relations[name]
        if not (relation.ends or relation.ends_between) or statement.explicit_end:
            return
        date = statement.since or (Date(statement.at) if statement.at is not None else None)
        if date is None or (statement.kind == "was" and statement.since is None):
            return  # nobody knows when it was
        whose = (subject, object_) if relation.symmetric else (subject,)
        for other in relation.ends:
            ended = relations.canonical(other)[0]
            for one in whose:
                self._at["subject", ended, one].append((statement, date))
                self._at["object", ended, one].append((statement, date))
        pair = sorted((subject, object_))
        for other in relation.ends_between:
            self._at["pair", relations.canonical(other)[0], *pair].append((statement, date))

    def of(self, line: Line) -> Iterable[tuple[Statement, Date]]:
        """Return the ends that a value shares with others."""
        name, subject, object_ = line
        keys = (
            ("subject", name, subject),
            ("object", name, object_),
            ("pair", name, *sorted((subject, object_))),
        )
        return [end for key in keys for end in self._at.get(key, ())]


def slots_of(support: Support, slots: Mapping[Line, tuple[Slot, ...]]) -> Iterator[Slot]:
    """Yield the slots that a statement competes in."""
    free = support.statement.untyped
    return (slot for slot in slots[support.line] if not free or slot[0] == "ruling")


def spares(support: Support, slot: Slot) -> bool:
    """Tell whether a statement excludes nothing of a slot that is as this one: a table's own."""
    return support.statement.as_given and slot[0] != "ruling"


def first_said(spoken: Iterable[Spoken]) -> int:
    """Return the first moment for which something was said of a value."""
    return min(map(first_moment, spoken), default=BEGINNING)


def last_said(spoken: Iterable[Spoken]) -> int:
    """Return the last moment for which something was said of a value; never for nothing."""
    return max(
        (max(first_moment(one), to_micros(one.at, BEGINNING)) for one in spoken), default=FOREVER
    )


def end_said(spoken: Iterable[Spoken]) -> int:
    """Return when the newest of what was said of a value ended it; never if that ended nothing."""
    running, ended = BEGINNING, BEGINNING
    for one in spoken:
        if one.until is not None:
            ended = max(ended, one.until.start)
        elif one.kind == "was":
            ended = max(ended, to_micros(one.at, BEGINNING))
        else:
            running = max(running, first_moment(one), to_micros(one.at, BEGINNING))
    return ended if ended > BEGINNING and ended >= running else FOREVER


class Nesting(Protocol):
    """What lies in what."""

    def parted(self, slots: Mapping[Line, Sequence[Slot]]) -> Mapping[Line, Sequence[Slot]]:
        """Return slots that two values share only if neither lies in the other."""


def find_slots(
    lines: Mapping[str, Line],
    relations: Relations,
    rulings: Iterable[Exclusion],
    nesting: Nesting | None = None,
) -> dict[Line, tuple[Slot, ...]]:
    """Return in which slots each value competes; ``lines`` are by the id of the statement."""
    declared = {line: list(_declared(line, relations)) for line in lines.values()}
    parted = declared if nesting is None else nesting.parted(declared)
    slots = {line: [*own] for line, own in parted.items()}
    for ruling in rulings:
        for line in dict.fromkeys(lines[id_] for id_ in ruling.statements if id_ in lines):
            slots[line].append(("ruling", ruling.id))
    return {line: tuple(dict.fromkeys(own)) for line, own in slots.items()}


def _declared(line: Line, relations: Relations) -> Iterator[Slot]:
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
