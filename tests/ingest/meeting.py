"""A new fact among facts that are known, without a store: what it becomes, and what it changes."""

from dataclasses import dataclass, field, replace

from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.repeat import keep, let_fall
from graphrag.ingest.lifetimes.rivalry import Rivalry, exclusion, shares_end
from graphrag.model.assertion import Assertion, Date, Ending
from graphrag.model.values import Fact


@dataclass
class Meeting:
    new: Fact | None
    """The fact to store; None if the statement adds none."""
    changed: dict[str, Fact] = field(default_factory=dict)
    """Older facts by id, as they are to be from now on."""
    facts: dict[str, Fact] = field(default_factory=dict)
    """All of them."""


def said(fact, number, *, ends=False, corrects=False, excludes=()):
    """Return a fact with one statement that says what its fields do."""
    since = fact.valid_at and Date(fact.valid_at)
    until = fact.invalid_at and Date(fact.invalid_at)
    seen = fact.observed or ends
    one = Assertion(
        f"{number:02}-{fact.id}",
        None if seen else since,
        until,
        (fact.valid_at or fact.reference_time) if seen else None,
        source=fact.episodes[0] if fact.episodes else "",
        untyped=fact.untyped,
        as_given=fact.as_given,
        corrects=corrects,
        excludes=excludes,
    )
    return replace(fact, statements=(one,))


def equal_evidence(one, other, facts):
    """Tell whether something said of one value is as new as something said of the other."""

    def said_of(fact):
        ends = {fact.subject_id, fact.object_id}
        alike = [it for it in facts if {it.subject_id, it.object_id} == ends]
        dates = (said.since for it in alike for said in it.statements)
        return {fact.valid_at, *(date.moment for date in dates if date)}

    return bool(said_of(one) & said_of(other))


def ends_as_told(one, other):
    """Tell whether the end of one of two facts was told: until then it holds whatever else does."""
    return bool({one.closed_as, other.closed_as} & {"bounded", "ended"})


def never(_):
    return False


def meet(new, old, relations, *, now, excludes=frozenset(), **kind):
    component = Component(None, Rivalry(relations), None, never, now)
    kept = {one.id for fact in old for one in fact.statements}  # one may be of such an id
    component.facts = {
        fact.id: fact if fact.statements or fact.id in kept else said(fact, number)
        for number, fact in enumerate(old)
    }
    component.settle()
    before = dict(component.facts)
    ruled = tuple(
        fact.id
        for fact in before.values()
        if fact.id in excludes and shares_end(new, fact) and exclusion(new, fact, relations) is None
    )
    new = said(new, 99, excludes=ruled, **kind)
    if not new.object_id:
        ending = Ending(new.statements[0], new.relation, new.text)
        component.endings = {new.subject_id: (ending,)}
        component.settle()
        stands = None
    else:
        new = let_fall(component, new)
        component.facts[new.id] = new
        outcome = component.settle()
        stands = keep(component, [new.id], outcome)[new.id]
    after = component.facts
    unsaid = {id_: replace(fact, statements=()) for id_, fact in before.items()}
    return Meeting(
        after.get(new.id) if stands == new.id else None,
        {
            id_: after[id_]
            for id_, fact in unsaid.items()
            if replace(after[id_], statements=()) != fact
        },
        after,
    )
