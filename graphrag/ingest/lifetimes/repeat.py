"""What a new fact only repeats keeps its statements, and what it corrects falls."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from operator import attrgetter

from graphrag.ingest.lifetimes.component import Component, triple_of
from graphrag.ingest.lifetimes.derive import Outcome
from graphrag.ingest.lifetimes.rivalry import exclusion, overlap
from graphrag.ingest.lifetimes.support import ClaimKey
from graphrag.model.assertion import Assertion, Void
from graphrag.model.attributes import newer
from graphrag.model.values import Fact
from graphrag.ontology.relations import DEATHS, VITAL

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
    fact = component.facts[new]
    if fact.closed_as != "overruled":
        return None
    said = fact.statements[0]
    before = (
        other.id
        for other in component.facts.values()
        if other.closed_as == "overruled"
        and other.id != new
        and triple_of(fact) == triple_of(other)
        and any(
            (statement.since, statement.until, statement.kind)
            == (said.since, said.until, said.kind)
            for statement in other.statements[:1]
        )
    )
    return min(before, default=None)


def deny(component: Component, fact: Fact) -> bool:
    """Let fall what a statement says was never so, as far as it is trusted no more.

    Tell whether anything does. With an end it was never so until then: of what began later it says
    nothing.
    """
    said, line = fact.statements[0], _line(component, fact)
    ids = {
        statement.id
        for other in component.facts.values()
        if _line(component, other) == line or _dies(fact, other)
        for statement in other.statements
        if statement.void is None
        and statement.trust <= said.trust
        and not _is_later(statement, said)
    }
    component.void(ids, Void("retracted", by=said.id, reason=f"denied: {fact.text}"))
    return bool(ids)


def _dies(fact: Fact, other: Fact) -> bool:
    """Tell whether both say of one that they are dead."""
    both = fact.relation == VITAL and other.relation in DEATHS
    return both and fact.subject_id == other.subject_id


def _is_later(statement: Assertion, denial: Assertion) -> bool:
    date = statement.since or statement.until
    moment = statement.at if date is None else date.moment
    return denial.until is not None and moment is not None and moment > denial.until.moment


def let_fall(component: Component, fact: Fact, denied: Sequence[Fact] = ()) -> Fact:
    """Let fall what a fact corrects, and return the fact as it stands then.

    That is what cannot hold beside it; else, whatever the relation, another date of the same fact,
    or an end of it that was not one after all; else the only other fact of its subject and
    relation, or of several the one that was stated in the days before. The true fact held since the
    wrong one was said to, unless its own start was stated. If the same text says what was never so
    ("did not join Acme but Globex"), it is that and nothing else.
    """
    said = fact.statements[0]
    if not said.corrects:
        return fact
    for other in denied:
        if (other.subject_id, other.relation) == (fact.subject_id, fact.relation):
            return _instead(component, fact, _line(component, other))
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
        and (said.since is None or _ends_after(other, fact))
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
        first = component.statement(min(component.supporting(wrong[0].id)))
        fact = _dated(fact, first)
    component.void(ids, void)
    if fact.id in component.facts:
        component.facts[fact.id] = fact
    return fact


def _instead(component: Component, fact: Fact, wrong: ClaimKey) -> Fact:
    """Return a fact with the times at which another was said to hold that was denied for it."""
    first = min(
        (
            statement
            for other in component.facts.values()
            if _line(component, other) == wrong
            for statement in other.statements
            if statement.void is not None and not statement.pending
        ),
        key=attrgetter("id"),
        default=None,
    )
    return fact if first is None else _dated(fact, first)


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


def _line(component: Component, fact: Fact) -> ClaimKey:
    relations = component.rivalry.relations
    return relations.line(fact.relation, fact.subject_id, fact.object_id)


def _misdated(component: Component, fact: Fact) -> set[str]:
    """Return the statements of the same fact that a correction gives another date."""
    said = fact.statements[0]
    known = (it for it in component.facts.values() if triple_of(it) == triple_of(fact))
    return {
        statement.id
        for other in known
        if other.retracted_at is None and not other.pending
        for statement in other.statements
        if statement.void is None and not statement.pending and statement.trust <= said.trust
        if (statement.ends and said.until is None)
        or (
            said.since is not None and statement.since is not None and statement.since != said.since
        )
        or (
            said.until is not None and statement.until is not None and statement.until != said.until
        )
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
        other
        for other in alike
        if at is not None
        and other.reference_time is not None
        and timedelta() <= at - other.reference_time <= _DAYS_BEFORE
    ]
    return sorted(recent, key=lambda other: (other.reference_time, other.created_at))[-1:]


def _tied(component: Component, fact: Fact, wrong: list[Fact]) -> Fact:
    """Let a correction and what it corrects be settled together, which no relation says they are.

    What is wrong is so only as long as what corrects it stands.
    """
    for other in wrong:
        known = component.facts[other.id]
        rivals = tuple(dict.fromkeys((*known.rivals, fact.id)))
        component.facts[other.id] = replace(known, rivals=rivals)
    return replace(fact, rivals=tuple(dict.fromkeys((*fact.rivals, *(it.id for it in wrong)))))


def _ends_after(fact: Fact, new_fact: Fact) -> bool:
    return overlap(replace(fact, valid_at=None), replace(new_fact, invalid_at=None))


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
    known, new = set(map(_place, fact.statements)), list[Assertion]()
    for new_fact in new_facts:
        for statement in new_fact.statements:
            if (place := _place(statement)) not in known:
                known.add(place)
                other = statement.until and new_fact.text != fact.text
                new.append(replace(statement, text=new_fact.text) if other else statement)
    rivals = dict.fromkeys((*fact.rivals, *(id_ for new in new_facts for id_ in new.rivals)))
    fact = replace(fact, statements=(*fact.statements, *new), rivals=tuple(rivals))
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
