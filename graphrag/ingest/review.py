"""What a text says too faintly waits for a person: which facts, and beside what.

A faint statement says nothing until somebody confirms it, and no read shows the fact that it would
make. What only repeats something known adds a source to it, and waits for nobody.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.derive import Outcome, alike, derive
from graphrag.ingest.lifetimes.repeat import kept_by
from graphrag.ingest.lifetimes.said import Gone
from graphrag.model.assertion import Ending
from graphrag.model.ids import new_id
from graphrag.model.values import Fact


def wait(fact: Fact, component: Component, gone: Gone, *, now: datetime) -> str:
    """Let a faint statement wait, and return the fact that keeps it."""
    before = component.settle(gone, now=now)
    known = _supposing({**component.facts, fact.id: fact}, component, gone, now)
    home = _repeated(fact, before, known) or _waiting(fact, component, gone, now)
    faint = replace(fact.statements[0], pending=True)
    waiting = replace(fact, statements=(faint,))
    facts = component.facts
    facts[home or fact.id] = waiting if home is None else kept_by(facts[home], [waiting])
    component.settle(gone, now=now)
    return home or fact.id


def ends_of_each(end: Fact, component: Component, gone: Gone, *, now: datetime) -> list[Fact]:
    """Return an end of its own for each fact that one without an object would close."""
    relations, nested = component.rivalry.relations, component.nested
    before = derive(component.facts, component.endings, relations, gone, now=now, nested=nested)
    ending = Ending(end.statements[0], end.relation, end.text, end.object_id)
    spoken = (*component.endings.get(end.subject_id, ()), ending)
    endings = {**component.endings, end.subject_id: spoken}
    after = derive(component.facts, endings, relations, gone, now=now, nested=nested)
    each = []
    for id_, ended in after.facts.items():
        was = before.facts.get(id_)
        if was is None or was.pending or was.derived_from:
            continue
        if (was.invalid_at, was.closed_as) == (ended.invalid_at, ended.closed_as):
            continue
        new = new_id()
        triple = {
            name: getattr(ended, name)
            for name in ("subject_id", "subject", "relation", "object_id", "object")
        }
        said = replace(end.statements[0], id=new)
        each.append(replace(end, id=new, statements=(said,), **triple))
    return each


def _repeated(fact: Fact, before: Outcome, after: Outcome) -> str | None:
    """Return the fact that keeps a statement that changes nothing."""
    into = after.settlement.joins.get(fact.id)
    if into is None or not alike(before.settlement, after.settlement):
        return None
    return after.home_of(into)


def _waiting(fact: Fact, component: Component, gone: Gone, now: datetime) -> str | None:
    """Return the waiting fact that a faint statement repeats."""
    said, ends = fact.statements[0], {fact.subject_id, fact.object_id}
    for other in component.facts.values():
        if not other.pending or not other.statements or {other.subject_id, other.object_id} != ends:
            continue
        first = other.statements[0]
        if (first.ends, first.corrects) != (said.ends, said.corrects):
            continue
        accepted = tuple(replace(statement, pending=False) for statement in other.statements)
        both = {other.id: replace(other, statements=accepted), fact.id: fact}
        if fact.id in _supposing(both, component, gone, now).settlement.joins:
            return other.id
    return None


def _supposing(
    facts: Mapping[str, Fact], component: Component, gone: Gone, now: datetime
) -> Outcome:
    known = facts, component.endings, component.rivalry.relations, gone
    return derive(*known, now=now, beside=component.beside(), nested=component.nested)
