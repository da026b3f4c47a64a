"""What a new fact takes the place of because it says so, where the two are no rivals."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.rivalry import shares_end
from graphrag.ingest.lifetimes.said import stated
from graphrag.model.assertion import Void
from graphrag.model.ids import new_id
from graphrag.model.values import Fact


def replacing(component: Component, fact: Fact) -> Fact:
    """Let what a fact says it replaces end or be called off; return it with the other rivals.

    An event ends what it names, and so does an end; a plan that it names is off. So is a plan that
    a newer plan or state names while it is still to come.
    """
    said, facts = fact.statements[0], component.facts
    competes = said.kind in ("state", "planned") and not said.ends
    date = said.until if said.ends else said.since
    rivals = []
    for id_ in said.excludes:
        other = facts.get(id_)
        if other is None or not shares_end(fact, other):
            continue
        plans = {
            statement.id
            for statement in other.statements
            if stated(statement, other, None).planned and statement.trust <= said.trust
            if not competes or (said.at and statement.since and said.at < statement.since.moment)
        }
        if plans:
            why = f"replaced: {fact.text}"
            component.void(plans, Void("cancelled", by=said.id, reason=why))
        elif competes:
            rivals.append(id_)
        elif date is not None:
            end = replace(said, id=new_id(), since=None, until=date, kind="state", excludes=())
            statements = (*other.statements, replace(end, text=fact.text))
            facts[id_] = replace(other, statements=statements)
    return replace(fact, statements=(replace(said, excludes=tuple(rivals)),))


def left_alone(component: Component, new: Iterable[Fact]) -> Iterator[str]:
    """Yield in words which of some new facts, as they were stated, replace a fact in vain."""
    for fact in new:
        own = component.facts.get(fact.id, fact)
        lost = own.retracted_at is not None or own.closed_as == "superseded"
        for id_ in fact.statements[0].excludes if not lost else ():
            before, after = component.stored.get(id_), component.facts.get(id_)
            if after is not None and _life(before) == _life(after):
                yield f"{fact.text!r} takes the place of {after.text!r}, which it does not end"


def _life(fact: Fact | None) -> object:
    return fact and (fact.valid_at, fact.invalid_at, fact.closed_as, fact.retracted_at)
