"""Repetitions and corrections: a repeated fact keeps the new statements, a corrected one falls."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from operator import itemgetter

from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.derive import Outcome
from graphrag.ingest.lifetimes.rivalry import exclusion, overlap, triple_of
from graphrag.model.assertion import Assertion, Void
from graphrag.model.attributes import newer
from graphrag.model.values import Fact

_DAYS_BEFORE = timedelta(days=7)
"""How long ago the one of several facts was stated that a correction can mean: people correct what
was just said."""


def keep(component: Component, new: Iterable[str], outcome: Outcome) -> dict[str, str]:
    """Let what new facts repeat keep their statements; return by each what stands for it."""
    facts, stands = component.facts, dict[str, str]()
    repeated: dict[str, list[Fact]] = {}
    for id_ in new:
        into = outcome.settlement.joins.get(id_) or _contested(component, id_)
        stands[id_] = into or id_
        if into is None or (home := outcome.home_of(into)) == id_:
            continue
        new_fact = kept_by(facts.pop(id_), repeated.pop(id_, ()))
        for rival in new_fact.rivals:
            rivals = (home if rival_id == id_ else rival_id for rival_id in facts[rival].rivals)
            facts[rival] = replace(facts[rival], rivals=tuple(dict.fromkeys(rivals)))
        repeated.setdefault(home, []).append(new_fact)
        if into != home:
            facts[into] = _noted(facts[into], [new_fact])
    for home, new_facts in repeated.items():
        facts[home] = kept_by(facts[home], new_facts)
    return stands


def _contested(component: Component, new: str) -> str | None:
    """Return the fact that said the same in vain before."""
    if (fact := component.facts[new]).closed_as != "overruled":
        return None
    others = (it for it in component.facts.values() if it.closed_as == "overruled")
    ids = (it.id for it in others if it.id != new and _stated(it) == _stated(fact))
    return min(ids, default=None)


def _stated(fact: Fact) -> tuple[object, ...]:
    """Return what the first statement of a fact says."""
    times = ((said.since, said.until, said.kind) for said in fact.statements[:1])
    return (triple_of(fact), *times)


def let_fall(component: Component, fact: Fact) -> Fact:
    """Let fall what a fact corrects, and return the fact as it stands then.

    That is what cannot hold beside it; else, whatever the relation, another date of the same fact,
    or an end of it; else the only other fact of its subject and relation, or of several the one
    stated in the days before. The true fact held since the wrong one was said to, unless its own
    start was stated.
    """
    said = fact.statements[0]
    if not said.corrects:
        return fact
    void = Void("corrected", by=said.id, reason=f"corrected: {fact.text}")
    if misdated := _misdated(component, fact):
        component.void(misdated, void)
    relations = component.rivalry.relations
    apart = _apart(component, fact)
    wrong = [
        other
        for other in apart
        if triple_of(fact) != triple_of(other)
        and (other.id in said.excludes or exclusion(fact, other, relations) is not None)
        and (
            said.since is None
            or overlap(replace(other, valid_at=None), replace(fact, invalid_at=None))
        )
        and _may_be_wrong(component, other, said)
    ]
    if not wrong and not misdated:
        wrong = _meant(component, fact, apart)
        fact = _tied(component, fact, wrong)
    if not wrong:
        # Not the end of it: so it was then as it is now.
        return _dated(fact, component.statement(min(misdated))) if misdated else fact
    ids = {id_ for other in wrong for id_ in component.supporting(other.id)}
    if said.since is None:
        fact = _dated(fact, component.statement(min(component.supporting(wrong[0].id))))
    component.void(ids, void)
    if fact.id in component.facts:
        component.facts[fact.id] = fact
    return fact


def deny(component: Component, fact: Fact) -> bool:
    """Take back the facts that a denial names, and tell whether there was one.

    What somebody trusted more states stays. A plan that it names was called off; anything else was
    wrong from the start.
    """
    said, taken_back = fact.statements[0], False
    for id_ in said.excludes:
        known = component.facts.get(id_)
        if known is None or not _may_be_wrong(component, known, said):
            continue
        if fact.subject_id not in (known.subject_id, known.object_id):
            continue  # what is kept with another entity is not read with this fact
        rests_on = {*component.supporting(id_)}
        plan = all(component.statement(statement).planned for statement in rests_on)
        why = Void("cancelled" if plan else "corrected", by=said.id, reason=f"denied: {fact.text}")
        component.void(rests_on, why)
        taken_back = True
    return taken_back


def _dated(fact: Fact, first: Assertion) -> Fact:
    """Return a fact that has no start of its own with that of the statement that was wrong."""
    said = fact.statements[0]
    if said.since is not None or said.kind not in ("state", "was"):
        return fact
    if said.kind == "state":
        said = replace(said, since=first.since, at=first.at)
    elif first.since is not None and said.at is not None and first.since.moment < said.at:
        said = replace(said, since=first.since, until=said.until or first.until)
    return replace(fact, statements=(said, *fact.statements[1:]))


def _misdated(component: Component, fact: Fact) -> set[str]:
    """Return the statements of the same fact that a correction gives another date."""
    said = fact.statements[0]

    def misdates(old: Assertion) -> bool:
        dates = (old.since, said.since), (old.until, said.until)
        other = any(None not in pair and pair[0] != pair[1] for pair in dates)
        return other or (old.ends and said.until is None)

    return {
        statement.id
        for other in component.facts.values()
        if triple_of(other) == triple_of(fact) and other.retracted_at is None and not other.pending
        for statement in other.statements
        if statement.void is None and not statement.pending and statement.trust <= said.trust
        if misdates(statement)
    }


def _apart(component: Component, fact: Fact) -> list[Fact]:
    """Return the facts that do not hold beside another one because a place lies in a place."""
    facts = component.facts
    if fact.relation not in component.rivalry.nestable:
        return list(facts.values())
    # Imported here: where nothing may lie in another thing, nobody pays for it.
    from graphrag.ingest.lifetimes.nesting import Nesting

    nesting = Nesting.of({**component.nested, **facts}.values(), component.rivalry.relations)
    return [other for other in facts.values() if not nesting.beside(fact, other)]


def _meant(component: Component, fact: Fact, known: Sequence[Fact]) -> list[Fact]:
    """Return the fact of the same subject and relation that a correction must mean, if any."""
    said, at = fact.statements[0], fact.reference_time
    alike = [
        other
        for other in known
        if (other.subject_id, other.relation) == (fact.subject_id, fact.relation)
        and other.object_id != fact.object_id
        and _may_be_wrong(component, other, said)
    ]
    if len(alike) <= 1:
        return alike
    recent = [
        (other.reference_time, other.created_at, other)
        for other in alike
        if at is not None and other.reference_time is not None
        if timedelta() <= at - other.reference_time <= _DAYS_BEFORE
    ]
    return [other for *_, other in sorted(recent, key=itemgetter(0, 1))[-1:]]


def _tied(component: Component, fact: Fact, wrong: list[Fact]) -> Fact:
    """Let a correction be settled with what it corrects: that is wrong only while it stands."""
    for other in wrong:
        known = component.facts[other.id]
        rivals = tuple(dict.fromkeys((*known.rivals, fact.id)))
        component.facts[other.id] = replace(known, rivals=rivals)
    return replace(fact, rivals=tuple(dict.fromkeys((*fact.rivals, *(it.id for it in wrong)))))


def _may_be_wrong(component: Component, fact: Fact, said: Assertion) -> bool:
    """Tell whether a fact stands, is trusted no more, and began before what was said had ended."""
    if fact.retracted_at is not None or fact.pending:
        return False
    if said.until is not None and fact.valid_at is not None and said.until.moment <= fact.valid_at:
        return False
    supporting = map(component.statement, component.supporting(fact.id))
    return all(statement.trust <= said.trust for statement in supporting)


def kept_by(fact: Fact, new_facts: Sequence[Fact]) -> Fact:
    """Return a fact that keeps what new ones say, each statement once."""
    if not new_facts:
        return fact
    said = set(map(_place, fact.statements))
    new, rivals = dict[Assertion, Assertion](), dict.fromkeys(fact.rivals)
    for new_fact in new_facts:
        rivals |= dict.fromkeys(new_fact.rivals)
        for statement in new_fact.statements:
            if statement.until and new_fact.text != fact.text:
                statement = replace(statement, text=new_fact.text)
            new.setdefault(_place(statement), statement)
    kept = (statement for place, statement in new.items() if place not in said)
    fact = replace(fact, statements=(*fact.statements, *kept), rivals=tuple(rivals))
    return _noted(fact, new_facts)


def _noted(fact: Fact, new_facts: Iterable[Fact]) -> Fact:
    """Return a fact with what else new ones say of it."""
    attributes, times = fact.attributes, fact.attribute_times
    provenance = dict.fromkeys(fact.provenance)
    for new in new_facts:
        if new.attributes:
            attributes, times = newer(attributes, times, new.attributes, new.attribute_times)
        provenance |= dict.fromkeys(new.provenance)
    return replace(fact, attributes=attributes, attribute_times=times, provenance=tuple(provenance))


def _place(said: Assertion) -> Assertion:
    """Return what a table, a person or one place of an episode says again in equal words."""
    return replace(said, id="", text="", confidence=said.confidence if said.source else 0.0)
